#pragma once

#include <span>
#include <string>
#include <vector>

#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// Contacts that come about within a step: points of bodies that turn, which touch at its end and
/// were no contacts at its start, and bodies that would pass through each other.
///
/// The overlaps at the end of the step, or on the way of bodies that go farther than their sizes,
/// are measured (collision::ContactDetector::detect_reached). One that is deeper than at the start
/// by more than a 500th of the smaller body's size becomes a contact of the step, with the normal n
/// that it has there and
///   gap = gap there + n · (way of a − way of b at the point),
/// so that gap + h u_N is the overlap for the velocities that made it; the step is solved again.
class LateContacts {
 public:
  /// The deepest overlap of two bodies.
  struct Overlap {
    Real depth = 0;        ///< [m] ≥ 0
    Real share = 0;        ///< of the smaller body's size (RigidBodies::size); 0 of a pair that was
                           ///< as deep before the step
    Real way = 1;          ///< after which share of the step; < 1 of bodies that pass each other
    Index a = -1, b = -1;  ///< whose
  };

  /// @param has_tracked whether tracked pairs are looked at.
  LateContacts(StepContacts& contacts, bool has_tracked)
      : contacts_(contacts), has_tracked_(has_tracked) {}

  /// Forgets the contacts of the last step.
  void start() { late_.clear(); }
  /// Measures the overlaps of a step, of all pairs of which a body moves farther than a 250th of
  /// the smallest body's size; those of others grow by less than a 100th. Cost: a narrow phase of
  /// the bodies that move.
  /// @param known contacts at the start of the step, ordered by (a, b, feature).
  /// @param carried per known contact: 1 if it turns with its bodies within the step
  /// (MiddleContacts); then its overlap at the end is no new contact, and is left to PushOut, up to
  /// what a certified step may have. Empty: none does.
  void measure(const model::State& before, const model::State& after,
               const std::vector<collision::Contact>& known,
               std::span<const unsigned char> carried = {});
  [[nodiscard]] std::span<const collision::Contact> contacts() const { return late_; }
  /// Of the last measurement.
  [[nodiscard]] const Overlap& deepest() const { return deepest_; }
  /// Puts the last measurement into a step's report: a certified step becomes stalled by an overlap
  /// on the way, or one of more than a hundredth of the smaller body's size at its end, which is no
  /// motion of rigid bodies.
  void judge(StepReport& report) const;
  /// Makes contacts of the overlaps measured that are new in the step.
  /// @return whether there are any.
  bool add(const model::State& before, const model::State& after);
  /// Puts the late contacts into a list ordered by (a, b, feature), in place of those of their
  /// names.
  void merge_into(std::vector<collision::Contact>& contacts) const;

 private:
  [[nodiscard]] std::string too_deep() const;

  StepContacts& contacts_;
  bool has_tracked_;
  Real least_way_ = -1;  // that is looked at; known from the first step on
  std::vector<unsigned char> still_;
  std::vector<collision::ReachedContact> overlaps_;
  std::vector<collision::Contact> late_;  // ordered by (a, b, feature)
  Overlap deepest_;
};

}  // namespace talus::stepping::detail
