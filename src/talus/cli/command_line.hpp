#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/base/types.hpp>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace talus::cli {

// The command line, as far as the verbs use it. Options and verbs are handles that are copied
// freely; they live as long as their CommandLine. Only command_line.cpp includes CLI11, which is
// slow to compile.

/// What may be written in the place of the last of some words; the words before it tell more, such
/// as the record that has been named. What cannot be found out is left out.
using Candidates = std::function<std::vector<std::string>(const std::vector<std::string>& words)>;

/// What a CommandLine and the handles share.
struct CommandLineState {
  int exit_code = 0;
  std::map<const CLI::Option*, Candidates> candidates;
};

/// An option or argument of a verb.
class Option {
 public:
  Option(CLI::Option& option, CommandLineState& state) : option_(&option), state_(&state) {}

  Option required();
  Option with_default();                ///< the help shows the value that is there now
  Option separated_by(char separator);  ///< one word may hold several values
  Option one_word_each();               ///< of a list: `--set a --set b`, not `--set a b`
  Option one_of(std::vector<std::string> words);
  Option several_of(std::vector<std::string> words);  ///< with commas between
  Option positive();
  Option non_negative();
  Option in_range(int low, int high);
  Option in_range(Real low, Real high);
  Option in_seconds();  ///< a bare number, or one with a unit of time: `20 ms`
  Option excludes(Option other);
  Option needs(Option other);
  Option completed_by(Candidates candidates);  ///< what a shell offers for it

  /// After parsing: whether it was given.
  [[nodiscard]] bool is_given() const;

 private:
  CLI::Option* option_;
  CommandLineState* state_;
};

/// A verb of the program, or the program itself.
class Verb {
 public:
  Verb(CLI::App& app, CommandLineState& state) : app_(&app), state_(&state) {}

  /// A verb below this one; one of them must be given.
  Verb add_verb(const std::string& name, const std::string& description);

  /// An option, `-o,--output`, or without a hyphen an argument.
  /// @param value where it is put, as long as the program runs. V is std::string, int, Index or
  ///   Real, std::optional of std::string or Real, or std::vector of these.
  template <class V>
  Option add_option(const std::string& name, V& value, const std::string& description);
  Option add_flag(const std::string& name, bool& value, const std::string& description);

  /// Options of which exactly one must be given.
  Verb add_choice(const std::string& name, const std::string& description);

  /// What stands below the options in the help.
  void footer(const std::string& text);

  /// What the verb does, after parsing; gives the exit code.
  void action(std::function<int()> work);

 private:
  CLI::App* app_;
  CommandLineState* state_;
};

/// The words that a program was called with.
class CommandLine {
 public:
  /// @param version what `--version` and the verb `version` print
  CommandLine(const std::string& description, const std::string& name, const std::string& version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine(CommandLine&&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  CommandLine& operator=(CommandLine&&) = delete;

  /// The program, to add verbs to.
  [[nodiscard]] Verb program();

  /// Parses the words and does what the verb does. Help, also as `help VERB`, is printed.
  /// `complete -- WORD …` prints the completions of the words.
  /// @return the exit code of the verb, kDone after help.
  /// @throws InputError after a mistake in the words, with the nearest word that is known; what the
  /// verb's action throws.
  [[nodiscard]] int run(int argc, const char* const* argv);

  /// What a shell may offer for the last of some words, which may be empty: verbs, options, or the
  /// candidates of an option or argument. Nothing where a file is meant.
  [[nodiscard]] std::vector<std::string> completions(const std::vector<std::string>& words) const;

 private:
  std::unique_ptr<CLI::App> app_;
  CommandLineState state_;
};

/// A mistake in the words that an action finds.
/// @param what the option or the verb that it is about
[[nodiscard]] InputError usage_error(const std::string& what, const std::string& message,
                                     const std::string& hint);

/// For an action: ends as if a required option had not been given.
[[noreturn]] void throw_missing(const std::string& name);

}  // namespace talus::cli
