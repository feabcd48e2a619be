#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/solve/detail/scaled_cones.hpp>

#include "support/class_problems.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

using problem::ConeKind;

using test::RandomSet;

VecX nearest(const RandomSet& set, VecX x) {
  detail::project(set.cone, set.lower, set.upper, x);
  return x;
}

// Coordinates up to 2, coefficients up to 3: two dozen roundings of terms up to 2 (1 + 3 + 3).
constexpr Real kRoundOff = 24 * 14 * 1.2e-16;

// The nearest point p of a convex set to x is the only point of the set with (x − p)·(s − p) ≤ 0
// for every s of the set; it stays where it is (idempotent), and two points come no further apart
// (non-expansive). For every kind of set: free, nonnegative, box, friction in 2-D and 3-D, rolling.
RC_GTEST_PROP(Projection, IsTheNearestPointOfEveryKindOfSet, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const RandomSet set(random);
  const Index n = set.cone.size;
  const VecX x = 2 * test::random_matrix(random, n, 1), y = 2 * test::random_matrix(random, n, 1);
  const VecX p = nearest(set, x), s = nearest(set, y);
  RC_ASSERT(set.excess(p) <= kRoundOff);
  for (int k = 0; k < 10; ++k) RC_ASSERT((x - p).dot(set.member(random) - p) <= kRoundOff);
  RC_ASSERT((p - s).norm() <= (x - y).norm() + kRoundOff);
  RC_ASSERT((nearest(set, p) - p).norm() <= kRoundOff);
}

// Moreau's decomposition of the cones among them: x = p + (x − p) with p·(x − p) = 0, and x − p in
// the polar cone, whose own nearest point to x it is: P_K(x − p) = 0.
RC_GTEST_PROP(Projection, DecomposesByMoreau, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const RandomSet set(random);
  RC_PRE(set.cone.kind != ConeKind::box);
  const VecX x = 2 * test::random_matrix(random, set.cone.size, 1), p = nearest(set, x);
  RC_ASSERT(std::abs(p.dot(x - p)) <= kRoundOff);
  RC_ASSERT(nearest(set, x - p).norm() <= kRoundOff);
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
