#include <gtest/gtest.h>

#include <talus/base/error.hpp>

// A diagnostic shows the file, the place, what is wrong, the line itself with a caret under it, and
// a hint.
TEST(Diagnostic, ShowsThePlaceAndAHint) {
  const talus::Diagnostic diagnostic{
      {"scene.yaml", 31, 7}, "bodies[2] \"crate\"", "expected a length", "      x: -1", "no sign?"};
  EXPECT_EQ(to_string(diagnostic),
            "scene.yaml:31:7: bodies[2] \"crate\": expected a length\n"
            "   31 |       x: -1\n"
            "      |       ^\n"
            "hint: no sign?");
}

// Several mistakes are reported in one go, in the order they were found.
TEST(InputError, CarriesEveryMistake) {
  const talus::InputError error(
      {{{"a.yaml", 1, 1}, "", "first", "", ""}, {{"a.yaml", 2, 1}, "", "second", "", ""}});
  EXPECT_STREQ(error.what(), "a.yaml:1:1: first\na.yaml:2:1: second");
  EXPECT_EQ(error.diagnostics().size(), 2U);
}
