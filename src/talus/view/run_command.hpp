#pragma once

#include <array>
#include <optional>
#include <string>

#include <talus/base/types.hpp>

namespace talus::view {

/// What the page says to the run beside it, as a line of text: "pause", "step", "go",
/// "pull BODY px py pz tx ty tz" or "release".
struct RunCommand {
  enum class Kind : unsigned char { pause, step, go, pull, release };
  Kind kind = Kind::go;
  Index body = -1;               ///< that is pulled
  std::array<Real, 3> point{};   ///< where on it: in its frame, from the centre of mass [m]
  std::array<Real, 3> target{};  ///< where to, world frame [m]
};

/// The command of a line; nothing if it is none.
[[nodiscard]] std::optional<RunCommand> parse_run_command(const std::string& line);

}  // namespace talus::view
