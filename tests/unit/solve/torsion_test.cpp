#include <talus/solve/gauss_seidel/local/torsion.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/random_blocks.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

using Vec4 = Eigen::Matrix<Real, 4, 1>;

// A spinning sphere on a plane: friction and spin are apart, each in closed form.
TEST(Torsion, SphereOnAPlane) {
  const Eigen::Matrix<Real, 4, 4> A = Vec4(1, 3.5, 3.5, 2.5).asDiagonal();
  for (const Real spin : {-3.0, -0.01, 0.0, 0.2, 5.0}) {
    const TorsionLocal local = solve_torsion(A, Vec4(-1, 2, 0.5, spin), 0.3, 0.1, Vec4::Zero());
    EXPECT_NEAR(local.impulse[0], 1, 1e-12);
    EXPECT_NEAR(std::hypot(local.impulse[1], local.impulse[2]), 0.3, 1e-12);
    EXPECT_NEAR(local.impulse[3], std::clamp(-spin / 2.5, -0.1, 0.1), 1e-12);
  }
}

// Coupled blocks: u_N = 0, and the moment is at its bound against the spin, or the spin is zero.
TEST(Torsion, HoldsOnRandomBlocks) {
  Random random(1);
  int at_bound = 0, held = 0;
  for (int i = 0; i < 2000; ++i) {
    const Eigen::Matrix<Real, 4, 4> A = test::random_spd<4>(random, 30);
    Vec4 b = test::random_vector<4>(random);
    b[0] = -std::abs(b[0]);
    const Real friction = random.uniform(0, 0.8), torsion = random.uniform(0, 0.8);
    const TorsionLocal local = solve_torsion(A, b, friction, torsion, Vec4::Zero());
    ASSERT_LT(local.residual, 1e-12) << "i = " << i;
    const Vec4 r = local.impulse, u = A * r + b;
    const Real size = b.norm() + A.norm() * r.norm();
    ASSERT_NEAR(u[0], 0, 1e-10 * size);
    ASSERT_LE(std::abs(r[3]), torsion * r[0] + 1e-10 * r.norm());
    const bool is_held = std::abs(u[3]) < 1e-10 * size;
    held += is_held;
    at_bound += !is_held;
    if (!is_held) {
      ASSERT_NEAR(r[3], -std::copysign(torsion * r[0], u[3]), 1e-9 * r.norm()) << "i = " << i;
    }
  }
  EXPECT_GT(at_bound, 200);
  EXPECT_GT(held, 200);
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
