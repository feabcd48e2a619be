#include <talus/cli/command_line.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <vector>

#include <talus/cli/verbs.hpp>

namespace talus::cli {

Option Option::required() { return Option(*option_->required()); }
Option Option::with_default() { return Option(*option_->capture_default_str()); }
Option Option::separated_by(char separator) { return Option(*option_->delimiter(separator)); }
Option Option::one_word_each() { return Option(*option_->allow_extra_args(false)); }
Option Option::one_of(std::initializer_list<const char*> words) {
  return Option(*option_->check(CLI::IsMember(words)));
}
Option Option::positive() { return Option(*option_->check(CLI::PositiveNumber)); }
Option Option::non_negative() { return Option(*option_->check(CLI::NonNegativeNumber)); }
Option Option::in_range(int low, int high) {
  return Option(*option_->check(CLI::Range(low, high)));
}
Option Option::in_range(Real low, Real high) {
  return Option(*option_->check(CLI::Range(low, high)));
}
Option Option::excludes(Option other) { return Option(*option_->excludes(other.option_)); }
Option Option::needs(Option other) { return Option(*option_->needs(other.option_)); }
bool Option::is_given() const { return option_->count() > 0; }

Verb Verb::add_verb(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, description), *exit_code_};
}

template <class V>
Option Verb::add_option(const std::string& name, V& value, const std::string& description) {
  return Option(*app_->add_option(name, value, description));
}
template Option Verb::add_option(const std::string&, std::string&, const std::string&);
template Option Verb::add_option(const std::string&, int&, const std::string&);
template Option Verb::add_option(const std::string&, Index&, const std::string&);
template Option Verb::add_option(const std::string&, Real&, const std::string&);
template Option Verb::add_option(const std::string&, std::optional<std::string>&,
                                 const std::string&);
template Option Verb::add_option(const std::string&, std::optional<Real>&, const std::string&);
template Option Verb::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option Verb::add_option(const std::string&, std::vector<Real>&, const std::string&);

Option Verb::add_flag(const std::string& name, bool& value, const std::string& description) {
  return Option(*app_->add_flag(name, value, description));
}

Verb Verb::add_choice(const std::string& name, const std::string& description) {
  CLI::Option_group* group = app_->add_option_group(name, description);
  group->require_option(1);
  return {*group, *exit_code_};
}

void Verb::footer(const std::string& text) { app_->footer(text); }

void Verb::action(std::function<int()> work) {
  app_->callback([work = std::move(work), exit_code = exit_code_] { *exit_code = work(); });
}

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_unique<CLI::App>(description, name)) {}
CommandLine::~CommandLine() = default;

Verb CommandLine::program() { return {*app_, exit_code_}; }

int CommandLine::run(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? kDone : kInputError;  // prints the help or the mistake
  }
  return exit_code_;
}

InputError usage_error(const std::string& what, const std::string& message,
                       const std::string& hint) {
  return InputError(Diagnostic{{"command line"}, what, message, "", hint});
}

void throw_missing(const std::string& name) { throw CLI::RequiredError(name); }

}  // namespace talus::cli
