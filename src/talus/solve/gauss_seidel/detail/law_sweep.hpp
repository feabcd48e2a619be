#pragma once

#include <algorithm>

#include <talus/solve/gauss_seidel/detail/sweep.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>

namespace talus::solve::detail {

/// r moved into the law's cone: projected on a round one; for a polygon r_T shortened.
inline Vec3 into_cone(const LocalLaw& law, const Vec3& r, Real friction) {
  if (law.law != problem::FrictionLaw::polyhedral) return project_cone(r, friction);
  const Real normal = std::max(Real(0), r[0]);
  Real reach = 0;  // of r_T across the sides
  for (const Vec2& m : law.polygon.normals()) reach = std::max(reach, m[0] * r[1] + m[1] * r[2]);
  const Real limit = law.polygon.inner_radius() * friction * normal;
  const Real share = reach > limit ? limit / reach : Real(1);
  return {normal, share * r[1], share * r[2]};
}
inline Vec2 into_cone(const LocalLaw& /*law*/, const Vec2& r, Real friction) {
  return project_cone(r, friction);
}

/// The sweep of sweep.hpp under any law. Its residual is the natural map of cone complementarity,
/// ‖r − P_K(r − ρu)‖², or how far the contact's answer is from its impulse. With should_move false
/// it measures only.
template <int d>
SweepResult law_sweep(const linalg::BlockCsr<d>& W, const VecX& b, const VecX& friction,
                      const LocalLaw& law, Real relaxation, bool should_move, VecX& r) {
  using Vec = Eigen::Matrix<Real, d, 1>;
  SweepResult result;
  for (std::size_t i = 0; i < W.size(); ++i) {
    const auto place = static_cast<Index>(d * i);
    const Real mu = friction[static_cast<Index>(i)];
    // bᵢ + Σ_{j≠i} W_ij rⱼ with the newest rⱼ, then the one-contact problem (`jourdan_1998`).
    Vec free = b.segment<d>(place);
    for (std::size_t e = W.row_start[i]; e < W.row_start[i + 1]; ++e)
      free.noalias() += W.block[e] * r.segment<d>(d * static_cast<Index>(W.column[e]));

    const Vec before = r.segment<d>(place);
    const auto& A = W.diagonal[i];
    Vec after = solve_contact(law, A, free, mu, before).impulse;
    if (law.law == problem::FrictionLaw::cone_complementarity) {
      const Vec u = free + A * before;
      result.residual += (before - project_cone(Vec(before - d / A.trace() * u), mu)).squaredNorm();
    } else {
      result.residual += (after - before).squaredNorm();
    }
    if (!should_move) after = before;
    if (should_move && relaxation != 1)
      after = into_cone(law, Vec(before + relaxation * (after - before)), mu);
    result.has_changed = result.has_changed || after != before;
    result.size += after.squaredNorm();
    r.segment<d>(place) = after;
  }
  return result;
}

}  // namespace talus::solve::detail
