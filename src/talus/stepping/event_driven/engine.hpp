#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <talus/stepping/event.hpp>
#include <talus/stepping/event_driven/accumulation.hpp>
#include <talus/stepping/event_driven/event_functions.hpp>
#include <talus/stepping/event_driven/integrator.hpp>
#include <talus/stepping/event_driven/options.hpp>
#include <talus/stepping/event_driven/projection.hpp>
#include <talus/stepping/event_driven/stick_slip_decision.hpp>

namespace talus::stepping::event_driven {

/// How an advance ended.
struct Outcome {
  problem::SolveStatus status = problem::SolveStatus::converged;
  std::string detail;
  std::shared_ptr<const problem::Lcp> unsolved;  ///< the LCP behind the status, if it is one
  Real residual = 0;                             ///< natural map of the worst LCP at an event
  Index solves = 0;                              ///< LCPs
  Index steps = 0;                               ///< internal steps taken
  Index rejected = 0;                            ///< steps taken back by the error control
  Real max_penetration = 0;                      ///< of rigid contacts [m]
  Index fastest_body = -1;  ///< where internal steps are too many: whose motion makes them short
  Index redundant = 0;      ///< bilateral constraints that say nothing new, at most
  void worsen(problem::SolveStatus to, const std::string& why,
              std::shared_ptr<const problem::Lcp> lcp = nullptr);
};

struct Touching;
struct ImpulsiveStep;
struct RowRate;

/// The event-driven motion of a machine in the plane or in space: smooth phases, and what happens
/// between them.
///
/// Internal steps of the chosen integrator; after each the event functions of the phase are looked
/// at, and where one has changed its sign the first of them is located on the integrator itself
/// (steps of length τ from the same start, so that the state at the event is as accurate as any
/// other). At an event come impacts, then one LCP for the accelerations, and a new phase. Points on
/// Φ = 0 are kept there as the options say.
class Engine {
 public:
  /// The machine must outlive the engine; its coordinates are counted anew from where it comes.
  /// @param step of the scene [s], > 0 (contract).
  Engine(dynamics::System& machine, const MachineOptions& options, Real step);

  /// Another step of the scene [s], > 0 (contract), from the present point on: the internal one
  /// where the options give none, and what an adaptive one is small against.
  void set_step(Real step);
  /// Takes a point whose modes are not known: contacts that touch are closed, those that approach
  /// collide.
  [[nodiscard]] Outcome start(Real time, const Point& x);
  /// From the present point to a time. @return not converged: what holds true no more; the status
  /// numerical_error: there is no motion beyond time(), or 100 000 adaptive steps have not come to
  /// the end; interrupted: MachineOptions::should_stop, which is asked after every internal step.
  [[nodiscard]] Outcome advance(Real end);

  [[nodiscard]] Real time() const { return time_; }
  /// Says what time the present point has: a caller counts steps, and this rounds as it does.
  void set_time(Real time) { time_ = time; }
  /// Takes the present point as a state has it, whose axes are those of the world in space: a run
  /// that is resumed starts there.
  void settle(const VecX& q, const VecX& v) {
    x_.q = q;
    x_.v = v;
  }
  /// √(2T), or what the applied forces make of it in a step, if that is more [√kg m/s]: speeds are
  /// small against it over √(J M⁻¹ Jᵀ).
  [[nodiscard]] Real speed_scale() const;
  [[nodiscard]] Real length_scale() const;  ///< largest coordinate [m]
  [[nodiscard]] const Point& point() const { return x_; }
  [[nodiscard]] const laws::Modes& modes() const { return phase_.modes(); }
  /// Independent bilateral constraints where forces were found last.
  [[nodiscard]] Index rank() const { return phase_.rank(); }
  [[nodiscard]] const laws::FrictionTable& elements() const { return elements_; }
  /// Of the last advance (or start).
  [[nodiscard]] const std::vector<Event>& events() const { return events_; }
  /// ∫ F dt of the last advance with the impulses of impacts, per contact: normal, tangential.
  [[nodiscard]] const std::vector<Vec2>& impulses() const { return impulses_; }
  /// Forces and accelerations at the present point, without stabilisation. They belong to the
  /// engine until the next call.
  [[nodiscard]] const Forces& plain_forces(Rate& rate);
  /// With springs of compliant contacts and of Dahl's friction [J].
  [[nodiscard]] Real energy() const { return energy_at(time_, x_); }

  /// Everything that is not in q and v: modes, Dahl's forces, series of impacts, the step size.
  /// @param state of this point: its internal variables, the angles, are added to.
  void write(model::State& state) const;
  /// Restores a point from what write() has kept; false if something is missing, or is not of this
  /// point. Throws InputError if these are the variables of another scheme or of another machine.
  [[nodiscard]] bool read(const VecX& q, const VecX& v, const model::State& state);

