#include <talus/linalg/block_lu.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/detail/wide_clone.hpp>
#include <talus/linalg/minimum_degree.hpp>
#include <talus/linalg/small.hpp>

namespace talus::linalg {
namespace {

/// Block products between two polls: about a millisecond.
constexpr std::size_t kBetweenPolls = 100000;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

using Quad = Real __attribute__((vector_size(32)));

// w[column[e]] −= L U_e for the entries e of one row of U.
TALUS_WIDE_CLONE void eliminate(BlockLu<3>::Panel* work, const BlockLu<3>::Panel& L,
                                const std::uint32_t* column, const Real* U, std::size_t count) {
  Quad l[3];
  std::memcpy(l, L.value, sizeof l);
  for (std::size_t e = 0; e < count; ++e, U += 9) {
    Real* const target = work[column[e]].value;
    for (int c = 0; c < 3; ++c) {
      Quad sum;
      std::memcpy(&sum, target + 4 * c, sizeof sum);
      sum -= l[0] * U[3 * c] + l[1] * U[3 * c + 1] + l[2] * U[3 * c + 2];
      std::memcpy(target + 4 * c, &sum, sizeof sum);
    }
  }
}

TALUS_WIDE_CLONE void eliminate(BlockLu<2>::Panel* work, const BlockLu<2>::Panel& L,
                                const std::uint32_t* column, const Real* U, std::size_t count) {
  for (std::size_t e = 0; e < count; ++e, U += 4) {
    Real* const target = work[column[e]].value;
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < 2; ++k)
        target[4 * c + k] -= L.value[k] * U[2 * c] + L.value[4 + k] * U[2 * c + 1];
  }
}

template <int d>
Eigen::Map<Eigen::Matrix<Real, d, d>, 0, Eigen::OuterStride<4>> as_block(
    typename BlockLu<d>::Panel& panel) {
  return Eigen::Map<Eigen::Matrix<Real, d, d>, 0, Eigen::OuterStride<4>>(panel.value);
}

/// Neighbours of each member, as positions in `members`.
template <int d>
Graph graph_of(const BlockCsr<d>& W, std::span<const std::uint32_t> members,
               const std::vector<std::uint32_t>& local) {
  Graph graph(members.size());
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t k = W.row_start[members[i]]; k < W.row_start[members[i] + 1]; ++k) {
      const std::uint32_t j = local[W.column[k]];
      if (j == kNone) continue;
      graph[i].push_back(static_cast<int>(j));
      graph[j].push_back(static_cast<int>(i));
    }
  for (auto& row : graph) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return graph;
}

}  // namespace

template <int d>
bool BlockLu<d>::analyse(const BlockCsr<d>& W, std::span<const std::uint32_t> members,
                         double most) {
  members_.assign(members.begin(), members.end());
  const std::size_t n = members_.size();
  place_.assign(W.size(), kNone);
  for (std::size_t i = 0; i < n; ++i) place_[members_[i]] = static_cast<std::uint32_t>(i);
  const auto graph = graph_of(W, members_, place_);
  const std::vector<int> elimination = minimum_degree(graph);
  order_.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    order_[p] = members_[static_cast<std::size_t>(elimination[p])];
    place_[order_[p]] = static_cast<std::uint32_t>(p);
  }

  // Row p of L: what the rows below p in its own row reach in the elimination tree.
  std::vector<std::uint32_t> parent(n, kNone), mark(n, kNone);
  lower_start_.assign(1, 0);
  lower_.clear();
  std::vector<std::size_t> upper_count(n, 0);
  products_ = 0;  // Σ c (c + 1), c the entries of the columns of L so far
  for (std::size_t p = 0; p < n; ++p) {
    if (products_ > most) {
      members_.clear();
      return false;
    }
    const std::size_t first = lower_.size();
    const auto own = static_cast<std::uint32_t>(p);
    mark[p] = own;
    for (const int neighbour : graph[static_cast<std::size_t>(elimination[p])]) {
      std::uint32_t k = place_[members_[static_cast<std::size_t>(neighbour)]];
      if (k > own) continue;
      for (; mark[k] != own; k = parent[k]) {
        mark[k] = own;
        lower_.push_back(k);
        products_ += 2 * static_cast<double>(++upper_count[k]);
        if (parent[k] == kNone) parent[k] = own;
      }
    }
    std::sort(lower_.begin() + static_cast<std::ptrdiff_t>(first), lower_.end());
    lower_start_.push_back(lower_.size());
  }
  // Column k of L's pattern is row k of U's.
  upper_start_.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) upper_start_[k + 1] = upper_start_[k] + upper_count[k];
  upper_.resize(upper_start_[n]);
  std::vector<std::size_t> next(upper_start_.begin(), upper_start_.end() - 1);
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t e = lower_start_[p]; e < lower_start_[p + 1]; ++e)
      upper_[next[lower_[e]]++] = static_cast<std::uint32_t>(p);
  work_.assign(n, Panel{});
  upper_block_.resize(d * d * upper_.size());
  inverse_pivot_.resize(n);
  if (products_ <= most) return true;
  members_.clear();
  return false;
}

