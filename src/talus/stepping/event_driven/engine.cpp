#include <talus/stepping/event_driven/engine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/event_driven/baumgarte.hpp>

// Internal steps. Where in them an event is: event_location.cpp; what happens there:
// engine_events.cpp, and at kinks of laws of time: engine_kinks.cpp.

namespace talus::stepping::event_driven {

using dynamics::System;
using problem::SolveStatus;

namespace {

constexpr Index kMostInternalSteps = 100000;  // adaptive ones in one step of the scene
constexpr Index kMostWidenings = 5;           // by ten each time
constexpr Index kMostRejections = 200;
// A stage in a singular position says nothing: with another step it falls beside.
constexpr Real kShift = 0.83;
constexpr Index kMostShifts = 8;
constexpr Real kShortest = 1e-3;  // of the step of the scene
// Of the energy in a step:
constexpr Real kPowerShare = 1e-3;        // of the step, in which the power is a difference
constexpr Real kBetween = 2;              // of the power at the ends, for that in between
constexpr Real kIntegrationErrors = 100;  // of the tolerance, for what has error control let pass
constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

/// As near before a kink as a step that ends there, t + h with its rounding, is sure not to reach
/// it: at the kink itself velocities are those after it.
Real just_before(Real kink, Real time) {
  constexpr Real kRoundings = 4;
  return kink - kRoundings * std::numeric_limits<Real>::epsilon() *
                    std::max(std::abs(kink), std::abs(time));
}

std::unique_ptr<Integrator> make_integrator(const MachineOptions& options) {
  if (options.integrator == "rk4") return make_rk4();
  if (options.integrator == "generalized_alpha")
    return make_generalized_alpha(options.rho_infinity);
  TALUS_DEMAND(options.integrator == "adaptive");
  return make_dormand_prince();
}

}  // namespace

void Outcome::worsen(SolveStatus to, const std::string& why,
                     std::shared_ptr<const problem::Lcp> lcp) {
  if (status == SolveStatus::converged || to == SolveStatus::numerical_error) {
    status = to;
    detail = why;
    unsolved = std::move(lcp);
  }
}

Engine::Engine(System& machine, const MachineOptions& options, Real step)
    : machine_(machine),
      options_(options),
      has_own_step_(options.step != 0 && options.integrator != "adaptive"),
      elements_(machine),
      phase_(machine, elements_),
      functions_(machine, elements_),
      stick_slip_(machine, elements_),
      projection_(machine, elements_),
      integrator_(make_integrator(options)) {
  TALUS_DEMAND(options_.tolerance > 0);
  set_step(step);
  const Index n = machine.coordinate_count();
  x_ = next_ = inside_ = error_ = {VecX::Zero(n), VecX::Zero(n), VecX::Zero(elements_.dahl_count)};
  k_ = next_k_ = inside_k_ = {VecX::Zero(n), VecX::Zero(elements_.dahl_count), VecX::Zero(n)};
  series_.resize(static_cast<std::size_t>(elements_.contact_count));
  forces_.assign(static_cast<std::size_t>(elements_.contact_count), Vec2::Zero());
  impulses_.assign(static_cast<std::size_t>(elements_.contact_count), Vec2::Zero());
}

void Engine::set_step(Real step) {
  if (!has_own_step_) options_.step = step;
  TALUS_DEMAND(options_.step > 0);
  phase_.set_baumgarte(baumgarte_of(options_));
}

void Engine::set_modes(const laws::Modes& modes) {
  phase_.set_modes(modes);
  functions_.set_modes(modes);
  integrator_->restart();
}

/// Rates and samples at the present point.
void Engine::refresh() {
  machine_.recount(time_, x_.q);
  phase_.take_sides(x_);
  phase_.evaluate(time_, x_, k_);
  // Events that come back at once without time in between are those of rounding.
  const Real widened = std::pow(10, static_cast<Real>(std::min<Index>(repeated_, kMostWidenings)));
  functions_.set_noise({repeated_ > 0 ? tolerance::kGapRoundOff * widened * length_scale() : 0,
                        tolerance::kSpeedNoise * widened * speed_scale(),
                        tolerance::kForceNoise * widened, tolerance::kRestGap * length_scale(),
                        tolerance::kNoSpeed * speed_scale()});
  functions_.observe(x_, k_, phase_, samples_);
  functions_.begin(x_, phase_, samples_);
  for (Index i = 0; i < elements_.contact_count; ++i)
    forces_[i] = {phase_.forces().normal[i], phase_.forces().friction[elements_.tangent(i)]};
}

const Forces& Engine::plain_forces(Rate& rate) {
  next_ = x_;
  phase_.evaluate_plain(time_, next_, rate);
  return phase_.forces();
}

Real Engine::energy_at(Real time, const Point& x) const {
  Real sum = machine_.kinetic_energy(x.q, x.v) + machine_.potential_energy(time, x.q);
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode mode = phase_.modes().normal[i];
    if (mode == laws::NormalMode::pressing || mode == laws::NormalMode::released)
      sum += model::stored_energy(machine_.law(i).normal, -machine_.gap(i, x.q));
  }
  for (const laws::FrictionElement& element : elements_.list)
    if (element.dahl >= 0)  // F²/2σ: what is left of F v is F² |v|/F_c ≥ 0
      sum += x.s[element.dahl] * x.s[element.dahl] /
             (2 * std::get<model::DahlFriction>(element.law->kind).stiffness);
  return sum;
}

