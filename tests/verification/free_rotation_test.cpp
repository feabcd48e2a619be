#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <talus/dynamics/free_motion.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

Real kinetic(const Mat3& J, const Quat& q, const Vec3& w) {
  const Vec3 body = q.conjugate() * w;
  return 0.5 * body.dot(J * body);
}

// A free body keeps its angular momentum and its energy to round-off over many turns, however
// unequal its inertia: of the momentum a step may round off some 8 units in the last place (the
// turning of ω into the body, J, the turning back, the step's rotation).
TEST(FreeRotation, ConservesMomentumAndEnergy) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Vec3 sides(random.uniform(0.1, 3), random.uniform(0.1, 3), random.uniform(0.1, 3));
    const Mat3 J = (sides.squaredNorm() - sides.array().square()).matrix().asDiagonal();
    Quat q = test::random_rotation(random);
    Vec3 w = test::random_vector(random, 20);
    const Vec3 momentum = q * (J * (q.conjugate() * w));
    const Real energy = kinetic(J, q, w);
    constexpr int kSteps = 5000;
    constexpr Real kRoundOff = kSteps * 4 * std::numeric_limits<Real>::epsilon();
    for (int k = 0; k < kSteps; ++k) dynamics::rotate_freely(J, q, w, 1e-2);
    EXPECT_LT((q * (J * (q.conjugate() * w)) - momentum).norm(), kRoundOff * momentum.norm());
    EXPECT_NEAR(kinetic(J, q, w) / energy, 1, 1e-11);
  }
}

// A symmetric top precesses about its angular momentum at L/J₁; the step is of second order.
TEST(FreeRotation, PrecessesLikeTheSymmetricTopWithSecondOrder) {
  const Mat3 J = Vec3(1, 1, 2).asDiagonal();
  const Vec3 w0(0.6, 0, 1);  // body axes = world axes at t = 0
  const Vec3 L = J * w0;
  const Real rate = L.norm();  // J₁ = 1
  const Vec3 axis = L.normalized();
  const Real end = 1;
  const Vec3 exact = rotation_exp(end * rate * axis) * Vec3::UnitZ();  // the figure axis
  std::vector<Real> errors;
  for (const int steps : {50, 100, 200}) {
    Quat q = Quat::Identity();
    Vec3 w = w0;
    for (int k = 0; k < steps; ++k) dynamics::rotate_freely(J, q, w, end / steps);
    errors.push_back((q * Vec3::UnitZ() - exact).norm());
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.05);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.05);
}

// A body turned about its middle axis flips over and back; its energy does not change while it
// does.
TEST(FreeRotation, FlipsAboutTheMiddleAxis) {
  const Mat3 J = Vec3(1, 2, 3).asDiagonal();
  Quat q = Quat::Identity();
  Vec3 w(0.01, 5, 0.01);
  Real lowest = 1;
  for (int k = 0; k < 2000; ++k) {
    dynamics::rotate_freely(J, q, w, 5e-3);
    lowest = std::min(lowest, (q.conjugate() * w).y() / 5);
  }
  EXPECT_LT(lowest, -0.99);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
