// Of rows that depend on each other a largest independent set is kept: as many as the rank, and
// either the earliest ones or those with the largest pivots.
#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/linalg/independent_rows.hpp>

#include <Eigen/QR>

#include <algorithm>

namespace talus::linalg {
namespace {

MatX random_rows(Index n, Index m, std::uint64_t seed) {
  Random random(seed);
  MatX J(n, m);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j) J(i, j) = random.uniform(-1, 1);
  return J;
}

Index count(const std::vector<bool>& rows) { return std::count(rows.begin(), rows.end(), true); }

// Rows 2 and 5 are sums of others, in units that differ by 10⁶: those named depend on what comes
// before them, and whichever is kept, the kept ones span all.
TEST(IndependentRows, AreAsManyAsTheRank) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    MatX J = random_rows(8, 12, seed);
    J.row(2) = 1e3 * (J.row(0) - 2 * J.row(1));
    J.row(5) = 1e-3 * (J.row(3) + J.row(4) + J.row(0));
    const MatX gram = J * J.transpose();
    const auto earliest = independent_rows(gram, kGramRank, RowChoice::earliest);
    EXPECT_EQ(earliest, (std::vector<bool>{true, true, false, true, true, false, true, true}));
    const auto best = independent_rows(gram, kGramRank, RowChoice::best_conditioned);
    ASSERT_EQ(count(best), 6);
    MatX kept(6, 12);
    for (Index i = 0, k = 0; i < 8; ++i)
      if (best[static_cast<std::size_t>(i)]) kept.row(k++) = J.row(i).normalized();
    EXPECT_EQ(Eigen::ColPivHouseholderQR<MatX>(kept).rank(), 6);
  }
}

// A row that touches nothing is independent of nothing.
TEST(IndependentRows, OfNothingIsNone) {
  MatX J = random_rows(3, 6, 1);
  J.row(1).setZero();
  for (const RowChoice choice : {RowChoice::earliest, RowChoice::best_conditioned})
    EXPECT_EQ(independent_rows(J * J.transpose(), kGramRank, choice),
              (std::vector<bool>{true, false, true}));
}

}  // namespace
}  // namespace talus::linalg
