#pragma once

#include <talus/model/model.hpp>

namespace talus::dynamics {

/// The first time after `time` at which a law of time of a machine has a kink (model::next_kink):
/// of a drive, the target of a motor or a force element; infinity if there is none. O(laws log
/// entries of a table), as all of these.
[[nodiscard]] Real next_kink(const model::SpatialMachine& machine, Real time);

/// The same of a machine in the plane.
[[nodiscard]] Real next_kink(const model::Machine& machine, Real time);

/// The same of all laws of a model: of machines, own systems and motions of bodies.
[[nodiscard]] Real next_kink(const model::Model& model, Real time);

}  // namespace talus::dynamics
