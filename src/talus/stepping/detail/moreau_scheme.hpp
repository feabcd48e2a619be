#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/persistent_contacts.hpp>
#include <talus/stepping/detail/function_laws.hpp>
#include <talus/stepping/detail/late_contacts.hpp>
#include <talus/stepping/detail/machine_step.hpp>
#include <talus/stepping/detail/middle_contacts.hpp>
#include <talus/stepping/detail/moreau_rule.hpp>
#include <talus/stepping/detail/moreau_step.hpp>
#include <talus/stepping/detail/push_out.hpp>
#include <talus/stepping/detail/push_out_rounds.hpp>
#include <talus/stepping/detail/settle_machine.hpp>
#include <talus/stepping/detail/unmet_contacts.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// Moreau's time stepping in space, by either rule (moreau_jean.hpp). Bodies can be left out of
/// steps: by SleepingMoreau, which says which.
class MoreauScheme : public MoreauStep {
 public:
  MoreauScheme(const model::Model& model, const SchemeOptions& options, MoreauRule rule);

  const std::vector<StepContact>& contacts() const override;
  std::optional<StepContact> contact(Index i) const override;
  std::span<const dynamics::Reaction> reactions() const override;
  Real place_of_reactions() const override {
    return machine_ ? machine_->place_of_rows() : Real(1);
  }
  std::span<const dynamics::AxisReaction> axes() const override;
  void certify_in_full(StepReport& report) const override;
  SchemeMemory memory() const override;
  void recall(const SchemeMemory& memory) override { recalled_ = memory; }
  void allow_parts(bool are_allowed) override { are_parts_allowed_ = are_allowed; }
  void complete() override;
  std::optional<problem::GlobalFrictionContact> last_problem() const override;

 protected:
  bool step_in_parts(model::State& state, Real h, StepReport& report) override;
  void take_given_rates(model::State& state, Real h) override;
  void give_back(model::State& state) override;
  void start(const model::State& state, Real h) override;
  void form_problem(const model::State& state, Real h) override;
  bool solve(const model::State& state, Real h, StepReport& report) override;
  bool has_missed(const model::State& state, Real h) override;
  void bound_restitution(Real h, StepReport& report) override;
  void certify(Real h, StepReport& report) override;
  bool move(const model::State& state, Real h) override;
  std::span<const problem::BodyVelocity> struck();
  bool correct(const model::State& state, Real h, StepReport& report) override;
  bool has_stretched(const model::State& state, StepReport& report) override;
  void finish(model::State& state, Real h, StepReport& report) override;
  void measure(const model::State& state, StepReport& report) override;

  /// Whether a body takes no part in the step: nothing moves it, and it moves nothing.
  [[nodiscard]] virtual bool is_left_out(Index /*body*/) const { return false; }
  /// Takes such bodies out of what load() has loaded.
  virtual void leave_out() {}
  /// The contacts of such bodies, which are reported with the others.
  [[nodiscard]] virtual std::span<const StepContact> resting_contacts() const { return {}; }
  /// Takes such bodies into the step that have been moved since the last one, or that something
  /// found by the search may touch. @return whether there are any of the latter.
  virtual void wake_changed(const model::State& /*state*/, Real /*h*/) {}
  virtual bool wake_touched() { return false; }
  /// The same after a step has pushed bodies out of each other.
  virtual void wake_pushed() {}
  /// Leaves out what was left out after the step that is recalled.
  virtual void recall_rest(const model::State& /*state*/, Real /*h*/,
                           const SchemeMemory& /*memory*/) {}

  void load(const model::State& state, Real h);
  /// The verdict on impulses and velocities, and its parts: status, and what the report shows.
  void judge(StepReport& report);
  void write_verdict(StepReport& report);
  [[nodiscard]] const std::vector<collision::Pair>& contact_pairs();
  [[nodiscard]] Index own_contact_count() const;
  [[nodiscard]] StepContact own_contact(Index i) const;
  [[nodiscard]] dynamics::BiasLaw bias_law(Real h) const {
    return {h, options_.theta, options_.error_reduction, options_.slop};
  }

  const model::Model& model_;
  const SchemeOptions options_;
  StepContacts step_contacts_;
  problem::RigidContact problem_;
  driver::RigidContactSolution solution_;  // its impulses are the next step's guess
  std::vector<collision::Contact> others_;
  std::optional<MachineStep> machine_;
  model::State next_;
  Real last_step_size_ = 0;
  bool are_parts_allowed_ = false;
  /// By which the impulses and the velocities of the last step are right; null: all are.
  std::shared_ptr<const distribute::Deal> deal_;
  driver::RigidContactSolution part_;  // of a step in parts, before it is taken
  bool is_advanced_ = false;           // next_ is where the last answer leads
  bool is_pushed_ = false;             // next_ is where push-outs have led
  bool is_bounded_ = false;            // what impulses do to the energy was bounded in this step
  bool is_raising_ = false;  // sets of contacts raise the energy, however little is restored
  std::vector<unsigned char>
      still_;                       // bodies left out, or that never move; empty: none is left out
  std::vector<StepContact> woken_;  // of bodies that were left out; not yet laid out
  bool is_layout_old_ = false;      // other bodies are left out

