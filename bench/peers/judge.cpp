#include "peers/judge.hpp"

#include <algorithm>

#include <talus/certify/rigid_contact_residual.hpp>

namespace talus::bench {
namespace {

/// Whether two balls that bear nothing pass each other on their ways from one state to another,
/// however near, though the plane across their normal would have held them: it says nothing then.
bool pass(const model::Model& model, const stepping::StepContact& contact,
          const model::State& before, const model::State& after) {
  const auto* a = std::get_if<geometry::Sphere>(&model.bodies[contact.body_a].shape);
  const auto* b = std::get_if<geometry::Sphere>(&model.bodies[contact.body_b].shape);
  if (a == nullptr || b == nullptr || !contact.impulse.isZero(0)) return false;
  const auto apart = [&](const model::State& state) -> Vec3 {
    return model.cell.nearest(state.position[contact.body_b] - state.position[contact.body_a]);
  };
  const Vec3 start = apart(before), way = apart(after) - start;
  const Real radii = a->radius + b->radius;
  if ((start + way).dot(start) >= radii * start.norm()) return false;  // held by nothing
  const Real length2 = way.squaredNorm();
  const Real time = length2 > 0 ? std::clamp(-start.dot(way) / length2, Real(0), Real(1)) : Real(0);
  return (start + time * way).norm() >= radii;
}

}  // namespace

Verdict Judge::judge(const model::State& before, const model::State& after,
                     std::span<const stepping::StepContact> contacts, const Correction& correction,
                     Real step_size) {
  Verdict best;
  std::vector<stepping::StepContact> kept;
  for (const stepping::StepContact& contact : contacts)
    if (!pass(model_, contact, before, after)) kept.push_back(contact);
  for (const Real error_reduction : {correction.error_reduction, Real(0)}) {
    stepping::SchemeOptions law;
    law.error_reduction = error_reduction;
    law.slop = correction.slop;
    step_.build(before, step_size, law, kept);
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
