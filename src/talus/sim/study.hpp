#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <talus/scene/scene.hpp>

namespace talus::sim {

/// A value of the scene that a study varies.
struct Variation {
  std::string path;                 ///< as in scene::Setting
  std::vector<std::string> values;  ///< YAML
};

/// "PATH=a:b:n", n values in equal distances from a to b, both included (n = 1: a); a unit may
/// follow: "time.step=1:4:4 ms". "PATH=a:b:n:log": in equal ratios. "PATH=[x, y, z]": these.
/// @throws InputError where it is neither.
[[nodiscard]] Variation variation_of(const std::string& text);

/// One scene for all combinations of some values.
struct Study {
  std::filesystem::path scene;
  scene::Overrides overrides;  ///< of all points
  std::vector<Variation> variations;
  Real mean_from = 0;  ///< [s]: probes are averaged over time from here on

  [[nodiscard]] Index point_count() const;
  /// The values of a point, one per variation; the last variation changes fastest.
  [[nodiscard]] std::vector<std::string> point(Index number) const;
};

/// What is written of a point: names and texts. Numbers read back bit for bit.
using Cells = std::vector<std::pair<std::string, std::string>>;

/// Names of the results of every point, in the order of the table; probes as the scene has them
/// without the variations: `PROBE.COLUMN` at the end and `mean(PROBE.COLUMN)` over time.
/// @throws InputError if the scene cannot be read.
[[nodiscard]] std::vector<std::string> result_names(const Study& study);

/// Throws the InputError of the first point where no point can be read, such as a path that is not
/// in the scene. Cost: mostly that of reading the scene once.
void check_readable(const Study& study);

/// Hash of everything that a point's results depend on: the scene's files, the settings, the end
/// time and the like. 16 hexadecimal digits.
/// @param scene the scene without the variations.
[[nodiscard]] std::string inputs_of(const Study& study, const scene::Scene& scene, Index number);

/// Runs a point without a record. Whatever goes wrong is a result: `status` is finished, stopped,
/// interrupted, input_error or internal_error, and `message` says more.
/// @param stem of files that a failure leaves. @param should_stop polled after every step.
[[nodiscard]] Cells run_point(const Study& study, Index number, const std::filesystem::path& stem,
                              const std::function<bool()>& should_stop);

}  // namespace talus::sim
