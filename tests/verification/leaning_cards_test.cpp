#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/world.hpp"

// Two cards that lean on each other, edge on parallel edge.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// Two cards of a length L and a thickness t, at an angle θ from the vertical, that lean against
/// each other with the inner edges of their tops and stand on the inner edges of their feet.
///
/// By symmetry they press on each other horizontally, with H. The moments about a foot are
///   H L cos θ = m g (L sin θ − t cos θ)/2,
/// and the floor bears H against the weight m g of a card: μ ≥ (tan θ − t/L)/2.
struct Cards : World {
  static constexpr Real kLength = 0.1, kThickness = 2.4e-3, kWidth = 0.06;
  static constexpr Real kAngle = 20 * std::numbers::pi / 180;
  static Real friction_needed() { return (std::tan(kAngle) - kThickness / kLength) / 2; }

  /// @param yaw [rad] by which the second card is turned about the vertical.
  explicit Cards(Real friction, Real yaw = 0) : World(friction) {
    add_floor();
    for (const Real side : {-1.0, 1.0}) {
      const Quat lean(Eigen::AngleAxis<Real>(-side * kAngle, Vec3::UnitY()));
      const Quat turn(Eigen::AngleAxis<Real>(side > 0 ? yaw : 0, Vec3::UnitZ()));
      const Vec3 foot = lean * Vec3(-side * kThickness / 2, 0, -kLength / 2);
      const Vec3 top = lean * Vec3(-side * kThickness / 2, 0, kLength / 2);
      add_box({kThickness / 2, kWidth / 2, kLength / 2}, turn * Vec3(-top.x(), 0, -foot.z()),
              turn * lean);
    }
  }
  /// How far the tops have come down [m] in a time [s].
  Real fall(Real time) {
    const auto scheme = make_scheme(model, test::options("moreau_jean", 1e-8));
    const Real before = state.position[1].z();
    for (int k = 0; k < time / 1e-3; ++k) EXPECT_TRUE(scheme->step(state, 1e-3).is_certified());
    return before - state.position[1].z();
  }
};

// They stand where friction is a little more than statics ask for, and fall where it is a little
// less. (With the normal of one card's face at their tops, 20° from the horizontal, they fell at
// μ = 0.25 already, half as much again as they need.)
TEST(LeaningCards, StandAboveTheFrictionOfStaticsAndFallBelow) {
  EXPECT_LE(std::abs(Cards(1.03 * Cards::friction_needed()).fall(1)), 1e-6);
  EXPECT_LE(std::abs(Cards(0.25).fall(1)), 1e-6);
  EXPECT_LE(std::abs(Cards(0.25, 1e-5).fall(1)), 1e-5);
  EXPECT_GE(Cards(0.97 * Cards::friction_needed()).fall(1), 1e-2);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
