#include <talus/dynamics/jacobian_row.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>

#include "support/random_blocks.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

constexpr Index kBodies = 3;

/// Bodies 0 and 1 of random mass and inertia, body 2 that no force moves.
struct Bodies {
  MassMatrix M{kBodies, 6};
  MatX dense = MatX::Zero(6 * kBodies, 6 * kBodies);  // M, and of the last body M⁻¹ = 0
  MatX inverse = dense;

  explicit Bodies(talus::Random& random) {
    for (Index i = 0; i < 2; ++i) {
      const Real mass = random.uniform(0.5, 2);
      const Mat3 inertia = test::random_spd<3>(random, 0.1);
      M.set(i, mass, inertia);
      dense.block<6, 6>(6 * i, 6 * i).setZero();
      dense.block<3, 3>(6 * i, 6 * i) = mass * Mat3::Identity();
      dense.block<3, 3>(6 * i + 3, 6 * i + 3) = inertia;
      inverse.block<6, 6>(6 * i, 6 * i) = dense.block<6, 6>(6 * i, 6 * i).inverse();
    }
  }
};

JacobianRow random_row(talus::Random& random, Index a, Index b) {
  const Vec6 of_a = test::random_vector<6>(random), of_b = test::random_vector<6>(random);
  return {a, b, of_a, of_b};
}

VecX dense(const JacobianRow& row) {
  VecX all = VecX::Zero(6 * kBodies);
  row.add_to(all, 1);
  return all;
}

// Sums of some hundred products of numbers about 1, inverses of condition 10.
constexpr Real kRoundOff = 1e-13;

// A row is a row of J: its rate, its impulse and its entry of J M⁻¹ Jᵀ are those of dense algebra.
RC_GTEST_PROP(JacobianRow, IsTheRowOfADenseJacobian, ()) {
  talus::Random random(*rc::gen::arbitrary<std::uint32_t>());
  const Bodies bodies(random);
  const JacobianRow p = random_row(random, 0, 1), r = random_row(random, 1, 2);
  const VecX v = VecX(test::random_vector<6 * kBodies>(random));
  RC_ASSERT(std::abs(p.times(v) - dense(p).dot(v)) < kRoundOff);
  RC_ASSERT(std::abs(delassus_entry(p, r, bodies.M) - dense(p).dot(bodies.inverse * dense(r))) <
            100 * kRoundOff);
  VecX moved = v;
  apply_impulse(r, 0.7, bodies.M, moved);
  RC_ASSERT((moved - v - 0.7 * bodies.inverse * dense(r)).norm() < 100 * kRoundOff);
  RC_ASSERT((bodies.M.solve(v) - bodies.inverse * v).norm() < 100 * kRoundOff);
  RC_ASSERT((bodies.M.times(v) - bodies.dense * v).norm() < kRoundOff);
  RC_ASSERT(std::abs(bodies.M.inverse_form(v) - v.dot(bodies.inverse * v)) < 1000 * kRoundOff);
  VecX added = v;
  bodies.M.add_solved(v, added);
  RC_ASSERT((added - v - bodies.inverse * v).norm() < 100 * kRoundOff);
  RC_ASSERT(((bodies.inverse * v).cwiseAbs() - bodies.M.solve_bound(v.cwiseAbs())).maxCoeff() <
            100 * kRoundOff);
  RC_ASSERT(std::abs(bodies.M.norm(v) - std::sqrt(v.dot(bodies.dense * v))) < kRoundOff);
}

// The plane is the restriction of space to (ẋ, ẏ, θ̇): the same rows, masses and velocities with
// zeros in the other places have the same products.
RC_GTEST_PROP(JacobianRow, ThePlaneIsARestrictionOfSpace, ()) {
  talus::Random random(*rc::gen::arbitrary<std::uint32_t>());
  MassMatrix plane(2, 3), space(2, 6);
  for (Index i = 0; i < 2; ++i) {
    const Real mass = random.uniform(0.5, 2), inertia = random.uniform(0.1, 1);
    plane.set(i, mass, inertia);
    space.set(i, mass, Mat3(Vec3(0.3, 0.7, inertia).asDiagonal()));
  }
  const auto lift = [](const Vec3& part) {
    Vec6 all = Vec6::Zero();
    all << part.x(), part.y(), 0, 0, 0, part.z();
    return all;
  };
  const Vec3 p_a = test::random_vector<3>(random), p_b = test::random_vector<3>(random);
  const Vec3 r_a = test::random_vector<3>(random), r_b = test::random_vector<3>(random);
  const JacobianRow p(0, 1, p_a, p_b), r(1, 0, r_a, r_b);
  const JacobianRow p_space(0, 1, lift(p_a), lift(p_b)), r_space(1, 0, lift(r_a), lift(r_b));
  RC_ASSERT(std::abs(delassus_entry(p, r, plane) - delassus_entry(p_space, r_space, space)) <
            kRoundOff);
  VecX v = VecX::Zero(6), lifted = VecX::Zero(12);
  apply_impulse(p, 1, plane, v);
  apply_impulse(p_space, 1, space, lifted);
  RC_ASSERT((lifted.head<6>() - lift(v.head<3>())).norm() < kRoundOff);
  RC_ASSERT((lifted.tail<6>() - lift(v.tail<3>())).norm() < kRoundOff);
  RC_ASSERT(std::abs(r.times(v) - r_space.times(lifted)) < kRoundOff);
  RC_ASSERT(p.is_linear() && p_space.is_linear());
}

// What no force moves takes no impulse.
TEST(JacobianRow, FixedBodiesTakeNoImpulse) {
  talus::Random random(3);
  const Bodies bodies(random);
  EXPECT_FALSE(bodies.M.moves(2));
  const JacobianRow row = random_row(random, 2, -1);
  VecX v = VecX::Zero(6 * kBodies);
  apply_impulse(row, 1, bodies.M, v);
  EXPECT_TRUE(v.isZero(0));
  EXPECT_EQ(inverse_effective_mass(row, bodies.M), 0);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
