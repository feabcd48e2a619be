#pragma once

#include <span>
#include <vector>

#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// By how much the rows of a contact turn over half a step, at the velocities before it:
/// J_M v − J v.
struct ContactTurn {
  Vec3 before = Vec3::Zero();  ///< J_M v, world [m/s]
  Real normal = 0;             ///< along the normals [m/s]
  Vec3 slip = Vec3::Zero();    ///< in the tangent plane at the middle [m/s]
};

/// Contacts of the start of a step, carried to its middle: where the bodies are after a free motion
/// of half the step, with the points and normals that the same features have there.
class MiddleContacts {
 public:
  explicit MiddleContacts(StepContacts& contacts) : contacts_(contacts) {}

  /// Moves the bodies from the state at the start, freely, for h/2.
  void start(const model::State& state, Real h);
  /// At the middle; velocities before the impulses of the step.
  [[nodiscard]] const model::State& state() const { return middle_; }

  /// Carries contacts. One that is not found there, whose normal is that of another face or whose
  /// point has jumped, stays as it is at the start; so does what was taken back from the way, late
  /// or foreseen.
  /// @param still as of StepContacts::detect_transient. @param contacts in and out, ordered by (a,
  /// b, feature): points and normals; gaps are of the start.
  void carry(const model::State& start, Real h, std::span<const unsigned char> still,
             std::vector<collision::Contact>& contacts);

  /// Of the contacts of carry(). Whether one was carried; then its arms are those of state().
  [[nodiscard]] bool is_carried(Index contact) const { return is_carried_[contact] != 0; }
  [[nodiscard]] std::span<const unsigned char> carried() const { return is_carried_; }
  /// Relative velocities J v at the start, world [m/s], and their parts along the normals there.
  [[nodiscard]] const Vec3& before(Index contact) const { return before_[contact]; }
  [[nodiscard]] Real approach(Index contact) const { return approach_[contact]; }
  [[nodiscard]] std::span<const ContactTurn> turns() const { return turns_; }

 private:
  StepContacts& contacts_;
  model::State middle_;
  std::vector<collision::Contact> found_;
  std::vector<Index> match_;
  std::vector<Real> way_;  // of the bodies' fastest points in half the step
  std::vector<unsigned char> is_carried_;
  std::vector<Vec3> before_;
  std::vector<Real> approach_;
  std::vector<ContactTurn> turns_;
};

}  // namespace talus::stepping::detail
