#include "support/step_problem.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace talus::bench {
namespace {

dynamics::BiasLaw law_of(const stepping::SchemeOptions& options, Real h) {
  return {h, 1, options.error_reduction, options.slop};
}

}  // namespace

void StepProblem::build(const model::State& state, Real h, const stepping::SchemeOptions& options) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const dynamics::BiasLaw law = law_of(options, h);
  bodies.load_free(state, h, 1, problem_);
  contacts_.travel(problem_.bodies, h, travel_);
  impulse_.central.clear();
  const bool is_searched = contacts_.update(state, travel_);
  if (is_searched || !has_persistent_)
    persistent_.rebuild(bodies.detector().persistent_pairs(), state.position, problem_,
                        impulse_.central);
  has_persistent_ = true;
  persistent_.refresh(state, law, problem_);
  others_.clear();
  if (bodies.has_transient()) contacts_.detect_transient(state, h, {}, others_);
  problem_.general.clear();
  for (const collision::Contact& contact : others_)
    problem_.general.push_back(
        bodies.general_contact(contact,
                               {dynamics::contact_bias(law, contact.gap, 0, 0, 0),
                                bodies.law(contact.a, contact.b).friction.coefficient},
                               state.position));
  max_penetration_ =
      std::max(persistent_.deepest().penetration, stepping::StepContacts::max_penetration(others_));
}

void StepProblem::build(const model::State& state, Real h, const stepping::SchemeOptions& options,
                        std::span<const stepping::StepContact> found) {
  const dynamics::RigidBodies& bodies = contacts_.bodies();
  const dynamics::BiasLaw law = law_of(options, h);
  std::vector<Vec3> velocity, spin;
  const dynamics::StepDrag drag(bodies.model(), h, 1);
  bodies.free_velocities(state, h, drag, velocity, spin);
  bodies.load(state, velocity, spin, drag, problem_);
  std::vector<collision::Contact> contacts;
  std::vector<dynamics::ContactTerm> terms;
  for (const stepping::StepContact& contact : found) {
    contacts.push_back({static_cast<std::uint32_t>(contact.body_a),
                        static_cast<std::uint32_t>(contact.body_b), contact.feature,
                        contact.position, contact.normal, contact.gap});
    const auto [a, b] = std::pair(contacts.back().a, contacts.back().b);
    const Real slop = law.slop * std::min(bodies.size(a), bodies.size(b));
    const Real radius_a = bodies.ball_radius(a), radius_b = bodies.ball_radius(b);
    const bool is_of_balls = radius_a > 0 && radius_b > 0;
    terms.push_back({dynamics::push_bias(law, contact.gap, slop),
                     bodies.law(a, b).friction.coefficient,
                     is_of_balls ? 1 + contact.gap / (radius_a + radius_b) : 1});
  }
  std::vector<Index> order;
  has_persistent_ = false;
  bodies.add(contacts, terms, state.position, problem_, order);
  impulse_ = problem::zero_impulses(problem_);
  for (std::size_t k = 0; k < order.size(); ++k)
    problem::set_impulse(problem_, static_cast<Index>(k), found[order[k]].impulse, impulse_);
}

problem::ContactImpulses StepProblem::warm_start(
    std::span<const stepping::StepContact> earlier) const {
  using Name = std::tuple<Index, Index, geometry::FeatureId>;
  std::map<Name, Vec3> impulse;
  for (const stepping::StepContact& contact : earlier)
    impulse[{contact.body_a, contact.body_b, contact.feature}] = contact.impulse;
  problem::ContactImpulses guess = problem::zero_impulses(problem_);
  for (Index c = 0; c < problem_.contact_count(); ++c) {
    const problem::ContactView contact = problem::view(problem_, c);
    const auto other = static_cast<std::size_t>(c - problem_.central.size());
    const geometry::FeatureId feature = c < problem_.central.size() ? 0 : others_[other].feature;
    const auto at = impulse.find({contact.body_a, contact.body_b, feature});
    if (at != impulse.end()) problem::set_impulse(problem_, c, at->second, guess);
  }
  return guess;
}

}  // namespace talus::bench
