// Joints eliminated from the velocities of the bodies that they hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/problem/constraint_elimination.hpp>

#include "support/jointed_problem.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::BodyVelocity;
using problem::ConstraintElimination;
using problem::RigidContact;

/// Machines of 20 bodies with loops, and masses up to 100 : 1.
RigidContact machine(std::uint64_t seed) {
  return test::random_jointed_problem({.bodies = 20, .contacts = 0, .loops = 3, .mass_ratio = 100},
                                      seed);
}

/// The largest |J v + bias| of the constraints [m/s].
Real largest_rate(const RigidContact& problem, const std::vector<BodyVelocity>& velocity) {
  Real largest = 0;
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (problem.rows.is_constraint(j))
      largest = std::max(largest, std::abs(problem::row_rate(problem, j, velocity)));
  return largest;
}

// d = M⁻¹ Jᵀ λ with J d + bias = 0: bodies at rest are displaced by what the biases ask for, and
// what no force moves stays.
TEST(ConstraintElimination, DisplacesByTheBiases) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RigidContact problem = machine(seed);
    Random random(seed);
    for (BodyVelocity& body : problem.bodies) body.v = body.s = Vec3::Zero();
    for (Real& bias : problem.rows.bias) bias = random.uniform(-1, 1);
    ConstraintElimination elimination;
    ASSERT_TRUE(elimination.factorise(problem)) << seed;
    std::vector<BodyVelocity> way;
    elimination.displace(problem, way);
    EXPECT_LT(largest_rate(problem, way), 1e-9) << seed;
    for (const BodyVelocity& body : way)
      if (body.inverse_mass == 0) {
        EXPECT_TRUE(body.v.isZero(0) && body.s.isZero(0)) << seed;
      }
  }
}

// λ ← λ − (J M⁻¹ Jᵀ)⁻¹ (J v + bias), v = v_free + M⁻¹ Jᵀ λ: impulses that are off by a millionth
// are refined until only rounding is left, and the velocities are those of the impulses to the last
// bit.
TEST(ConstraintElimination, RefinesToRounding) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RigidContact problem = machine(seed);
    Random random(seed);
    ConstraintElimination elimination;
    ASSERT_TRUE(elimination.factorise(problem)) << seed;
    problem::ContactImpulses impulse = problem::zero_impulses(problem);
    std::vector<BodyVelocity> velocity;
    elimination.refine(problem, impulse, velocity);
    const std::vector<Real> exact = impulse.row;
    for (Real& own : impulse.row) own *= 1 + 1e-6 * random.uniform(-1, 1);
    elimination.refine(problem, impulse, velocity);
    EXPECT_LT(largest_rate(problem, velocity), 1e-12) << seed;
    Real largest = 0;
    for (const Real own : exact) largest = std::max(largest, std::abs(own));
    for (std::size_t j = 0; j < exact.size(); ++j)
      EXPECT_NEAR(impulse.row[j], exact[j], 1e-9 * largest) << seed << ", row " << j;
    std::vector<BodyVelocity> expected = problem.bodies;
    problem::apply_impulses(problem, impulse, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(velocity[i].v, expected[i].v) << seed << ", body " << i;
      EXPECT_EQ(velocity[i].s, expected[i].s) << seed << ", body " << i;
    }
  }
}

// Masses of 10¹⁰ : 1 that hang on each other leave the pivots of a tree too few digits for
// refining: they are eliminated with pivots that are chosen, and J v + bias = 0 to rounding.
TEST(ConstraintElimination, KeepsConstraintsAtAnyRatioOfMasses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RigidContact problem = test::random_jointed_problem(
        {.bodies = 8, .contacts = 0, .loops = 1, .mass_ratio = 1e10}, seed);
    ConstraintElimination elimination;
    ASSERT_TRUE(elimination.factorise(problem)) << seed;
    problem::ContactImpulses impulse = problem::zero_impulses(problem);
    std::vector<BodyVelocity> velocity;
    elimination.complete(problem, impulse, velocity);
    EXPECT_LT(largest_rate(problem, velocity), 1e-7) << seed;
  }
}

// λ keeps the constraints beside whatever contacts and laws of axes give: what it was before does
// not count, and the others stay as they are.
TEST(ConstraintElimination, CompletesOtherImpulses) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RigidContact problem = test::random_jointed_problem(
        {.bodies = 20, .contacts = 5, .loops = 3, .has_laws = true, .mass_ratio = 100}, seed);
    Random random(seed);
    ConstraintElimination elimination;
    ASSERT_TRUE(elimination.factorise(problem)) << seed;
    problem::ContactImpulses impulse = problem::zero_impulses(problem);
    for (Vec3& own : impulse.general) own = {random.uniform(-1, 1), 1, random.uniform(-1, 1)};
    for (Real& own : impulse.row) own = random.uniform(-1, 1);
    const problem::ContactImpulses before = impulse;
    std::vector<BodyVelocity> velocity;
    elimination.complete(problem, impulse, velocity);
    EXPECT_LT(largest_rate(problem, velocity), 1e-11) << seed;
    EXPECT_EQ(impulse.general, before.general) << seed;
    for (Index j = 0; j < problem.rows.size(); ++j)
      if (!problem.rows.is_constraint(j)) {
        EXPECT_EQ(impulse.row[j], before.row[j]) << seed << ", row " << j;
      }
    problem::ContactImpulses from_zero = before;
    for (Index j = 0; j < problem.rows.size(); ++j)
      if (problem.rows.is_constraint(j)) from_zero.row[j] = 0;
    elimination.complete(problem, from_zero, velocity);
    EXPECT_EQ(from_zero.row, impulse.row) << seed;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
