#include <talus/stepping/detail/machine_step.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

// The whole turns of a machine's angles through a step, and what it keeps for the next one.

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

/// Looks for a drive whose joint has turned by more than half a turn other than its law between
/// two times: its constraint, which is of an angle and not of turns, is met all the same.
void MachineStep::note_lost_drive(std::span<const Real> last, Real from, Real to) {
  const std::vector<model::SpatialDrive>& drives = terms_.machine().drives;
  for (std::size_t d = 0; d < drives.size(); ++d) {
    const Index angle = terms_.angle_of_drive(static_cast<Index>(d));
    if (angle < 0) continue;
    const auto at = static_cast<std::size_t>(angle);
    const Real turned = angles_[at] - last[at];
    const Real asked =
        dynamics::prescribed(drives[d], to).value - dynamics::prescribed(drives[d], from).value;
    if (std::abs(turned - asked) <= std::numbers::pi) continue;
    lost_drive_ = fmt::format(
        "drive {} turns its joint by {:.3g} rad in the step, its law by {:.3g} rad: h is too long",
        drives[d].name, turned, asked);
  }
}

void MachineStep::find_turn_rates() {
  turn_rate_.resize(angles_.size());
  turn_rate_then_.resize(angles_.size());
  terms_.angle_rates(motions_, turn_rate_);
  terms_.angle_rates(counted_motions_, turn_rate_then_);
}

std::string MachineStep::lost_angle() const {
  constexpr Real kMostBack = 0.5;  // [rad], of lengths over those of bodies
  if (!lost_drive_.empty()) return lost_drive_;
  if (lost_angle_ < 0 && taken_back_ > kMostBack)
    return fmt::format(
        "{} passes its limit by {:.3g} in the step: its axes fall together, or h is too long",
        name_of(taken_back_row_), taken_back_);
  if (lost_angle_ < 0) return {};
  return fmt::format(
      "an angle of {} turns by {:.3g} rad in the step and is not followed: its axes fall together, "
      "or h is too long",
      terms_.angle_name(lost_angle_), lost_turn_);
}

void MachineStep::store(model::State& state, std::span<const problem::BodyVelocity> velocity) {
  const dynamics::MachineMotion here = motion(state);
  const std::vector<Real> last = std::exchange(angles_, {here.angles.begin(), here.angles.end()});
  terms_.count_angles(here.bodies, angles_, asleep_);
  note_lost_angle(last);
  lost_drive_.clear();
  if (!velocity.empty()) note_lost_drive(last, counted_time_, state.time);
  counted_motions_ = motions_;
  counted_time_ = state.time;
  const bool has_turned = has_armature_ && !velocity.empty();
  for (Index i = 0; has_turned && i < terms_.axis_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (terms_.axis_law(i).armature == 0 || sleeps_axis(i)) continue;
    leads_[at] =
        axis_rate(i, velocity) + turn_[at] - terms_.axis(i, {motions_, angles_, asleep_}).rate;
  }
  state.internal.start();
  if (!angles_.empty()) state.internal.add(model::kJointAngles, angles_);
  if (!memory_.empty()) state.internal.add(model::kAxisImpulses, memory_);
  if (!leads_.empty()) state.internal.add(model::kArmatureLeads, leads_);
  if (!constraint_memory_.empty())
    state.internal.add(model::kConstraintImpulses, constraint_memory_);
}

}  // namespace talus::stepping::detail
