#include <talus/certify/friction_contact_residual.hpp>

#include <talus/base/contract.hpp>
#include <talus/certify/coulomb_residual.hpp>
#include <talus/certify/detail/motion.hpp>

namespace talus::certify {
namespace {

Vec3 contact_part(const VecX& x, Index contact, Index d) {
  return d == 2 ? Vec3(x[2 * contact], x[2 * contact + 1], 0) : Vec3(x.segment<3>(3 * contact));
}

Certificate accumulate(Index d, const VecX& friction, const VecX& diagonal, const VecX& r,
                       const VecX& u, const VecX& b, Real equation_of_motion) {
  CoulombResidual residual;
  for (Index i = 0; i < friction.size(); ++i)
    residual.add(contact_part(r, i, d), contact_part(u, i, d), contact_part(b, i, d), friction[i],
                 static_cast<Real>(d) / diagonal.segment(d * i, d).sum());
  return residual.finish(equation_of_motion);
}

}  // namespace

Certificate certify(const problem::FrictionContact& problem, const VecX& impulse) {
  TALUS_DEMAND(impulse.size() == problem.b.size());
  const VecX u = problem.W * impulse + problem.b;
  return accumulate(problem.dimension, problem.friction, problem.W.diagonal(), impulse, u,
                    problem.b, 0);
}

Certificate certify(const problem::GlobalFrictionContact& problem, const VecX& impulse,
                    const VecX& velocity) {
  const detail::Motion motion =
      detail::motion_of(problem.M, problem.H, problem.f, problem.w, impulse, velocity);
  if (!motion.is_regular) return {};
  return accumulate(problem.dimension, problem.friction, motion.diagonal, impulse, motion.u,
                    motion.b, motion.defect);
}

}  // namespace talus::certify
