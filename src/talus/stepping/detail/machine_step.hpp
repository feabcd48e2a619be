#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <talus/certify/joint_residual.hpp>
#include <talus/collision/contact.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/contact_bias.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/problem/constraint_elimination.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/stepping/detail/alone_motion.hpp>
#include <talus/stepping/detail/moreau_rule.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping::detail {

/// The machine of a model in space within a step of Moreau's schemes: its rows in the contact
/// problem of the step, its forces, and the projection on its constraints after it.
///
/// With rows a of the place where the step takes them (q_θ = q + (1 − θ) h v; the middle in the
/// midpoint rule) and w' = a v':
///   joint, drive, coupling   Jean: w' + Φ_t = 0; midpoint: a (v + v')/2 + Φ_t = 0
///   limit, rope              as a contact (dynamics::contact_bias), λ ≥ 0
///   spring, damper, PD       λ = −h k (q + θ h w̄ − q₀) − h d (w̄ − q̇₀), w̄ = θ w' + (1 − θ) w, q at
///                            the start (ImplicitSpring); PD between its bounds; force elements
///                            too; axes in the midpoint rule with what displaces them at the end of
///                            the step (has_stretched)
///   velocity motor           w' = target, λ between h times its bounds
///   armature I               λ = −I (β' − β),  β' = w' + (w − q̇)
///   dry friction             w' = 0, |λ| ≤ h (friction + μ r ‖reaction‖)
/// and in steps of one LCP (`stewart_1996`, rows at q̄ = q + h v̄), θ = 1:
///   joint, drive, coupling   Φ(q̄, t + h)/h + a (v' − v̄) = 0; at velocity level w' + Φ_t = 0
/// with all else as in Jean's rule, coordinates and rates before the step, and rows of force
/// elements, those of its start
/// (docs/theory/machines_in_space.md; `moreau_1988`, `acary_2008`). Rows that depend on others at
/// the start of the step, where the constraints hold, are left out: pivoted Cholesky of J M⁻¹ Jᵀ.
///
/// An armature has a rate β of its own, which its impulses alone change: the axis turns faster or
/// slower also on the way from one row to the next, by the gyroscopic part of free motion and with
/// its direction, without any impulse of the armature. β' is the rate that the axis will have where
/// the step ends, with w − q̇ of the way from the start to the rows for the way from there to the
/// end; the state keeps β − q̇ (model::kArmatureLeads).
class MachineStep {
 public:
  /// Which rows are written: those of Moreau's rules, or of the level of an LCP.
  enum class Level : unsigned char { rule, position, velocity };

  /// Both must outlive this. The model has a machine in space (contract).
  MachineStep(const model::Model& model, const dynamics::RigidBodies& bodies, MoreauRule rule,
              Real theta);

  /// From now on the impulses of constraints are kept too, with which bodies that sleep wake.
  void let_sleep() { may_sleep_ = true; }
  /// Leaves out of the steps that start from now on what holds bodies that sleep: its rows keep the
  /// impulses that they had (machine_rest.cpp). @param asleep one per body, whole islands.
  void leave_out(std::span<const unsigned char> asleep);
  /// Pairs of bodies that joints, couplings and force elements make one machine of.
  [[nodiscard]] std::vector<collision::Pair> links() const;
  /// The impulses of the last step of the rows last written.
  [[nodiscard]] std::vector<Real> last_impulses() const;
  /// Marks bodies that do not rest, however slow they are: a law of time of theirs changes, or a
  /// motor turns them. @param rows of the step last written, with their impulses.
  /// @param restless one per body, in and out.
  void find_driven(const problem::BoundedRows& rows, std::span<const Real> impulse,
                   std::span<unsigned char> restless) const;
  /// Marks bodies that a projection of the place of the step would move.
  void find_open(std::span<unsigned char> restless) const;
  /// Bodies that sleep and a law of time of which says something else in the step from this time
  /// than in the last one.
  void find_called(Real time, Real h, std::vector<Index>& called) const;

  /// The share of a step after which the bodies are where Moreau's rules take the rows.
  [[nodiscard]] Real place_of_rows() const { return is_midpoint() ? Real(0.5) : 1 - theta_; }

  /// Velocities of the start of a step with the rates that drives have there; where these jump
  /// within the step, with those of its end. The impulses belong to the reactions of the step.
  void take_given_rates(model::State& start, Real h);
  /// Takes the places and velocities of a step's start.
  void start(const model::State& start, Real h);

