#include <talus/driver/detail/assembled_contact.hpp>

namespace talus::driver::detail {

bool is_better(const certify::Certificate& one, const certify::Certificate& other, Real tolerance) {
  return one.is_finite && one.excess(tolerance) <= other.excess(tolerance);
}

void complete(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
              RigidContactSolution& solution) {
  solution.velocity = problem.bodies;
  problem::apply_impulses(problem, solution.impulse, solution.velocity);
  solution.certificate = certify(solution.impulse, solution.velocity);
}

AssembledContact::AssembledContact(const problem::RigidContact& problem,
                                   const certify::RigidContactCertifier& certify, Real tolerance)
    : rigid_(problem),
      certify_(certify),
      tolerance_(tolerance),
      local_(problem::to_local(problem)) {
  if (problem.law == problem::FrictionLaw::frictionless) local_.friction.setZero();
}

VecX AssembledContact::to_local(const problem::ContactImpulses& impulse) const {
  if (impulse.empty()) return VecX::Zero(local_.b.size());
  return problem::impulses_to_frames(rigid_, impulse);
}

void AssembledContact::certify(const VecX& r, RigidContactSolution& solution) const {
  solution.impulse = problem::impulses_to_world(rigid_, r);
  complete(rigid_, certify_, solution);
}

solve::ExternalResidual AssembledContact::external_residual() const {
  return [this](const VecX& r) {
    RigidContactSolution candidate;
    certify(r, candidate);
    return candidate.certificate.excess(tolerance_);
  };
}

}  // namespace talus::driver::detail
