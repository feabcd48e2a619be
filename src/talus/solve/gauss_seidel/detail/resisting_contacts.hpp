#pragma once

#include <span>
#include <vector>

#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>
#include <talus/solve/gauss_seidel/detail/sweep_step.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>

namespace talus::solve::detail {

/// The general contacts of a problem with resistance, with their impulses and moments: one after
/// the other in tiles, in colours of tiles.
///
/// Does for them what GeneralContacts does for others, with the same calls. Scalar: a Newton
/// iteration in six rows has no lanes. A contact that sticks in all that it resists, of which beds
/// are full, needs none.
class ResistingContacts {
 public:
  /// Lays out a problem, which must outlive the sweeps. @param guess general impulses and moments,
  /// one each per contact, or none.
  void load(const problem::RigidContact& problem, const problem::ContactImpulses& guess);

  [[nodiscard]] const GeneralSchedule& schedule() const { return schedule_; }

  /// Cuts the guess of a tile back to what the law allows and adds it to the bodies.
  void begin(Index tile, std::span<problem::BodyVelocity> bodies);
  /// Sweeps over a tile.
  void visit(Index tile, const SweepPace& pace, std::span<problem::BodyVelocity> bodies);
  /// Of a tile's last visit. Moments count as m √(tr A_m/tr A_r) [N·s], A_r and A_m being the two
  /// diagonal blocks of the contact.
  [[nodiscard]] const SweepStep& step(Index tile) const { return tile_steps_[tile]; }

  /// Momentum starts from here: the impulses before are those now.
  void remember() { old_ = impulse_; }
  /// Impulses and moments, contact by contact.
  [[nodiscard]] std::span<Vec6> impulses() { return impulse_; }
  /// Calls add(begin, end) for the impulses of a tile.
  template <class Add>
  void for_impulses(Index tile, const Add& add) const {
    schedule_.for_contacts(tile, [&](std::uint32_t c) { add(Index{c}, Index{c} + 1); });
  }
  /// Impulses and moments in the order of the problem.
  void store(problem::ContactImpulses& impulse) const;

 private:
  struct Row {
    Mat3 frame;  // columns n, t1, t2
    Mat6 A;      // in the frame, rows N, T1, T2, R1, R2, S
    ContactSurface surface;
    Mat6 stick;  // −r of what stops every motion that is resisted at all, over its velocity
    Real moment_scale;  // √(tr A_m/tr A_r) [1/m]
  };
  [[nodiscard]] Vec2 slip_share(const Row& row, Real normal, const Vec2& r) const;
  [[nodiscard]] bool is_within(const Row& row, const Vec6& p) const;
  [[nodiscard]] Vec6 solve(const Row& row, const Vec6& free, const Vec6& previous) const;
  [[nodiscard]] Vec6 into_law(const Row& row, Vec6 r) const;
  void add(std::uint32_t contact, const Vec6& r, std::span<problem::BodyVelocity> bodies) const;
  void visit_contact(std::uint32_t contact, const SweepPace& pace,
                     std::span<problem::BodyVelocity> bodies, SweepStep& step);

  const problem::RigidContact* problem_ = nullptr;
  ContactLaw law_;
  GeneralSchedule schedule_;
  std::vector<Row> rows_;            // one per contact
  std::vector<Vec6> impulse_, old_;  // one per contact, in its frame
  std::vector<SweepStep> tile_steps_;
};

}  // namespace talus::solve::detail
