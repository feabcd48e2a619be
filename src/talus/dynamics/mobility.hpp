#pragma once

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// What the constraints of a planar machine leave free at a state.
struct Mobility {
  Index constraints = 0;
  bool is_consistent = false;  ///< false: no state near this one satisfies all; the rest is 0
  Index redundant = 0;         ///< constraints that follow from the others
  Index degrees_of_freedom = 0;
};

/// The mobility of a planar model with a machine, from the rank of its constraints, at the state
/// projected on them (Projection). O(m³) with m constraints.
[[nodiscard]] Mobility mobility(const model::Model& model, const model::State& state);

}  // namespace talus::dynamics