/// Ė of a point that moves at a rate: the power of all that is not in E, as gravity and springs
/// are.
Real Engine::power(Real time, const Point& x, const Rate& rate, Real h) const {
  const auto moved = [&](Real by) {
    return energy_at(time + by, {x.q + by * rate.q, x.v + by * rate.a, x.s + by * rate.s});
  };
  const Real by = kPowerShare * h;
  return (moved(by) - moved(-by)) / (2 * by);
}

/// A smooth motion gains no more energy than its forces give: drives, motors, moving bodies and
/// given forces by the power at the ends of the step. What is more is an error of integration,
/// whatever the laws say of its end. The power is that of all forces as they are there: which of
/// them may give any is judged by their laws.
void Engine::judge_energy(Real h, Outcome& outcome) const {
  if (!(h > 0)) return;
  const Real to = time_ + h;
  const Real before = energy_at(time_, x_), after = energy_at(to, next_);
  const Real given =
      kBetween * h * std::max({power(time_, x_, k_, h), power(to, next_, next_k_, h), Real(0)});
  const VecX momentum = machine_.mass().times(next_.v);
  const VecX& force = phase_.applied_force();
  Real slack = tolerance::kEnergyRounding * (std::abs(before) + std::abs(after));
  for (Index i = 0; i < momentum.size(); ++i)
    slack += kIntegrationErrors * options_.tolerance *
             (std::abs(momentum[i]) * (1 + std::abs(next_.v[i])) +
              std::abs(force[i]) * (1 + std::abs(next_.q[i])));
  if (options_.integrator != "adaptive" || options_.stabilisation == "baumgarte")
    slack += tolerance::kEnergyOfFixedSteps *
             (machine_.kinetic_energy(x_.q, x_.v) + machine_.kinetic_energy(next_.q, next_.v));
  const Real rise = after - before - given;
  if (rise <= slack) return;
  outcome.worsen(SolveStatus::stalled,
                 fmt::format("between events the energy rises by {:.3g} J to {:.6g} J at t = {} s, "
                             "which no force gives: the integration errs, take smaller steps",
                             rise, after, to));
}

/// Fixed steps end on a grid, also after an event: at k h from where the advance began.
Real Engine::next_grid_time(Real end) const {
  if (options_.integrator == "adaptive") return end;
  const Real h = options_.step;
  const Real done = std::floor((time_ - grid_) / h + tolerance::kOnGrid);
  const Real next = grid_ + (done + 1) * h;
  return next > end - tolerance::kOnGrid * h ? end : next;
}

