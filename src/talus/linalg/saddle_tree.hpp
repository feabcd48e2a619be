#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <talus/linalg/dense.hpp>
#include <talus/math/vector.hpp>

namespace talus::linalg {

/// Factors of the symmetric saddle-point matrix of a forest whose nodes have six unknowns each, and
/// up to six rows to their parent:
///   A_i v_i − J_iᵀ λ_i − Σ_{children c} P_cᵀ λ_c = f_i,     J_i v_i + P_i v_parent = g_i,
/// A_i symmetric positive definite. From the leaves to the roots, with S = J A⁻¹ Jᵀ,
///   λ_i = λ⁰_i − S⁻¹ P v_parent,  λ⁰ = S⁻¹ (g − J A⁻¹ f),   A_parent += Pᵀ S⁻¹ P,
///   f_parent += Pᵀ λ⁰:
/// a tree has no fill (A is the articulated inertia of Featherstone 2008, §7.2, key
/// `featherstone_2008`). Rows C v = g across the forest have a dense Schur complement
/// T = C K⁻¹ Cᵀ, K being the forest. About 2000 operations per node and factorise(), 400 per
/// solve(). No pivots are chosen: digits are lost with the ratio of masses that hang on each other
/// (least_pivot()), and one step of refinement restores some. Deterministic; allocates in analyse()
/// alone, where there are no rows across.
class SaddleTree {
 public:
  static constexpr Index kMostRows = 6;
  struct Node {
    Index parent = -1;  ///< −1: none
    Index rows = 0;     ///< to its parent, or to what does not move; in [0, kMostRows]
  };

  /// @param order children before their parents, every node once. @param across rows C.
  /// Unknowns: v and λ of one node after the other, then those of C.
  void analyse(std::span<const Node> nodes, std::span<const Index> order, Index across);

  /// Unknowns of all.
  [[nodiscard]] Index size() const { return size_; }
  /// First unknown of a node; node node_count(): of the rows across.
  [[nodiscard]] Index first(Index node) const { return first_[static_cast<std::size_t>(node)]; }
  [[nodiscard]] Index node_count() const { return static_cast<Index>(places_.size()); }

  /// Removes the rows across. Masses and the rows of nodes are to be set anew.
  void clear();
  /// Sets A of a node: symmetric, positive definite.
  void set_mass(Index node, const Mat6& mass);
  /// Sets a row of a node: what it is on itself, J, and on its parent, P.
  void set_row(Index node, Index row, const Vec6& own, const Vec6& parent);
  /// Adds a part of a row C.
  void add_across(Index row, Index node, const Vec6& part);

  /// @return false if a pivot is not positive (rows of a node that depend on each other) or not
  /// finite.
  [[nodiscard]] bool factorise();
  /// Of a pivot over the diagonal that it was, after factorise(): the share of a node's inertia or
  /// rows that is left to it, where so many digits are lost.
  [[nodiscard]] Real least_pivot() const { return least_pivot_; }
  /// Solves in place. @param x (f, g) of every node, then g of the rows across.
  void solve(VecX& x) const;

  /// Computes what inverse() needs, after factorise(). Cost: about half of it.
  void invert();
  /// ∂v_a/∂f_b, 6×6, after invert(). @param a, b equal, or parent and child in any order
  /// (contract).
  [[nodiscard]] Mat6 inverse(Index a, Index b) const;

 private:
  static constexpr int kStride = 8;  // of a column, whose last two numbers are 0
  using Matrix = std::array<Real, 6 * kStride>;
  using Columns = Eigen::Map<Mat6, 0, Eigen::OuterStride<kStride>>;
  using ConstColumns = Eigen::Map<const Mat6, 0, Eigen::OuterStride<kStride>>;
  struct alignas(64) Place {
    Matrix A{};                          // then N = A⁻¹ − A⁻¹ Jᵀ S⁻¹ J A⁻¹
    Matrix J{}, P{}, G{};                // a column per row; G = A⁻¹ Jᵀ S⁻¹
    Matrix S{};                          // then S⁻¹
    std::int32_t node = 0, parent = -1;  // of the parent: its place
    std::int32_t rows = 0;
  };
  template <int rows>
  static bool factorise_place(Place& place, Real* parent, Real& least);
  template <int rows>
  static void eliminate(const Place& place, Real* own, Real* parent);
  template <int rows>
  static void substitute(const Place& place, Real* own, const Real* parent);
  static bool factorise_forest(std::span<Place> places, Real& least);
  void solve_forest(Real* x) const;
  [[nodiscard]] Real across_rate(std::size_t row, const Real* x) const;

  struct Part {
    Index node = 0;
    Vec6 part;
  };

  std::vector<Place> places_;            // in order of elimination
  std::vector<std::uint32_t> place_of_;  // of a node
  std::vector<Index> first_;
  std::vector<Mat6> inverse_;    // ∂v/∂f of a place with itself, without the rows across
  std::vector<Mat6> of_parent_;  // ∂v/∂f_parent
  std::vector<std::vector<Part>> across_;  // C
  MatX response_;                          // K⁻¹ Cᵀ
  PartialPivLu complement_;                // T
  MatX weighted_;                          // T⁻¹ (K⁻¹ Cᵀ)ᵀ
  Index size_ = 0;
  Real least_pivot_ = 1;
};

}  // namespace talus::linalg
