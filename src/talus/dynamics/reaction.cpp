#include <talus/dynamics/reaction.hpp>

#include <talus/dynamics/joint_frames.hpp>
#include <talus/dynamics/planar_narrow_phase.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/model/spatial_machine.hpp>

namespace talus::dynamics {
namespace {

/// The joint's point in B; its centre of mass where it has none.
Vec2 point_of(const model::JointKind& kind) {
  return std::visit(
      [](const auto& joint) -> Vec2 {
        if constexpr (requires { joint.p_B; })
          return joint.p_B;
        else
          return Vec2::Zero();
      },
      kind);
}

}  // namespace

void reactions(const System& machine, const VecX& q, const VecX& multipliers, const VecX& friction,
               std::vector<Reaction>& all) {
  ConstraintTerms terms;
  machine.constraints(0, q, VecX::Zero(q.size()), terms);
  all.clear();
  const auto sum = [&](RowRange range, Index body, const Vec2& in_body) {
    Vec3 on_b = Vec3::Zero();  // about the centre of mass
    for (Index i = range.first; i < range.first + range.count; ++i)
      on_b += multipliers[i] * terms.rows[static_cast<std::size_t>(i)].b.head<3>();
    Reaction reaction;
    const Vec2 force = on_b.head<2>();
    reaction.force.head<2>() = force;
    reaction.moment.z() = on_b[2] - cross(rotation2d(q[3 * body + 2]) * in_body, force);
    return reaction;
  };
  const model::Machine& parts = machine.parts();
  Index next_friction = 0;
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const model::Joint& joint = parts.joints[j];
    all.push_back(
        sum(machine.rows_of_joint(static_cast<Index>(j)), joint.body_b, point_of(joint.kind)));
    if (joint.friction && friction.size() > 0) all.back().friction = friction[next_friction++];
  }
  for (std::size_t d = 0; d < parts.drives.size(); ++d) {
    const model::Drive& drive = parts.drives[d];
    const RowRange range = machine.rows_of_drive(static_cast<Index>(d));
    all.push_back(sum(range, drive.body_b, drive.p_B));
    all.back().effort = multipliers[range.first];
  }
}

void add_contact(const System& machine, const VecX& q, Index contact, const Vec2& position,
                 const Vec2& force, std::vector<Reaction>& all) {
  const Index j = machine.joint_of(contact);
  if (j < 0) return;
  const model::Joint& joint = machine.parts().joints[static_cast<std::size_t>(j)];
  const Index body = 3 * joint.body_b;
  const Vec2 point = q.segment<2>(body) + rotation2d(q[body + 2]) * point_of(joint.kind);
  Reaction& reaction = all[static_cast<std::size_t>(j)];
  reaction.force.head<2>() += force;
  reaction.moment.z() += cross(position - point, force);
}

void add_row(const model::SpatialJoint& joint, std::span<const BodyMotion> motions, Real multiplier,
             const Vec6& row, Reaction& reaction) {
  const Vec3 arm = motions[joint.body_b].R * joint.X_BJ.p;
  reaction.force += multiplier * row.head<3>();
  reaction.moment += multiplier * (row.tail<3>() - arm.cross(row.head<3>()));
}

void turn_into_joint(const model::SpatialJoint& joint, std::span<const BodyMotion> motions,
                     Reaction& reaction) {
  const Mat3 in_a = joint.X_AJ.q.toRotationMatrix();
  const Mat3 E = joint.body_a < 0 ? in_a : Mat3(motions[joint.body_a].R * in_a);
  reaction.force = E.transpose() * reaction.force;
  reaction.moment = E.transpose() * reaction.moment;
}

}  // namespace talus::dynamics
