#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/laws/joint_lcp.hpp>
#include <talus/stepping/event_driven/contact_rows.hpp>
#include <talus/stepping/event_driven/phase.hpp>
#include <talus/stepping/event_driven/reduced_delassus.hpp>

namespace talus::stepping::event_driven {

/// What is known about a point before the accelerations are.
struct ModeQuery {
  laws::Modes modes;  ///< normals: who is open, closed, pressing. Frictions: slip with its
                      ///< direction where that is known; those of held_or_free are asked for
  std::vector<bool> is_candidate;  ///< per friction element: its slip velocity is zero
  std::vector<Real> saturated;  ///< per friction element: ±1 where the last stick ended with its
                                ///< friction saturated and slip in that direction is due, 0 else
  std::vector<bool> vanished;   ///< per contact: its normal force came to zero just now
};

/// What the laws say about the accelerations at a point.
struct ModeSolution {
  laws::Modes modes;
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< of the last LCP
  bool is_ambiguous = false;  ///< Painlevé: several answers, of which none is the one to take
  Index answers = 0;          ///< ContactForces::answers
  std::string detail;
  std::shared_ptr<const problem::Lcp> unsolved;  ///< ContactForces::unsolved
  VecX normal, friction;  ///< forces that satisfy the laws, per contact and friction element
  Index solves = 0;       ///< LCPs
};

/// Detachment and stick–slip of all closed contacts together, at the level of forces and
/// accelerations (`pfeiffer_1996` §5).
///
/// One LCP with static friction μ₀ in the contacts (and joints) whose slip velocity is zero. Where
/// one of them starts to slip, friction falls from μ₀ to μ: it joins those that slip, with the
/// direction that the LCP gave it, and the rest is decided again, at most once per candidate.
/// Contacts that vanished or saturated take the way out that is due if the laws allow it.
/// Joint friction presses with a reaction that the answer changes: both are unknowns of one LCP
/// (joint_lcp).
class StickSlipDecision {
 public:
  StickSlipDecision(const dynamics::System& machine, const laws::FrictionTable& elements);
  [[nodiscard]] ModeSolution solve_modes(Real time, Point& x, const ModeQuery& query);
  /// Puts forces into the last verdict that do the same, but are as far from their bounds as the
  /// mean of all basic ones is, where they are not unique and not too many (contact_states).
  void centre(ModeSolution& solution) const;

 private:
  struct Row {
    Index contact = -1, element = -1;
  };
  struct Problem;
  [[nodiscard]] Real norm(const VecX& a) const;
  [[nodiscard]] Real rest(const dynamics::JacobianRow& row) const;
  void set_free_motion(Real time, Point& x, const laws::Modes& modes);
  void gather_rows(const laws::Modes& modes, Problem& problem) const;
  void add_bounds(const laws::Modes& modes, const Problem& problem, Index friction,
                  const ReducedDelassus& reduction);
  [[nodiscard]] bool is_parting(const Problem& problem, const laws::ContactForces& forces,
                                Index normal) const;
  [[nodiscard]] bool release_held(const Problem& problem, const laws::ContactForces& forces,
                                  laws::Modes& modes) const;
  [[nodiscard]] bool solve(Problem& problem, ModeSolution& solution);
  [[nodiscard]] ModeSolution attempt(Real time, Point& x, const ModeQuery& query);
  [[nodiscard]] bool is_way_out(const Point& x, const ModeQuery& query) const;

  const dynamics::System& machine_;
  const laws::FrictionTable& elements_;
  Phase probe_;
  void set_forces(const VecX& force, ModeSolution& solution) const;

  Real time_ = 0;
  const Point* point_ = nullptr;
  laws::ContactLcp contacts_;  // decided last, with
  std::vector<laws::JointNormalForce> joint_normals_;
  std::vector<Row> rows_;
  VecX answer_rate_;
  Rate rate_;      // without the forces that are decided
  VecX a_;         // with them
  Real size_ = 0;  // √(v̇ᵀ M v̇)
};

}  // namespace talus::stepping::event_driven
