#pragma once

#include <string>
#include <vector>

#include <talus/scene/scene.hpp>

namespace talus::scene {

/// Limits of turns that are more than a turn in radians and round numbers: what degrees look like
/// whose unit was left out.
[[nodiscard]] std::vector<std::string> limit_warnings(const Scene& scene);

/// All that a run of a scene should be warned of: the parts of robots' files that are refused, then
/// limit_warnings().
[[nodiscard]] std::vector<std::string> warnings(const Scene& scene);

}  // namespace talus::scene
