#pragma once

#include <span>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// Open contacts that act in a step although their two bodies would not meet in it without them.
///
/// The plane of a contact that is open at the start need not be where bodies that turn, or that
/// others push, come closest. Let v' − M⁻¹ J_cᵀ r_c be the velocities of the two without what their
/// own contacts c give. If a motion with these stays clear of the other body all along the way
/// (collision::ContactDetector::stays_clear), nothing has happened that r_c could be the answer to:
/// the contacts are left out, and the step is solved again. Should others bring the two together
/// then, it is a late contact (LateContacts). Under cone complementarity, whose relaxed law has
/// open contacts act on what slides, there are none.
class UnmetContacts {
 public:
  explicit UnmetContacts(StepContacts& contacts) : contacts_(contacts) {}

  /// Forgets those of the last step.
  void start() { pairs_.clear(); }

  /// How the scheme moves bodies: x' = x + h ((1 − θ) v + θ v'), turning at ω', from a state.
  struct Motion {
    const model::State& from;
    Real theta = 1;
    Real duration = 0;
  };

  /// Looks for contacts of the kind in a solved step. Pairs that have a late contact, are closed up
  /// to a slight overlap, or of which joints or force elements hold a body, are none of them.
  /// @param start the state at the start of the step. @param known contacts, ordered by (a, b,
  /// feature); those of problem.general. @param late of the step, in the same order.
  /// @return whether there are any that were not found before. Cost: a narrow phase of the open
  /// contacts that act.
  bool find(const model::State& start, const Motion& motion, const problem::RigidContact& problem,
            const driver::RigidContactSolution& solution, std::span<const collision::Contact> known,
            std::span<const collision::Contact> late);

  /// Takes the open contacts of what was found out of a list.
  void remove_from(std::vector<collision::Contact>& contacts) const;

 private:
  [[nodiscard]] Real tolerance(const collision::Contact& contact) const;
  [[nodiscard]] Pose pose_without(Index body, const Motion& motion,
                                  const problem::BodyVelocity& velocity) const;

  StepContacts& contacts_;
  std::vector<collision::Pair> pairs_;  // sorted
};

}  // namespace talus::stepping::detail
