#pragma once

#include <memory>
#include <utility>

#include <talus/dynamics/mass_matrix.hpp>
#include <talus/math/vector.hpp>

namespace talus::dynamics {

/// A row of a Jacobian that touches at most two bodies: rate = a · v_A + b · v_B. A body has the
/// velocities (ẋ, ẏ, θ̇) in the plane and (v, ω) at its centre of mass, world axes, in space; the
/// velocities of all bodies are one vector. A system in generalized coordinates is one body, B,
/// with all of its velocities.
struct JacobianRow {
  Index body_a = -1, body_b = -1;  ///< model indices; −1: none
  Index width = 3;  ///< velocities of a body, 3 or 6: as many entries count; n of general rows
  Vec6 a = Vec6::Zero(), b = Vec6::Zero();
  std::shared_ptr<const VecX> general;  ///< the entries in generalized coordinates; else null

  JacobianRow() = default;
  /// A row in generalized coordinates. @param entries one or more.
  explicit JacobianRow(VecX entries)
      : body_b(0),
        width(entries.size()),
        general(std::make_shared<const VecX>(std::move(entries))) {}
  /// @param part_a 3 entries in the plane, 6 in space; @param part_b likewise.
  template <class A, class B>
  JacobianRow(Index first, Index second, const Eigen::MatrixBase<A>& part_a,
              const Eigen::MatrixBase<B>& part_b)
      : body_a(first), body_b(second), width(A::SizeAtCompileTime) {
    static_assert((A::SizeAtCompileTime == 3 || A::SizeAtCompileTime == 6) &&
                  int(A::SizeAtCompileTime) == int(B::SizeAtCompileTime));
    a.template head<A::SizeAtCompileTime>() = part_a;
    b.template head<B::SizeAtCompileTime>() = part_b;
  }

  [[nodiscard]] bool is_general() const { return general != nullptr; }
  /// rate, or its change by v̇.
  [[nodiscard]] Real times(const VecX& v) const {
    if (is_general()) return general->dot(v);
    return (body_a < 0 ? 0 : product(a, v, body_a)) + (body_b < 0 ? 0 : product(b, v, body_b));
  }
  /// Σ |aₖ vₖ|: what its rate is the sum of.
  [[nodiscard]] Real magnitude(const VecX& v) const {
    Real sum = 0;
    for_each([&](Index body, const auto& part) {
      sum += part.cwiseProduct(v.segment(width * body, width)).cwiseAbs().sum();
    });
    return sum;
  }
  /// v += rowᵀ s.
  void add_to(VecX& v, Real s) const {
    if (is_general()) {
      v += s * *general;
    } else if (width == 3) {
      if (body_a >= 0) v.segment<3>(3 * body_a) += s * a.head<3>();
      if (body_b >= 0) v.segment<3>(3 * body_b) += s * b.head<3>();
    } else {
      if (body_a >= 0) v.segment<6>(6 * body_a) += s * a;
      if (body_b >= 0) v.segment<6>(6 * body_b) += s * b;
    }
  }
  /// v += |row|ᵀ |s|.
  void add_magnitude_to(VecX& v, Real s) const {
    for_each([&](Index body, const auto& part) {
      v.segment(width * body, width) += (s * part).cwiseAbs();
    });
  }
  /// Whether it moves a point, not angles alone. So are rows in generalized coordinates.
  [[nodiscard]] bool is_linear() const {
    if (is_general()) return true;
    const Index linear = width == 3 ? 2 : 3;
    return !a.head(linear).isZero(0) || !b.head(linear).isZero(0);
  }
  /// Calls f(body, part) for A and for B where they are.
  template <class F>
  void for_each(F&& f) const {
    if (is_general()) {
      f(body_b, general->head(width));
      return;
    }
    if (body_a >= 0) f(body_a, a.head(width));
    if (body_b >= 0) f(body_b, b.head(width));
  }
  /// The same of a row in space (contract), with the six entries of a body.
  template <class F>
  void for_each_in_space(F&& f) const {
    if (body_a >= 0) f(body_a, a);
    if (body_b >= 0) f(body_b, b);
  }
  /// The entries of one of its bodies (contract), in the plane.
  [[nodiscard]] Vec3 part(Index body) const { return (body == body_a ? a : b).head<3>(); }
  /// This row + factor · another one of the same bodies (contract).
  void add(const JacobianRow& other, Real factor) {
    a += factor * other.a;
    b += factor * other.b;
    if (is_general()) general = std::make_shared<const VecX>(*general + factor * *other.general);
  }

 private:
  [[nodiscard]] Real product(const Vec6& part, const VecX& v, Index body) const {
    return width == 3 ? part.head<3>().dot(v.segment<3>(3 * body))
                      : part.dot(v.segment<6>(6 * body));
  }
};

/// p M⁻¹ rᵀ, an entry of the Delassus matrix: how much a unit force along r changes the rate of p.
[[nodiscard]] Real delassus_entry(const JacobianRow& p, const JacobianRow& r, const MassMatrix& M);
/// r M⁻¹ rᵀ.
[[nodiscard]] inline Real inverse_effective_mass(const JacobianRow& r, const MassMatrix& M) {
  return delassus_entry(r, r, M);
}
/// v += M⁻¹ rowᵀ s.
void apply_impulse(const JacobianRow& row, Real s, const MassMatrix& M, VecX& v);

}  // namespace talus::dynamics
