#pragma once

#include <talus/scene/detail/files.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

/// Makes the model and the initial state of what the files say: looks up names, reads data files,
/// generates sets, computes masses. Data files are added to the scene's sources. Mistakes go to the
/// problems.
void build_model(const SceneFiles& files, Scene& scene, Problems& problems);

}  // namespace talus::scene::detail
