#pragma once

#include <vector>

#include <talus/linalg/dense.hpp>
#include <talus/linalg/node_lu.hpp>
#include <talus/linalg/saddle_tree.hpp>
#include <talus/problem/body_forest.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::problem {

/// The constraints of a rigid contact problem eliminated: factors of
///   [M −Jᵀ; J 0] (v; λ),
/// J the rows that are constraints (BoundedRows::is_constraint), M the masses of the bodies that
/// forces move. A tree of joints is eliminated from its leaves to its root without fill, in
/// O(bodies); rows that close loops come last, as one dense block (linalg::SaddleTree; Featherstone
/// 2008, key `featherstone_2008`). Where masses that hang on each other leave that too few digits,
/// few bodies are eliminated as one dense matrix, with pivots.
class ConstraintElimination {
 public:
  /// @param problem with inverse inertias; its constraints are independent. The pattern is kept
  /// from call to call while the same bodies are joined.
  /// @return false if they depend on each other.
  [[nodiscard]] bool factorise(const RigidContact& problem);
  /// Whether the last factorise() found another forest than the one before.
  [[nodiscard]] bool is_new() const { return is_new_; }

  [[nodiscard]] const BodyForest& forest() const { return forest_; }
  [[nodiscard]] linalg::SaddleTree& factors() { return factors_; }
  /// First unknown of a node: its velocities (v, s), then its multipliers.
  [[nodiscard]] Index first(Index node) const { return factors_.first(node); }
  [[nodiscard]] Index size() const { return factors_.size(); }
  /// Solves in place. @param x momenta, and of every constraint the rate that is asked for.
  void solve(VecX& x) const;
  /// Puts [M −Jᵀ; J 0] into a matrix with the forest's nodes, which is cleared before.
  void fill(const RigidContact& problem, linalg::NodeLu& lu) const;

  /// Takes the biases of the constraints off bodies at rest: d = M⁻¹ Jᵀ λ with J d + bias = 0, as
  /// exact as the factors are. @param problem as factorised, but for biases. @param way out: d of
  /// every body, 0 of those that no force moves.
  void displace(const RigidContact& problem, std::vector<BodyVelocity>& way);

  /// Takes the rates of the constraints off velocities: v ← v + M⁻¹ Jᵀ λ with J v + bias = 0.
  /// @param problem as factorised, but for biases. @param row λ is added to those of the rows.
  void correct(const RigidContact& problem, std::span<BodyVelocity> velocity, std::span<Real> row);

  /// Adds to the impulses of constraints what takes off the rates that rounding has left,
  /// λ ← λ − (J M⁻¹ Jᵀ)⁻¹ (J v + bias): twice, if the first change is more than 10⁻¹³ of the
  /// largest.
  /// @param problem as factorised. @param impulse of all of it. @param velocity out: of the bodies
  /// with these impulses, v = v_free + M⁻¹ Jᵀ r, from them alone.
  void refine(const RigidContact& problem, ContactImpulses& impulse,
              std::vector<BodyVelocity>& velocity) {
    take_off_rates(problem, 2, impulse, velocity);
  }

  /// Replaces the impulses of constraints by those that keep them beside all other impulses,
  /// refined as by refine(), and computes the velocities.
  void complete(const RigidContact& problem, ContactImpulses& impulse,
                std::vector<BodyVelocity>& velocity);

 private:
  void take_off_rates(const RigidContact& problem, int most, ContactImpulses& impulse,
                      std::vector<BodyVelocity>& velocity);
  [[nodiscard]] Real write_rates(const RigidContact& problem,
                                 std::span<const BodyVelocity> velocity);
  void add_multipliers(std::span<Real> row) const;
  void add_velocities(std::span<BodyVelocity> velocity) const;

  bool factorise_dense(const RigidContact& problem);
  template <class AddMass, class AddPart>
  void assemble(const RigidContact& problem, const AddMass& add_mass,
                const AddPart& add_part) const;

  BodyForest forest_;
  linalg::SaddleTree factors_;
  bool is_dense_ = false;
  linalg::PartialPivLu dense_;  // of the matrix with the scales on both sides
  VecX scale_;
  VecX x_;
  bool is_new_ = true;
};

}  // namespace talus::problem
