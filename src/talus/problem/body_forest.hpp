#pragma once

#include <cstdint>
#include <vector>

#include <talus/linalg/node_lu.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::problem {

/// The movable bodies of a problem as a spanning forest of their joints, the world as root: every
/// body is a node that owns the constraints between it and its parent, as far as their parts on it
/// are independent (those of a joint are; a gear beside it may not be); the others, constraints
/// that close loops and those of more than two bodies share one more node behind all others.
class BodyForest {
 public:
  /// A constraint and where it is.
  struct Row {
    Index index = 0;  ///< of the problem's rows
    Index node = 0;
    Index place = 0;  ///< in the node's unknowns, behind the six velocities of a body
  };

  /// Breadth first from the world, then from the first body of what does not touch it. Nothing is
  /// done but to read the masses where the same bodies are joined as last time.
  /// @return whether the forest is a new one. Cost O(bodies + rows).
  bool build(const RigidContact& problem);

  [[nodiscard]] Index body_count() const { return static_cast<Index>(parent_.size()); }
  /// −1 for what no force moves.
  [[nodiscard]] Index node_of(Index body) const { return node_[static_cast<std::size_t>(body)]; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// −1: held to nothing, or to what no force moves.
  [[nodiscard]] Index parent_of(Index node) const {
    return parent_[static_cast<std::size_t>(node)];
  }
  /// Constraints that a node owns.
  [[nodiscard]] Index own_rows(Index node) const { return own_[static_cast<std::size_t>(node)]; }
  /// Constraints of the node behind all others.
  [[nodiscard]] Index loop_rows() const { return loop_rows_; }
  /// Nodes that are no bodies: 0 or 1.
  [[nodiscard]] Index loop_count() const { return loop_rows_ > 0 ? 1 : 0; }
  [[nodiscard]] bool is_tree_edge(Index a, Index b) const {
    const auto n = static_cast<std::size_t>(body_count());
    const auto i = static_cast<std::size_t>(a), k = static_cast<std::size_t>(b);
    return i < n && k < n && (parent_[i] == b || parent_[k] == a);
  }

  /// @param whole whether the constraints of a body may meet other nodes, which any order of
  /// elimination but order() needs.
  [[nodiscard]] std::vector<linalg::NodeLu::Node> nodes(bool whole) const;
  /// Of parents with children, and of loops with their bodies.
  [[nodiscard]] const std::vector<linalg::NodeLu::Edge>& edges() const { return edges_; }
  /// Children before their parents, loops last.
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }

  /// diag(m 1, J/ℓ²) of a body [kg], and its inverse.
  [[nodiscard]] Mat6 mass(Index node) const {
    const Mass& own = mass_[static_cast<std::size_t>(node)];
    return on_diagonal(1 / own.inverse, own.inertia);
  }
  [[nodiscard]] Mat6 inverse_mass(Index node) const {
    const Mass& own = mass_[static_cast<std::size_t>(node)];
    return on_diagonal(own.inverse, own.inverse_inertia);
  }

 private:
  struct Mass {
    Real inverse = 0;               // m⁻¹
    Mat3 inertia, inverse_inertia;  // over the square of the body's length
  };
  /// diag(m 1, J).
  [[nodiscard]] static Mat6 on_diagonal(Real m, const Mat3& J) {
    Mat6 mass = Mat6::Zero();
    mass.diagonal().head<3>().setConstant(m);
    mass.bottomRightCorner<3, 3>() = J;
    return mass;
  }
  [[nodiscard]] bool is_as_before(const RigidContact& problem) const;
  void build_masses(const RigidContact& problem);
  void build_tree(const RigidContact& problem);

  std::vector<unsigned char> moves_, is_constraint_;  // of the bodies and rows it is built for
  std::vector<std::uint32_t> first_part_, joined_;    // of those rows; the body of each part
  std::vector<Index> node_;                           // of every body
  std::vector<Index> parent_;                         // of every node: a node, or −1
  std::vector<Index> own_;                            // constraints of every node
  std::vector<Row> rows_;
  std::vector<linalg::NodeLu::Edge> edges_;
  std::vector<Index> order_;
  std::vector<Mass> mass_;  // of every node
  Index loop_rows_ = 0;
};

}  // namespace talus::problem
