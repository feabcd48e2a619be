#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/cli/command_line.hpp>
#include <talus/cli/verbs.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

/// What a verb with all kinds of options was given.
struct Given {
  std::string file, word = "red", several;
  std::vector<std::string> settings;
  std::vector<Real> factors = {1};
  Index every = 1;
  int rate = 30;
  std::optional<Real> time;
  bool is_quiet = false, has_rate = false;
  int runs = 0;
};

/// The exit code of the program, and what it printed, or said of a mistake in the words.
struct Printed {
  int code = 0;
  std::string out, err;
};

/// A program with the verb `draw`, which has all kinds of options, and the verb `paint`.
void add_verbs(CommandLine& line, Given& given) {
  line.program().add_verb("paint", "Paints").action([] { return static_cast<int>(kDone); });
  Verb verb = line.program().add_verb("draw", "Draws");
  verb.add_option("file", given.file, "File").required();
  verb.add_option("--word", given.word, "A colour").one_of({"red", "blue"}).with_default();
  verb.add_option("--words", given.several, "Colours").several_of({"red", "green", "blue"});
  verb.add_option("--set", given.settings, "Settings").one_word_each();
  verb.add_option("--factors", given.factors, "Factors").separated_by(',').non_negative();
  verb.add_option("--every", given.every, "Steps").positive();
  const Option rate = verb.add_option("--rate", given.rate, "Rate").in_range(1, 240);
  const Option time = verb.add_option("--time", given.time, "Time").in_seconds().excludes(rate);
  verb.add_flag("--quiet", given.is_quiet, "Quiet").needs(time);
  verb.action([&given, rate] {
    ++given.runs;
    given.has_rate = rate.is_given();
    if (given.file == "broken") throw std::runtime_error("broken");
    if (given.file == "none") throw_missing("other file");
    return static_cast<int>(kUncertified);
  });
}

Printed printed(CommandLine& line, std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Printed result;
  const auto stop = [&] {
    result.out = testing::internal::GetCapturedStdout();
    result.err = testing::internal::GetCapturedStderr();
  };
  try {
    result.code = line.run(static_cast<int>(words.size()), words.data());
    stop();
  } catch (const InputError& mistake) {
    stop();
    result.code = kInputError;
    result.err += mistake.what() + std::string("\n");
  } catch (...) {
    stop();
    throw;
  }
  return result;
}

Printed printed(Given& given, const std::vector<const char*>& words) {
  CommandLine line("A program", "program", "program 1.2");
  add_verbs(line, given);
  return printed(line, words);
}

int run(Given& given, const std::vector<const char*>& words) { return printed(given, words).code; }

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
      {"sketch"},
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

// A mistake in the words is one diagnostic: what it is about, what was expected, what was found,
// and the nearest word that is known.
TEST(CommandLine, SaysWhatIsWrong) {
  const std::vector<std::pair<std::vector<const char*>, std::string>> wrong = {
      {{"pant"},
       "command line: program: there is no verb \"pant\"\nhint: did you mean paint? program "
       "--help tells what there is\n"},
      {{"draw", "f", "--evry", "2"},
       "command line: program draw: there is no option \"--evry\"\nhint: did you mean --every? "
       "program draw --help tells what there is\n"},
      {{"draw", "f", "g"},
       "command line: program draw: \"g\" is one word too many\nhint: program draw --help tells "
       "what there is\n"},
      {{"draw", "f", "--every", "0"}, "--every: expected a number above 0, got \"0\""},
      {{"draw", "f", "--every", "2.5"}, "--every: expected a whole number, got \"2.5\""},
      {{"draw", "f", "--factors", "-1"}, "--factors: expected a number from 0 up, got \"-1\""},
      {{"draw", "f", "--factors", "x"}, "--factors: expected a number, got \"x\""},
      {{"draw", "f", "--rate", "241"}, "--rate: expected a number from 1 to 240, got \"241\""},
      {{"draw", "f", "--word", "rad"},
       "--word: expected red or blue, got \"rad\"; did you mean red?"},
      {{"PAINT"}, "there is no verb \"PAINT\"\nhint: did you mean paint?"},
      {{"draw", "f", "--word"}, "program draw: --word needs a value"},
      {{"draw", "f", "--word", "red", "--word", "blue"}, "--word has too many values"},
      {{"draw", "f", "--words", "red,rad"},
       "--words: expected red, green or blue, got \"rad\"; did you mean red?"},
      {{"draw", "f", "--words", "red,"}, "--words: expected red, green or blue, got \"\""},
      {{"help", "draw", "extra"}, "command line: program help: \"extra\" is one word too many"},
      {{"draw"}, "file is required"},
      {{}, "program: a verb is missing, one of help, version, paint, draw"},
  };
  for (const auto& [words, message] : wrong) {
    Given given;
    const Printed result = printed(given, words);
    EXPECT_EQ(result.code, kInputError) << message;
    EXPECT_NE(result.err.find(message), std::string::npos) << message << "\n\n" << result.err;
    EXPECT_EQ(result.out, "");
  }
}

