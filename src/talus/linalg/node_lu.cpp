#include <talus/linalg/node_lu.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/detail/four.hpp>
#include <talus/linalg/detail/with_constant.hpp>
#include <talus/linalg/minimum_degree.hpp>

namespace talus::linalg {
namespace {

using detail::Four;

/// Numbers of a column of n in fours, the last of which may have idle lanes.
template <Index n>
inline constexpr Index kLanes = (n + 3) / 4 * 4;

/// sum −= factor · a, columns of n numbers. @tparam is_last whether there may be none behind a;
/// else three are read, for idle lanes.
template <Index n, bool is_last>
TALUS_INLINE void subtract_column(const Real* a, Real factor, Four* sum) {
  for (Index i = 0; i < n; i += 4) {
    Four part{};
    if (is_last && i + 4 > n)
      for (Index lane = i; lane < n; ++lane) part[lane - i] = a[lane];
    else
      detail::get(a + i, part);
    sum[i / 4] -= part * factor;
  }
}

/// C −= A B, columns of C and A with a stride: m×n, m×k and k×n numbers.
/// @tparam rows m, or 0: any; the same bits.
template <Index rows>
TALUS_INLINE void subtract_product_of(Real* C, Index stride_c, const Real* A, Index stride_a,
                                      const Real* B, Index stride_b, Index m, Index n, Index k) {
  for (Index j = 0; j < n; ++j) {
    Real* const c = C + j * stride_c;
    if constexpr (rows > 0) {
      Four sum[kLanes<rows> / 4]{};
      for (Index i = 0; i < rows; ++i) sum[i / 4][i % 4] = c[i];
      for (Index l = 0; l + 1 < k; ++l)
        subtract_column<rows, false>(A + l * stride_a, B[j * stride_b + l], sum);
      subtract_column<rows, true>(A + (k - 1) * stride_a, B[j * stride_b + k - 1], sum);
      for (Index i = 0; i < rows; ++i) c[i] = sum[i / 4][i % 4];
    } else {
      for (Index l = 0; l < k; ++l) {
        const Real factor = B[j * stride_b + l];
        const Real* const a = A + l * stride_a;
        for (Index i = 0; i < m; ++i) c[i] -= a[i] * factor;
      }
    }
  }
}

/// Calls f with a number of rows as a constant where most nodes have it: a body's, alone (6
/// unknowns) or with the rows of the joint that holds it; else with 0.
template <class F>
TALUS_INLINE auto with_size(Index rows, const F& f) {
  return detail::with_constant<6, 9, 10, 11, 12, 0>(rows, f);
}

TALUS_WIDE_CLONE void subtract_product(Real* C, Index stride_c, const Real* A, Index stride_a,
                                       const Real* B, Index stride_b, Index m, Index n, Index k) {
  with_size(m, [&]<Index rows>() TALUS_INLINE_LAMBDA {
    subtract_product_of<rows>(C, stride_c, A, stride_a, B, stride_b, m, n, k);
  });
}

/// A ← A⁻¹, n×n by columns with a stride, by Gauss–Jordan elimination with pivots from the column;
/// false where it is singular or not finite. @param lanes numbers of a column that are computed,
/// idle ones too: a constant, a multiple of 4, or n. @param pivots n numbers to work with.
TALUS_INLINE bool invert_columns(Real* A, Index n, Index lanes, Index* pivots) {
  for (Index k = 0; k < n; ++k) {
    Real* const own = A + k * lanes;
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(own[i]) > std::abs(own[pivot])) pivot = i;
    pivots[k] = pivot;
    if (!(std::abs(own[pivot]) > 0)) return false;  // NaN: false
    if (pivot != k)
      for (Index j = 0; j < n; ++j) std::swap(A[j * lanes + k], A[j * lanes + pivot]);
    const Real inverse = 1 / own[k];
    own[k] = 0;
    for (Index j = 0; j < n; ++j) {
      if (j == k) continue;
      Real* const column = A + j * lanes;
      const Real factor = column[k] * inverse;
      Index i = 0;
      for (; i + 4 <= lanes; i += 4) {
        Four rest, part;
        detail::get(column + i, rest);
        detail::get(own + i, part);
        detail::put(rest - part * factor, column + i);
      }
      for (; i < lanes; ++i) column[i] -= own[i] * factor;
      column[k] = factor;
    }
    for (Index i = 0; i < lanes; ++i) own[i] *= -inverse;
    own[k] = inverse;
  }
  for (Index k = n - 1; k >= 0; --k) {
    Real* const own = A + k * lanes;
    if (pivots[k] != k) std::swap_ranges(own, own + lanes, A + pivots[k] * lanes);
  }
  return std::isfinite(Eigen::Map<const VecX>(A, n * lanes).sum());
}

/// The same without a stride; of most sizes in a copy whose columns are whole fours: the same bits.
TALUS_WIDE_CLONE bool invert_in_place(Real* A, Index n, Index* pivots) {
  return with_size(n, [&]<Index rows>() TALUS_INLINE_LAMBDA {
    if constexpr (rows == 0) {
      return invert_columns(A, n, n, pivots);
    } else {
      constexpr Index lanes = kLanes<rows>;
      Real copy[rows * lanes]{};
      for (Index j = 0; j < rows; ++j) std::copy_n(A + j * rows, rows, copy + j * lanes);
      if (!invert_columns(copy, rows, lanes, pivots)) return false;
      for (Index j = 0; j < rows; ++j) std::copy_n(copy + j * lanes, rows, A + j * rows);
      return true;
    }
  });
}

/// Who meets whom.
Graph graph_of_edges(std::size_t nodes, std::span<const NodeLu::Edge> edges) {
  Graph graph(nodes);
  for (const NodeLu::Edge& edge : edges) {
    TALUS_DEMAND(edge.a != edge.b);
    graph[static_cast<std::size_t>(edge.a)].push_back(static_cast<int>(edge.b));
    graph[static_cast<std::size_t>(edge.b)].push_back(static_cast<int>(edge.a));
  }
  for (std::vector<int>& row : graph) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
  }
  return graph;
}

}  // namespace