  /// Whether axes with springs end elsewhere than where the rows of the midpoint rule lead them,
  /// q_M + h w'/2, by otherwise than these rows know: displacements at the end of the step move
  /// them too. Those written next know.
  /// @param end of the step, after store(). @param velocity of the bodies in the answer.
  [[nodiscard]] bool has_stretched(const model::State& end,
                                   std::span<const problem::BodyVelocity> velocity);
  /// The springs that these displacements wind up or unwind. @param end after has_stretched().
  /// @return as it is until the next call.
  [[nodiscard]] std::span<const WoundSpring> wound_springs(const model::State& end);
  /// Goes back to the start of the step, which rows are to be written for again.
  void start_again(const model::State& start);

  /// Adds forces to the free velocities of a step's problem. @param at where rows and forces are
  /// taken.
  void add_forces(const model::State& at, problem::RigidContact& problem);
  /// Writes its rows, with the impulses that they had in the last step as a guess.
  /// @param level with one of an LCP `at` is q̄ with the velocities v̄; at velocity level v̄ = 0.
  /// @param error_reduction of dynamics::BiasLaw.
  void add_rows(const model::State& at, Real error_reduction, problem::RigidContact& problem,
                std::vector<Real>& guess, Level level = Level::rule);
  /// Whether an answer takes an axis beyond a limit that was too far to be a row: now it is one.
  [[nodiscard]] bool meets_limits(std::span<const problem::BodyVelocity> velocity);
  /// The bounds of dry friction that is made of reactions, as they are in a problem.
  void friction_bounds(const problem::RigidContact& problem, VecX& bounds) const;
  /// The same bounds as they follow from the reactions of an answer.
  void friction_bounds(const problem::ContactImpulses& answer, VecX& bounds) const;
  /// Writes them into a problem. @param bounds none is below h times the friction that is given.
  void set_friction_bounds(const VecX& bounds, problem::RigidContact& problem) const;
  /// What constraints, springs, armatures and motors of the problem of the step alone make of
  /// velocities: motors at a bound in an answer with the impulse that they have there.
  /// @param velocity of the bodies. @param impulse of the rows in that answer. @return as it is
  /// until the next call.
  [[nodiscard]] AloneMotion move_alone(const problem::RigidContact& problem,
                                       std::span<const problem::BodyVelocity> velocity,
                                       std::span<const Real> impulse);
  /// Takes the biases of reflected constraints as they have become in the problem of the step.
  void take_biases(const problem::RigidContact& problem);
  /// Whether limits, ropes or dry friction may raise the energy in an answer: one is to rebound, or
  /// the mean of its rates before and after is along its impulse, beyond the tolerance.
  [[nodiscard]] bool may_raise(const problem::RigidContact& problem,
                               const driver::RigidContactSolution& solution, Real tolerance) const;
  /// Keeps the answer for the next step's guess.
  void remember(const problem::ContactImpulses& answer);

  /// Moves bodies on the constraints at the time of a state, and back to the limits and lengths of
  /// ropes they are beyond: q ← q + M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁻¹ (−Φ), until |Φ| ≤ 1e-12, scaled, or the
  /// rounding of the coordinates, at most ten times.
  /// @param has_play whether what joints with play are beyond is taken back too.
  /// @return converged, or stalled with the joint that stays open in its detail.
  [[nodiscard]] problem::SolveReport project(model::State& state, bool has_play);
  /// What is farthest beyond a limit, or a rope beyond its length.
  struct Beyond {
    Real share = 0;    ///< of the length of the shortest body of its row, or [rad]
    std::string name;  ///< of its joint
  };
  [[nodiscard]] Beyond beyond(const model::State& end);
  /// Changes velocities by M⁻¹ Jᵀ λ to J v + Φ_t = 0 at a state; those that meet it to round-off
  /// stay as they are.
  /// The impulses belong to the reactions of the step.
  /// @return converged, or numerical_error where constraints depend on each other.
  [[nodiscard]] problem::SolveReport project_velocity(model::State& state);
  /// Counts the angles and writes them into a state, with the impulses that the next step's guess
  /// is made of, and what armatures turn faster than their axes: a run resumed from there is the
  /// same bit for bit.
  /// @param velocity of the bodies, solved for; empty: no step was made.
  void store(model::State& state, std::span<const problem::BodyVelocity> velocity);
  /// In words, an angle that store() could not follow: about an axis that turns itself, by more
  /// than a quarter turn in the step, or at a rate that changes by 0.5 rad over it; or an axis that
  /// project() has taken back to its limit by more than 0.5 rad. Empty: there is none.
  [[nodiscard]] std::string lost_angle() const;
  /// Judges all constraints: their rates where the step took its rows, the rest where it ends.
  /// @param velocity of the bodies, after the step.
  [[nodiscard]] certify::JointResidual judge(const model::State& end,
                                             std::span<const problem::BodyVelocity> velocity);
  /// What joints, then drives do in the last step, on average over it (dynamics::Reaction), and the
  /// coordinates after it with what acts along them. After energy() of the state that it led to.
  /// @param answer of the step. @param contacts of it: those of joints with play are their
  /// reactions.
  void report(const problem::ContactImpulses& answer, std::span<const StepContact> contacts,
              std::vector<dynamics::Reaction>& reactions,
              std::vector<dynamics::AxisReaction>& axes) const;
  /// Of springs and armatures [J].
  [[nodiscard]] dynamics::Energy energy(const model::State& state);

