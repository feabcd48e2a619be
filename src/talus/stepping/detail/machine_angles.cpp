#include <talus/stepping/detail/machine_step.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

// The whole turns of a machine's angles through a step.

namespace talus::stepping::detail {

/// Where counted angles are about at a time near that of the count, to which motions_ belong: they
/// turn at the mean of the rates then and now, as the step moves bodies. Without it half a turn in
/// a step would be counted backwards.
std::span<const Real> MachineStep::angles_about(Real time) {
  constexpr Real kSafe = 1;  // [rad] in which no turn is lost
  const Real since = time - counted_time_;
  if (since == 0 || angles_.empty() || counted_motions_.size() != motions_.size()) return angles_;
  Real fastest = 0;
  for (const auto* motions : {&motions_, &counted_motions_})
    for (const dynamics::BodyMotion& motion : *motions)
      fastest = std::max(fastest, motion.w.squaredNorm());
  if (!(2 * std::abs(since) * std::sqrt(fastest) > kSafe)) return angles_;
  find_turn_rates();
  const Real end = is_midpoint() ? Real(0.5) : theta_;
  about_ = angles_;
  for (std::size_t i = 0; i < about_.size(); ++i)
    about_[i] += since * ((1 - end) * turn_rate_then_[i] + end * turn_rate_[i]);
  return about_;
}

/// Looks for an angle about an axis that turns which the step does not follow: it, or what its rate
/// changes by, is large. @param last counted angles.
void MachineStep::note_lost_angle(std::span<const Real> last) {
  constexpr Real kMostTurn = std::numbers::pi / 2, kMostChange = 0.5;  // [rad]
  lost_angle_ = -1;
  lost_turn_ = 0;
  if (turning_angles_.empty() || counted_motions_.size() != motions_.size()) return;
  find_turn_rates();
  for (const Index i : turning_angles_) {
    const auto at = static_cast<std::size_t>(i);
    const Real change = h_ * std::abs(turn_rate_[at] - turn_rate_then_[at]);
    const Real turn = std::max({std::abs(angles_[at] - last[at]), h_ * std::abs(turn_rate_[at]),
                                h_ * std::abs(turn_rate_then_[at])});
    if (!(turn > kMostTurn || change > kMostChange) || turn <= lost_turn_) continue;
    lost_angle_ = i;
    lost_turn_ = turn;
  }
}

void MachineStep::find_turn_rates() {
  turn_rate_.resize(angles_.size());
  turn_rate_then_.resize(angles_.size());
  terms_.angle_rates({motions_, angles_}, turn_rate_);
  terms_.angle_rates({counted_motions_, angles_}, turn_rate_then_);
}

std::string MachineStep::lost_angle() const {
  if (lost_angle_ < 0) return {};
  return fmt::format(
      "an angle of {} turns by {:.3g} rad in the step and is not followed: its axes fall together, "
      "or h is too long",
      terms_.angle_name(lost_angle_), lost_turn_);
}

/// The counted angles and what armatures turn faster than their axes.
void MachineStep::take_internal(const model::State& start) {
  const std::vector<Real>* known = start.internal.find(model::kJointAngles);
  const bool are_known = known != nullptr && known->size() == angles_.size();
  const std::span<const dynamics::BodyMotion> here = motions(start);
  // What store() has counted there is not counted again.
  if (!are_known || *known != angles_ || !moves_alike(here, counted_motions_)) {
    if (are_known) angles_ = *known;
    terms_.count_angles(here, angles_, asleep_);
    counted_motions_ = motions_;
  }
  counted_time_ = start.time;
  leads_.assign(has_armature_ ? static_cast<std::size_t>(terms_.axis_count()) : 0, 0);
  const std::vector<Real>* leads = start.internal.find(model::kArmatureLeads);
  if (leads != nullptr && leads->size() == leads_.size()) leads_ = *leads;
}

}  // namespace talus::stepping::detail
