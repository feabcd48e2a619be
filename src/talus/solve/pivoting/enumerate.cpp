#include <talus/solve/pivoting/enumerate.hpp>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cstdint>

#include <talus/base/contract.hpp>
#include <talus/problem/scale.hpp>

namespace talus::solve {
namespace {

constexpr Real kSingular = 1e-12;  // reciprocal condition below which a block counts as singular

/// Solves on columns z_α (support) and w_ω (slack), zero elsewhere, by least squares, and keeps
/// what is a solution.
void try_columns(const MatX& M, const VecX& q, const std::vector<Index>& support,
                 const std::vector<Index>& slack, Real tolerance, std::vector<VecX>& found) {
  const Index n = q.size();
  const auto a = static_cast<Index>(support.size());
  MatX columns = MatX::Zero(n, a + static_cast<Index>(slack.size()));
  columns.leftCols(a) = -M(Eigen::all, support);
  for (std::size_t k = 0; k < slack.size(); ++k) columns(slack[k], a + static_cast<Index>(k)) = 1;
  VecX z = VecX::Zero(n);
  if (columns.cols() > 0) {
    Eigen::ColPivHouseholderQR<MatX> qr(columns);
    qr.setThreshold(kSingular);
    if (qr.rank() < columns.cols()) return;
    const VecX x = qr.solve(q);
    z(support) = x.head(a);
  }
  const VecX w = M * z + q;
  const Real size = tolerance * std::max(Real(1), z.cwiseAbs().maxCoeff());
  if (z.minCoeff() < -size || w.minCoeff() < -size || z.cwiseMin(w).cwiseAbs().maxCoeff() > size)
    return;
  for (const VecX& other : found)
    if ((other - z).cwiseAbs().maxCoeff() <= 10 * size) return;
  found.push_back(z);
}

}  // namespace

std::vector<VecX> enumerate_lcp(const problem::Lcp& lcp, Real tolerance) {
  const Index n = lcp.size();
  TALUS_DEMAND(n <= 16);
  if (n == 0) return {VecX()};
  const VecX root = problem::lcp_scale(lcp).cwiseSqrt();
  const MatX M = root.asDiagonal() * lcp.M * root.asDiagonal();
  VecX q = root.cwiseProduct(lcp.q);
  const Real gamma = q.cwiseAbs().maxCoeff() > 0 ? q.cwiseAbs().maxCoeff() : Real(1);
  q /= gamma;

  std::vector<VecX> found;
  bool has_singular = false;
  for (std::uint32_t mask = 0; mask < (1U << n); ++mask) {
    std::vector<Index> support;
    for (Index i = 0; i < n; ++i)
      if (mask >> i & 1U) support.push_back(i);
    VecX z = VecX::Zero(n);
    if (!support.empty()) {
      const Eigen::FullPivLU<MatX> factors(M(support, support));
      if (factors.rcond() < kSingular) {
        has_singular = true;
        continue;
      }
      z(support) = factors.solve(-q(support));
    }
    const VecX w = M * z + q;
    const Real size = tolerance * std::max(Real(1), z.cwiseAbs().maxCoeff());
    if (z.minCoeff() < -size || w.minCoeff() < -size) continue;
    bool is_new = true;
    for (const VecX& other : found)
      is_new = is_new && (other - z).cwiseAbs().maxCoeff() > 10 * size;
    if (is_new) found.push_back(z);
  }
  if (has_singular && found.empty()) {
    std::vector<int> digits(static_cast<std::size_t>(n), 0);  // 0: w basic, 1: z basic, 2: neither
    while (true) {
      std::vector<Index> support, slack;
      for (Index i = 0; i < n; ++i) {
        const int digit = digits[static_cast<std::size_t>(i)];
        if (digit == 0) slack.push_back(i);
        if (digit == 1) support.push_back(i);
      }
      try_columns(M, q, support, slack, tolerance, found);
      std::size_t k = 0;
      while (k < digits.size() && ++digits[k] == 3) digits[k++] = 0;
      if (k == digits.size()) break;
    }
  }
  for (VecX& z : found) z = gamma * root.cwiseProduct(z);
  return found;
}

}  // namespace talus::solve
