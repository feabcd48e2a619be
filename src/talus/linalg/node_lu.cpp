#include <talus/linalg/node_lu.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/minimum_degree.hpp>

namespace talus::linalg {
namespace {

constexpr Index kSmall = 16;  // nodes of this size are inverted without the heap

/// A ← A⁻¹ by pivots of columns; false where it is singular.
template <class Matrix>
bool invert_in_place(Eigen::Map<MatX> A) {
  const Eigen::PartialPivLU<Matrix> lu{Matrix(A)};
  const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
  if (!(pivots.minCoeff() > 0)) return false;  // NaN: false
  A = lu.inverse();
  return std::isfinite(A.sum());
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
      entries_.push_back({q, values, values + count, 0, 0});
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
  std::size_t inverses = 0;
  for (Place& place : places_) {
    place.inverse = inverses;
    inverses += static_cast<std::size_t>(place.outer * place.outer);
    for (std::uint32_t e = place.begin; e < place.end; ++e) {
      const auto count = static_cast<std::size_t>(place.outer * places_[entries_[e].place].outer);
      entries_[e].inverse_upper = inverses;
      entries_[e].inverse_lower = inverses + count;
      inverses += 2 * count;
    }
  }
  value_.assign(values, 0);
  inverse_.assign(inverses, 0);
  work_.resize(size_);
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
    Block D(value_.data() + p.diagonal, p.size, p.size);
    using Small = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kSmall, kSmall>;
    if (!(p.size <= kSmall ? invert_in_place<Small>(D) : invert_in_place<MatX>(D))) return false;
    for (std::uint32_t e = p.begin; e < p.end; ++e) {
      const Index outer = places_[entries_[e].place].outer;
      Block upper(value_.data() + entries_[e].upper, p.size, outer);
      if (p.size <= kSmall && outer <= kSmall) {
        const Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, 0, kSmall, kSmall> A = upper;
        upper = D.lazyProduct(A);
      } else {
        upper = (D * upper).eval();
      }
    }
    std::size_t target = p.targets;
    for (std::uint32_t i = p.begin; i < p.end; ++i) {
      const Index rows = places_[entries_[i].place].outer;
      const ConstBlock lower(value_.data() + entries_[i].lower, rows, p.size);
      for (std::uint32_t j = p.begin; j < p.end; ++j) {
        const std::uint32_t row = entries_[i].place, column = entries_[j].place;
        const Index columns = places_[column].outer;
        const ConstBlock upper(value_.data() + entries_[j].upper, p.size, columns);
        // Of the target the outer part, in a block of its own number of rows.
        const Index stride = row <= column ? places_[row].size : rows;
        Eigen::Map<MatX, 0, Eigen::OuterStride<>> to(value_.data() + target_[target++], rows,
                                                     columns, Eigen::OuterStride<>(stride));
        to -= lower.lazyProduct(upper);
      }
    }
  }
  return true;
}

void NodeLu::solve(VecX& x) const {
  TALUS_DEMAND_EQ(x.size(), size_);
  // L y = x with L_jp = A_jp D_p⁻¹, then D z = y, U x = z.
  for (const Place& p : places_) {
    const ConstBlock D(value_.data() + p.diagonal, p.size, p.size);
    auto own = work_.segment(p.first, p.size);
    own.noalias() = D.lazyProduct(x.segment(p.first, p.size));
    for (std::uint32_t e = p.begin; e < p.end; ++e) {
      const Place& q = places_[entries_[e].place];
      const ConstBlock lower(value_.data() + entries_[e].lower, q.outer, p.size);
      x.segment(q.first, q.outer) -= lower.lazyProduct(own);
    }
  }
  for (auto p = places_.rbegin(); p != places_.rend(); ++p) {
    auto own = x.segment(p->first, p->size);
    own = work_.segment(p->first, p->size);
    for (std::uint32_t e = p->begin; e < p->end; ++e) {
      const Place& q = places_[entries_[e].place];
      const ConstBlock upper(value_.data() + entries_[e].upper, p->size, q.outer);
      own -= upper.lazyProduct(x.segment(q.first, q.outer));
    }
  }
}

// Z_pj = −Σ_k U_pk Z_kj, Z_jp = −Σ_k Z_jk L_kp, Z_pp = D_p⁻¹ − Σ_k U_pk Z_kp, k over what p meets.
void NodeLu::invert() {
  MatX L;
  for (auto p = places_.rbegin(); p != places_.rend(); ++p) {
    const ConstBlock D(value_.data() + p->diagonal, p->size, p->size);
    Block own(inverse_.data() + p->inverse, p->outer, p->outer);
    own = D.topLeftCorner(p->outer, p->outer);
    const auto Z = [&](std::uint32_t k, std::uint32_t j) -> ConstBlock {
      const Index rows = places_[k].outer, columns = places_[j].outer;
      if (k == j) return {inverse_.data() + places_[k].inverse, rows, columns};
      if (k < j) return {inverse_.data() + entry(k, j).inverse_upper, rows, columns};
      return {inverse_.data() + entry(j, k).inverse_lower, rows, columns};
    };
    for (std::uint32_t e = p->begin; e < p->end; ++e) {
      const std::uint32_t j = entries_[e].place;
      Block upper(inverse_.data() + entries_[e].inverse_upper, p->outer, places_[j].outer);
      Block lower(inverse_.data() + entries_[e].inverse_lower, places_[j].outer, p->outer);
      upper.setZero();
      lower.setZero();
      for (std::uint32_t f = p->begin; f < p->end; ++f) {
        const std::uint32_t k = entries_[f].place;
        const ConstBlock U(value_.data() + entries_[f].upper, p->size, places_[k].outer);
        const ConstBlock A(value_.data() + entries_[f].lower, places_[k].outer, p->size);
        upper -= U.topRows(p->outer).lazyProduct(Z(k, j));
        L.noalias() = A.lazyProduct(D.leftCols(p->outer));
        lower -= Z(j, k).lazyProduct(L);
      }
    }
    for (std::uint32_t e = p->begin; e < p->end; ++e) {
      const Index outer = places_[entries_[e].place].outer;
      const ConstBlock U(value_.data() + entries_[e].upper, p->size, outer);
      const ConstBlock lower(inverse_.data() + entries_[e].inverse_lower, outer, p->outer);
      own -= U.topRows(p->outer).lazyProduct(lower);
    }
  }
}

NodeLu::ConstBlock NodeLu::inverse(Index row, Index column) const {
  const Node &of_row = nodes_[static_cast<std::size_t>(row)],
             &of_column = nodes_[static_cast<std::size_t>(column)];
  if (row == column) {
    const Place& place = places_[place_of_[static_cast<std::size_t>(row)]];
    return {inverse_.data() + place.inverse, of_row.outer, of_row.outer};
  }
  bool is_upper = false;
  const Entry& found = entry_of(row, column, is_upper);
  return {inverse_.data() + (is_upper ? found.inverse_upper : found.inverse_lower), of_row.outer,
          of_column.outer};
}

}  // namespace talus::linalg
