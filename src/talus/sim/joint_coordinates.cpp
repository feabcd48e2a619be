#include <talus/sim/joint_coordinates.hpp>

#include <talus/dynamics/joint_frames.hpp>

namespace talus::sim {

JointCoordinates::JointCoordinates(const model::Model& model) {
  if (!model.spatial_machine) return;
  terms_.emplace(*model.spatial_machine, model.body_count());
  for (const dynamics::JointCoordinate& coordinate : terms_->coordinates()) {
    names_.push_back(
        model.spatial_machine->joints[static_cast<std::size_t>(coordinate.joint)].name);
    if (!coordinate.is_only_one) names_.back().append("/").append(coordinate.name);
  }
}

void JointCoordinates::read(const model::State& state, std::vector<Real>& values,
                            std::vector<Real>& rates) {
  values.clear();
  rates.clear();
  if (!terms_) return;
  dynamics::motions_of(state, motions_);
  angles_.assign(static_cast<std::size_t>(terms_->angle_count()), 0);
  const std::vector<Real>* known = state.internal.find(model::kJointAngles);
  if (known != nullptr && known->size() == angles_.size()) angles_ = *known;
  terms_->count_angles(motions_, angles_);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const dynamics::RowTerms terms = terms_->coordinate(static_cast<Index>(i), {motions_, angles_});
    values.push_back(terms.value);
    rates.push_back(terms.rate);
  }
}

}  // namespace talus::sim
