#include <talus/solve/pivoting/enumerate.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

#include <talus/base/contract.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/problem/scale.hpp>

namespace talus::solve {
namespace {

constexpr int kMost = 16;

using Mask = std::uint32_t;  // a set of indices

/// The indices of a set, rising.
struct Members {
  std::array<Index, kMost> index{};
  Index size = 0;
  explicit Members(Mask mask) {
    for (Index i = 0; mask >> i != 0; ++i)
      if (mask >> i & 1U) index[static_cast<std::size_t>(size++)] = i;
  }
  Index operator[](Index k) const { return index[static_cast<std::size_t>(k)]; }
};

class Enumeration {
 public:
  Enumeration(const MatX& M, const VecX& q, Real tolerance)
      : M_(M), q_(q), tolerance_(tolerance), n_(q.size()) {}

  std::vector<VecX> run() {
    const Mask end = Mask(1) << n_;
    std::vector<Mask> singular;
    // Every complementary cone, one per support (`murty_1988` §1.4).
    for (Mask support = 0; support < end; ++support)
      if (!try_block(Members(support))) singular.push_back(support);
    if (found_.empty())
      for (const Mask support : singular) try_more_rows(support, end - 1);
    return std::move(found_);
  }

 private:
  [[nodiscard]] MatX block(const Members& rows, const Members& columns) const {
    MatX result(rows.size, columns.size);
    for (Index j = 0; j < columns.size; ++j)
      for (Index i = 0; i < rows.size; ++i) result(i, j) = M_(rows[i], columns[j]);
    return result;
  }
  [[nodiscard]] VecX right(const Members& rows) const {
    VecX result(rows.size);
    for (Index i = 0; i < rows.size; ++i) result[i] = -q_[rows[i]];
    return result;
  }

  /// M_αα z_α = −q_α; false if the block is singular.
  bool try_block(const Members& support) {
    if (support.size == 0) {
      keep(support, VecX());
      return true;
    }
    block_lu_.compute(block(support, support));
    if (!block_lu_.is_regular(linalg::kScaledRank)) return false;
    keep(support, block_lu_.solve(right(support)));
    return true;
  }

  /// A singular M_αα leaves z_α open: further rows with wᵢ = 0 fix it, M_ρα z_α = −q_ρ for
  /// every ρ ⊃ α, where the columns are independent.
  void try_more_rows(Mask support, Mask all) {
    const Members columns(support);
    linalg::ColPivQr factors(linalg::kScaledRank);
    const auto are_independent = [&](const Members& rows) {
      factors.compute(block(rows, columns));
      return factors.rank() == columns.size;
    };
    if (!are_independent(Members(all))) return;
    const Mask others = all & ~support;
    for (Mask more = others; more != 0; more = (more - 1) & others) {
      const Members rows(support | more);
      if (are_independent(rows)) keep(columns, factors.solve(right(rows)));
    }
  }

  void keep(const Members& support, const VecX& values) {
    VecX z = VecX::Zero(n_);
    for (Index k = 0; k < support.size; ++k) z[support[k]] = values[k];
    const Real size = tolerance_ * std::max(Real(1), z.cwiseAbs().maxCoeff());
    if (!(z.minCoeff() >= -size)) return;
    const VecX w = M_ * z + q_;
    if (!(w.minCoeff() >= -size && z.cwiseMin(w).maxCoeff() <= size)) return;
    for (const VecX& other : found_)
      if ((other - z).cwiseAbs().maxCoeff() <= 10 * size) return;
    found_.push_back(z);
  }

  const MatX& M_;
  const VecX& q_;
  Real tolerance_;
  Index n_;
  linalg::FullPivLu block_lu_;
  std::vector<VecX> found_;
};

}  // namespace

std::vector<VecX> enumerate_lcp(const problem::Lcp& lcp, Real tolerance) {
  TALUS_DEMAND(lcp.size() <= kMost);
  if (lcp.size() == 0) return {VecX()};
  const VecX root = problem::lcp_scale(lcp).cwiseSqrt();
  const MatX M = root.asDiagonal() * lcp.M * root.asDiagonal();
  VecX q = root.cwiseProduct(lcp.q);
  const Real gamma = q.cwiseAbs().maxCoeff() > 0 ? q.cwiseAbs().maxCoeff() : Real(1);
  q /= gamma;
  std::vector<VecX> found = Enumeration(M, q, tolerance).run();
  for (VecX& z : found) z = gamma * root.cwiseProduct(z);
  return found;
}

}  // namespace talus::solve