template <int d>
void BlockLu<d>::scatter_row(const BlockCsr<d>& W, const std::vector<Block>& P,
                             const std::vector<Block>& Q, std::uint32_t row) {
  as_block<d>(work_[place_[row]]).noalias() = P[row] * W.diagonal[row] + Q[row];
  for (std::size_t k = W.row_start[row]; k < W.row_start[row + 1]; ++k) {
    const std::uint32_t p = place_[W.column[k]];
    if (p != kNone) as_block<d>(work_[p]).noalias() = P[row] * W.block[k];
  }
}

template <int d>
bool BlockLu<d>::solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                       const std::vector<Block>& Q, const std::vector<std::uint8_t>& is_active,
                       VecX& x, const std::function<bool()>& should_stop) {
  return factorise_and_solve<1>(W, P, Q, is_active, solution_, x, should_stop);
}

template <int d>
bool BlockLu<d>::solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                       const std::vector<Block>& Q, const std::vector<std::uint8_t>& is_active,
                       Columns2& x, const std::function<bool()>& should_stop) {
  return factorise_and_solve<2>(W, P, Q, is_active, solution2_, x, should_stop);
}

template <int d>
template <int columns>
bool BlockLu<d>::factorise_and_solve(const BlockCsr<d>& W, const std::vector<Block>& P,
                                     const std::vector<Block>& Q,
                                     const std::vector<std::uint8_t>& is_active,
                                     std::vector<Eigen::Matrix<Real, d, columns>>& solution,
                                     Eigen::Matrix<Real, Eigen::Dynamic, columns>& x,
                                     const std::function<bool()>& should_stop) {
  const std::size_t n = order_.size();
  std::size_t since_poll = 0;
  solution.resize(n);
  for (std::size_t p = 0; p < n; ++p) {
    const std::uint32_t row = order_[p];
    Eigen::Matrix<Real, d, columns> y = x.template middleRows<d>(d * static_cast<Index>(row));
    if (is_active[row]) {
      const std::size_t first = upper_start_[p], last = upper_start_[p + 1];
      work_[p] = Panel{};
      for (std::size_t e = lower_start_[p]; e < lower_start_[p + 1]; ++e)
        work_[lower_[e]] = Panel{};
      for (std::size_t e = first; e < last; ++e) work_[upper_[e]] = Panel{};
      scatter_row(W, P, Q, row);
      for (std::size_t e = lower_start_[p]; e < lower_start_[p + 1]; ++e) {
        const std::uint32_t k = lower_[e];
        if (!is_active[order_[k]]) {  // row k of U is the identity's
          y.noalias() -= as_block<d>(work_[k]) * solution[k];
          continue;
        }
        const Block factor = as_block<d>(work_[k]) * inverse_pivot_[k];
        y.noalias() -= factor * solution[k];
        Panel l;
        as_block<d>(l) = factor;
        const std::size_t begin = upper_start_[k];
        eliminate(work_.data(), l, upper_.data() + begin, upper_block_.data() + d * d * begin,
                  upper_start_[k + 1] - begin);
        since_poll += upper_start_[k + 1] - begin;
      }
      if (since_poll > kBetweenPolls) {
        since_poll = 0;
        if (should_stop && should_stop()) return false;
      }
      for (std::size_t e = first; e < last; ++e)
        Eigen::Map<Block>(upper_block_.data() + d * d * e) = as_block<d>(work_[upper_[e]]);
      inverse_pivot_[p] = lu_inverse(Block(as_block<d>(work_[p])));
      if (!std::isfinite(inverse_pivot_[p].sum())) return false;
    }
    solution[p] = y;
  }
  for (std::size_t p = n; p-- > 0;) {
    const std::uint32_t row = order_[p];
    if (is_active[row]) {
      Eigen::Matrix<Real, d, columns> y = solution[p];
      for (std::size_t e = upper_start_[p]; e < upper_start_[p + 1]; ++e)
        y.noalias() -=
            Eigen::Map<const Block>(upper_block_.data() + d * d * e) * solution[upper_[e]];
      solution[p].noalias() = inverse_pivot_[p] * y;
    }
    x.template middleRows<d>(d * static_cast<Index>(row)) = solution[p];
  }
  return x.allFinite();
}

template class BlockLu<2>;
template class BlockLu<3>;

}  // namespace talus::linalg
