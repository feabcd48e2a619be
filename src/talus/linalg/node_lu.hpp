#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Sparse LU of a matrix whose rows and columns fall into nodes of different sizes: bodies with the
/// joint that holds each of them, and blocks beside them.
///
/// A node has `size` unknowns, of which the first `outer` meet other nodes; the rest are its own.
/// The pattern is symmetric, the values need not be. The order of elimination is chosen once, by
/// minimum degree on the graph of nodes (Amestoy, Davis & Duff 1996, key `amestoy_1996`), and fill
/// is stored; trees have none. Pivots are chosen inside a node, never between nodes:
///   U_pj = D_p⁻¹ A_pj,   A_ij ← A_ij − A_ip U_pj   for i, j behind p (Davis 2006, key
///   `davis_2006`).
/// The matrices [M −Jᵀ; J 0] of rigid bodies need no more where every node's own rows are those of
/// a tree joint: M of any set of bodies is definite and J of full row rank, whatever the order.
/// Deterministic; allocates in analyse() alone.
class NodeLu {
 public:
  struct Node {
    Index size = 0;   ///< unknowns, > 0
    Index outer = 0;  ///< of these the first, in [1, size]
  };
  struct Edge {
    Index a = 0, b = 0;  ///< nodes that meet, different ones
  };
  using Block = Eigen::Map<MatX>;

  /// Chooses order and pattern. @param edges in any order, double ones allowed. @param last how
  /// many nodes at the end of the list are eliminated after all others.
  /// Cost: near-linear in the factors.
  void analyse(std::span<const Node> nodes, std::span<const Edge> edges, Index last = 0);
  /// The same with a given order of elimination, e.g. children before parents.
  void analyse(std::span<const Node> nodes, std::span<const Edge> edges,
               std::span<const Index> order);

  [[nodiscard]] Index node_count() const { return static_cast<Index>(nodes_.size()); }
  /// Unknowns of all nodes, one node after the other.
  [[nodiscard]] Index size() const { return size_; }
  /// First unknown of a node.
  [[nodiscard]] Index first(Index node) const { return first_[static_cast<std::size_t>(node)]; }
  /// Numbers in the factors.
  [[nodiscard]] std::size_t entry_count() const { return value_.size(); }
  /// What factorise() costs, in products of two 3×3 blocks (27 multiplications).
  [[nodiscard]] double products() const { return products_; }

  /// Sets the matrix to 0.
  void clear();
  /// The block of a node with itself, size × size, to be filled in before factorise().
  [[nodiscard]] Block diagonal(Index node);
  /// The block of rows of one node and columns of another: rows are those of `row`, all of them
  /// where it is eliminated before `column`, else its outer ones; columns likewise.
  /// @param row, column joined by an edge (contract). Cost: O(log of the row's blocks).
  [[nodiscard]] Block block(Index row, Index column);

  /// Replaces the matrix by its factors. @return false if a pivot is singular or not finite.
  [[nodiscard]] bool factorise();
  /// A⁻¹ x in place. @param x size() numbers.
  void solve(VecX& x) const;

 private:
  struct Entry {
    std::uint32_t place = 0;           // position of the other node, behind the own one
    std::size_t upper = 0, lower = 0;  // of A_pj and A_jp in value_
  };
  struct Place {
    Index node = 0, size = 0, outer = 0, first = 0;
    std::size_t diagonal = 0;
    std::uint32_t begin = 0, end = 0;  // entries
    std::size_t targets = 0;           // of the updates, in target_
  };
  [[nodiscard]] const Entry& entry(std::uint32_t place, std::uint32_t other) const;
  [[nodiscard]] const Entry& entry_of(Index row, Index column, bool& is_upper) const;

  std::vector<Node> nodes_;
  std::vector<Index> first_;
  std::vector<std::uint32_t> place_of_;  // of a node
  std::vector<Place> places_;            // in order of elimination
  std::vector<Entry> entries_;
  std::vector<std::size_t> target_;  // per place: of A_ij of every pair of its entries, in value_
  std::vector<Real> value_;
  std::vector<Real> scratch_;
  std::vector<Index> pivots_;
  mutable VecX work_;
  Index size_ = 0;
  double products_ = 0;
};

}  // namespace talus::linalg
