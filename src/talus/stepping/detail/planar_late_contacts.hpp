#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <talus/dynamics/planar_meeting.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping::detail {

/// Contacts that come about within a step of a planar machine: the twin of detail/late_contacts.hpp
/// with the corners of shapes as contacts.
///
/// Of shapes that overlap on the way of a step, or at its end by more than before and than a 500th
/// of the smaller body's size (dynamics::find_meetings), the corners that are in the other shape
/// become contacts of the step with the rows that they have there, and
///   gap = gap there − normal · way to there,
/// so that gap + h normal · v' is the overlap for the velocities that made it.
class PlanarLateContacts {
 public:
  /// Forgets the contacts of the last step.
  void start() { places_.clear(); }
  /// Makes contacts of what a step from q to q_end meets; a contact that there is already takes its
  /// new place. @param stays contacts that are left as they are. @return whether there are any.
  bool add(const dynamics::System& machine, const VecX& q, const VecX& q_end,
           const std::unordered_set<Index>& stays);
  /// Whether a contact of the machine is one, and those that have become so by the last add().
  [[nodiscard]] bool has(Index contact) const { return places_.contains(contact); }
  [[nodiscard]] const std::vector<Index>& added() const { return added_; }
  /// Such a contact, with the gap that makes dynamics::contact_bias take it as one at q + (1 − θ) h
  /// v. @param q, v at the start of the step.
  void contact(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v, Real h,
               Real theta, dynamics::ContactTerms& terms) const;

 private:
  struct Place {
    Vec3 a, b;  ///< (x, y, θ) of the two bodies where they meet
  };
  std::unordered_map<Index, Place> places_;  // per contact of the machine
  std::vector<Index> added_;
  std::vector<dynamics::PlanarMeeting> meetings_;
};

/// Whether two rigid shapes neither touch at q, by more than a slight gap, nor come together on the
/// way from there to q_end.
[[nodiscard]] bool stay_apart(const dynamics::System& machine, const dynamics::ShapePair& pair,
                              const VecX& q, const VecX& q_end);

/// Puts the overlaps of a step from q to q_end into its report: a certified step becomes stalled by
/// one of more than tolerance::kMostOverlap at its end, or by bodies that go through each other;
/// with ropes and joints with play, of the bounding radius of the smaller body.
/// @param is_left whether penetration is left alone: then only what was less by
/// tolerance::kLateOverlap before counts.
/// @return the contact of the machine that is broken, or −1.
[[nodiscard]] Index judge_overlap(const dynamics::System& machine, const model::Model& model,
                                  const VecX& q, const VecX& q_end, bool is_left,
                                  StepReport& report);

}  // namespace talus::stepping::detail
