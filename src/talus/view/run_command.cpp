#include <talus/view/run_command.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

namespace talus::view {

std::optional<RunCommand> parse_run_command(const std::string& line) {
  using enum RunCommand::Kind;
  for (const auto& [word, kind] :
       {std::pair("pause", pause), {"step", step}, {"go", go}, {"release", release}})
    if (line == word) return RunCommand{kind, -1, Vec3::Zero(), Vec3::Zero()};
  std::istringstream words(line);
  std::string verb, rest;
  RunCommand command{pull, -1, Vec3::Zero(), Vec3::Zero()};
  words >> verb >> command.body;
  for (Vec3* vector : {&command.point, &command.target})
    for (Real& number : *vector) words >> number;
  const bool is_whole = !words.fail() && !(words >> rest);
  if (verb != "pull" || !is_whole || command.body < 0 || !command.point.allFinite() ||
      !command.target.allFinite())
    return std::nullopt;
  return command;
}

}  // namespace talus::view
