#pragma once

#include <vector>

#include <talus/math/vector.hpp>

namespace talus::dynamics {

/// The mass matrix of rigid bodies, one block per body: diag(m, m, J) in the plane, where a body
/// has the velocities (ẋ, ẏ, θ̇), and diag(m 1, J) in space, where it has (v, ω) at its centre of
/// mass along the world's axes, J in these axes too (or, in smooth motions, ω and J in the body's).
/// A body that no force moves has the inverse 0.
class MassMatrix {
 public:
  /// @param width velocities of a body: 3 in the plane, 6 in space. No force moves any body at
  /// first.
  MassMatrix(Index body_count, Index width);
  /// Of a system in n ≥ 1 generalized coordinates, to be set.
  [[nodiscard]] static MassMatrix general(Index n);
  /// A body in the plane. @param mass m > 0 [kg]; @param inertia J > 0 [kg m²] about its centre.
  void set(Index body, Real mass, Real inertia);
  /// A body in space. @param inertia symmetric positive definite [kg m²], world axes.
  void set(Index body, Real mass, const Mat3& inertia);
  /// A system in generalized coordinates. @param mass n×n, symmetric. @return false if it is not
  /// positive definite: then nothing that is solved with it is finite. Cost O(n³).
  [[nodiscard]] bool set(const MatX& mass);

  /// Velocities of a body: 3 in the plane, 6 in space, n of a general one.
  [[nodiscard]] Index width() const { return width_; }
  [[nodiscard]] bool is_planar() const { return kind_ == Kind::planar; }
  [[nodiscard]] bool is_spatial() const { return kind_ == Kind::spatial; }
  [[nodiscard]] bool is_general() const { return kind_ == Kind::general; }
  [[nodiscard]] Index body_count() const { return size() / width_; }
  /// Velocities of all bodies.
  [[nodiscard]] Index size() const { return inverse_.size(); }
  [[nodiscard]] bool moves(Index body) const { return inverse_[width_ * body] > 0; }
  /// 1/m, 0 for what no force moves [1/kg].
  [[nodiscard]] Real inverse_mass(Index body) const { return inverse_[width_ * body]; }
  /// √(‖J‖/m) [m], in space with Frobenius' norm, of a body that moves (contract); 0 of a general
  /// one.
  [[nodiscard]] Real gyration_radius(Index body) const;
  /// The diagonal of M⁻¹.
  [[nodiscard]] const VecX& inverse_diagonal() const { return inverse_; }

  /// v = M⁻¹ f; both may be the same vector.
  void solve(const VecX& force, VecX& v) const;
  [[nodiscard]] VecX solve(const VecX& force) const {
    VecX v;
    solve(force, v);
    return v;
  }
  /// v += M⁻¹ f.
  void add_solved(const VecX& force, VecX& v) const;
  /// fᵀ M⁻¹ f.
  [[nodiscard]] Real inverse_form(const VecX& force) const;
  /// |M⁻¹| f, entry by entry: a bound of what forces of these magnitudes do.
  [[nodiscard]] VecX solve_bound(const VecX& magnitude) const;
  /// M v; 0 for what no force moves.
  [[nodiscard]] VecX times(const VecX& v) const;
  /// √(vᵀ M v) over what forces move.
  [[nodiscard]] Real norm(const VecX& v) const;

  /// M⁻¹ of one body, in space (contract), times its part of a force.
  [[nodiscard]] Vec6 solve_block(Index body, const Vec6& force) const {
    Vec6 v;
    v << inverse_[6 * body] * force.head<3>(),
        inverse_inertia_[static_cast<std::size_t>(body)] * force.tail<3>();
    return v;
  }

 private:
  enum class Kind : unsigned char { planar, spatial, general };

  Kind kind_;
  Index width_;
  VecX inverse_;                                 // the diagonal of M⁻¹
  std::vector<Mat3> inertia_, inverse_inertia_;  // per body, in space only
  MatX general_, general_inverse_;               // M and M⁻¹ of a general one
};

}  // namespace talus::dynamics
