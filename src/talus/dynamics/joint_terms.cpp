#include <talus/dynamics/joint_terms.hpp>

#include <numbers>

#include <talus/dynamics/axis_terms.hpp>

namespace talus::dynamics {

int constraint_count(const model::SpatialJointKind& kind) {
  const bool has_own =
      std::holds_alternative<model::Screw>(kind) || std::holds_alternative<model::Distance>(kind);
  return held_freedoms(kind).count() + (has_own ? 1 : 0);
}

void joint_terms(const model::SpatialJoint& joint, const BodyMotion& A, const BodyMotion& B,
                 JointTerms& terms) {
  const JointFrames frames(joint.body_a, joint.body_b, joint.X_AJ, joint.X_BJ, A, B);
  const model::FreedomSet held = held_freedoms(joint.kind);
  terms.count = 0;
  const auto add = [&](const RowTerms& row) {
    terms.rows[static_cast<std::size_t>(terms.count++)] = row;
  };
  for (int k = 0; k < 6; ++k) {
    const auto freedom = static_cast<model::Freedom>(k);
    if (held.has(freedom)) add(axis_terms(frames, held, freedom));
  }
  if (const auto* screw = std::get_if<model::Screw>(&joint.kind)) {
    const Real lead = screw->pitch / (2 * std::numbers::pi);
    const RowTerms way = axis_terms(frames, held, model::Freedom::z);
    const RowTerms angle = axis_terms(frames, held, model::Freedom::turn_z, way.value / lead);
    add(combined(way, angle, -lead));
  } else if (const auto* rod = std::get_if<model::Distance>(&joint.kind)) {
    RowTerms length = distance(frames);
    length.value -= rod->length;
    add(length);
  }
}

}  // namespace talus::dynamics
