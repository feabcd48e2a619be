#include <talus/view/run_command.hpp>

#include <cmath>
#include <sstream>
#include <utility>

namespace talus::view {

std::optional<RunCommand> parse_run_command(const std::string& line) {
  using enum RunCommand::Kind;
  for (const auto& [word, kind] :
       {std::pair("pause", pause), {"step", step}, {"go", go}, {"release", release}})
    if (line == word) return RunCommand{kind, -1, {}, {}};
  std::istringstream words(line);
  std::string verb, rest;
  RunCommand command{pull, -1, {}, {}};
  words >> verb >> command.body;
  bool is_finite = true;
  for (auto* vector : {&command.point, &command.target})
    for (Real& number : *vector) {
      words >> number;
      is_finite = is_finite && std::isfinite(number);
    }
  const bool is_whole = !words.fail() && !(words >> rest);
  if (verb != "pull" || !is_whole || !is_finite || command.body < 0) return std::nullopt;
  return command;
}

}  // namespace talus::view
