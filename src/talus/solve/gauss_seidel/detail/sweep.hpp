#pragma once

#include <talus/linalg/block_csr.hpp>
#include <talus/math/cone_projection.hpp>
#include <talus/solve/gauss_seidel/local/coulomb.hpp>

namespace talus::solve::detail {

inline Vec2 project_cone(const Vec2& r, Real friction) {
  return project_friction_cone(Vec3(r[0], r[1], 0), friction).head<2>();
}
inline Vec3 project_cone(const Vec3& r, Real friction) {
  return project_friction_cone(r, friction);
}

inline Vec2 solve_contact(const Mat2& A, const Vec2& b, Real friction, const Vec2& previous) {
  return solve_coulomb_2d(A, b, friction, previous).impulse;
}
inline Vec3 solve_contact(const Mat3& A, const Vec3& b, Real friction, const Vec3& previous) {
  return solve_coulomb(A, b, friction, previous).impulse;
}

/// What one sweep saw and did; sums of squares.
struct SweepResult {
  Real residual = 0;  ///< of the natural map, each contact's at its own visit
  Real size = 0;      ///< of the impulses after the sweep
  bool has_changed = false;
};

/// ‖r − P_K(r − ρ û)‖² of one contact. @param free b + Σ_{j≠i} W_ij rⱼ.
template <int d>
Real contact_error(const Eigen::Matrix<Real, d, d>& A, const Eigen::Matrix<Real, d, 1>& free,
                   Real friction, const Eigen::Matrix<Real, d, 1>& r) {
  using Vec = Eigen::Matrix<Real, d, 1>;
  const Real rho = d / A.trace();
  Vec shifted = free + A * r;
  shifted[0] += friction * shifted.template tail<d - 1>().norm();
  return (r - project_cone(Vec(r - rho * shifted), friction)).squaredNorm();
}

/// One non-linear block Gauss–Seidel sweep with the exact one-contact solver, forwards or
/// backwards. Memory per visit: the contact's row of blocks once, the impulses of its neighbours.
template <int d>
SweepResult sweep(const linalg::BlockCsr<d>& W, const VecX& b, const VecX& friction,
                  Real relaxation, VecX& r, bool is_backward = false) {
  using Vec = Eigen::Matrix<Real, d, 1>;
  SweepResult result;
  const std::size_t count = W.size();
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t i = is_backward ? count - 1 - k : k;
    const auto place = static_cast<Index>(d * i);
    const Real mu = friction[static_cast<Index>(i)];
    // bᵢ + Σ_{j≠i} W_ij rⱼ with the newest rⱼ, then the one-contact problem (`jourdan_1998`).
    Vec free = b.segment<d>(place);
    for (std::size_t e = W.row_start[i]; e < W.row_start[i + 1]; ++e)
      free.noalias() += W.block[e] * r.segment<d>(d * static_cast<Index>(W.column[e]));

    const Vec before = r.segment<d>(place);
    const auto& A = W.diagonal[i];
    result.residual += contact_error<d>(A, free, mu, before);
    Vec after = solve_contact(A, free, mu, before);
    // rᵢ ← P_K(rᵢ + ω (new − rᵢ)).
    if (relaxation != 1) after = project_cone(Vec(before + relaxation * (after - before)), mu);
    result.has_changed = result.has_changed || after != before;
    result.size += after.squaredNorm();
    r.segment<d>(place) = after;
  }
  return result;
}

/// What a sweep would measure if it moved nothing.
template <int d>
SweepResult natural_map(const linalg::BlockCsr<d>& W, const VecX& b, const VecX& friction,
                        const VecX& r) {
  SweepResult result;
  for (std::size_t i = 0; i < W.size(); ++i) {
    const auto place = static_cast<Index>(d * i);
    Eigen::Matrix<Real, d, 1> free = b.segment<d>(place);
    for (std::size_t e = W.row_start[i]; e < W.row_start[i + 1]; ++e)
      free.noalias() += W.block[e] * r.segment<d>(d * static_cast<Index>(W.column[e]));
    const Eigen::Matrix<Real, d, 1> own = r.segment<d>(place);
    result.residual += contact_error<d>(W.diagonal[i], free, friction[static_cast<Index>(i)], own);
    result.size += own.squaredNorm();
  }
  return result;
}

}  // namespace talus::solve::detail
