#include <gtest/gtest.h>

#include <cmath>

#include <talus/base/random.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/problem/convert.hpp>
#include <talus/problem/polyhedral_contact.hpp>

#include "support/lcp_families.hpp"

namespace talus::problem::TALUS_TEST_FILE {
namespace {

// For contacts alone the mixed LCP is, number by number, the LCP that a friction problem gives.
TEST(PolyhedralContact, IsTheLcpOfFrictionWhereThereAreContactsOnly) {
  Random random(3);
  const Index contacts = 3, k = 6;
  const MatX J = test::random_matrix(random, 3 * contacts, 7);
  FrictionContact friction;
  friction.W = SparseMatrix(linalg::product(J, J.transpose()).sparseView());
  friction.b = test::random_matrix(random, 3 * contacts, 1);
  friction.friction = VecX::Constant(contacts, 0.4);
  PolyhedralContact same;
  same.W = friction.W;
  same.b = friction.b;
  same.friction = friction.friction;
  same.contact_directions.assign(3, friction_directions(2, k));
  const PolyhedralLcp expected = to_lcp(friction, k);
  const PolyhedralMlcp form = to_mlcp(same);
  EXPECT_EQ(form.mlcp.free_count(), 0);
  EXPECT_NEAR((form.mlcp.B - expected.lcp.M).norm(), 0, 1e-14);
  EXPECT_NEAR((form.mlcp.b - expected.lcp.q).norm(), 0, 1e-14);
  EXPECT_NEAR(MatX(form.impulse - expected.impulse).norm(), 0, 1e-15);
  EXPECT_EQ(form.owner[k * 1 + 2], 1);
  EXPECT_EQ(form.owner[k * contacts + 2], 2);
}

// Directions are unit vectors at equal angles, each with its reverse; ± for one tangent.
TEST(PolyhedralContact, DirectionsComeInPairs) {
  EXPECT_EQ(friction_directions(1, 8), (MatX(1, 2) << 1, -1).finished());
  const MatX d = friction_directions(2, 8);
  for (Index j = 0; j < 8; ++j) {
    EXPECT_NEAR(d.col(j).norm(), 1, 1e-15);
    EXPECT_NEAR((d.col(j) + d.col((j + 4) % 8)).norm(), 0, 1e-15);
    EXPECT_NEAR(d.col(j).dot(d.col((j + 1) % 8)), std::cos(M_PI / 4), 1e-15);
  }
}

// A contact (μ = 0.5, r_N = 2, so at most 1) and a joint (at most 0.3) leave their polygons by what
// Σβ is above those, or by a negative impulse.
TEST(PolyhedralContact, ConeViolationIsTheWorstExcess) {
  PolyhedralContact problem;
  problem.W.resize(3, 3);
  problem.b = VecX::Zero(3);
  problem.friction = VecX::Constant(1, 0.5);
  problem.contact_directions = {friction_directions(1, 2)};
  problem.bound = VecX::Constant(1, 0.3);
  problem.joint_directions = {friction_directions(1, 2)};
  VecX z(7);  // β contact, β joint, r_N, λ contact, λ joint
  z << 0.6, 0.4, 0.2, 0.1, 2, 7, 8;
  EXPECT_NEAR(cone_violation(problem, z), 0, 1e-15);
  z[0] = 0.7;
  EXPECT_NEAR(cone_violation(problem, z), 0.1, 1e-15);
  z[3] = 0.4;
  EXPECT_NEAR(cone_violation(problem, z), 0.3, 1e-15);
  z[4] = -0.5;
  EXPECT_NEAR(cone_violation(problem, z), 1.1 + 0.25, 1e-15);
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
