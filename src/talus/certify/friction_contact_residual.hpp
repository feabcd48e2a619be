#pragma once

#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::certify {

/// Certificate of impulses r for the local form under the problem's law (law_residual.hpp); u = W r
/// + b is recomputed here.
///
/// ρᵢ = d/tr W_ii; islands are the contacts that W couples. The problem must be valid
/// (problem/validate); r has its size dm and may be anything, NaN included (is_finite is then
/// false). Cost: one product with W.
[[nodiscard]] Certificate certify(const problem::FrictionContact& problem, const VecX& impulse);

/// The same for many r of one problem, which outlives it: what does not depend on r is kept, and
/// the certificate of the last r.
class FrictionContactCertifier {
 public:
  explicit FrictionContactCertifier(const problem::FrictionContact& problem);
  [[nodiscard]] const Certificate& operator()(const VecX& impulse);
  /// u = W r + b of the last r.
  [[nodiscard]] const VecX& velocity() const { return u_; }

 private:
  const problem::FrictionContact& problem_;
  VecX rho_, u_, r_;
  MatX blocks_;
  std::vector<detail::ContactScale> scales_;  // V
  Certificate certificate_;
  bool has_certificate_ = false;
};

/// Certificate of (r, v) for the global form: u = Hᵀ v + w from the given v, which must also
/// satisfy M v = H r + f (equation_of_motion). A_ii = H_iᵀ M⁻¹ H_i for ρ and b = Hᵀ M⁻¹ f + w come
/// from its own factorisation of M. Cost: one sparse LU and dm solves. A singular M gives is_finite
/// = false.
[[nodiscard]] Certificate certify(const problem::GlobalFrictionContact& problem,
                                  const VecX& impulse, const VecX& velocity);

}  // namespace talus::certify