void NodeLu::analyse(std::span<const Node> nodes, std::span<const Edge> edges, Index last) {
  const auto before = static_cast<int>(nodes.size()) - static_cast<int>(last);
  Graph graph = graph_of_edges(nodes.size(), edges);
  graph.resize(static_cast<std::size_t>(before));
  for (std::vector<int>& row : graph)
    while (!row.empty() && row.back() >= before) row.pop_back();
  std::vector<Index> order;
  for (const int node : minimum_degree(graph)) order.push_back(node);
  for (Index i = before; i < static_cast<Index>(nodes.size()); ++i) order.push_back(i);
  analyse(nodes, edges, order);
}

void NodeLu::analyse(std::span<const Node> nodes, std::span<const Edge> edges,
                     std::span<const Index> order) {
  TALUS_DEMAND_EQ(order.size(), nodes.size());
  nodes_.assign(nodes.begin(), nodes.end());
  const std::size_t n = nodes_.size();
  first_.resize(n);
  size_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    TALUS_DEMAND(nodes_[i].outer > 0 && nodes_[i].outer <= nodes_[i].size);
    first_[i] = size_;
    size_ += nodes_[i].size;
  }
  const Graph graph = graph_of_edges(n, edges);

  places_.assign(n, {});
  place_of_.resize(n);
  std::size_t values = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const auto node = static_cast<std::size_t>(order[p]);
    place_of_[node] = static_cast<std::uint32_t>(p);
    Place& place = places_[p];
    place.node = static_cast<Index>(node);
    place.size = nodes_[node].size;
    place.outer = nodes_[node].outer;
    place.first = first_[node];
    place.diagonal = values;
    values += static_cast<std::size_t>(place.size * place.size);
  }
  // The places behind p that it meets: its own and those of the places it is the first of.
  std::vector<std::vector<std::uint32_t>> met(n);
  entries_.clear();
  for (std::size_t p = 0; p < n; ++p) {
    std::vector<std::uint32_t>& own = met[p];
    for (const int neighbour : graph[static_cast<std::size_t>(order[p])])
      if (const std::uint32_t q = place_of_[static_cast<std::size_t>(neighbour)]; q > p)
        own.push_back(q);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    places_[p].begin = static_cast<std::uint32_t>(entries_.size());
    for (const std::uint32_t q : own) {
      const auto count = static_cast<std::size_t>(places_[p].size * places_[q].outer);
      entries_.push_back({q, values, values + count});
      values += 2 * count;
    }
    places_[p].end = static_cast<std::uint32_t>(entries_.size());
    if (!own.empty()) met[own.front()].insert(met[own.front()].end(), own.begin() + 1, own.end());
  }
  target_.clear();
  for (Place& place : places_) {
    place.targets = target_.size();
    for (std::uint32_t i = place.begin; i < place.end; ++i)
      for (std::uint32_t j = place.begin; j < place.end; ++j) {
        const std::uint32_t row = entries_[i].place, column = entries_[j].place;
        if (row == column)
          target_.push_back(places_[row].diagonal);
        else if (row < column)
          target_.push_back(entry(row, column).upper);
        else
          target_.push_back(entry(column, row).lower);
      }
  }
  products_ = 0;
  for (const Place& place : places_) {
    const auto own = static_cast<double>(place.size);
    double behind = 0;  // outer unknowns of the places that it meets
    for (std::uint32_t i = place.begin; i < place.end; ++i)
      behind += static_cast<double>(places_[entries_[i].place].outer);
    products_ += own * (own * own + own * behind + behind * behind) / 27;
  }
  value_.assign(values, 0);
  work_.resize(size_);
  Index largest = 0;
  for (const Node& node : nodes_) largest = std::max(largest, node.size);
  pivots_.resize(static_cast<std::size_t>(largest));
  scratch_.resize(static_cast<std::size_t>(largest * largest));
}