  /// Adds to a message what row i of the problem is of: "joint hinge", "drive of elbow". Where a
  /// drive or a motor without bounds moves an axis beyond its limit, the message is that.
  void add_name(Index row, std::string& detail) const;
  [[nodiscard]] const dynamics::MachineTerms& terms() const { return terms_; }

  /// Whether a row of the step is of an armature that displacements are to move too: of the
  /// midpoint rule, which leads bodies into each other. In Jean's rule gaps close to first order.
  [[nodiscard]] bool is_inertia(Index row) const;
  /// The constraints as rows with the rates 0, and in the midpoint rule the armatures, which have
  /// inertia, for displacements of bodies at rest.
  /// @param problem of that state; its rows are replaced.
  void add_rows_at_rest(const model::State& at, problem::RigidContact& problem);

 private:
  /// Places of the impulses of an axis among the internal variables.
  enum AxisSlot : unsigned char {
    lower_limit,
    upper_limit,
    spring,
    armature,
    dry_friction,
    motor,
    slots
  };
  /// A row of the problem.
  struct Row {
    enum class Kind : unsigned char { constraint, limit, axis, friction, rope, element };
    Kind kind = Kind::constraint;
    Index index = 0;  // of a constraint, an axis, a joint contact or a force element
    Real length = 1;  // w in metres over w [-], or [m] of an angle
    Real before = 0;  // the row's rate before the step, of what resists [m/s]
    Index slot = -1;  // of its impulse in memory_; −1: it is not kept
  };
  /// A law of time, and a body that it moves.
  struct TimedLaw {
    const model::TimeLaw* law = nullptr;
    const model::SpatialDrive* drive = nullptr;  // whose motion it is, or null
    Index body = -1;
    bool is_mean = false;  // taken over the step, not at its end
  };
  [[nodiscard]] std::span<const dynamics::BodyMotion> motions(const model::State& state);
  [[nodiscard]] dynamics::MachineMotion motion(const model::State& state) {
    (void)motions(state);
    return {motions_, angles_about(state.time), asleep_, leads_};
  }
  [[nodiscard]] std::span<const Real> angles_about(Real time);
  void find_turn_rates();
  void note_lost_angle(std::span<const Real> last);
  void note_lost_drive(std::span<const Real> last, Real from, Real to);
  [[nodiscard]] Index moved_by(Index joint) const;
  [[nodiscard]] Index moved_of(Index body_a, Index body_b) const;
  [[nodiscard]] bool sleeps(Index body) const {
    return body >= 0 && !asleep_.empty() && asleep_[static_cast<std::size_t>(body)] != 0;
  }
  [[nodiscard]] bool sleeps_constraint(Index constraint) const {
    return sleeps(body_of_constraint_[static_cast<std::size_t>(constraint)]);
  }
  [[nodiscard]] bool sleeps_axis(Index axis) const {
    return sleeps(body_of_axis_[static_cast<std::size_t>(axis)]);
  }
  [[nodiscard]] bool sleeps_element(Index element) const {
    return sleeps(body_of_element_[static_cast<std::size_t>(element)]);
  }
  /// Where the impulses of a force element begin among the internal variables, six of each.
  [[nodiscard]] Index element_slot(Index element) const {
    return slots * terms_.axis_count() + terms_.contact_count() + 6 * element;
  }
  [[nodiscard]] bool sleeps_contact(Index contact) const {
    return sleeps(moved_by(terms_.joint_of_contact(contact)));
  }
  void take_internal(const model::State& start);
  void find_independent(const model::State& start);
  [[nodiscard]] bool rates_jump(Real time, Real h) const;
  void find_owners();
  void list_laws();
  [[nodiscard]] bool are_known_here(Real time) const;
  void take_constraints(Real time, const dynamics::MachineMotion& here);
  void take_lengths();
  [[nodiscard]] model::TimeValue value_of(const TimedLaw& law, Real time, Real h) const;
  void take_rest(const model::State& state);
  [[nodiscard]] Real last_impulse(const Row& row) const;
  /// The constraint that is farthest from 0.
  struct Open {
    Real share = 0;
    Index constraint = -1;
  };
  [[nodiscard]] bool is_rounding(const VecX& value, const dynamics::MachineConstraints& constraints,
                                 std::span<const dynamics::BodyMotion> bodies,
                                 Index constraint) const;
  [[nodiscard]] Open open_by(const VecX& value) const;
  [[nodiscard]] Real beyond_limits(const dynamics::MachineMotion& here, bool has_play, Real reach,
                                   problem::BoundedRows* rows);
  [[nodiscard]] bool correct_within(const problem::BoundedRows& limits);
  void displace(std::span<const problem::BodyVelocity> way, model::State& state) const;
  [[nodiscard]] Real length_of(const dynamics::JacobianRow& row) const;
  [[nodiscard]] Real rate(const dynamics::JacobianRow& row) const;
  [[nodiscard]] Real axis_rate(Index axis, std::span<const problem::BodyVelocity> velocity) const;
  void add_parts(const dynamics::JacobianRow& row, Real factor, problem::BoundedRows& rows) const;
  void add_row(Row::Kind kind, Index index, const dynamics::JacobianRow& row, Real sign, Real bias,
               Real compliance, Real lower, Real upper, problem::BoundedRows& rows, Index slot);
  void add_coupling(const dynamics::MultibodyRow& row, problem::BoundedRows& rows) const;
  void add_constraints(const dynamics::MachineConstraints& constraints, std::span<const Real> bias,
                       bool are_asleep, problem::BoundedRows& rows);
  void list_all(const dynamics::MachineConstraints& constraints, std::span<const Real> bias,
                bool are_asleep);
  void judge_listed(std::span<const problem::BodyVelocity> bodies, certify::JointResidual& result);
  void judge_rest(const model::State& at);
  /// |Φ| of a constraint, lengths over those of bodies. @param value of all constraints.
  [[nodiscard]] Real scaled_violation(const VecX& value, Index constraint) const {
    return std::abs(value[constraint]) / length_[static_cast<std::size_t>(constraint)];
  }
  void add_unilateral(Row::Kind kind, Index index, const dynamics::JacobianRow& row, Real sign,
                      Real gap, Real approach, Real restitution, const dynamics::BiasLaw& law,
                      problem::RigidContact& problem, Index slot);
  void add_axis(Index axis, const dynamics::MachineMotion& here, const dynamics::BiasLaw& law,
                Level level, problem::RigidContact& problem);
  void add_rope(Index contact, const dynamics::MachineMotion& here, const dynamics::BiasLaw& law,
                problem::RigidContact& problem);
  void add_element(Index element, const dynamics::MachineMotion& here, Level level,
                   problem::RigidContact& problem);
  [[nodiscard]] Real effort_of(const model::Motor& drive) const;
  void add_effort(Index axis, const dynamics::MachineMotion& here);
  void add_force(problem::RigidContact& problem) const;
  void load(const model::State& at, const dynamics::MachineMotion& here,
            problem::RigidContact& problem);
  [[nodiscard]] Vec6 push_of(const Row& row) const;
  void add_play(std::span<const StepContact> contacts,
                std::vector<dynamics::Reaction>& reactions) const;
  [[nodiscard]] Real reaction(const problem::ContactImpulses& answer, Index joint) const;
  template <class Visit>
  void for_each_friction(Visit visit) const;
  [[nodiscard]] Index friction_count() const;
  [[nodiscard]] std::string constraint_name(Index constraint) const;
  [[nodiscard]] std::string name_of(const Row& row) const;
  [[nodiscard]] std::string mover_of(Index axis) const;
  [[nodiscard]] static bool resists(const Row& row) {
    return row.kind == Row::Kind::limit || row.kind == Row::Kind::friction ||
           row.kind == Row::Kind::rope;
  }
  [[nodiscard]] bool is_midpoint() const { return rule_ == MoreauRule::midpoint; }

