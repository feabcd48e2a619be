#pragma once

#include <optional>
#include <span>

#include <talus/model/model.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/state.hpp>

// How a machine in space starts: its bodies are put on the constraints, then their velocities.

namespace talus::stepping {

/// Where a coordinate of a joint shall be.
struct JointPosition {
  Index joint = 0;  ///< into SpatialMachine::joints
  model::Freedom axis = model::Freedom::turn_z;
  Real value = 0;  ///< [m, rad], with whole turns
};

/// A constraint that cannot be met together with the others.
struct OpenConstraint {
  enum class Kind : unsigned char { joint, drive, coupling, position };
  Kind kind = Kind::joint;
  Index index = 0;        ///< into the machine's list of its kind, or into the positions
  Real by = 0;            ///< by how much it is open [m, rad], or its rate [m/s, rad/s]
  bool is_length = true;  ///< metres, not radians
};

/// Moves the bodies of a machine in space until its joints, couplings and given positions hold.
///
/// Coordinates of joints that close no loop stay as they are unless given, so that what is beyond a
/// joint moves rigidly with it. Of a coupling that is open, or that something moves, the first
/// coordinate follows; where that is given or follows in another coupling, those do that are not
/// given. Loops and what follows move with the least displacement in the metric of the masses. The
/// way is followed in steps from the given places (continuation), so that a linkage stays in its
/// branch. Of a machine that nothing holds the first body stays. Drives of a position start where
/// their law says, unless a position says otherwise; drives of a rate are left out. Positions that
/// are given all around a loop, or of all that is coupled, agree at the end of the way and not on
/// it: there a tree of joints holds alone, and what stays open at the end, up to 1e-4 m and rad as
/// numbers of few digits leave it, is closed by the least displacement.
/// @param state in: places that meet the joints to 1e-6, velocities; out: places, and the angles
/// with their whole turns; unspecified if something stays open.
/// @param change out, if given: by how much given positions were changed so [m, rad].
/// @return what stays open by most, or nothing; a way of more than 20 000 steps is left. Cost: O(n)
/// projections, n the largest turn of a body over 0.2 rad.
[[nodiscard]] std::optional<OpenConstraint> assemble(const model::Model& model,
                                                     std::span<const JointPosition> positions,
                                                     model::State& state, Real* change = nullptr);

/// Changes the velocities by M⁻¹ Jᵀ λ so that joints, drives and couplings hold: J v + Φ_t = 0.
/// Velocities that satisfy them already are left as they are; prescribed bodies get those of their
/// motions. Of a machine in space or in the plane (contract).
/// @return what stays open by most, or nothing; in the plane nothing, which contradiction() tells.
[[nodiscard]] std::optional<OpenConstraint> assemble_velocities(const model::Model& model,
                                                                model::State& state);

/// A coordinate of a joint at a state, an angle with the whole turns that are nearest to `near`
/// [m, rad].
[[nodiscard]] Real joint_coordinate(const model::Model& model, const model::State& state,
                                    Index joint, model::Freedom axis, Real near = 0);

}  // namespace talus::stepping
