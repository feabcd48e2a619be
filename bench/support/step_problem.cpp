#include "support/step_problem.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace talus::bench {

void StepProblem::build(const model::State& state, Real h, const stepping::SchemeOptions& options) {
  std::vector<Vec3> velocity, spin;
  std::vector<Real> travel;
  contacts_.bodies().free_velocities(state, h, velocity, spin);
  contacts_.travel(velocity, spin, h, travel);
  contacts_.detect(state, travel, found_);
  impulse_.clear();
  write(state, h, options);
}

void StepProblem::build(const model::State& state, Real h, const stepping::SchemeOptions& options,
                        std::span<const stepping::StepContact> found) {
  found_.clear();
  for (const stepping::StepContact& contact : found)
    found_.push_back({static_cast<std::uint32_t>(contact.body_a),
                      static_cast<std::uint32_t>(contact.body_b), contact.feature, contact.position,
                      contact.normal, contact.gap});
  write(state, h, options);
  impulse_.resize(found.size());
  for (std::size_t k = 0; k < order_.size(); ++k) impulse_[k] = found[order_[k]].impulse;
}

void StepProblem::write(const model::State& state, Real h, const stepping::SchemeOptions& options) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const model::Model& model = bodies.model();
  std::vector<Vec3> velocity, spin;
  bodies.free_velocities(state, h, velocity, spin);
  std::vector<dynamics::ContactTerm> terms;
  terms.reserve(found_.size());
  for (const collision::Contact& contact : found_) {
    const model::ContactLaw& law =
        model.law(model.bodies[contact.a].material, model.bodies[contact.b].material);
    const Real slop = options.slop * std::min(bodies.size(contact.a), bodies.size(contact.b));
    const Real bias = contact.gap > 0
                          ? contact.gap / h
                          : options.error_reduction * std::min(Real(0), contact.gap + slop) / h;
    terms.push_back({bias, law.friction});
  }
  bodies.load(state, velocity, spin, problem_);
  bodies.add(found_, terms, state.position, problem_, order_);
}

std::vector<Vec3> StepProblem::warm_start(std::span<const stepping::StepContact> earlier) const {
  using Name = std::tuple<Index, Index, geometry::FeatureId>;
  std::map<Name, Vec3> impulse;
  for (const stepping::StepContact& contact : earlier)
    impulse[{contact.body_a, contact.body_b, contact.feature}] = contact.impulse;
  std::vector<Vec3> guess;
  guess.reserve(order_.size());
  for (const Index c : order_) {
    const auto at = impulse.find({Index(found_[c].a), Index(found_[c].b), found_[c].feature});
    guess.push_back(at == impulse.end() ? Vec3(Vec3::Zero()) : at->second);
  }
  return guess;
}

}  // namespace talus::bench
