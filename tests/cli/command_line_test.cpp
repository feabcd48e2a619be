#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include <talus/cli/command_line.hpp>
#include <talus/cli/verbs.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

/// What a verb with all kinds of options was given.
struct Given {
  std::string file, word = "red";
  std::vector<std::string> settings;
  std::vector<Real> factors = {1};
  Index every = 1;
  int rate = 30;
  std::optional<Real> time;
  bool is_quiet = false, has_rate = false;
  int runs = 0;
};

int run(Given& given, std::vector<const char*> words) {
  CommandLine line("A program", "program");
  Verb verb = line.program().add_verb("draw", "Draws");
  verb.add_option("file", given.file, "File").required();
  verb.add_option("--word", given.word, "A colour").one_of({"red", "blue"}).with_default();
  verb.add_option("--set", given.settings, "Settings").one_word_each();
  verb.add_option("--factors", given.factors, "Factors").separated_by(',').non_negative();
  verb.add_option("--every", given.every, "Steps").positive();
  const Option rate = verb.add_option("--rate", given.rate, "Rate").in_range(1, 240);
  const Option time = verb.add_option("--time", given.time, "Time").excludes(rate);
  verb.add_flag("--quiet", given.is_quiet, "Quiet").needs(time);
  verb.action([&given, rate] {
    ++given.runs;
    given.has_rate = rate.is_given();
    if (given.file == "broken") throw std::runtime_error("broken");
    if (given.file == "none") throw_missing("other file");
    return static_cast<int>(kUncertified);
  });
  words.insert(words.begin(), "program");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto stop = [] {
    testing::internal::GetCapturedStdout();
    testing::internal::GetCapturedStderr();
  };
  try {
    const int code = line.run(static_cast<int>(words.size()), words.data());
    stop();
    return code;
  } catch (...) {
    stop();
    throw;
  }
}

// Every option puts what was given in its place, what was not given stays, and the exit code is the
// action's.
TEST(CommandLine, FillsOptionsAndRunsTheVerb) {
  Given given;
  EXPECT_EQ(run(given, {"draw", "--set", "a=1", "--set", "b=2", "--factors", "0,2.5", "--rate",
                        "60", "f.h5"}),
            kUncertified);
  EXPECT_EQ(given.runs, 1);
  EXPECT_EQ(given.file, "f.h5");
  EXPECT_EQ(given.word, "red");
  EXPECT_EQ(given.settings, (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(given.factors, (std::vector<Real>{0, 2.5}));
  EXPECT_EQ(given.rate, 60);
  EXPECT_TRUE(given.has_rate);
  EXPECT_FALSE(given.time.has_value());
  Given other;
  EXPECT_EQ(run(other, {"draw", "f.h5", "--time", "0.5", "--quiet"}), kUncertified);
  EXPECT_EQ(other.time, 0.5);
  EXPECT_TRUE(other.is_quiet);
  EXPECT_FALSE(other.has_rate);
}

// Words that break a requirement end with kInputError before the action begins; help ends with
// kDone.
TEST(CommandLine, RefusesWhatARequirementForbids) {
  const std::vector<std::vector<const char*>> wrong = {
      {},
      {"paint"},
      {"draw"},
      {"draw", "f", "--word", "green"},
      {"draw", "f", "--factors", "-1"},
      {"draw", "f", "--every", "0"},
      {"draw", "f", "--rate", "241"},
      {"draw", "f", "--rate", "60", "--time", "1"},
      {"draw", "f", "--quiet"},
      {"draw", "f", "--every", "two"},
  };
  for (const auto& words : wrong) {
    Given given;
    EXPECT_EQ(run(given, words), kInputError) << (words.empty() ? "" : words.back());
    EXPECT_EQ(given.runs, 0);
  }
  Given given;
  EXPECT_EQ(run(given, {"draw", "--help"}), kDone);
  EXPECT_EQ(given.runs, 0);
}

// What an action throws goes to the caller; only a missing option is a mistake in the words.
TEST(CommandLine, LetsErrorsOfTheActionPass) {
  Given given;
  EXPECT_THROW(static_cast<void>(run(given, {"draw", "broken"})), std::runtime_error);
  EXPECT_EQ(run(given, {"draw", "none"}), kInputError);
}

// Of a choice exactly one option must be given.
TEST(CommandLine, TakesOneOfAChoice) {
  const auto run_choice = [](std::vector<const char*> words) {
    std::string a, b;
    CommandLine line("A program", "program");
    Verb verb = line.program().add_verb("draw", "Draws");
    Verb choice = verb.add_choice("what", "One of");
    choice.add_option("--a", a, "A");
    choice.add_option("--b", b, "B");
    verb.action([] { return static_cast<int>(kDone); });
    words.insert(words.begin(), {"program", "draw"});
    testing::internal::CaptureStderr();
    const int code = line.run(static_cast<int>(words.size()), words.data());
    testing::internal::GetCapturedStderr();
    return code;
  };
  EXPECT_EQ(run_choice({"--a", "1"}), kDone);
  EXPECT_EQ(run_choice({}), kInputError);
  EXPECT_EQ(run_choice({"--a", "1", "--b", "2"}), kInputError);
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
