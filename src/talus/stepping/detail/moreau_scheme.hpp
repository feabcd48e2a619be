#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/tracked_contacts.hpp>
#include <talus/stepping/detail/function_laws.hpp>
#include <talus/stepping/detail/late_contacts.hpp>
#include <talus/stepping/detail/machine_step.hpp>
#include <talus/stepping/detail/middle_contacts.hpp>
#include <talus/stepping/detail/moreau_rule.hpp>
#include <talus/stepping/detail/push_out.hpp>
#include <talus/stepping/detail/push_out_rounds.hpp>
#include <talus/stepping/detail/settle_machine.hpp>
#include <talus/stepping/detail/sleeping_islands.hpp>
#include <talus/stepping/detail/unmet_contacts.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>
#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// Moreau's time stepping in space, by either rule (moreau_jean.hpp). Where bodies sleep, the rule
/// is Jean's with θ = 1 (moreau_sleeping.cpp).
class MoreauScheme final : public Scheme {
 public:
  MoreauScheme(const model::Model& model, const SchemeOptions& options, MoreauRule rule);

  StepReport step(model::State& state, Real h) override;
  const std::vector<StepContact>& contacts() const override;
  std::optional<StepContact> contact(Index i) const override;
  std::span<const dynamics::Reaction> reactions() const override;
  std::span<const dynamics::AxisReaction> axes() const override;
  SchemeMemory memory() const override;
  void recall(const SchemeMemory& memory) override { recalled_ = memory; }
  std::optional<problem::GlobalFrictionContact> last_problem() const override;

 private:
  [[nodiscard]] bool is_midpoint() const { return middle_.has_value(); }
  [[nodiscard]] std::span<const ContactTurn> turns() const {
    return middle_ ? middle_->turns() : std::span<const ContactTurn>{};
  }
  [[nodiscard]] std::span<const unsigned char> carried() const {
    return middle_ ? middle_->carried() : std::span<const unsigned char>{};
  }
  void load(const model::State& state, Real h);
  void take_up(const model::State& state, Real h);
  void lay_out(std::span<const StepContact> known, Real scale);
  void find_contacts(const model::State& state, const dynamics::BiasLaw& law);
  void add_others(const model::State& state, const dynamics::BiasLaw& law);
  [[nodiscard]] std::span<const Vec3> centres(Index other, const model::State& state) const;
  bool widen(const model::State& state, Real h);
  void load_machine(const model::State& state, Real h);
  void solve(bool is_first);
  void solve_set_valued(const driver::Options& options, bool is_first);
  void solve_functions(bool is_first);
  void keep_functions(const model::State& state, Real h);
  [[nodiscard]] bool leave_out_unmet(const model::State& state, Real h);
  [[nodiscard]] const model::State& moved_by_velocities(const model::State& state, Real h);
  [[nodiscard]] bool advance(const model::State& state, Real h);
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
  bool judge_overlaps(const model::State& state, const dynamics::BiasLaw& law, StepReport& report);
  [[nodiscard]] Index own_contact_count() const;
  [[nodiscard]] StepContact own_contact(Index i) const;

  // Where bodies sleep.
  [[nodiscard]] Sleepers::Law law_at_rest(Real h) const;
  bool wake_across(std::uint32_t a, std::uint32_t b);
  bool wake_touched();
  void wake_changed(const model::State& state, Real h);
  void wake_called(Real time, Real h);
  void wake_pushed();
  [[nodiscard]] bool is_any_still(const model::State& state) const;
  [[nodiscard]] Sleepers::NextMachine next_machine(const model::State& state, Real h);
  const std::vector<collision::Pair>& contact_pairs();
  Index look_for_rest(Real time, Real h);
  void bring_to_rest(StepReport& report);
  void fall_asleep(const model::State& state, std::span<const StepContact> contacts, Real h);

  const model::Model& model_;
  const SchemeOptions options_;
  StepContacts step_contacts_;
  dynamics::TrackedContacts tracked_;
  problem::RigidContact problem_;
  driver::RigidContactSolution solution_;  // its impulses are the next step's guess
  std::vector<collision::Contact> others_;
  std::vector<Real> approach_;  // of the others before the step, where it is needed
  std::vector<Index> order_;    // of the others in the problem: as they are
  Real start_penetration_ = 0;  // of the contacts that were there at the start of the step
  Real others_excess_ = 0;      // how much deeper than its slop the deepest of them is
  PushOut push_out_;
  PushOutRounds rounds_;
  bool is_ball_deep_ = false;  // deeper than a certified step may be, after the push-out
  FunctionLaws functions_;
  std::vector<Real> gap_after_;  // of the others
  Real stored_energy_ = 0;       // of compliant contacts, at the end of the step [J]
  LateContacts late_;
  UnmetContacts unmet_;
  std::optional<MiddleContacts> middle_;  // of the midpoint rule
  std::optional<MachineStep> machine_;
  MachineSettler settler_;
  std::vector<problem::BodyVelocity> alone_;  // without contacts: joints, springs
  std::vector<Real> alone_row_;
  std::optional<MachineStep> machine_at_rest_;  // in the step that would follow
  problem::RigidContact problem_at_rest_;
  problem::ContactImpulses impulse_at_rest_;
  VecX bounds_at_rest_;
  std::vector<unsigned char> restless_;
  std::vector<Index> called_;
  Vec3 last_gravity_ = Vec3::Zero();
  model::State coasted_;                 // where Jean's rule takes the machine's rows, θ < 1
  const model::State* place_ = nullptr;  // where either rule takes them
  bool is_advanced_ = false;             // next_ is where the last answer leads
  bool has_reactions_ = false;           // of the last step, which was taken
  mutable bool is_reported_ = false;     // computed lazily, the two below
  mutable std::vector<dynamics::Reaction> reactions_;
  mutable std::vector<dynamics::AxisReaction> axes_;
  problem::SolveReport projection_;  // of next_ on the machine's constraints
  bool has_restitution_ = false;
  bool may_rebound_ = false;  // some pair has restitution, and it is bounded
  std::vector<Real> travel_;
  model::State next_, moved_;
  Real last_step_size_ = 0;
  std::optional<Sleepers> sleepers_;
  std::vector<unsigned char> still_;  // bodies that sleep or never move; empty without sleepers
  std::vector<collision::Pair> awake_pairs_, contact_pairs_;
  std::vector<StepContact> woken_;             // not yet laid out
  std::vector<StepContact> sleeping_;          // contacts that slept in the last step
  bool is_layout_old_ = false;                 // the set of sleeping islands changed
  std::optional<SchemeMemory> recalled_;       // taken up by the next step
  mutable std::vector<StepContact> contacts_;  // computed lazily
  mutable bool is_current_ = false;
};

}  // namespace talus::stepping::detail
