#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include <talus/base/random.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

Vec3 random_vector(Random& random, Real size) {
  const Real x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

// Without periodic axes everything gives back its argument, bit for bit, negative zero included.
TEST(PeriodicCell, WithoutAxesIsTheIdentity) {
  const PeriodicCell cell(Vec3(1, 2, 3), Vec3::Zero());
  EXPECT_FALSE(cell.is_periodic());
  for (const Vec3& p : {Vec3(-0.0, 0.1, 1e300), Vec3(1e-320, -7.3, 5)})
    for (const Vec3& image : {cell.nearest(p), cell.wrap(p), cell.fold(p), cell.beside(p, p)})
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(image[k]), std::bit_cast<std::uint64_t>(p[k]));
  const PeriodicCell flat(Vec3::Zero(), Vec3(2, 0, 0));
  const Vec3 image = flat.nearest(Vec3(5, -0.0, 1e300));
  EXPECT_EQ(image, Vec3(1, 0, 1e300));
  EXPECT_TRUE(std::signbit(image.y()));
}

// The nearest image is one of the images, and none of its neighbours is shorter; wrapping and
// folding do not see which image they are given.
RC_GTEST_PROP(PeriodicCell, TakesTheNearestImage, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vec3 low = random_vector(random, 5);
  const Vec3 length(random.uniform(0.5, 3), 0, random.uniform(0.5, 3));
  const PeriodicCell cell(low, length);
  const Vec3 d = random_vector(random, 20);
  const Vec3 image = cell.nearest(d);
  RC_ASSERT(image.y() == d.y());
  for (const int k : {0, 2}) {
    const Real turns = (d[k] - image[k]) / length[k];
    RC_ASSERT(std::abs(turns - std::round(turns)) < 1e-12);
    RC_ASSERT(std::abs(image[k]) <= length[k] / 2 * (1 + 1e-12));
  }
  const Vec3 home = cell.wrap(d), moved = d + length.cwiseProduct(Vec3(3, 1, -4));
  for (const int k : {0, 2}) {
    RC_ASSERT(home[k] >= low[k]);
    RC_ASSERT(home[k] < low[k] + length[k]);
  }
  RC_ASSERT(cell.nearest(cell.wrap(moved) - home).norm() < 1e-13);
  RC_ASSERT((cell.fold(moved) - cell.fold(d)).norm() < 1e-13);
  const Vec3 other = random_vector(random, 20);
  RC_ASSERT((cell.fold(d) - cell.fold(other)).norm() <= cell.nearest(d - other).norm() + 1e-13);
}

// A point on the high face belongs to the low one, however rounding falls; an unbounded start
// leaves the coordinate alone.
TEST(PeriodicCell, WrapsTheFacesThemselves) {
  const PeriodicCell cell(Vec3(0.1, 0, 0), Vec3(0.7, 0, 0));
  for (int k = -20; k <= 20; ++k) {
    const Real x = cell.wrap(Vec3(0.1 + 0.7 * k, 0, 0)).x();
    EXPECT_GE(x, 0.1);
    EXPECT_LT(x, 0.1 + 0.7);
  }
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  EXPECT_EQ(cell.above(Vec3::Constant(-kInfinity), Vec3(9, 9, 9)), Vec3(9, 9, 9));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
