#pragma once

#include <span>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::bench {

/// A contact problem made outside a scheme: that of the next step of a model without restitution,
/// by Moreau–Jean stepping with θ = 1.
class StepProblem {
 public:
  /// The model must outlive this object.
  explicit StepProblem(const model::Model& model) : contacts_(model) {}

  /// Detects the contacts at a state and writes the problem of a step h [s] from there.
  void build(const model::State& state, Real step_size, const stepping::SchemeOptions& options);

  /// The same problem of contacts that somebody else found, e.g. another engine.
  /// @param found body_a < body_b; its impulses become impulse(), in the order of the problem.
  void build(const model::State& state, Real step_size, const stepping::SchemeOptions& options,
             std::span<const stepping::StepContact> found);

  /// The impulses of earlier contacts at the same bodies and features, in the order of the problem.
  [[nodiscard]] std::vector<Vec3> warm_start(std::span<const stepping::StepContact> earlier) const;

  [[nodiscard]] const problem::RigidContact& problem() const { return problem_; }
  [[nodiscard]] const std::vector<Vec3>& impulse() const { return impulse_; }
  /// Of the contacts found [m], ≥ 0.
  [[nodiscard]] Real max_penetration() const {
    return stepping::StepContacts::max_penetration(found_);
  }
  [[nodiscard]] Index candidate_count() { return contacts_.bodies().detector().candidate_count(); }

 private:
  void write(const model::State& state, Real step_size, const stepping::SchemeOptions& options);

  stepping::StepContacts contacts_;
  std::vector<collision::Contact> found_;
  std::vector<Index> order_;
  std::vector<Vec3> impulse_;
  problem::RigidContact problem_;
};

}  // namespace talus::bench