// A time may have a unit, as in scene files; what is no time is refused with what it is.
TEST(CommandLine, TakesTimesWithUnits) {
  for (const auto& [word, seconds] : std::vector<std::pair<const char*, Real>>{
           {"2", 2}, {"2s", 2}, {"20 ms", 0.02}, {"1 min", 60}}) {
    Given given;
    EXPECT_EQ(run(given, {"draw", "f", "--time", word}), kUncertified) << word;
    EXPECT_EQ(given.time, seconds) << word;
  }
  Given given;
  EXPECT_NE(
      printed(given, {"draw", "f", "--time", "2 kg"})
          .err.find("--time: expected a time, got \"2 kg\"; \"2 kg\" is a mass; a bare number is "
                    "in s; write it as 0.001, 1 ms, 2 min"),
      std::string::npos);
  EXPECT_NE(printed(given, {"draw", "f", "--time", "2 sec"}).err.find("\"sec\" is not a unit"),
            std::string::npos);
  EXPECT_EQ(given.runs, 0);
}

// The version and the help can be had in the two ways that people try.
TEST(CommandLine, TellsVersionAndHelp) {
  Given given;
  for (const char* word : {"version", "--version"}) {
    const Printed result = printed(given, {word});
    EXPECT_EQ(result.code, kDone);
    EXPECT_EQ(result.out, "program 1.2\n");
  }
  const Printed help = printed(given, {"help", "draw"});
  EXPECT_EQ(help.code, kDone);
  EXPECT_NE(help.out.find("--factors"), std::string::npos);
  EXPECT_EQ(help.out, printed(given, {"draw", "--help"}).out);
  EXPECT_EQ(printed(given, {"help"}).out, printed(given, {"--help"}).out);
  const Printed misspelt = printed(given, {"help", "drow"});
  EXPECT_EQ(misspelt.code, kInputError);
  EXPECT_NE(misspelt.err.find("did you mean draw?"), std::string::npos);
}

// A shell is offered verbs, options, the values of an option, also after a comma, and what an
// argument may be; nothing where a file is meant.
TEST(CommandLine, CompletesWords) {
  Given given;
  CommandLine line("A program", "program", "program 1.2");
  add_verbs(line, given);
  using Words = std::vector<std::string>;
  EXPECT_EQ(line.completions({"dr"}), Words{"draw"});
  EXPECT_EQ(line.completions({"help", "pa"}), Words{"paint"});
  EXPECT_EQ(line.completions({"draw", "--ra"}), Words{"--rate"});
  EXPECT_EQ(line.completions({"draw", "--word", ""}), (Words{"red", "blue"}));
  EXPECT_EQ(line.completions({"draw", "f", "--quiet", "--word", "=", "b"}), Words{"blue"});
  EXPECT_EQ(line.completions({"draw", "--word", "red,b"}), Words{"red,blue"});
  EXPECT_EQ(line.completions({"draw", ""}), Words{});
  EXPECT_EQ(line.completions({"draw", "--set", "x"}), Words{});
}

// Of a choice exactly one option must be given.
TEST(CommandLine, TakesOneOfAChoice) {
  const auto run_choice = [](std::vector<const char*> words) {
    std::string a, b;
    CommandLine line("A program", "program", "program 1.2");
    Verb verb = line.program().add_verb("draw", "Draws");
    Verb choice = verb.add_choice("what", "One of");
    choice.add_option("--a", a, "A");
    choice.add_option("--b", b, "B");
    verb.action([] { return static_cast<int>(kDone); });
    words.insert(words.begin(), "draw");
    const Printed result = printed(line, words);
    EXPECT_EQ(result.code == kDone,
              result.err.find("exactly one is needed of --a, --b") == std::string::npos);
    return result.code;
  };
  EXPECT_EQ(run_choice({"--a", "1"}), kDone);
  EXPECT_EQ(run_choice({}), kInputError);
  EXPECT_EQ(run_choice({"--a", "1", "--b", "2"}), kInputError);
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
