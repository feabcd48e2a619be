#pragma once

#include <cmath>

#include <talus/math/vector.hpp>

namespace talus::solve::detail {

/// Maximum dissipation as Coulomb's law with a turned slip velocity. In slip the law says
///   u_N = 0,  ‖r_T‖ = μ r_N,  u_T = −κ (r_T/‖r_T‖ + e),  κ ≥ 0,  e = (μ/a) c
/// for a diagonal block [a cᵀ; c D] (`preclik_2017`; contact_laws: stationarity in the cone cut by
/// u_N = 0), which is Coulomb's law for
///   ũ_T = u_T + κ e,  κ = ‖ũ_T‖:  (1 − e²) κ² − 2 κ u_T·e − u_T² = 0.
/// Where e = 0 nothing is turned. For |e| ≥ 1 there may be no such κ: then u_T is left as it is,
/// and the external residual of the whole answer decides.
template <int d>
struct TurnedSlip {
  using Vec = Eigen::Matrix<Real, d, 1>;
  using Block = Eigen::Matrix<Real, d, d>;
  static constexpr int t = d - 1;
  using Tangential = Eigen::Matrix<Real, t, 1>;

  Vec velocity;  ///< (u_N, ũ_T)
  Tangential e = Tangential::Zero();
  Real speed = 0;  ///< κ; 0: not turned

  TurnedSlip(const Vec& u, const Tangential& lean) : velocity(u) {
    const Tangential slip = u.template tail<t>();
    const Real along = slip.dot(lean), square = slip.squaredNorm();
    const Real root = along * along + (1 - lean.squaredNorm()) * square;
    if (!(root >= 0) || !(square > 0)) return;
    const Real below = std::sqrt(root) - along;
    if (!(below > 0)) return;
    e = lean;
    speed = square / below;
    velocity.template tail<t>() += speed * e;
  }

  /// Turns rows P dṽ into P dv: dũ_T = du_T + e (w·du_T)/(1 − w·e), w = ũ_T/κ.
  void turn(Block& P) const {
    if (!(speed > 0)) return;
    const Tangential w = velocity.template tail<t>() / speed;
    const Real rest = 1 - w.dot(e);
    if (!(rest > 0)) return;
    const Eigen::Matrix<Real, d, 1> image = P.template rightCols<t>() * e / rest;
    P.template rightCols<t>() += image * w.transpose();
  }
};

}  // namespace talus::solve::detail
