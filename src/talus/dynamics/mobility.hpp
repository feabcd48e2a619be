#pragma once

#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::dynamics {

/// Constraints of a joint, a drive or a coupling that follow from those before it.
struct RedundantConstraints {
  std::string of;  ///< "joint hinge"
  Index count = 0;
};

/// What the constraints of a machine leave free at a state.
struct Mobility {
  Index constraints = 0;
  Index loops = 0;             ///< joints that close one: more than hang the bodies together
  bool is_consistent = false;  ///< false: no state near this one satisfies all; the rest is 0
  Index redundant = 0;         ///< constraints that follow from the others
  std::vector<RedundantConstraints>
      redundant_in;              ///< where, in the order joints, drives, couplings
  Index degrees_of_freedom = 0;  ///< of all dynamic bodies
};

/// The mobility of a model with a machine, in the plane or in space, from the rank of its
/// constraints (Cholesky of constraint_gram() in their order, linalg::kGramRank). In the plane at
/// the state projected on them (ConstraintProjection), in space at the state itself, which must
/// meet them (stepping::assemble). O(m³) with m constraints, O(m) in space where nothing closes a
/// loop.
[[nodiscard]] Mobility mobility(const model::Model& model, const model::State& state);

}  // namespace talus::dynamics
