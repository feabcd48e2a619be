#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/certify/certificate.hpp>
#include <talus/dynamics/persistent_contacts.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping::detail {

/// Bodies that lie still and are left out of steps, by islands: dynamic bodies that hang together
/// by contacts, and by the joints, couplings and force elements of a machine.
///
/// Sleeping is exact. An island sleeps where its next step is known: its velocities are 0, and for
/// the problem of that step the impulses that it has and the velocity 0 are certified at the
/// tolerance of the solver. Nothing of that problem changes while nothing else touches the island,
/// so the answer stays the same in every later step, and so does its certificate. An island wakes,
/// as a whole and with its impulses, before the first step in which that could differ: when
/// something that is not asleep comes within the margin of one of its contacts, a law of time of
/// one of its bodies changes, or something else has moved one of them.
class SleepingIslands {
 public:
  /// The law under which steps are certified.
  struct Law {
    dynamics::BiasLaw bias;  ///< with θ = 1
    problem::FrictionLaw friction = problem::FrictionLaw::coulomb;
    Index directions = 8;
    Real tolerance = 0;
  };

  /// Of a machine in the step that would follow.
  struct NextMachine {
    const problem::RigidContact& problem;     ///< free velocities, with forces, and rows
    std::span<const Real> impulse;            ///< of the rows, in the last step
    std::span<const unsigned char> restless;  ///< per body: 1 where it does not rest though still
  };

  /// @param links pairs of bodies that a machine joins.
  explicit SleepingIslands(const dynamics::RigidBodies& bodies,
                           std::vector<collision::Pair> links = {});

  [[nodiscard]] std::span<const collision::Pair> links() const { return links_; }

  [[nodiscard]] bool is_empty() const { return islands_.empty(); }
  [[nodiscard]] bool is_asleep(Index body) const { return island_of_[body] >= 0; }
  /// Per body: 1 if it is asleep.
  [[nodiscard]] std::span<const unsigned char> asleep() const { return asleep_; }
  [[nodiscard]] Index body_count() const {
    return std::count(asleep_.begin(), asleep_.end(), static_cast<unsigned char>(1));
  }
  [[nodiscard]] Index island_count() const { return static_cast<Index>(islands_.size()); }
  /// Contacts of all sleeping islands, by their first bodies.
  [[nodiscard]] std::span<const StepContact> contacts() const { return summary().contacts; }
  /// The worst of each residual over the sleeping islands; worst_contact counts contacts().
  [[nodiscard]] const certify::Certificate& certificate() const { return summary().certificate; }
  [[nodiscard]] Real max_penetration() const { return summary().max_penetration; }

  /// Whether some island that moves could be brought to rest at a tolerance.
  [[nodiscard]] bool is_any_slow(const problem::RigidContact& problem,
                                 std::span<const collision::Pair> pairs, Real tolerance,
                                 std::span<const problem::BodyVelocity> velocity);

  /// Sets to 0 the velocities of islands for which that is the step's answer too:
  ///   Σ m (‖v‖² + ‖s‖²) ≤ tolerance² Σ m (‖v_free‖² + ‖s_free‖²)
  /// over the island is its residual of the equation of motion. Not where something touches it
  /// that moves as it is prescribed, nor where laws of a machine, rows of the problem, do not hold.
  /// @param problem the step's, with its free velocities. @param pairs bodies of its contacts.
  /// @param restless per body: 1 where its island may not be stopped, as in NextMachine.
  /// @param impulse, velocity of its answer; velocity, one per body, in and out.
  /// @return whether anything that moved was stopped.
  bool bring_to_rest(const problem::RigidContact& problem, std::span<const collision::Pair> pairs,
                     Real tolerance, std::span<const unsigned char> restless,
                     const problem::ContactImpulses& impulse,
                     std::vector<problem::BodyVelocity>& velocity);

  /// Puts to sleep what is at rest and may sleep, before a step. O(bodies + contacts).
  /// @param contacts those of the last step that are not asleep, with their impulses.
  /// @param machine null without one.
  /// @return whether some island fell asleep.
  bool fall_asleep(const model::State& state, std::span<const StepContact> contacts, const Law& law,
                   const NextMachine* machine);

  /// Wakes the island of a sleeping body; its contacts are appended to `woken`.
  void wake(Index body, std::vector<StepContact>& woken);
  void wake_all(std::vector<StepContact>& woken);
  /// Wakes islands in which a body is gone, or no longer where and as it fell asleep.
  void wake_moved(const model::State& state, std::vector<StepContact>& woken);

 private:
  struct Island {
    std::vector<Index> bodies;  // sorted
    std::vector<Pose> poses;
    std::vector<StepContact> contacts;
    certify::Certificate certificate;
  };
  void join(Index a, Index b);
  void keep_moving(const problem::RigidContact& problem, const problem::ContactImpulses& impulse,
                   Real tolerance);
  /// Of every island, at its root: Σ m (‖v‖² + ‖s‖²) less what is asked of it.
  void find_excess(const problem::RigidContact& problem, std::span<const collision::Pair> pairs,
                   Real tolerance, std::span<const problem::BodyVelocity> velocity);
  [[nodiscard]] bool moves(Index body, const problem::BodyVelocity& velocity) const;
  [[nodiscard]] certify::Certificate certify_at_rest(const Island& island,
                                                     const model::State& state, const Law& law,
                                                     const NextMachine* machine,
                                                     std::span<const Index> rows) const;
  struct Summary {
    std::vector<StepContact> contacts;
    certify::Certificate certificate;
    Real max_penetration = 0;
    bool is_current = false;
  };
  const Summary& summary() const;

  const dynamics::RigidBodies& bodies_;
  const std::vector<collision::Pair> links_;
  DisjointSets forming_;  // islands that are being worked out, named by their first body
  std::vector<Real> excess_;
  std::map<Index, Island> islands_;  // by first body
  std::vector<Index> island_of_;     // first body of a sleeping island, −1: awake
  std::vector<unsigned char> asleep_;
  mutable Summary summary_;  // computed lazily
};

}  // namespace talus::stepping::detail
