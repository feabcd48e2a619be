#pragma once

#include <memory>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// Whether the force of a line element of a model does not vanish with its length: that of a spring
/// with a rest length, or a law of time.
[[nodiscard]] bool has_lines_without_direction(const model::Model& model);

/// A scheme whose step is not certified if the points of such an element are one where it begins:
/// the force has no direction there, and is left out. Cost: O(force elements) a step.
/// @param model outlives it; has_lines_without_direction (contract).
[[nodiscard]] std::unique_ptr<Scheme> judge_lines(std::unique_ptr<Scheme> scheme,
                                                  const model::Model& model);

}  // namespace talus::stepping
