#pragma once

#include <optional>
#include <span>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// The problem of a step for a file; empty before the first step, and where it has rows or
/// resistance, which the files of contact problems do not hold.
[[nodiscard]] std::optional<problem::GlobalFrictionContact> global_problem(
    const problem::RigidContact& problem);

/// What the schemes that solve one contact problem per step have in common: what they keep, and how
/// a step ends. A scheme derives from it and writes step().
class ContactScheme : public Scheme {
 public:
  const std::vector<StepContact>& contacts() const final { return step_contacts_.contacts(); }
  std::optional<StepContact> contact(Index i) const final { return step_contacts_.contact(i); }
  SchemeMemory memory() const final {
    return {step_contacts_.contacts(), step_contacts_.last_step_size(), {}, {}};
  }
  void recall(const SchemeMemory& memory) override { step_contacts_.recall(memory); }
  std::optional<problem::GlobalFrictionContact> last_problem() const final;

 protected:
  ContactScheme(const model::Model& model, const SchemeOptions& options)
      : model_(model), options_(options), step_contacts_(model) {}

  /// The state after a time h: moved at a mean velocity, with velocity_ and angular_velocity_.
  [[nodiscard]] model::State advance(const model::State& state, std::span<const Vec3> mean_velocity,
                                     Real h) const;
  /// Ends a step: takes the next state, or leaves the state as it is if the next one is not finite
  /// or the report says numerical_error already.
  void take(model::State next, model::State& state, StepReport& report) const;

  const model::Model& model_;
  const SchemeOptions options_;
  StepContacts step_contacts_;
  std::vector<collision::Contact> contacts_;  // of the problem
  std::vector<dynamics::ContactTerm> terms_;  // their laws, in the same order
  std::vector<Index> order_;                  // the problem's order of them
  problem::RigidContact problem_;
  driver::RigidContactSolution solution_;
  std::vector<Vec3> free_velocity_, free_angular_velocity_;  // without contact
  std::vector<Vec3> velocity_, angular_velocity_;            // with it
  std::vector<Vec3> guess_;
  std::vector<Real> travel_, new_travel_;  // ways of the bodies, as foreseen and as they came out
};

}  // namespace talus::stepping::detail