 private:
  [[nodiscard]] Real next_grid_time(Real end) const;
  void try_step(Real h);
  [[nodiscard]] Real error_of_step(Real h);
  [[nodiscard]] bool take_step(Real end, Outcome& outcome);
  [[nodiscard]] bool may_go_on(Real begin_time, Outcome& outcome) const;
  [[nodiscard]] Index fastest_body() const;
  [[nodiscard]] bool find_fired(Real h);
  [[nodiscard]] Real dip_of_gaps(Real h);
  [[nodiscard]] Real dip_of_forces(Real h);
  [[nodiscard]] bool scan_dense_output(Real h);
  [[nodiscard]] Real fastest(const Point& x, Index contact) const;
  [[nodiscard]] Real positive_from(std::size_t k, const EventValue& end, Real h);
  void try_step_of_zero();
  void narrow_first_change(Real low, Real h, Real at_high);
  [[nodiscard]] bool keep_changed();
  void locate_event();
  void accept(Real h, Real to, Outcome& outcome);
  [[nodiscard]] Real energy_at(Real time, const Point& x) const;
  [[nodiscard]] Real power(Real time, const Point& x, const Rate& rate, Real h) const;
  void judge_energy(Real h, Outcome& outcome) const;
  void begin(Outcome& outcome);
  [[nodiscard]] laws::Modes no_contact() const;
  void handle_events(Outcome& outcome);
  struct EventContext;
  void resolve(EventContext& now, Outcome& outcome);
  void sort_fired(EventContext& now);
  [[nodiscard]] Touching find_touching(EventContext& now) const;
  [[nodiscard]] bool apply_impact(const Touching& touching, EventContext& now, Outcome& outcome);
  [[nodiscard]] bool close_by_rates(const Touching& touching, EventContext& now) const;
  void count_impacts(const Touching& touching, EventContext& now);
  void collide(EventContext& now, Outcome& outcome);
  void close_series(EventContext& now, Index contact, Real limit);
  void query_frictions(EventContext& now);
  void list_rates(std::vector<RowRate>& rates) const;
  void pass_kink(Real kink, Real end, Outcome& outcome);
  void see_commands(Outcome& outcome);
  [[nodiscard]] bool is_overtaken(Index e) const;
  void take_given_rates();
  void resolve_jump(Outcome& outcome);
  void solve_modes(EventContext& now, Outcome& outcome);
  [[nodiscard]] EventContext event_context() const;
  [[nodiscard]] bool find_modes(const EventContext& now, ModeSolution& solution, Outcome& outcome);
  void begin_phase(const ModeSolution& solution);
  void enter(ModeSolution& solution);
  void release_idle(ModeSolution& solution);
  void reconsider(Outcome& outcome);
  void record(const EventContext& now, EventKind kind, Index contact);
  void record_changes(const EventContext& now);
  void add_friction_row(ImpulsiveStep& step, Index e, const dynamics::JacobianRow& row,
                        Index normal, Real known) const;
  void add_contact_rows(ImpulsiveStep& step) const;
  void add_joint_rows(ImpulsiveStep& step) const;
  void count_impulses(const ImpulsiveStep& step, const VecX& impulse);
  void impulsive_step(Outcome& outcome);
  void set_modes(const laws::Modes& modes);
  void refresh();
  [[nodiscard]] Real rest_speed(const dynamics::JacobianRow& row) const;
  [[nodiscard]] Real slow_speed(const dynamics::JacobianRow& row) const;
  Event& add_event(EventKind kind, Index contact);

  dynamics::System& machine_;
  MachineOptions options_;  // with the step that is taken
  const bool has_own_step_;
  const laws::FrictionTable elements_;
  Phase phase_;
  EventFunctions functions_;
  StickSlipDecision stick_slip_;
  DriftProjection projection_;
  std::unique_ptr<Integrator> integrator_;

  Real time_ = 0, grid_ = 0;  ///< grid_: where the fixed steps count from
  Real step_ = 0;             ///< of the error control
  Point x_, next_, inside_, error_;
  Rate k_, next_k_, inside_k_;
  std::vector<EventValue> samples_, next_samples_;
  std::vector<std::size_t> fired_;  ///< event functions
  std::vector<Real> from_;          ///< per fired event function: before it was positive from there
  bool is_immediate_ = false;
  Real dip_ = 0, located_ = 0;  ///< lengths of steps: to where it is looked, to the event
  Real speed_scale_ = 0;        ///< √(2T), about
  Index repeated_ = 0;          ///< events without time in between
  Index events_in_step_ = 0;
  Real last_event_ = 0;
  Real reconsidered_ = std::numeric_limits<Real>::quiet_NaN();  ///< when that was done last
  Real end_ = 0;                                                ///< of the present advance
  bool is_lost_ = false;  ///< a time step has led here: modes are to be found anew
  std::vector<Accumulation> series_;
  std::vector<Event> events_;
  std::vector<Vec2> forces_, impulses_;  ///< per contact: at the present point; since the start
  VecX v_before_;
  Real energy_before_ = 0;
};

}  // namespace talus::stepping::event_driven
