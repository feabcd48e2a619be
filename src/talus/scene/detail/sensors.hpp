#pragma once

#include <vector>

#include <talus/model/state.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// The sensors of a scene, for its bodies and joints; notes unknown ones, names given twice,
/// frames in bodies that the joint does not have, and rays in periodic scenes.
/// @param given where the bodies are as the files say, which frames of sensors refer to.
void build_sensors(const std::vector<const FragmentSpec*>& fragments, const model::State& given,
                   Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
