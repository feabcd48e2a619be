#pragma once

#include <utility>
#include <vector>

#include <talus/linalg/anderson_memory.hpp>
#include <talus/stepping/detail/machine_step.hpp>

namespace talus::stepping::detail {

/// Solves the problem of a step with a machine again until no axis is taken beyond a limit that was
/// too far to be a row, and the bounds b of dry friction are those of the reactions that they lead
/// to, b = B(b). Every other round takes B(b) itself, and every other one where Anderson's method
/// leads to (linalg::AndersonMemory): where reactions follow the friction that they cause nearly as
/// much as it changes, plain rounds creep or go to and fro. Where they follow by more, it would
/// lead back, away from B(b): then the step is lengthened instead, until friction makes the axis
/// stick. Answers that are certified under B(b) stay as they are; where their errors keep the
/// rounds going, problems are solved more closely. Where contacts share what they bear in more ways
/// than one, solves that each start from the one before slide on along these for ever, and B(b) is
/// no function of b: all of 15 rounds start from the same answer.
class MachineSettler {
 public:
  /// @param solution of the problem. @param add_rows writes the machine's rows anew. @param solve
  /// solves once more into the solution, to a share of the tolerance; returns false where no more
  /// solves are allowed.
  /// @return false where bounds and reactions do not settle in 60 rounds or in what is allowed.
  template <class Solution, class AddRows, class Solve>
  [[nodiscard]] bool settle(MachineStep& machine, Real tolerance, problem::RigidContact& problem,
                            Solution& solution, AddRows add_rows, Solve solve) {
    constexpr int kMostLimits = 5;
    for (int k = 0; k < kMostLimits && machine.meets_limits(solution.velocity); ++k) {
      add_rows();
      if (!solve(Real(1))) return false;
    }
    return settle_friction(machine, tolerance, problem, solution, solve);
  }

  /// The same with the rows as they are.
  template <class Solution, class Solve>
  [[nodiscard]] bool settle_friction(MachineStep& machine, Real tolerance,
                                     problem::RigidContact& problem, Solution& solution,
                                     Solve solve) {
    constexpr int kMostBounds = 60;
    for (int round = 0;; ++round) {
      machine.friction_bounds(problem, bounds_);
      machine.friction_bounds(solution.impulse, follow_);
      if (is_settled(tolerance)) return true;
      if (round == kMostBounds) return false;
      advance(round);
      machine.set_friction_bounds(bounds_, problem);
      start_from_anchor(round, solution);
      if (!solve(share_of_tolerance(round))) return false;
    }
  }

 private:
  /// Forces of friction may be far below those that the tolerance is a share of.
  [[nodiscard]] static Real share_of_tolerance(int round) {
    return round < 12 || round % 8 == 0 ? 1 : 1e-3;
  }

  /// From round 2 on, solves start from the answer that the last anchor is.
  template <class Solution>
  void start_from_anchor(int round, Solution& solution) {
    constexpr int kFirst = 2, kRounds = 15;
    if (round % kRounds == kFirst) {
      anchor_ = solution.impulse;
      velocity_ = solution.velocity;
    } else if (round > kFirst) {
      solution.impulse = anchor_;
      solution.velocity = velocity_;
      if (round % kRounds == kFirst + 1) memory_.clear();  // of another function
    }
  }

  /// Whether no bound is off by more than a tolerance of it.
  [[nodiscard]] bool is_settled(Real tolerance) const {
    return !((follow_ - bounds_).cwiseAbs().array() > tolerance * bounds_.cwiseMax(follow_).array())
                .any();
  }

  /// From the bounds b and B(b) to the next ones.
  void advance(int round) {
    constexpr Index kMemory = 3;
    change_ = follow_ - bounds_;
    if (round == 0) {
      memory_.reset(bounds_.size(), kMemory);
      stretch_ = 1;
    } else {
      memory_.push(change_, last_change_, follow_, last_follow_);
    }
    last_change_ = change_;
    last_follow_ = follow_;
    next_ = follow_;
    if (round % 2 == 1) {
      memory_.extrapolate(change_, follow_, next_);
      const bool leads_on = (next_ - bounds_).dot(change_) > 0;
      stretch_ = leads_on ? 1 : 2 * stretch_;
      if (!leads_on) next_ = bounds_ + stretch_ * change_;
    }
    std::swap(bounds_, next_);
  }

  linalg::AndersonMemory memory_;
  VecX bounds_, follow_, next_, change_, last_change_, last_follow_;
  Real stretch_ = 1;
  problem::ContactImpulses anchor_;
  std::vector<problem::BodyVelocity> velocity_;
};

inline constexpr const char* kUnsettledFriction =
    "the friction of joints and their reactions do not settle";

}  // namespace talus::stepping::detail
