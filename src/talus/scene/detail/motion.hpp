#pragma once

#include <optional>

#include <talus/model/motion.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// The terms of a motion; notes what is wrong with them: axes without direction, tables that do not
/// fit together, turns of more than half a revolution in a step.
/// @param step_size h [s], 0 if it is not known.
[[nodiscard]] std::vector<model::MotionTerm> motion_terms(const MotionSpec& spec, Real step_size,
                                                          Problems& problems);

}  // namespace talus::scene::detail