/// The point after a step of length h ≥ 0 from the present one, with rates and samples.
void Engine::try_step(Real h) {
  if (h == 0) {
    next_ = x_;
  } else if (!integrator_->step(phase_, time_, x_, k_, h, next_)) {
    next_.v.setConstant(std::numeric_limits<Real>::quiet_NaN());
    return;
  }
  if (options_.stabilisation == "projection" && h > 0)
    projection_.apply(time_ + h, phase_.modes(), next_);
  phase_.evaluate(time_ + h, next_, next_k_);
  functions_.observe(next_, next_k_, phase_, next_samples_);
}

/// Of the landed step, over the tolerance. What a projection takes back is no error: near a
/// singular position the accelerations across the constraints jump, and no step were small enough
/// for them.
Real Engine::error_of_step(Real h) {
  if (!integrator_->estimate(h, next_, next_k_, error_)) return 0;
  if (options_.stabilisation == "projection" && h > 0) phase_.project_error(error_);
  return relative_error(error_, x_, next_, options_.tolerance);
}

/// One internal step, or the part of it up to an event, which is handled. @return false: no motion.
bool Engine::take_step(Real end, Outcome& outcome) {
  const bool is_adaptive = options_.integrator == "adaptive";
  Real stop = next_grid_time(end);
  const Real kink = machine_.next_kink(time_);
  const bool is_to_kink = kink <= stop;
  if (is_to_kink) {
    stop = just_before(kink, time_);
    if (stop <= time_) {
      pass_kink(kink, end, outcome);
      return outcome.status != SolveStatus::numerical_error;
    }
  }
  Real h = stop - time_;
  bool is_whole = true;
  if (is_adaptive && step_ > 0 && step_ < h) {
    h = 2 * step_ < h ? step_ : (step_ < 0.9 * h ? h / 2 : h);
    is_whole = h == stop - time_;
  }
  if (const Real longest = machine_.longest_step(x_.v); h > longest) {
    h = longest;
    is_whole = false;
  }
  for (Index attempt = 0;; ++attempt) {
    (void)phase_.take_singular();
    try_step(h);
    if (phase_.take_singular() && attempt < kMostShifts && h > kShortest * options_.step) {
      h *= kShift;
      is_whole = false;
      continue;
    }
    const bool is_finite = next_.v.allFinite() && next_.q.allFinite() && next_k_.a.allFinite();
    const Real error = is_finite ? error_of_step(h) : kInfinity;
    if (error <= 1) {
      if (is_adaptive) {
        // h (1/error)^{1/5} with safety factor and bounds (`hairer_1993` §II.4).
        const Real factor = error > 0 ? 0.9 * std::pow(error, -0.2) : 5;
        const Real proposal = h * std::clamp(factor, 0.2, 5.0);
        step_ = is_whole ? std::max(step_, proposal) : proposal;  // a cut step says no more
      }
      break;
    }
    ++outcome.rejected;
    const Real smallest = tolerance::kSmallestStep * std::max(std::abs(time_), options_.step);
    if (attempt == kMostRejections || h <= smallest) {
      if (reconsidered_ != time_) {
        reconsidered_ = time_;
        reconsider(outcome);
        return outcome.status != SolveStatus::numerical_error;
      }
      outcome.worsen(
          SolveStatus::numerical_error,
          fmt::format("no step from t = {} s however small: the integrator fails", time_));
      return false;
    }
    h *= is_finite ? std::clamp(0.9 * std::pow(error, -0.2), 0.1, 0.5) : 0.25;
    is_whole = false;
  }
  if (find_fired(h)) {
    locate_event();
    return true;  // the events are handled by advance()
  }
  accept(h, is_whole ? stop : time_ + h, outcome);
  if (is_to_kink && is_whole) pass_kink(kink, end, outcome);
  return outcome.status != SolveStatus::numerical_error;
}

