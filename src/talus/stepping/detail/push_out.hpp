#pragma once

#include <span>
#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/collision/contact.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/contact_bias.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::stepping::detail {

class MachineStep;

/// Takes penetration back by displacements that have no velocity:
///
///   min ½ dᵀ M d   subject to   J d + h bias ≥ 0 at every contact,   d = h w,
///
/// bias as dynamics::push_bias after the step. In an island (bodies that hang together by contacts)
/// with a contact deeper than its slop, all contacts deeper than half of it open by a share of what
/// is deeper; everywhere else contacts may close and go no deeper. That is a contact problem
/// without friction of bodies at rest, in the speeds w; it is solved and certified as such. The
/// momentum of w is not the bodies': what pushes bodies apart gives them no kinetic energy. Half of
/// the slop, so that a bed that creeps is pushed now and then and not in every step.
///
/// Bodies that turn take their angular velocity with them (ω·Iω stays). An island that touches
/// nothing immovable, in no periodic cell, keeps its angular momentum too: its velocities change by
/// a common rotation, and if that raises its energy the part of them that is no rotation of the
/// whole is shrunk.
/// Joints stay as they are: their constraints, with the rates 0, are rows of the problem.
/// Ranks measure contacts in parts.
class PushOut {
 public:
  /// Of a contact [m].
  struct Depth {
    Real gap = 0;   ///< after the step
    Real slop = 0;  ///< that is left alone
    Real deep = 0;  ///< ≥ 0: how deep it is where its island is pushed
  };
  /// The machine whose joints hold bodies that come without a step; it outlives this.
  void hold(MachineStep& machine) { machine_ = &machine; }
  /// Takes the bodies and contacts of a step's problem, which outlives solve(). @param pairs bodies
  /// of all its contacts.
  void start(problem::RigidContact& step, std::span<const collision::Pair> pairs);
  /// Takes depth_of(contact) of all contacts, on all threads. Collective.
  template <class DepthOf>
  void measure(const DepthOf& depth_of);
  /// Takes bodies at a state with their contacts there. @param slop_share of the smaller body's
  /// size. @param most of each body: how deep a contact of it is, of the same, that has its island
  /// pushed; infinite: its island stays where it is.
  void start(const dynamics::RigidBodies& bodies, const model::State& state,
             const std::vector<collision::Contact>& contacts, Real slop_share,
             std::span<const Real> most);

  /// Status not_run where no island is pushed; stalled where the bodies of one cannot be pushed
  /// apart, which stay where they are. What an answer misses is pushed in the next step: a hundred
  /// times the tolerance of the step is enough, and 1 % at most. The step's problem lends its
  /// central contacts while this lasts, which then are as they were.
  [[nodiscard]] problem::SolveReport solve(const dynamics::BiasLaw& law,
                                           const driver::Options& options);
  /// Of the contacts: whether an island is to be pushed.
  [[nodiscard]] bool has_deep() const;
  /// Whether the island of a body moves by some of w. After solve().
  [[nodiscard]] bool is_pushed(Index body) { return share_[islands_.root(body)] > 0; }
  /// Whether it cannot be pushed apart. After solve().
  [[nodiscard]] bool is_stuck(Index body) { return is_stuck_[islands_.root(body)] != 0; }
  /// w, one per body, after solve().
  [[nodiscard]] std::span<const problem::BodyVelocity> velocity() const {
    return solution_.velocity;
  }
  /// How far w moves any point of a body in a time [m]. @param reach of what turns [m].
  [[nodiscard]] Real way(Real reach, Index body, Real duration) const;
  /// Moves the island of a body by no more than a share of w.
  void hold_back(Index body, Real share);
  /// Which share of w that is for the island of a contact, in [0, 1].
  [[nodiscard]] Real share(Index contact) const { return share_[contacts_[contact].island]; }
  /// Moves the bodies of a state by their shares of w for a time [s].
  /// @return whether there is anything to move.
  bool apply(const model::Model& model, Real duration, model::State& state);

 private:
  struct Contact {
    Real gap = 0, slop = 0;
    std::uint32_t island = 0;
    bool is_deep = false;
  };
  /// What a push-out changes of a batch.
  struct Lent {
    double bias[problem::kLanes], friction[problem::kLanes];
  };
  class Loan;
  static constexpr Index kContactsPerPiece = 1024;
  void load();
  bool leave_stuck();
  void join_rows();
  void keep_momentum(const model::Model& model, std::span<const Index> members,
                     const model::State& before, model::State& state) const;

  problem::RigidContact own_step_;  // of bodies that come without one
  problem::RigidContact* step_ = nullptr;
  MachineStep* machine_ = nullptr;  // may be null
  std::vector<Contact> contacts_;
  DisjointSets islands_;
  std::vector<unsigned char> is_deep_, is_held_, is_stuck_;  // by root
  std::vector<Real> share_;                                  // by root: of w that is taken
  problem::RigidContact problem_;
  std::vector<Lent> lent_;
  driver::RigidContactSolution solution_;
};

template <class DepthOf>
void PushOut::measure(const DepthOf& depth_of) {
  distribute::write_items(std::span(contacts_), kContactsPerPiece, [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const Depth depth = depth_of(c);
      contacts_[c].gap = depth.gap;
      contacts_[c].slop = depth.slop;
      contacts_[c].is_deep = depth.gap < -depth.deep;
    }
  });
  is_deep_.assign(step_->bodies.size(), 0);
  for (const Contact& contact : contacts_)
    if (contact.is_deep) is_deep_[contact.island] = 1;
}

}  // namespace talus::stepping::detail
