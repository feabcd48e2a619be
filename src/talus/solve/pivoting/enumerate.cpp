#include <talus/solve/pivoting/enumerate.hpp>

#include <Eigen/LU>
#include <Eigen/QR>

#include <algorithm>
#include <array>
#include <cstdint>

#include <talus/base/contract.hpp>
#include <talus/problem/scale.hpp>

namespace talus::solve {
namespace {

constexpr Real kSingular = 1e-12;  // smallest over largest pivot of a block that counts as singular
constexpr int kMost = 16;

// On the stack: there are thousands of them.
using Small = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;
using SmallVector = Eigen::Matrix<Real, Eigen::Dynamic, 1, 0, kMost, 1>;
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
    for (Mask support = 0; support < end; ++support)
      if (!try_block(Members(support))) singular.push_back(support);
    if (found_.empty())
      for (const Mask support : singular) try_more_rows(support, end - 1);
    return std::move(found_);
  }

 private:
  [[nodiscard]] Small block(const Members& rows, const Members& columns) const {
    Small result(rows.size, columns.size);
    for (Index j = 0; j < columns.size; ++j)
      for (Index i = 0; i < rows.size; ++i) result(i, j) = M_(rows[i], columns[j]);
    return result;
  }
  [[nodiscard]] SmallVector right(const Members& rows) const {
    SmallVector result(rows.size);
    for (Index i = 0; i < rows.size; ++i) result[i] = -q_[rows[i]];
    return result;
  }

  /// M_αα z_α = −q_α; false if the block is singular.
  bool try_block(const Members& support) {
    if (support.size == 0) {
      keep(support, SmallVector());
      return true;
    }
    const Eigen::FullPivLU<Small> factors(block(support, support));
    const auto pivots = factors.matrixLU().diagonal().cwiseAbs();
    if (!(pivots.minCoeff() > kSingular * pivots.maxCoeff())) return false;
    keep(support, factors.solve(right(support)));
    return true;
  }

  /// A singular M_αα leaves z_α open: further rows with wᵢ = 0 fix it, M_ρα z_α = −q_ρ for
  /// every ρ ⊃ α, where the columns are independent.
  void try_more_rows(Mask support, Mask all) {
    const Members columns(support);
    const auto is_independent = [&](const Eigen::ColPivHouseholderQR<Small>& factors) {
      return factors.rank() == columns.size;
    };
    Eigen::ColPivHouseholderQR<Small> factors;
    factors.setThreshold(kSingular);
    if (!is_independent(factors.compute(block(Members(all), columns)))) return;
    const Mask others = all & ~support;
    for (Mask more = others; more != 0; more = (more - 1) & others) {
      const Members rows(support | more);
      if (is_independent(factors.compute(block(rows, columns))))
        keep(columns, factors.solve(right(rows)));
    }
  }

  void keep(const Members& support, const SmallVector& values) {
    SmallVector z = SmallVector::Zero(n_);
    for (Index k = 0; k < support.size; ++k) z[support[k]] = values[k];
    const Real size = tolerance_ * std::max(Real(1), z.cwiseAbs().maxCoeff());
    if (!(z.minCoeff() >= -size)) return;
    const SmallVector w = M_ * z + q_;
    if (!(w.minCoeff() >= -size && z.cwiseMin(w).maxCoeff() <= size)) return;
    for (const VecX& other : found_)
      if ((other - z).cwiseAbs().maxCoeff() <= 10 * size) return;
    found_.push_back(z);
  }

  const MatX& M_;
  const VecX& q_;
  Real tolerance_;
  Index n_;
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
