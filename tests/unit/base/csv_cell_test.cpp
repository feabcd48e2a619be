#include <gtest/gtest.h>

#include <talus/base/csv_cell.hpp>

// A cell is read back as the text that it was, by RFC 4180: what has commas, quotes or line breaks
// stands in quotes, a quote in it twice; anything else as it is.
TEST(CsvCell, QuotesWhatACommaWouldCut) {
  EXPECT_EQ(talus::csv_cell("ball[1]"), "ball[1]");
  EXPECT_EQ(talus::csv_cell(""), "");
  EXPECT_EQ(talus::csv_cell("left, upper"), "\"left, upper\"");
  EXPECT_EQ(talus::csv_cell("the \"big\" one"), "\"the \"\"big\"\" one\"");
  EXPECT_EQ(talus::csv_cell("two\nlines"), "\"two\nlines\"");
}
