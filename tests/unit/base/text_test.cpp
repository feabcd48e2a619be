#include <gtest/gtest.h>

#include <array>

#include <talus/base/text.hpp>

// A misspelt word is answered with the nearest known one, and with nothing when none is near.
TEST(NearestWord, FindsTheSpellingTheUserMeant) {
  constexpr std::array<std::string_view, 4> kWords = {"friction", "restitution", "radius", "size"};
  EXPECT_EQ(talus::nearest_word("fricton", kWords), "friction");
  EXPECT_EQ(talus::nearest_word("raduis", kWords), "radius");
  EXPECT_EQ(talus::nearest_word("sise", kWords), "size");
  EXPECT_EQ(talus::nearest_word("xyzzyplugh", kWords), "");
  constexpr std::array<std::string_view, 2> kOthers = {"f", "angular_velocity"};
  EXPECT_EQ(talus::nearest_word("c", kOthers), "") << "every letter is one letter away";
  EXPECT_EQ(talus::nearest_word("surface_velocity", kOthers), "") << "seven letters of sixteen";
}

// The case of letters does not count, and a word may be the beginning of a longer one.
TEST(NearestWord, FindsBeginningsInAnyCase) {
  constexpr std::array<std::string_view, 3> kWords = {"run", "moreau_jean", "event_driven"};
  EXPECT_EQ(talus::nearest_word("RUN", kWords), "run");
  EXPECT_EQ(talus::nearest_word("moreu", kWords), "moreau_jean");
  EXPECT_EQ(talus::nearest_word("Event", kWords), "event_driven");
  EXPECT_EQ(talus::nearest_word("mor", kWords), "") << "too short to tell";
}

// A list of choices reads as a sentence does.
TEST(JoinChoices, ReadsLikeProse) {
  constexpr std::array<std::string_view, 3> kWords = {"stop", "accept", "fallback"};
  EXPECT_EQ(talus::join_choices(kWords), "stop, accept or fallback");
  EXPECT_EQ(talus::join_choices(std::span(kWords).first(1)), "stop");
  EXPECT_EQ(talus::join_choices({}), "");
}

// A word reaches a program as it is written, whatever the shell would have made of it.
TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(talus::shell_word("scenes/bed-1.yaml"), "scenes/bed-1.yaml");
  EXPECT_EQ(talus::shell_word("time.step=2 ms"), "'time.step=2 ms'");
  EXPECT_EQ(talus::shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(talus::shell_word(""), "''");
}

// Between each two items stands the separator, and nowhere else.
TEST(Join, PutsTheSeparatorBetweenItems) {
  EXPECT_EQ(talus::join(std::vector<std::string>{"a", "", "c"}, ", "), "a, , c");
  EXPECT_EQ(talus::join(std::vector<std::string_view>{"a"}, ", "), "a");
  EXPECT_EQ(talus::join(std::vector<talus::Index>{3, -1, 4}, "x"), "3x-1x4");
  EXPECT_EQ(talus::join(std::vector<std::string>{}, ", "), "");
}

// What is appended is what fmt::format makes of the arguments, behind the text that is there.
TEST(Append, FormatsBehindTheText) {
  std::string text = "x";
  talus::append(text, ",{}|{:>4}|{:.3e}", 0.1, "ab", 1234.5);
  EXPECT_EQ(text, "x," + fmt::format("{}|{:>4}|{:.3e}", 0.1, "ab", 1234.5));
}