const NodeLu::Entry& NodeLu::entry(std::uint32_t place, std::uint32_t other) const {
  const auto begin = entries_.begin() + places_[place].begin,
             end = entries_.begin() + places_[place].end;
  const auto found = std::lower_bound(
      begin, end, other, [](const Entry& one, std::uint32_t q) { return one.place < q; });
  TALUS_DEMAND(found != end && found->place == other);
  return *found;
}

const NodeLu::Entry& NodeLu::entry_of(Index row, Index column, bool& is_upper) const {
  const std::uint32_t p = place_of_[static_cast<std::size_t>(row)],
                      q = place_of_[static_cast<std::size_t>(column)];
  is_upper = p < q;
  return entry(std::min(p, q), std::max(p, q));
}

void NodeLu::clear() { std::fill(value_.begin(), value_.end(), 0); }

NodeLu::Block NodeLu::diagonal(Index node) {
  const Place& place = places_[place_of_[static_cast<std::size_t>(node)]];
  return {value_.data() + place.diagonal, place.size, place.size};
}

NodeLu::Block NodeLu::block(Index row, Index column) {
  bool is_upper = false;
  const Entry& found = entry_of(row, column, is_upper);
  const Node &of_row = nodes_[static_cast<std::size_t>(row)],
             &of_column = nodes_[static_cast<std::size_t>(column)];
  if (is_upper) return {value_.data() + found.upper, of_row.size, of_column.outer};
  return {value_.data() + found.lower, of_row.outer, of_column.size};
}

bool NodeLu::factorise() {
  for (const Place& p : places_) {
    Real* const D = value_.data() + p.diagonal;
    if (!invert_in_place(D, p.size, pivots_.data())) return false;
    // U = D⁻¹ A, as −(0 − D⁻¹ A).
    for (std::uint32_t e = p.begin; e < p.end; ++e) {
      const Index outer = places_[entries_[e].place].outer, count = p.size * outer;
      Real* const upper = value_.data() + entries_[e].upper;
      std::fill_n(scratch_.data(), count, Real(0));
      subtract_product(scratch_.data(), p.size, D, p.size, upper, p.size, p.size, outer, p.size);
      for (Index i = 0; i < count; ++i) upper[i] = -scratch_[static_cast<std::size_t>(i)];
    }
    std::size_t target = p.targets;
    for (std::uint32_t i = p.begin; i < p.end; ++i) {
      const Index rows = places_[entries_[i].place].outer;
      for (std::uint32_t j = p.begin; j < p.end; ++j) {
        const std::uint32_t row = entries_[i].place, column = entries_[j].place;
        // Of the target the outer part, in a block of its own number of rows.
        const Index stride = row <= column ? places_[row].size : rows;
        subtract_product(value_.data() + target_[target++], stride,
                         value_.data() + entries_[i].lower, rows, value_.data() + entries_[j].upper,
                         p.size, rows, places_[column].outer, p.size);
      }
    }
  }
  return true;
}

void NodeLu::solve(VecX& x) const {
  TALUS_DEMAND_EQ(x.size(), size_);
  // L y = x with L_jp = A_jp D_p⁻¹, then −D z = y, U x = z.
  work_.setZero();
  for (const Place& p : places_) {
    Real* const own = work_.data() + p.first;
    subtract_product(own, p.size, value_.data() + p.diagonal, p.size, x.data() + p.first, p.size,
                     p.size, 1, p.size);
    for (std::uint32_t e = p.begin; e < p.end; ++e) {
      const Place& q = places_[entries_[e].place];
      const Eigen::Map<const MatX> lower(value_.data() + entries_[e].lower, q.outer, p.size);
      x.segment(q.first, q.outer) += lower.lazyProduct(work_.segment(p.first, p.size));
    }
  }
  x = -work_;
  for (auto p = places_.rbegin(); p != places_.rend(); ++p)
    for (std::uint32_t e = p->begin; e < p->end; ++e) {
      const Place& q = places_[entries_[e].place];
      subtract_product(x.data() + p->first, p->size, value_.data() + entries_[e].upper, p->size,
                       x.data() + q.first, q.outer, p->size, 1, q.outer);
    }
}

}  // namespace talus::linalg