  const model::Model& model_;
  const dynamics::RigidBodies& bodies_;
  const MoreauRule rule_;
  const Real theta_;
  dynamics::MachineTerms terms_;
  bool may_depend_ = false;  // whether constraints can depend on each other
  bool has_armature_ = false;
  Real h_ = 0, time_ = 0;                                 // of the step, at its start
  std::vector<Real> angles_;                              // where they were counted last
  Real counted_time_ = 0;                                 // then
  std::vector<Real> about_, turn_rate_, turn_rate_then_;  // of angles_about()
  std::vector<Index> turning_angles_;                     // about axes that turn
  std::string lost_drive_;                                // what is said of it; empty: none is
  Index lost_angle_ = -1;                                 // of those, in the step: not followed
  Real lost_turn_ = 0;                                    // of it [rad]
  std::vector<dynamics::JacobianRow> axis_row_;
  std::vector<Real> leads_, turn_;  // per axis: β − q̇ of the armature; w − q̇ of the way
  std::vector<WoundSpring> wound_;
  std::vector<Real> middle_, stretch_;  // per axis: q_M; q' − (q_M + h w'/2), as far as it is known
  std::vector<bool> is_limit_met_;      // per axis: a row, however far its limits are
  std::vector<Real> memory_;            // impulses of the last step by slot
  std::vector<Real> constraint_memory_;  // of the constraints, where bodies may sleep
  bool may_sleep_ = false, is_mask_new_ = false;
  std::vector<unsigned char> asleep_;  // per body; empty: all are awake
  std::vector<Index> body_of_constraint_, body_of_axis_, body_of_element_;
  std::vector<TimedLaw> laws_;
  std::vector<model::TimeValue> law_value_;                   // of each in the step
  std::vector<Row> resting_rows_;                             // of what sleeps
  std::vector<Real> resting_impulse_;                         // of each
  certify::JointResidual resting_;                            // of its constraints
  std::vector<dynamics::BodyMotion> motions_, step_motions_;  // last; where the step's rows are
  std::vector<dynamics::BodyMotion> known_motions_;           // of constraints_; empty: unknown
  std::vector<dynamics::BodyMotion> counted_motions_;         // where store() counted angles
  Real known_time_ = 0;
  dynamics::MachineConstraints constraints_, step_constraints_;  // of the last rows; of the step's
  std::vector<bool> is_independent_;                             // per constraint
  std::vector<Real> length_;                           // that Φ of each is over; of turns 1
  std::vector<Real> row_length_;                       // that its row is multiplied by
  std::vector<dynamics::RowTerms> start_;              // of every axis, at the start of the step
  std::vector<dynamics::ElasticTerms> start_elastic_;  // of every force element, there
  std::vector<Row> rows_, step_rows_;       // of the last rows made; of the step's problem
  std::vector<Row> given_rows_, end_rows_;  // of what has brought rates of constraints about
  std::vector<Real> bias_;
  problem::RigidContact displacement_;
  problem::ConstraintElimination elimination_;
  VecX open_;  // Φ of each constraint, where a projection has come to
  std::vector<problem::BodyVelocity> way_;
  std::vector<Real> given_impulse_, end_impulse_;
  Row farthest_;                 // beyond its limit, of the last beyond_limits()
  Row taken_back_row_;           // that project() has taken back to its limit by most in the step
  Real taken_back_ = 0;          // by how much
  problem::BoundedRows limits_;  // that a displacement keeps
  problem::Lcp limit_lcp_;
  std::vector<VecX> limit_way_;  // K⁻¹ aⱼ
  driver::RigidContactSolution moved_;
  std::vector<Real> alone_impulse_, alone_before_;  // of what move_alone returns
  std::vector<Real> reflected_;                     // per row of the step (AloneMotion)
  std::vector<unsigned char> alone_resists_;
  VecX force_;
  certify::JointCertifier certifier_;
  problem::BoundedRows all_;     // constraints as they are judged
  bool are_listed_ = false;      // all of constraints_ there
  bool is_step_listed_ = false;  // all of step_constraints_, but for biases
  std::vector<Index> listed_;    // which constraint each of them is
  std::vector<Real> violation_;  // of each
};

}  // namespace talus::stepping::detail
