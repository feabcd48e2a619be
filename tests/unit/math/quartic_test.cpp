#include <talus/math/quartic.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/random.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

// Roots that were multiplied out are found again, rising, whether four, two or none are real.
TEST(Quartic, FindsTheRealRoots) {
  Random random(1);
  for (int i = 0; i < 20000; ++i) {
    const int real = 2 * (i % 3);
    std::vector<Real> expected;
    std::array<Real, 5> c = {random.uniform() < 0.5 ? 2.0 : -3.0, 0, 0, 0, 0};
    const auto times = [&c](Real p, Real q) {  // c · (t² + p t + q)
      std::array<Real, 5> product{};
      for (std::size_t k = 0; k < 3; ++k) {
        product[k] += q * c[k];
        product[k + 1] += p * c[k];
        product[k + 2] += c[k];
      }
      c = product;
    };
    for (int pair = 0; pair < 2; ++pair) {
      if (2 * pair < real) {
        const Real x = random.uniform(-3, 3), y = x + random.uniform(0.1, 2);
        expected.insert(expected.end(), {x, y});
        times(-x - y, x * y);
      } else {
        const Real x = random.uniform(-3, 3), y = random.uniform(0.1, 2);
        times(-2 * x, x * x + y * y);
      }
    }
    std::sort(expected.begin(), expected.end());
    Real gap = 1;
    for (std::size_t k = 1; k < expected.size(); ++k)
      gap = std::min(gap, expected[k] - expected[k - 1]);
    if (gap < 0.05) continue;
    const QuarticRoots found = real_quartic_roots(c);
    ASSERT_EQ(found.count, real) << "i = " << i;
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_NEAR(found.root[k], expected[k], 1e-7) << "i = " << i;
  }
}

// A double root is found twice, a vanishing leading coefficient lowers the degree, zero has none.
TEST(Quartic, DegenerateCases) {
  const QuarticRoots twice = real_quartic_roots({4, 0, -5, 0, 1});  // (t² − 1)(t² − 4)
  ASSERT_EQ(twice.count, 4);
  EXPECT_NEAR(twice.root[0], -2, 1e-12);
  const QuarticRoots squares = real_quartic_roots({0, 0, 1, -2, 1});  // t²(t − 1)²
  ASSERT_EQ(squares.count, 4);
  EXPECT_NEAR(squares.root[3], 1, 1e-7);
  EXPECT_EQ(real_quartic_roots({-6, 11, -6, 1, 0}).count, 3);
  EXPECT_NEAR(real_quartic_roots({-6, 11, -6, 1, 1e-20}).root[2], 3, 1e-12);
  EXPECT_EQ(real_quartic_roots({-4, 0, 1, 0, 0}).count, 2);
  EXPECT_EQ(real_quartic_roots({-4, 2, 0, 0, 0}).root[0], 2);
  EXPECT_EQ(real_quartic_roots({0, 0, 0, 0, 0}).count, 0);
  EXPECT_EQ(real_quartic_roots({3, 0, 0, 0, 0}).count, 0);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
