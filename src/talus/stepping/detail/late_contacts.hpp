#pragma once

#include <cstdint>
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
  /// An overlap of two bodies.
  struct Overlap {
    Real depth = 0;  ///< [m] ≥ 0
    Real share = 0;  ///< of the smaller body's size (RigidBodies::size)
    Real way = 1;    ///< after which share of the step; < 1 of bodies that pass each other
    collision::Contact contact;  ///< it
  };

  /// @param has_persistent whether persistent pairs are looked at.
  LateContacts(StepContacts& contacts, bool has_persistent)
      : contacts_(contacts), has_persistent_(has_persistent) {}

  /// Forgets the contacts of the last step.
  void start() {
    late_.clear();
    replaced_.clear();
  }
  /// Measures the overlaps of a step, of all pairs of which a body moves farther than a 250th of
  /// the smallest body's size, or is deeper than a 500th in another one at its start; those of
  /// others end within a 100th. Cost: a narrow phase of these bodies.
  /// @param known contacts at the start of the step, ordered by (a, b, feature).
  /// @param carried per known contact: 1 if it turns with its bodies within the step
  /// (MiddleContacts); then its overlap at the end is no new contact, and is left to PushOut, up to
  /// what a certified step may have. Empty: none does.
  void measure(const model::State& before, const model::State& after,
               const std::vector<collision::Contact>& known,
               std::span<const unsigned char> carried = {});
  [[nodiscard]] std::span<const collision::Contact> contacts() const { return late_; }
  /// Of the last measurement: the worst overlap that the step has made, and the deepest of the
  /// pairs that were as deep before it, or too deep for a certified step.
  [[nodiscard]] const Overlap& made() const { return made_; }
  [[nodiscard]] const Overlap& kept() const { return kept_; }
  /// Of the last measurement: bodies that have passed each other in the step, or that it has
  /// brought deeper into each other than a share of the smaller one's size.
  [[nodiscard]] std::vector<std::uint32_t> beyond(Real share) const;
  /// The play that is exceeded most, as a share of it.
  [[nodiscard]] const Overlap& play() const { return play_; }
  /// Puts the last measurement into a step's report: a certified step becomes stalled by an overlap
  /// on the way, or one of more than a hundredth of the smaller body's size at its end, which is no
  /// motion of rigid bodies; and by a play that is exceeded by more than half of it, which is taken
  /// back with the joints' drift if it is less.
  /// @param is_left whether what was there before the step may stay: options say so.
  void judge(bool is_left, StepReport& report) const;
  /// Makes contacts of the overlaps measured that are new in the step.
  /// @param moved where the velocities of the step lead to first order: the way that other
  /// velocities change. @return whether there are any.
  bool add(const model::State& before, const model::State& moved);
  /// Puts the late contacts into a list ordered by (a, b, feature), in place of those of their
  /// names.
  void merge_into(std::vector<collision::Contact>& contacts);

 private:
  void add_play(const model::State& after, const std::vector<collision::Contact>& known);
  [[nodiscard]] std::string too_deep(bool is_left) const;

  StepContacts& contacts_;
  bool has_persistent_;
  Real least_way_ = -1;  // that is looked at; known from the first step on
  std::vector<unsigned char> still_;
  std::vector<collision::ReachedContact> overlaps_, made_overlaps_;
  std::vector<collision::Contact> played_, exceeded_;  // of joints: all; the late ones of them
  std::vector<collision::Contact> late_;               // ordered by (a, b, feature)
  std::vector<collision::Contact> replaced_;  // of the start, with names of late ones; the same
  Overlap made_, kept_, play_;
  Real depth_ = 0;  // of the deepest of all [m]
};

}  // namespace talus::stepping::detail
