#pragma once

#include <vector>

#include <talus/problem/rigid_contact.hpp>

namespace talus::solve::detail {

/// The order of a problem's general contacts for sweeps; the buffers are kept.
class GeneralSchedule {
 public:
  const problem::ContactSchedule& build(const problem::RigidContact& problem) {
    const std::size_t bodies = problem.bodies.size();
    pairs_.clear();
    for (const problem::GeneralContact& contact : problem.general)
      pairs_.push_back({contact.body_a, contact.body_b});
    is_movable_.resize(bodies);
    for (std::size_t i = 0; i < bodies; ++i) is_movable_[i] = problem.bodies[i].inverse_mass > 0;
    if (problem.place.empty()) place_.assign(bodies, Vec3::Zero());
    schedule_.build(pairs_, problem.place.empty() ? place_ : problem.place, is_movable_);
    return schedule_;
  }
  /// As it was built last.
  [[nodiscard]] const problem::ContactSchedule& get() const { return schedule_; }

 private:
  problem::ContactSchedule schedule_;
  std::vector<problem::ScheduledPair> pairs_;
  std::vector<unsigned char> is_movable_;
  std::vector<Vec3> place_;
};

}  // namespace talus::solve::detail
