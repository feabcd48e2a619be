// Anderson's method on x = A x + b: with as many differences as unknowns it leads to the fixed
// point, whatever A, also where plain rounds run away.
#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/anderson_memory.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::linalg {
namespace {

TEST(AndersonMemory, IsExactForAsManyDifferencesAsUnknowns) {
  constexpr Index n = 3;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    MatX A(n, n);
    VecX b(n);
    for (Index i = 0; i < n; ++i) {
      b[i] = random.uniform(-1, 1);
      for (Index j = 0; j < n; ++j) A(i, j) = random.uniform(-2, 2);
    }
    const VecX fixed = PartialPivLu(MatX::Identity(n, n) - A).solve(b);
    AndersonMemory memory;
    memory.reset(n, n);
    VecX x = VecX::Zero(n), g = b, f = b, last_f, last_g;
    for (Index k = 0; k < n; ++k) {
      last_f = f;
      last_g = g;
      x = VecX::Unit(n, k);
      g = A * x + b;
      f = g - x;
      memory.push(f, last_f, g, last_g);
    }
    memory.extrapolate(f, g, x);
    EXPECT_LT((x - fixed).norm(), 1e-7 * (1 + fixed.norm())) << seed;
    memory.clear();
    memory.extrapolate(f, g, x);
    EXPECT_EQ(x, g);
  }
}

// The oldest difference makes room for the newest: after two of another map only those of this one
// are left.
TEST(AndersonMemory, ForgetsTheOldest) {
  AndersonMemory memory;
  memory.reset(1, 2);
  const auto of = [](Real x) { return VecX::Constant(1, x); };
  memory.push(of(3), of(1), of(7), of(-2));
  const auto g = [](Real x) { return 0.5 * x + 1; };  // fixed point 2
  for (const Real x : {0.0, 1.0})
    memory.push(of(g(x + 1) - x - 1), of(g(x) - x), of(g(x + 1)), of(g(x)));
  VecX x;
  memory.extrapolate(of(g(4) - 4), of(g(4)), x);
  EXPECT_NEAR(x[0], 2, 1e-12);
}

}  // namespace
}  // namespace talus::linalg