 private:
  [[nodiscard]] bool may_step_in_parts(const model::State& state, Real h) const;
  [[nodiscard]] bool take_part(const model::State& state, Real h, StepReport& report);
  void complete_impulses();
  [[nodiscard]] bool is_midpoint() const { return middle_.has_value(); }
  /// Whether impulses of this step may raise the energy, and must not.
  [[nodiscard]] bool may_raise() const {
    return may_raise_ &&
           (problem_.contact_count() > 0 ||
            (machine_ && machine_->may_raise(problem_, solution_, options_.solver.tolerance)));
  }
  [[nodiscard]] std::span<const ContactTurn> turns() const {
    return middle_ ? middle_->turns() : std::span<const ContactTurn>{};
  }
  [[nodiscard]] std::span<const unsigned char> carried() const {
    return middle_ ? middle_->carried() : std::span<const unsigned char>{};
  }
  void take_up(const model::State& state, Real h);
  const AloneMotion& move_alone();
  void judge_springs(StepReport& report);
  void lay_out(std::span<const StepContact> known, Real scale);
  void find_contacts(const model::State& state, const dynamics::BiasLaw& law);
  void add_others(const model::State& state, const dynamics::BiasLaw& law);
  void remember_others(Real h);
  [[nodiscard]] std::span<const Vec3> centres(Index other, const model::State& state) const;
  [[nodiscard]] bool is_foreseen(Index body, const model::State& state, Real h,
                                 const problem::BodyVelocity& velocity) const;
  bool widen(const model::State& state, Real h);
  void load_machine(const model::State& state, Real h);
  void solve_laws(bool is_first);
  void solve_set_valued(const driver::Options& options, bool is_first);
  void settle_machine(const driver::Options& options, bool may_meet);
  void solve_functions(bool is_first);
  void keep_functions(const model::State& state, Real h);
  [[nodiscard]] bool leave_out_unmet(const model::State& state, Real h);
  [[nodiscard]] const model::State& moved_by_velocities(const model::State& state, Real h);
  void restore_joints(bool has_play);
  void name_worst(StepReport& report);
  void judge_joints(StepReport& report);
  void report_machine() const;
  [[nodiscard]] Real speed_rounding(const collision::Contact& contact,
                                    const model::State& state) const;
  [[nodiscard]] bool is_compliant(Index contact) const;
  [[nodiscard]] Real slop(Index contact) const;
  [[nodiscard]] Real gap_after(Index contact, const model::State& state, Real h) const;
  bool push_out(const model::State& state, const dynamics::BiasLaw& law, StepReport& report);
  void find_most_overlap(Real pushed);
  bool judge_overlaps(const model::State& state, const dynamics::BiasLaw& law, StepReport& report);

  dynamics::PersistentContacts persistent_;
  std::vector<Real> approach_;  // of the others before the step, where it is needed
  std::vector<Index> order_;    // of the others in the problem: as they are
  Real start_penetration_ = 0;  // of the contacts that were there at the start of the step
  // Deeper in a mesh at the start of the step than a push-out is an answer to (kMostPushed).
  std::optional<collision::Contact> too_deep_;
  Real others_excess_ = 0;  // how much deeper than its slop the deepest of them is
  PushOut push_out_;
  PushOutRounds rounds_;
  std::vector<Index> stuck_;   // bodies that the push-out of the step cannot push apart
  bool is_ball_deep_ = false;  // deeper than a certified step may be, after the push-out
  std::vector<Real> most_overlap_;
  FunctionLaws functions_;
  std::vector<Real> gap_after_;  // of the others
  Real stored_energy_ = 0;       // of compliant contacts, at the end of the step [J]
  LateContacts late_;
  UnmetContacts unmet_;
  std::optional<MiddleContacts> middle_;  // of the midpoint rule
  MachineSettler settler_;
  std::vector<problem::BodyVelocity> struck_;  // by contacts alone
  problem::ContactImpulses contact_impulse_;
  std::vector<problem::BodyVelocity> pulled_;  // of the problem's bodies, with pulls of cohesion
  AloneMotion alone_;     // without contacts and what resists as they do: joints, springs, motors
  model::State coasted_;  // where Jean's rule takes the machine's rows, θ < 1
  const model::State* place_ = nullptr;                 // where either rule takes them
  bool is_first_ = true;                                // of the problems of the step
  bool has_left_margin_ = false;                        // a body, in the last answer
  int searches_ = 0, late_rounds_ = 0, stretches_ = 0;  // of the step
  bool has_reactions_ = false;                          // of the last step, which was taken
  mutable bool is_reported_ = false;                    // computed lazily, the two below
  mutable std::vector<dynamics::Reaction> reactions_;
  mutable std::vector<dynamics::AxisReaction> axes_;
  problem::SolveReport projection_;                  // of next_ on the machine's constraints
  bool has_restitution_ = false;                     // contacts
  bool takes_rates_ = false;                         // of drives, before contacts answer to them
  std::vector<Vec3> velocity_before_, spin_before_;  // these; empty: they have not jumped
  bool may_raise_ = false;  // restitution, or the midpoint rule, and the energy is bounded
  std::vector<Real> travel_;
  model::State moved_;
  std::vector<collision::Pair> awake_pairs_, contact_pairs_;
  std::vector<StepContact> resting_;           // of those left out of the last step
  std::optional<SchemeMemory> recalled_;       // taken up by the next step
  mutable std::vector<StepContact> contacts_;  // computed lazily
  mutable bool is_current_ = false;
};

}  // namespace talus::stepping::detail
