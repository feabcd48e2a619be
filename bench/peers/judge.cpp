#include "peers/judge.hpp"

#include <algorithm>

#include <talus/certify/rigid_contact_residual.hpp>

namespace talus::bench {

Verdict Judge::judge(const model::State& before, const model::State& after,
                     std::span<const stepping::StepContact> contacts, const Correction& correction,
                     Real step_size) {
  Verdict best;
  for (const Real error_reduction : {correction.error_reduction, Real(0)}) {
    stepping::SchemeOptions law;
    law.error_reduction = error_reduction;
    law.slop = correction.slop;
    step_.build(before, step_size, law, contacts);
    const problem::RigidContact& problem = step_.problem();
    velocity_ = problem.bodies;
    for (std::size_t i = 0; i < velocity_.size(); ++i) {
      velocity_[i].v = after.velocity[i];
      velocity_[i].s = problem.length[i] * after.angular_velocity[i];
    }
    const certify::Certificate certificate = certify::certify(problem, step_.impulse(), velocity_);
    const bool is_first = error_reduction == correction.error_reduction;
    if (is_first || certificate.natural_map < best.natural_map)
      best = {certificate.natural_map, certificate.worst_velocity, certificate.equation_of_motion};
  }
  return best;
}

Real Judge::penetration(const model::State& state) {
  model::State at_rest = state;  // so that nothing far away is looked at
  for (Index i = 0; i < state.body_count(); ++i) {
    at_rest.velocity[i].setZero();
    at_rest.angular_velocity[i].setZero();
  }
  step_.build(at_rest, 1e-6, {});
  return step_.max_penetration();
}

}  // namespace talus::bench
