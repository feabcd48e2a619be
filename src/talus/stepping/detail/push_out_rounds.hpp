#pragma once

#include <span>
#include <string>
#include <vector>

#include <talus/stepping/detail/push_out.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// Push-outs one after the other, each linearised with the contacts that the bodies have where the
/// last one has left them, until no two overlap by more than given shares. One alone
/// goes no farther than the margins in which contacts were searched, and its rows turn on the way.
/// What happens in one island does not depend on others, unless one is stuck: that ends it.
class PushOutRounds {
 public:
  explicit PushOutRounds(StepContacts& contacts) : contacts_(contacts) {}

  /// Contacts are searched at the poses of the state: candidates and persistent pairs are new after
  /// it.
  /// @param most of each body: share of the smaller body's size, at most tolerance::kMostOverlap;
  /// infinite: its island stays where it is.
  /// @param state poses in and out; velocities as PushOut changes them.
  /// @return converged; max_iterations where something is deeper than a certified step may have it;
  /// else what a push-out says.
  [[nodiscard]] problem::SolveReport apply(const dynamics::BiasLaw& law,
                                           const driver::Options& options,
                                           std::span<const Real> most, model::State& state);
  /// The machine whose joints hold bodies; it outlives this.
  void hold(MachineStep& machine) { push_out_.hold(machine); }
  /// Of the deepest contact that is left [m].
  [[nodiscard]] Real deepest() const { return share_ > 0 ? -deepest_.gap : 0; }
  /// Whose it is.
  [[nodiscard]] std::string why() const;

 private:
  void find(const model::State& state, Real slop_share, std::span<const Real> most);
  [[nodiscard]] bool widen(Real h);

  StepContacts& contacts_;
  PushOut push_out_;
  Real share_ = 0;  // of the smaller body's size that the deepest contact is deep
  collision::Contact deepest_;
  std::vector<collision::Contact> found_;
  std::vector<Real> travel_;
};

}  // namespace talus::stepping::detail
