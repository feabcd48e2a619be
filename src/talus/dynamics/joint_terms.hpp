#pragma once

#include <variant>

#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/joint_frames.hpp>
#include <talus/model/spatial_machine.hpp>

namespace talus::dynamics {

/// How many constraints a joint makes: 0 for ropes and joints with play.
[[nodiscard]] int constraint_count(const model::SpatialJointKind& kind);

/// Visits the terms of all held freedoms. @param joint JointFrames, JointRates or a JointPlace.
template <class Joint, class Visit>
void for_each_held(const Joint& joint, model::FreedomSet held, const Visit& visit) {
  for (int k = 0; k < 3; ++k)
    if (held.has(model::translation_along(k))) visit(along(joint, joint.J_A.E.col(k)));
  for (int k = 0; k < 3; ++k)
    if (const model::Freedom turn = model::turn_about(k); held.has(turn))
      visit(held_turn_terms(joint, held, turn));
}

/// A screw's own constraint: the way along z less that of the turn about it.
[[nodiscard]] RowTerms screw_terms(const JointGeometry& joint, const JointFrames& frames);

/// Visits rows, values, rates and drifts of the constraints of a joint between two bodies that move
/// as given: held displacements along x, y, z of J_A first, then held turns about x, y, z
/// (held_turn_terms), which are those turns at first order; a multiplier is the force [N] or moment
/// [N m] on B along that axis. Then a screw's own; a rod has one, ‖d‖ − L. O(1), no allocation.
/// @tparam has_drift whether drifts are asked for. @param visit of RowTerms.
template <bool has_drift = true, class Visit>
void for_each_constraint(const JointGeometry& joint, const BodyMotion& A, const BodyMotion& B,
                         const Visit& visit) {
  const model::SpatialJointKind& kind = joint.joint.kind;
  if constexpr (has_drift)
    for_each_held(joint.frames(A, B), joint.held, visit);
  else
    for_each_held(joint.rates(A, B), joint.held, visit);
  if (std::holds_alternative<model::Screw>(kind)) {
    visit(screw_terms(joint, joint.frames(A, B)));
  } else if (const auto* rod = std::get_if<model::Distance>(&kind)) {
    RowTerms length = distance(joint.frames(A, B));
    length.value -= rod->length;
    visit(length);
  }
}

/// Visits their values alone.
template <class Visit>
void for_each_violation(const JointGeometry& joint, const BodyMotion& A, const BodyMotion& B,
                        const Visit& visit) {
  const JointPlace place = joint.place(A, B);
  const model::SpatialJointKind& kind = joint.joint.kind;
  for_each_held(place, joint.held, visit);
  if (std::holds_alternative<model::Screw>(kind))
    visit(screw_terms(joint, joint.frames(A, B)).value);
  else if (const auto* rod = std::get_if<model::Distance>(&kind))
    visit(distance(place) - rod->length);
}

}  // namespace talus::dynamics