/// The landed step becomes the present point, at a time.
void Engine::accept(Real h, Real to, Outcome& outcome) {
  ++outcome.steps;
  judge_energy(h, outcome);
  const Forces& forces = phase_.forces();  // at the landed point
  for (Index i = 0; i < elements_.contact_count; ++i) {
    const laws::NormalMode mode = phase_.modes().normal[i];
    if (mode != laws::NormalMode::closed && mode != laws::NormalMode::pressing) continue;
    const Vec2 now(forces.normal[i], forces.friction[elements_.tangent(i)]);
    impulses_[i] += h / 2 * (forces_[i] + now);
    forces_[i] = now;
    if (mode == laws::NormalMode::closed)
      outcome.max_penetration = std::max(outcome.max_penetration, -phase_.contact(i).gap);
  }
  std::swap(x_, next_);
  std::swap(k_, next_k_);
  std::swap(samples_, next_samples_);
  time_ = to;
  machine_.recount(time_, x_.q);
  machine_.take_mass(x_.q);
  machine_.coordinate_rate(x_.q, x_.v, k_.q);
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.q, x_.v));
  outcome.redundant = std::max(outcome.redundant, machine_.constraint_count() - phase_.rank());
  integrator_->accept();
}

/// After an internal step of an advance that began at a time: false where it is interrupted, or
/// where there are so many that it would never end.
bool Engine::may_go_on(Real begin_time, Outcome& outcome) const {
  if (options_.should_stop && options_.should_stop()) {
    outcome.status = SolveStatus::interrupted;
    outcome.detail = fmt::format("interrupted at t = {} s", time_);
    return false;
  }
  if (options_.integrator != "adaptive" || outcome.steps + outcome.rejected < kMostInternalSteps)
    return true;
  outcome.fastest_body = fastest_body();
  outcome.worsen(SolveStatus::numerical_error,
                 fmt::format("{} internal steps have led from t = {} s to {} s only, the last of "
                             "{:.3g} s: the motion is too stiff or too fast for them",
                             outcome.steps + outcome.rejected, begin_time, time_, step_));
  return false;
}

/// The body whose coordinates or velocities the error control has last found hardest to follow; −1
/// of generalized coordinates.
Index Engine::fastest_body() const {
  const dynamics::MassMatrix& mass = machine_.mass();
  if (mass.is_general()) return -1;
  Real most = 0;
  Index fastest = -1;
  for (Index i = 0; i < error_.v.size(); ++i)
    for (const auto& [error, size] :
         {std::pair(error_.q[i], x_.q[i]), std::pair(error_.v[i], x_.v[i])})
      if (const Real share = std::abs(error) / (1 + std::abs(size)); share > most) {
        most = share;
        fastest = i / mass.width();
      }
  return fastest;
}

Outcome Engine::advance(Real end) {
  Outcome outcome;
  events_.clear();
  std::fill(impulses_.begin(), impulses_.end(), Vec2::Zero());
  grid_ = last_event_ = time_;
  const Real begin_time = time_;
  end_ = end;
  repeated_ = events_in_step_ = 0;
  reconsidered_ = std::numeric_limits<Real>::quiet_NaN();
  speed_scale_ = std::sqrt(2 * machine_.kinetic_energy(x_.q, x_.v));
  // Also where the rates are known: a run that is taken up here starts no otherwise.
  functions_.forget_depths();
  refresh();
  if (!is_lost_) see_commands(outcome);
  if (outcome.status == SolveStatus::numerical_error) return outcome;
  while (time_ < end) {
    fired_.clear();
    if (is_lost_) {
      begin(outcome);
      if (outcome.status == SolveStatus::numerical_error) return outcome;
      continue;
    }
    if (!take_step(end, outcome) || !may_go_on(begin_time, outcome)) return outcome;
    if (fired_.empty()) continue;
    accept(located_, time_ + located_, outcome);
    handle_events(outcome);
    if (outcome.status == SolveStatus::numerical_error) return outcome;
  }
  return outcome;
}

}  // namespace talus::stepping::event_driven
