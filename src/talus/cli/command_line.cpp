#include <talus/cli/command_line.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <vector>

#include <talus/base/text.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/scene/quantity.hpp>

namespace talus::cli {
namespace {

/// The number that a word is, if it is one that fits the type.
template <class V>
std::optional<V> number_in(const std::string& word) {
  V value{};
  const char* first = word.data() + (word.starts_with('+') ? 1 : 0);
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(first, end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// A condition on a word. @param expected "a number above 0"
CLI::Validator accepts(const std::string& expected,
                       const std::function<bool(const std::string&)>& is_met,
                       const std::string& note = "") {
  return {[=](std::string& word) {
            return is_met(word) ? std::string()
                                : fmt::format("expected {}, got \"{}\"", expected, word);
          },
          note};
}

/// What is wrong with a word that must be one of some; "" if it is.
std::string mistake_in(const std::string& word, const std::vector<std::string>& words) {
  if (std::find(words.begin(), words.end(), word) != words.end()) return "";
  const std::vector<std::string_view> known(words.begin(), words.end());
  const std::string nearest = nearest_word(word, known);
  return fmt::format("expected {}, got \"{}\"{}", join_choices(known), word,
                     nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

/// A condition on a number; what is no number is refused elsewhere.
CLI::Validator accepts_number(const std::string& expected, const std::function<bool(Real)>& is_met,
                              const std::string& note) {
  return accepts(
      expected,
      [=](const std::string& word) {
        const std::optional<Real> value = number_in<Real>(word);
        return !value || is_met(*value);
      },
      note);
}

template <class V>
struct ElementOf {
  using Type = V;
};
template <class V>
struct ElementOf<std::vector<V>> {
  using Type = V;
};
template <class V>
struct ElementOf<std::optional<V>> {
  using Type = V;
};

std::vector<const CLI::App*> verbs_below(const CLI::App& verb) {
  return verb.get_subcommands(std::function<bool(const CLI::App*)>());
}

/// The verb of a name below another; null if there is none.
const CLI::App* verb_below(const CLI::App& verb, const std::string& name) {
  for (const CLI::App* below : verbs_below(verb))
    if (below->get_name() == name) return below;
  return nullptr;
}

/// The verb that the words have led to.
const CLI::App& chosen(const CLI::App& app) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands().front();
  return *verb;
}

/// Verbs and, if the word is one, options of a verb.
std::vector<std::string> known_words(const CLI::App& verb, bool is_option) {
  std::vector<std::string> words;
  for (const CLI::App* below : verbs_below(verb)) {
    if (below->get_name().empty()) {
      const std::vector<std::string> more = known_words(*below, is_option);
      words.insert(words.end(), more.begin(), more.end());
    } else if (!is_option) {
      words.push_back(below->get_name());
    }
  }
  if (!is_option) return words;
  for (const CLI::Option* option : verb.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

/// What the parser says, in our words where it speaks of its own.
std::string message_of(const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string of_choice = "Exactly 1 option from [";
  if (text.starts_with(of_choice)) {
    std::string names = text.substr(of_choice.size(), text.find(']') - of_choice.size());
    for (std::size_t at = 0; (at = names.find(',', at)) != std::string::npos; at += 2)
      names.insert(at + 1, 1, ' ');
    return "exactly one is needed of " + names;
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return text;
  const std::string name = text.substr(0, text.find(':'));
  const bool is_missing = text.ends_with(" missing") || text.find("got 0") != std::string::npos;
  return name + (is_missing ? " needs a value" : " has too many values: one is expected");
}

/// The mistake in the words as a diagnostic, with the nearest known word.
Diagnostic diagnostic_of(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = chosen(app);
  std::string name = app.get_name();
  for (const CLI::App* at = &app; at != &verb;) {
    at = at->get_subcommands().front();
    name += ' ' + at->get_name();
  }
  Diagnostic mistake{
      {"command line"}, name, message_of(error), "", name + " --help tells what there is"};
  const std::vector<std::string> unknown = app.remaining(true);
  const std::vector<std::string> verbs = known_words(verb, false);
  if (unknown.empty() && !verbs.empty() && verb.get_require_subcommand_min() > 0)
    mistake.message = "a verb is missing, one of " + join(verbs, ", ");
  if (unknown.empty()) return mistake;
  const auto first_option = std::find_if(unknown.begin(), unknown.end(), [](const auto& word) {
    return word.size() > 1 && word.starts_with('-');
  });
  const std::string& word = first_option != unknown.end() ? *first_option : unknown.front();
  const bool is_option = word.starts_with('-');
  const std::vector<std::string> known = known_words(verb, is_option);
  if (!is_option && known.empty()) {
    mistake.message = fmt::format("\"{}\" is one word too many", word);
    return mistake;
  }
  mistake.message = fmt::format("there is no {} \"{}\"", is_option ? "option" : "verb", word);
  const std::string nearest = nearest_word(
      word.substr(0, word.find('=')), std::vector<std::string_view>(known.begin(), known.end()));
  if (!nearest.empty()) mistake.hint = fmt::format("did you mean {}? {}", nearest, mistake.hint);
  return mistake;
}

}  // namespace

Option Option::required() {
  option_->required();
  return *this;
}
Option Option::with_default() {
  option_->capture_default_str();
  return *this;
}
Option Option::separated_by(char separator) {
  option_->delimiter(separator);
  return *this;
}
Option Option::one_word_each() {
  option_->allow_extra_args(false);
  return *this;
}
Option Option::one_of(std::vector<std::string> words) {
  option_->check({[words](std::string& word) { return mistake_in(word, words); }, ""});
  return completed_by([words](const auto&) { return words; });
}
Option Option::several_of(std::vector<std::string> words) {
  const auto first_mistake = [words](std::string& list) {
    std::string mistake;
    for (std::size_t begin = 0, end = 0; mistake.empty() && end != std::string::npos;
         begin = end + 1) {
      end = list.find(',', begin);
      mistake = mistake_in(list.substr(begin, end - begin), words);
    }
    return mistake;
  };
  option_->check({first_mistake, ""});
  return completed_by([words](const auto&) { return words; });
}
Option Option::positive() {
  option_->check(accepts_number(
      "a number above 0", [](Real value) { return value > 0; }, "above 0"));
  return *this;
}
Option Option::non_negative() {
  option_->check(accepts_number(
      "a number from 0 up", [](Real value) { return value >= 0; }, "from 0 up"));
  return *this;
}
Option Option::in_range(int low, int high) {
  return in_range(static_cast<Real>(low), static_cast<Real>(high));
}
Option Option::in_range(Real low, Real high) {
  const std::string range = fmt::format("from {:g} to {:g}", low, high);
  option_->check(accepts_number(
      "a number " + range, [=](Real value) { return value >= low && value <= high; }, range));
  return *this;
}
Option Option::in_seconds() {
  option_->type_name("TIME");
  option_->transform({[](std::string& word) {
                        using scene::Quantity;
                        const scene::ParsedNumber number = scene::parse_number(word);
                        const std::string mistake = scene::mistake_in(number, word, Quantity::time);
                        if (!mistake.empty())
                          return fmt::format("expected a time, got \"{}\"; {}", word, mistake);
                        word = fmt::format("{}", number.value);
                        return std::string();
                      },
                      ""});
  return *this;
}
Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}
Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}
Option Option::completed_by(Candidates candidates) {
  state_->candidates[option_] = std::move(candidates);
  return *this;
}
bool Option::is_given() const { return option_->count() > 0; }

Verb Verb::add_verb(const std::string& name, const std::string& description) {
  app_->require_subcommand(1);
  return {*app_->add_subcommand(name, description), *state_};
}

template <class V>
Option Verb::add_option(const std::string& name, V& value, const std::string& description) {
  CLI::Option& option = *app_->add_option(name, value, description);
  using Element = typename ElementOf<V>::Type;
  if constexpr (std::is_arithmetic_v<Element>)
    option.check(
        accepts(std::is_integral_v<Element> ? "a whole number" : "a number",
                [](const std::string& word) { return number_in<Element>(word).has_value(); }));
  return {option, *state_};
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
  return {*app_->add_flag(name, value, description), *state_};
}

Verb Verb::add_choice(const std::string& name, const std::string& description) {
  CLI::Option_group* group = app_->add_option_group(name, description);
  group->require_option(1);
  return {*group, *state_};
}

void Verb::footer(const std::string& text) { app_->footer(text); }

void Verb::action(std::function<int()> work) {
  app_->callback([work = std::move(work), state = state_] { state->exit_code = work(); });
}

CommandLine::CommandLine(const std::string& description, const std::string& name,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version, "Print the version and exit");
  app_->add_subcommand("help", "Tells about a verb: " + name + " help VERB");
  app_->add_subcommand("version", "Prints the version");
}
CommandLine::~CommandLine() = default;

Verb CommandLine::program() { return {*app_, state_}; }

int CommandLine::run(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (words.size() > 2 && words[0] == "complete" && words[1] == "--") {  // a shell
    for (const std::string& word : completions({words.begin() + 2, words.end()}))
      fmt::print("{}\n", word);
    return kDone;
  }
  if (!words.empty() && words.front() == "help") {  // help VERB …
    words.erase(words.begin());
    const CLI::App* verb = app_.get();
    std::size_t known = 0;
    for (; known < words.size() && verb_below(*verb, words[known]) != nullptr; ++known)
      verb = verb_below(*verb, words[known]);
    if (known > 0 && known < words.size()) {
      const std::string message = fmt::format("\"{}\" is one word too many", words[known]);
      const std::string hint = fmt::format("{} help {}", app_->get_name(), verb->get_name());
      throw usage_error(app_->get_name() + " help", message, hint);
    }
    if (known == words.size()) words.emplace_back("--help");
  } else if (words == std::vector<std::string>{"version"}) {
    words.front() = "--version";
  }
  try {
    app_->parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 begins at the end
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_->exit(error) == 0 ? kDone : kInputError;
    throw InputError(diagnostic_of(*app_, error));
  }
  return state_.exit_code;
}

std::vector<std::string> CommandLine::completions(const std::vector<std::string>& words) const {
  if (words.empty()) return {};
  const CLI::App* verb = app_.get();
  const CLI::Option* open = nullptr;  // an option whose value comes next
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "=" || (i == 0 && word == "help")) continue;  // bash takes --a=b apart
    if (open != nullptr) {
      open = nullptr;
    } else if (word.size() > 1 && word.starts_with('-')) {
      const CLI::Option* option = verb->get_option_no_throw(word);
      if (option != nullptr && option->get_items_expected_max() > 0) open = option;
    } else if (const CLI::App* below = verb_below(*verb, word)) {
      verb = below;
    }
  }
  const std::string last = words.back() == "=" ? "" : words.back();
  std::vector<std::string> found;
  const auto offer = [&](const CLI::Option* option) {
    const auto entry = state_.candidates.find(option);
    if (entry != state_.candidates.end()) found = entry->second(words);
  };
  if (open != nullptr) {
    offer(open);
  } else if (last.starts_with('-')) {
    found = known_words(*verb, true);
  } else {
    found = known_words(*verb, false);
    for (const CLI::Option* option : verb->get_options())
      if (found.empty() && option->get_positional()) offer(option);
  }
  // Of a list with commas the last item is completed.
  const std::size_t comma = open != nullptr ? last.rfind(',') : std::string::npos;
  const std::string kept = comma == std::string::npos ? "" : last.substr(0, comma + 1);
  std::vector<std::string> fitting;
  for (const std::string& word : found)
    if ((kept + word).starts_with(last)) fitting.push_back(kept + word);
  return fitting;
}

InputError usage_error(const std::string& what, const std::string& message,
                       const std::string& hint) {
  return InputError(Diagnostic{{"command line"}, what, message, "", hint});
}

void throw_missing(const std::string& name) { throw CLI::RequiredError(name); }

}  // namespace talus::cli
