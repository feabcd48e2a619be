#pragma once

#include <span>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/persistent_contacts.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::bench {

/// A contact problem made outside a scheme: that of the next step of a model without restitution,
/// by Moreau–Jean stepping with θ = 1.
class StepProblem {
 public:
  /// The model must outlive this object.
  explicit StepProblem(const model::Model& model)
      : contacts_(model), persistent_(contacts_.bodies()) {}

  /// Detects the contacts at a state and writes the problem of a step h [s] from there.
  void build(const model::State& state, Real step_size, const stepping::SchemeOptions& options);

  /// The same problem of contacts found elsewhere, e.g. by another engine.
  /// @param found body_a < body_b; its impulses become impulse().
  void build(const model::State& state, Real step_size, const stepping::SchemeOptions& options,
             std::span<const stepping::StepContact> found);

  /// The impulses of earlier contacts at the same bodies and features; 0 where there were none.
  [[nodiscard]] problem::ContactImpulses warm_start(
      std::span<const stepping::StepContact> earlier) const;

  [[nodiscard]] const problem::RigidContact& problem() const { return problem_; }
  [[nodiscard]] const problem::ContactImpulses& impulse() const { return impulse_; }
  /// Largest of the contacts that build() detected [m], ≥ 0.
  [[nodiscard]] Real max_penetration() const { return max_penetration_; }

 private:
  stepping::StepContacts contacts_;
  dynamics::PersistentContacts persistent_;
  std::vector<collision::Contact> others_;
  problem::ContactImpulses impulse_;
  problem::RigidContact problem_;
  bool has_persistent_ = false;  // the problem's central contacts are those of persistent_
  Real max_penetration_ = 0;
  std::vector<Real> travel_;
};

}  // namespace talus::bench
