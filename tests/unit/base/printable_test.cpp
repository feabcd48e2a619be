#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/base/printable.hpp>

// A terminal obeys control characters: they are shown as numbers, lines and letters of all
// languages as they are.
TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(talus::printable("\x1b[31mred\x07\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(talus::printable("a\xc2\x9b"
                             "2J"),
            "a\\x9b2J")
      << "CSI in one character";
  EXPECT_EQ(talus::printable("two\nlines\tµ › 石"), "two\nlines\tµ › 石");
  EXPECT_EQ(talus::printable("\xc2"), "\xc2") << "half a character is not made longer";
}

// What is wrong in a file is shown with its line, and the line may hold anything.
TEST(Printable, DiagnosticsAre) {
  const talus::Diagnostic diagnostic{{"\x1b.yaml", 1, 2}, "a\x1b", "b\x1b", "c\x1b", "d\x1b"};
  const std::string text = talus::to_string(diagnostic);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(talus::InputError(diagnostic).what(), text);
}
