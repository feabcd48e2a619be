#include <talus/dynamics/joint_terms.hpp>

#include <numbers>

namespace talus::dynamics {

int constraint_count(const model::SpatialJointKind& kind) {
  const bool has_own =
      std::holds_alternative<model::Screw>(kind) || std::holds_alternative<model::Distance>(kind);
  return held_freedoms(kind).count() + (has_own ? 1 : 0);
}

RowTerms screw_terms(const JointGeometry& joint, const JointFrames& frames) {
  const Real lead = std::get<model::Screw>(joint.joint.kind).pitch / (2 * std::numbers::pi);
  const RowTerms way = axis_terms(frames, joint.held, model::Freedom::z);
  const RowTerms angle = axis_terms(frames, joint.held, model::Freedom::turn_z, way.value / lead);
  return combined(way, angle, -lead);
}

}  // namespace talus::dynamics
