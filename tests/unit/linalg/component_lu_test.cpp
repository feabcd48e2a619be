#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include <talus/base/random.hpp>
#include <talus/linalg/component_lu.hpp>

namespace talus::linalg::TALUS_TEST_FILE {
namespace {

/// Blocks of the sizes given, their rows dealt out over the matrix in turn.
MatX scattered_blocks(Random& random, const std::vector<int>& sizes) {
  std::vector<int> owner;
  for (bool is_left = true; is_left;) {
    is_left = false;
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      const auto taken = std::count(owner.begin(), owner.end(), static_cast<int>(p));
      if (taken >= sizes[p]) continue;
      owner.push_back(static_cast<int>(p));
      is_left = true;
    }
  }
  const auto n = static_cast<Index>(owner.size());
  MatX A = MatX::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (owner[static_cast<std::size_t>(i)] == owner[static_cast<std::size_t>(j)])
        A(i, j) = random.uniform(-1, 1) + (i == j ? 2.0 * sizes[0] + 60 : 0);
  return A;
}

// A matrix of scattered independent blocks is found to be one, and solved as dense elimination
// does, small parts and large ones; columns that miss a part leave it alone.
RC_GTEST_PROP(ComponentLu, SolvesPartByPart, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<int> sizes = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 8));
  sizes.push_back(*rc::gen::element(3, 60));  // beyond the dense limit
  const MatX A = scattered_blocks(random, sizes);
  ComponentLu lu;
  RC_ASSERT(lu.factorise(A.sparseView()));
  RC_ASSERT(lu.component_count() == 5);
  MatX B = MatX::Zero(A.rows(), 3);
  for (Index j = 0; j < 3; ++j) B(j % A.rows(), j) = random.uniform(1, 2);
  const MatX expected = FullPivLu(A).solve(B);
  const ComponentLu::Columns X = lu.solve(ComponentLu::Columns(B.sparseView()));
  RC_ASSERT((MatX(X) - expected).cwiseAbs().maxCoeff() <= 1e-12);
  RC_ASSERT((lu.solve(VecX(B.col(1))) - expected.col(1)).cwiseAbs().maxCoeff() <= 1e-12);
  RC_ASSERT(X.col(0).nonZeros() <= *std::max_element(sizes.begin(), sizes.end()));
}

// A part without an entry, or with dependent rows, is singular and said to be.
TEST(ComponentLu, ReportsSingularParts) {
  MatX A = MatX::Identity(4, 4);
  A(2, 2) = 0;
  ComponentLu lu;
  EXPECT_FALSE(lu.factorise(A.sparseView()));
  A = MatX::Identity(4, 4);
  A(0, 1) = A(1, 0) = 1;
  EXPECT_FALSE(lu.factorise(A.sparseView()));
}

}  // namespace
}  // namespace talus::linalg::TALUS_TEST_FILE
