#include <talus/certify/friction_contact_residual.hpp>

#include <talus/base/contract.hpp>
#include <talus/certify/coulomb_residual.hpp>
#include <talus/certify/detail/motion.hpp>

namespace talus::certify {
namespace {

Vec3 contact_part(const VecX& x, Index contact, Index d) {
  return d == 2 ? Vec3(x[2 * contact], x[2 * contact + 1], 0) : Vec3(x.segment<3>(3 * contact));
}

/// ρᵢ = d/tr A_ii from the diagonal of A.
VecX contact_masses(Index d, const VecX& diagonal) {
  VecX rho(diagonal.size() / d);
  for (Index i = 0; i < rho.size(); ++i)
    rho[i] = static_cast<Real>(d) / diagonal.segment(d * i, d).sum();
  return rho;
}

Certificate accumulate(Index d, const VecX& friction, const VecX& rho, const VecX& r, const VecX& u,
                       const VecX& b, Real equation_of_motion) {
  CoulombResidual residual;
  for (Index i = 0; i < friction.size(); ++i)
    residual.add(contact_part(r, i, d), contact_part(u, i, d), contact_part(b, i, d), friction[i],
                 rho[i]);
  return residual.finish(equation_of_motion);
}

}  // namespace

FrictionContactCertifier::FrictionContactCertifier(const problem::FrictionContact& problem)
    : problem_(problem), rho_(contact_masses(problem.dimension, problem.W.diagonal())) {}

const Certificate& FrictionContactCertifier::operator()(const VecX& impulse) {
  TALUS_DEMAND(impulse.size() == problem_.b.size());
  if (has_certificate_ && impulse == r_) return certificate_;
  has_certificate_ = true;
  r_ = impulse;
  u_ = problem_.b;
  u_.noalias() += problem_.W * impulse;
  certificate_ = accumulate(problem_.dimension, problem_.friction, rho_, r_, u_, problem_.b, 0);
  return certificate_;
}

Certificate certify(const problem::FrictionContact& problem, const VecX& impulse) {
  return FrictionContactCertifier(problem)(impulse);
}

Certificate certify(const problem::GlobalFrictionContact& problem, const VecX& impulse,
                    const VecX& velocity) {
  const detail::Motion motion =
      detail::motion_of(problem.M, problem.H, problem.f, problem.w, impulse, velocity);
  if (!motion.is_regular) return {};
  return accumulate(problem.dimension, problem.friction,
                    contact_masses(problem.dimension, motion.diagonal), impulse, motion.u, motion.b,
                    motion.defect);
}

}  // namespace talus::certify
