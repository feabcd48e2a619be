#pragma once

#include <memory>

#include <talus/scene/scene.hpp>

namespace talus::python {

/// A scene that simulations of it share.
using PyScene = std::shared_ptr<const scene::Scene>;

}  // namespace talus::python
