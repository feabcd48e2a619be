#pragma once

#include <optional>
#include <span>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// What both time-stepping schemes do around their law: margins and detection, warm starts, and the
/// record of a step.
class StepContacts {
 public:
  /// @param has_persistent see dynamics::RigidBodies.
  explicit StepContacts(const model::Model& model, bool has_persistent = true);

  [[nodiscard]] dynamics::RigidBodies& bodies() { return bodies_; }
  [[nodiscard]] const dynamics::RigidBodies& bodies() const { return bodies_; }
  /// Whether joints, drives or force elements may move a body besides gravity.
  [[nodiscard]] bool is_held(Index body) const { return !is_held_.empty() && is_held_[body] != 0; }

  /// How far [m] any point of each body can move in h at a velocity: h(‖v‖ + ‖ω‖ reach), a ball
  /// centred on its centre of mass not counting its spin, and a turning plane neither (its points
  /// move without bound).
  void travel(std::span<const Vec3> velocity, std::span<const Vec3> angular_velocity,
              Real step_size, std::vector<Real>& distance) const;

  /// The same at the velocities of a problem's bodies.
  void travel(std::span<const problem::BodyVelocity> velocity, Real step_size,
              std::vector<Real>& distance, const distribute::Deal* deal = nullptr) const;

  /// Whether update() would search because of a body that is here; all bodies are, but of a state
  /// in parts. There has been a search (contract). @param travel as there.
  [[nodiscard]] bool has_left(const model::State& pose, std::span<const Real> travel);

  /// Brings the candidates up to date for bodies at poses that move as far as `travel`.
  /// @return whether they were searched again: the persistent pairs are then new.
  bool update(const model::State& pose, std::span<const Real> travel);
  /// Contacts of all pairs but the persistent ones, with the margins of the last update.
  /// @param still per body: pairs of two bodies that are still are left out; empty: none is.
  ///
  /// Contacts that the bodies pass at the velocities of the state hold where they will be in h
  /// (collision::Foresight); overlaps up to a thousandth of the smaller body's size are none.
  void detect_transient(const model::State& state, Real step_size,
                        std::span<const unsigned char> still,
                        std::vector<collision::Contact>& contacts);

  /// Detects contacts at poses. Margin and skin of a body follow from `travel`, its own way in this
  /// step.
  /// @param ahead time in which contacts that the bodies pass at the velocities of the state hold
  /// where they will be, as in detect_transient; 0: all are of the poses as they are.
  void detect(const model::State& pose, std::span<const Real> travel,
              std::vector<collision::Contact>& contacts, Real ahead = 0);
  [[nodiscard]] std::span<const Real> margin() const { return margin_; }
  /// Ends a step in a periodic cell: one that is certified becomes stalled if, since this was last
  /// asked, the margins were wider than the rule of the nearest image allows
  /// (model::minimum_image_clearance), so that a contact may have been missed.
  void judge_images(StepReport& report);

  /// Impulses of the same contacts in the last step, in the order of `contacts[order[k]]`, scaled
  /// to this step's size. @param moments the same, or null.
  void warm_start(std::span<const collision::Contact> contacts, std::span<const Index> order,
                  Real step_size, std::vector<Vec3>& guess, std::vector<Vec3>* moments = nullptr);

  /// Keeps a finished step: for warm starts and for contacts().
  /// @param impulse one per entry of `order`, on body b. @param moment the same, or none.
  void remember(std::span<const collision::Contact> contacts, std::span<const Index> order,
                std::span<const Vec3> impulse, std::span<const Vec3> moment, Real step_size);

  /// The remembered contacts in the order of the problem they came from.
  [[nodiscard]] const std::vector<StepContact>& contacts() const;

  /// One of them, or nothing if there are not so many.
  [[nodiscard]] std::optional<StepContact> contact(Index i) const;
  /// Takes up contacts that contacts() gave, in another run perhaps, as if they were just
  /// remembered.
  void recall(const SchemeMemory& memory);
  /// Adds contacts, with impulses, to those that are remembered.
  void add(std::span<const StepContact> contacts);
  [[nodiscard]] Real last_step_size() const { return last_step_size_; }

  /// Largest penetration [m] ≥ 0.
  [[nodiscard]] static Real max_penetration(std::span<const collision::Contact> contacts);

 private:
  template <class Visit>
  void for_bodies(const distribute::Deal* deal, const Visit& visit) const;
  void find_margins(const model::State& pose, std::span<const Real> travel);
  [[nodiscard]] collision::Foresight foresight(const model::State& state, Real step_size);
  void limit_to_images(const model::State& pose);

  dynamics::RigidBodies bodies_;
  std::vector<Real> margin_, skin_;
  std::vector<Vec3> position_ahead_;
  std::vector<Quat> orientation_ahead_;
  std::vector<Real> tolerance_;           // of overlaps, per body
  std::vector<unsigned char> is_held_;    // model::held_bodies
  std::optional<Real> slack_;             // of images; known from the first margins on
  bool has_wide_margin_ = false;          // wider than that
  std::vector<collision::Contact> last_;  // ordered by (a, b, feature)
  std::vector<Vec3> last_impulse_;        // in the same order
  std::vector<Vec3> last_moment_;         // the same
  std::vector<Index> last_order_;
  Real last_step_size_ = 0;
  std::vector<Index> match_;
  mutable std::vector<StepContact> step_contacts_;  // computed lazily
  mutable bool is_current_ = false;
};

/// Moves bodies for a time h: x += h v_mean and the free rotation from the velocities that the
/// state holds. Bodies with a prescribed twist keep it.
void move_bodies(const model::Model& model, std::span<const Vec3> mean_velocity, Real step_size,
                 model::State& state);

}  // namespace talus::stepping
