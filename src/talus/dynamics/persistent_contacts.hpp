#pragma once

#include <span>
#include <vector>

#include <talus/collision/contact_detector.hpp>
#include <talus/dynamics/contact_bias.hpp>
#include <talus/dynamics/detail/ball_lanes.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::dynamics {

/// Whether two are balls that are not near enough to bear anything where they are: their contact is
/// late (problem::ContactColouring::build).
[[nodiscard]] bool is_late(const RigidBodies& bodies, collision::Pair pair,
                           std::span<const Vec3> position);

/// Contacts of balls with each other and with fixed planes, which outlive a step: the problem's
/// central contacts stay where they are in memory from one search for pairs to the next, and only
/// their normals and biases are written anew. So are their impulses, which makes warm starting
/// free.
class PersistentContacts {
 public:
  /// How deep contacts are [m] ≥ 0, and by how much deeper than their slop.
  struct Depth {
    Real penetration = 0, excess = 0;
  };

  explicit PersistentContacts(const RigidBodies& bodies);

  /// After a search: lays out the problem's central contacts for new pairs and moves the impulses
  /// of pairs that were there before into their new places; others start at 0.
  /// An island with half of the contacts and more comes first, laid out as if it were alone, so
  /// that it can be solved where it stands.
  /// @param pairs sorted by (a, b). @param position of the bodies, for locality [m].
  void rebuild(std::span<const collision::Pair> pairs, std::span<const Vec3> position,
               problem::RigidContact& problem, std::vector<problem::ImpulseBatch>& impulse);

  /// Starts a step: balls may pass each other.
  void start_step() {
    may_pass_ = true;
    returned_.clear();
  }

  /// Writes normals and biases of all contacts into the problem. Balls that are apart and whose
  /// centres, each on its straight way in the step, stay farther than r_A + r_B from each other are
  /// left alone, where g + h u_N ≥ 0 would hold them back by more than what forces do in the step:
  /// the normal turns on the way.
  /// @param state where the bodies are and how they moved before the step. The problem's bodies
  /// have their free velocities (contract). Of a state in parts, by the deal of these contacts,
  /// those of this rank's tiles are written, and of tiles that are not dealt out, and none is left
  /// alone: it has to be complete where has_fast() says so on any rank.
  void refresh(const model::State& state, const BiasLaw& law, problem::RigidContact& problem);

  /// Whether balls that were left alone meet all the same at the velocities of an answer: then they
  /// are contacts at the next refresh of this step; if it happens again, all are.
  [[nodiscard]] bool has_met(const model::State& state, const BiasLaw& law,
                             const problem::RigidContact& problem,
                             std::span<const problem::BodyVelocity> velocity);

  /// Colours of the problem's central contacts that are the island which comes first; 0: all.
  [[nodiscard]] Index first_colours() const { return first_colours_; }
  [[nodiscard]] std::span<const collision::Pair> pairs() const { return pairs_; }
  /// At the last refresh: gap [m] and the point halfway between the surfaces [m].
  [[nodiscard]] Real gap(const problem::CentralContacts& contacts, Index contact) const {
    return gap_[contacts.slot[contact]];
  }
  [[nodiscard]] Vec3 point(const problem::CentralContacts& contacts, Index contact) const;
  /// Whether bodies were so fast at the last refresh that some contacts may have to be left alone.
  [[nodiscard]] bool has_fast() const { return is_any_fast_; }
  /// The largest of each over all contacts that were written.
  [[nodiscard]] const Depth& deepest() const { return deepest_; }

 private:
  /// Centre and radius of a ball; point and a radius of 0 for a plane.
  struct alignas(32) Ball {
    Real x = 0, y = 0, z = 0, radius = 0;
  };
  void find_parts();
  void lay_out(problem::RigidContact& problem);
  void take_impulses(std::span<const std::uint32_t> slot,
                     std::vector<problem::ImpulseBatch>& impulse) const;
  void place(const model::State& state, const BiasLaw& law, const problem::RigidContact& problem);
  [[nodiscard]] detail::BallContacts balls(const BiasLaw& law, problem::CentralBatch* batches);
  void refresh_slot(std::uint32_t slot, const model::State& state, const BiasLaw& law,
                    problem::RigidContact& problem, Depth& deepest);

  [[nodiscard]] Vec3 way(std::uint32_t slot, const model::State& state, const BiasLaw& law,
                         const problem::RigidContact& problem,
                         std::span<const problem::BodyVelocity> velocity) const;
  /// Balls that are left alone: their slot, and the bias that they do not notice.
  struct Passing {
    Real bias;
    std::uint32_t slot;
  };
  void leave_alone(const model::State& state, const BiasLaw& law, problem::RigidContact& problem);
  void add_passing(problem::Tile tile, const model::State& state, const BiasLaw& law,
                   const problem::RigidContact& problem, std::vector<Passing>& passing) const;

  const RigidBodies& bodies_;
  bool may_pass_ = true, is_any_fast_ = false;
  std::vector<std::uint32_t> returned_;  // slots, sorted: left alone in this step and met
  std::vector<std::uint32_t> passing_;   // slots, of those left alone
  std::vector<std::vector<Passing>> tile_passing_;  // the same, at least as many lists as tiles
  bool has_restitution_ = false;
  std::vector<unsigned char> is_movable_;
  std::vector<Ball> balls_;
  std::vector<Vec3> plane_normal_;  // of fixed planes, world; zero for balls
  problem::ContactColouring schedule_;
  std::vector<collision::Pair> pairs_, old_pairs_;
  std::vector<std::uint32_t> old_slot_;
  std::vector<problem::ScheduledPair> scheduled_, part_pairs_;
  std::vector<Real> friction_, part_friction_;
  std::vector<unsigned char> part_is_late_;
  Index first_colours_ = 0;
  std::vector<Index> parts_[2];  // pairs of the largest island, and of all others
  std::vector<problem::ImpulseBatch> old_impulse_;
  std::vector<Real> gap_;          // per slot; infinite in empty lanes
  std::vector<float> turning_;     // per slot: ℓ_A²/I_A + ℓ_B²/I_B [1/kg]
  std::vector<Depth> tile_depth_;  // largest of each tile
  Depth deepest_;
};

}  // namespace talus::dynamics
