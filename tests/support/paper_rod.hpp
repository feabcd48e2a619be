#pragma once

#include <cmath>
#include <numbers>

#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::test {

/// The falling rod of Stewart & Trinkle (1996), written down as its user would: q = (x, y, θ), two
/// round ends against the table y = 0.
struct PaperRod final : model::LagrangianSystem {
  Real half_length = 0.25, end_radius = 0.05, mass_ = 1, inertia = 0.002, friction = 0.6;
  Real gravity = 9.82;
  bool has_end_radius_in_arm = true;  ///< as the paper prints d: false

  [[nodiscard]] Index coordinate_count() const override { return 3; }
  [[nodiscard]] MatX mass(const VecX&) const override {
    return Vec3(mass_, mass_, inertia).asDiagonal();
  }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
    return Vec3(0, -mass_ * gravity, 0);
  }
  [[nodiscard]] Index contact_count() const override { return 2; }
  [[nodiscard]] model::LagrangianContact contact(Index i, const VecX& q) const override {
    const Real side = i == 0 ? half_length : -half_length;
    model::LagrangianContact contact;
    contact.gap = q[1] + side * std::sin(q[2]) - end_radius;
    contact.normal = Vec3(0, 1, side * std::cos(q[2]));
    const Real arm = side * std::sin(q[2]) - (has_end_radius_in_arm ? end_radius : 0);
    contact.tangents = Vec3(1, 0, -arm);
    contact.friction = friction;
    return contact;
  }
  [[nodiscard]] Real potential(const VecX& q) const override { return mass_ * gravity * q[1]; }

  static stepping::LagrangianState start() {
    return {0, Vec3(0, 1, std::numbers::pi / 6), Vec3(0, 0, 4)};
  }
};

}  // namespace talus::test
