#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/math/rotation.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

Vec3 random_vector(Random& random, Real size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// exp of a rotation vector turns by its length about its direction: a quarter turn about z takes x
// to y.
TEST(RotationExp, TurnsByTheLengthOfTheVector) {
  const Quat q = rotation_exp(Vec3(0, 0, std::numbers::pi / 2));
  EXPECT_LT((q * Vec3::UnitX() - Vec3::UnitY()).norm(), 1e-15);
}

// exp(aφ) exp(bφ) = exp((a + b)φ): rotations about one axis add, also where the series for small
// angles takes over.
RC_GTEST_PROP(RotationExp, AddsAnglesAboutOneAxis, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vec3 axis = random_vector(random, 1);
  const Real a = random.uniform(-1e-3, 1e-3), b = random.uniform(-3, 3);
  const Quat product = rotation_exp(a * axis) * rotation_exp(b * axis);
  const Quat sum = rotation_exp((a + b) * axis);
  RC_ASSERT((product.coeffs() - sum.coeffs()).norm() < 1e-14);
}

// rotation_between turns one direction to the other, about an axis normal to both: by no more than
// needed.
RC_GTEST_PROP(RotationBetween, TakesOneDirectionToTheOther, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vec3 from = random_vector(random, 1), to = random_vector(random, 5);
  RC_PRE(from.norm() > 1e-3 && to.norm() > 1e-3);
  const Quat q = rotation_between(from, to);
  RC_ASSERT((q * from.normalized() - to.normalized()).norm() < 1e-13);
  RC_ASSERT(std::abs(q.vec().dot(from.normalized())) < 1e-13);
  RC_ASSERT((rotation_between(from, -from) * from + from).norm() < 1e-7);
}

// The contact frame is orthonormal, right-handed and has the normal first, for any unit normal.
RC_GTEST_PROP(ContactFrame, IsOrthonormalAndRightHanded, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vec3 n =
      (random_vector(random, 1) + Vec3(0, 0, random.uniform() < 0.5 ? -1 : 1)).normalized();
  const Mat3 frame = contact_frame(n);
  RC_ASSERT((frame.transpose() * frame - Mat3::Identity()).norm() < 1e-14);
  RC_ASSERT(std::abs(frame.determinant() - 1) < 1e-14);
  RC_ASSERT(frame.col(0) == n);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
