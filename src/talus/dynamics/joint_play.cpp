#include <talus/dynamics/joint_play.hpp>

#include <algorithm>
#include <tuple>

#include <talus/base/contract.hpp>
#include <talus/dynamics/joint_contacts.hpp>

namespace talus::dynamics {

JointPlay::JointPlay(const model::Model& model) : model_(&model) {
  if (!model.spatial_machine) return;
  const std::vector<model::SpatialJoint>& joints = model.spatial_machine->joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (model::play_law(joints[j].kind) == nullptr) continue;
    TALUS_DEMAND(joints[j].body_a >= 0 && joints[j].body_b >= 0);
    for (int i = 0; i < joint_contact_count(joints[j].kind); ++i)
      contacts_.push_back({static_cast<Index>(j), i});
  }
}

void JointPlay::add(const model::State& state, std::span<const unsigned char> still,
                    std::span<const Real> margin, std::vector<collision::Contact>& contacts) const {
  const auto before = static_cast<std::ptrdiff_t>(contacts.size());
  JointContactTerms terms;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const model::SpatialJoint& joint = model_->spatial_machine->joints[contacts_[i].joint];
    const auto [a, b] = std::minmax(joint.body_a, joint.body_b);
    if (!still.empty() && still[a] != 0 && still[b] != 0) continue;
    joint_contact_terms(joint, contacts_[i].which, motion_of(state, joint.body_a),
                        motion_of(state, joint.body_b), terms);
    const Real gap = terms.normal.value;
    if (!margin.empty() && gap > margin[a] + margin[b]) continue;
    const Vec3 normal = terms.frame.col(0);
    contacts.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), kMark | i,
                        terms.position, joint.body_a < joint.body_b ? normal : Vec3(-normal), gap});
  }
  const auto by_name = [](const collision::Contact& one, const collision::Contact& other) {
    return std::tuple(one.a, one.b, one.feature) < std::tuple(other.a, other.b, other.feature);
  };
  std::sort(contacts.begin() + before, contacts.end(), by_name);
  std::inplace_merge(contacts.begin(), contacts.begin() + before, contacts.end(), by_name);
}

const model::SpatialJoint& JointPlay::joint(geometry::FeatureId feature) const {
  TALUS_ASSERT(has(feature));
  return model_->spatial_machine->joints[contact(feature).joint];
}

const model::InterfaceLaw& JointPlay::law(geometry::FeatureId feature) const {
  return *model::play_law(joint(feature).kind);
}

Real JointPlay::clearance(geometry::FeatureId feature) const {
  const model::SpatialJointKind& kind = joint(feature).kind;
  if (const auto* ball = std::get_if<model::BallClearance>(&kind)) return ball->clearance;
  return std::get<model::BearingClearance>(kind).clearance;
}

}  // namespace talus::dynamics
