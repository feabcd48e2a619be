#pragma once

#include <cmath>

#include <talus/linalg/block_csr.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::solve::detail {

/// A frictional contact problem without units: W̃ = S W S, b̃ = S b/γ, r = γ S r̃, with one number
/// per contact, sᵢ = 1/√(tr W_ii/d), and γ = ‖S b‖. Cones and μ are unchanged, diagonal blocks are
/// near the identity (ρ = 1 is the right parameter everywhere), and ‖b̃‖ = 1.
template <int d>
struct ScaledContacts {
  linalg::BlockCsr<d> W;
  VecX b, friction, scale;  // scale: s, one per contact
  Real gamma = 1;

  void assign(const problem::FrictionContact& problem) {
    W.assign(problem.W);
    const auto m = static_cast<Index>(W.size());
    scale.resize(m);
    for (Index i = 0; i < m; ++i)
      scale[i] = 1 / std::sqrt(W.diagonal[static_cast<std::size_t>(i)].trace() / d);
    W.scale(scale);
    b = problem.b;
    for (Index i = 0; i < m; ++i) b.template segment<d>(d * i) *= scale[i];
    const Real size = b.norm();
    gamma = size > 0 ? size : 1;
    b /= gamma;
    friction = problem.friction;
  }

  void to_scaled(const VecX& r, VecX& x) const {
    x = r;
    for (Index i = 0; i < scale.size(); ++i) x.template segment<d>(d * i) /= gamma * scale[i];
  }
  void to_original(const VecX& x, VecX& r) const {
    r = x;
    for (Index i = 0; i < scale.size(); ++i) r.template segment<d>(d * i) *= gamma * scale[i];
  }
};

}  // namespace talus::solve::detail
