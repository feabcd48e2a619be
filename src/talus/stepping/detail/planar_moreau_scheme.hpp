#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/laws/contact_step.hpp>
#include <talus/laws/step_laws.hpp>
#include <talus/stepping/detail/moreau_rule.hpp>
#include <talus/stepping/detail/moreau_step.hpp>
#include <talus/stepping/detail/planar_contact.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>
#include <talus/stepping/detail/planar_push_out.hpp>
#include <talus/stepping/detail/planar_step_contact.hpp>
#include <talus/stepping/detail/planar_step_judge.hpp>
#include <talus/stepping/detail/planar_unmet_contacts.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping::detail {

/// Moreau's schemes for planar models and own systems (planar_moreau_jean.hpp): the lines of a
/// step, and the contacts and rows of its problem (planar_moreau_rows.cpp).
class PlanarMoreauScheme final : public MoreauStep {
 public:
  PlanarMoreauScheme(const model::Model& model, const SchemeOptions& options, MoreauRule rule);

  [[nodiscard]] const std::vector<StepContact>& contacts() const override { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const override {
    return reactions_;
  }
  [[nodiscard]] SchemeMemory memory() const override { return {contacts_, step_size_, {}, {}}; }
  void recall(const SchemeMemory& memory) override {
    contacts_ = memory.contacts;
    step_size_ = memory.step_size;
  }
  [[nodiscard]] std::optional<problem::GlobalFrictionContact> last_problem() const override {
    return std::nullopt;
  }

 private:
  void start(const model::State& state, Real h) override;
  void form_problem(const model::State& state, Real h) override;
  bool solve(const model::State& state, Real h, StepReport& report) override;
  bool has_missed(const model::State& state, Real h) override;
  /// Part of every solve: contacts that are found depend on it.
  void bound_restitution(Real /*h*/, StepReport& /*report*/) override {}
  void certify(Real h, StepReport& report) override;
  bool move(const model::State& state, Real h) override;
  bool correct(const model::State& state, Real h, StepReport& report) override;
  void finish(model::State& state, Real h, StepReport& report) override;
  void measure(const model::State& state, StepReport& report) override;

  struct Active {
    Index contact;
    dynamics::ContactTerms terms;
    PlanarTurn turn;
    std::vector<std::size_t> tangents;  // rows whose impulses act along the tangent
    std::size_t rolling = 0;            // row of the moment that resists rolling; 0: none
  };

  void load(const model::State& state);
  void store(model::State& state) const;
  void predict(Real h);
  void bring_to_given_rates(Real h);
  void keep_constraints();
  void add_springs(Real h);
  void collect(Real h);
  void add_contact(Index contact, Real h);
  [[nodiscard]] bool add_missed(Real h);
  [[nodiscard]] bool add_late(const laws::StepImpulses& answer, Real h);
  [[nodiscard]] std::vector<PlanarUnmetContacts::Acting> acting(
      const laws::StepImpulses& answer) const;
  [[nodiscard]] Index lost_gap() const;
  [[nodiscard]] bool leave_out_unmet(const laws::StepImpulses& answer, Real h);
  [[nodiscard]] GapLaw gap_law(const Active& a, Real h) const {
    return {bias_law(h), rule_ == MoreauRule::midpoint, a.terms, a.turn, free_};
  }
  [[nodiscard]] StepPlace place(Real h) const {
    return {rule_ == MoreauRule::midpoint, h, theta_, q_, v_, place_, &late_, &unturned_};
  }
  [[nodiscard]] dynamics::BiasLaw bias_law(Real h) const {
    return {h, theta_, options_.error_reduction, options_.slop};
  }
  void add_row(const dynamics::JacobianRow& row, Real turn = 0);
  void add_friction(Index element, Index normal, const dynamics::JacobianRow& row, Real slip,
                    Real turn = 0);
  void assemble(Real h);
  void apply(const laws::StepImpulses& answer, Real h);
  void find_reactions(Real h);
  [[nodiscard]] std::vector<PlanarPushOut::Taken> taken(Real h) const;
  [[nodiscard]] JudgedStep judge(const laws::StepImpulses& answer, Real time, Real h) const;
  [[nodiscard]] Index listed(Index contact) {
    return place_in(contacts_, *machine_, contact, place_, v_);
  }
  void judge_state(Real time, const VecX& start, StepReport& report);
  void remember(const laws::StepImpulses& answer);
  /// Whether no impact may raise the energy.
  [[nodiscard]] bool is_bounded() const { return options_.machine.restitution == "bounded"; }
  bool take_mean_velocity();
  [[nodiscard]] laws::StepImpulses solve_to(Real tolerance, const VecX& guess,
                                            Index most_iterations) const;
  void take_restitution(Real tolerance, laws::StepImpulses& answer);
  bool stop_turning(const laws::StepImpulses& answer, Real h);
  [[nodiscard]] std::vector<dynamics::BodyPair> bodies() const;
  [[nodiscard]] VecX guess() const;

  const model::Model& model_;
  const SchemeOptions options_;
  const MoreauRule rule_;
  const std::string_view name_;  // of the scheme
  const Real theta_;             // 1/2 of the midpoint rule
  std::unique_ptr<dynamics::System> machine_;
  std::unique_ptr<laws::FrictionElements> elements_;
  bool has_memory_ = false;
  laws::SparseValues memory_;       // per friction element: Dahl's force, or 1 where it stuck
  laws::SparseValues impact_rate_;  // per contact: δ̇ where it began, 0 where it is open
  Real step_size_ = 0;
  Real time_ = 0;              // at the start of the step
  Real tolerance_ = 0;         // of its problems
  bool is_predicted_ = false;  // the free velocity is that of the forces
  int late_rounds_ = 0, force_rounds_ = 0, sharpenings_ = 0;  // of the step
  laws::StepImpulses answer_;
  JudgedStep judged_;
  VecX free_impulses_;     // of the constraints and springs, without contacts
  VecX given_impulses_;    // of the constraints, by which v_ has their rates at the start
  VecX q_, v_;             // at the start of the step; at its end when it is done
  VecX next_q_, next_v_;   // what the impulses make of them
  VecX place_;             // where contacts and forces are taken: q + (1 − θ) h v
  VecX bearing_;           // where the constraints are
  Real given_time_ = 0;    // of the velocities of prescribed bodies
  Real bearing_time_ = 0;  // of their rates
  VecX force_velocity_;    // of which forces are functions
  VecX free_, acceleration_, force_, scratch_;
  dynamics::ConstraintTerms constraints_;  // and springs after them
  std::vector<dynamics::ElasticRow> springs_;
  std::vector<Real> compliance_;  // per row of both
  dynamics::ConstraintFactor solver_;
  dynamics::ConstraintProjection projection_;
  PlanarPushOut push_out_;
  PlanarLateContacts late_;
  laws::SparseValues restitution_share_{1};  // per contact: what is left of e, of turns
  VecX impulses_, change_;                   // of the constraints and springs
  dynamics::ConstraintFactor::Response response_;
  std::vector<Active> active_;
  std::unordered_set<Index> unturned_;    // contacts taken at the middle alone
  std::unordered_set<Index> considered_;  // contacts in active_, or held by the constraints
  PlanarUnmetContacts unmet_;
  laws::StepProblem problem_;
  std::vector<dynamics::JacobianRow> rows_;
  std::vector<Real> turns_;                      // per row
  std::vector<Index> row_element_;               // of the frictions
  std::deque<laws::FrictionElement> frictions_;  // of the frictions, where they stay
  std::vector<dynamics::ConstraintFactor::Response> responses_;  // per row
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
};

}  // namespace talus::stepping::detail
