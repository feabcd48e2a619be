#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::solve {
namespace {

using problem::BodyVelocity;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kSweepPatience = 200;  // sweeps without progress
constexpr Real kDamped = 0.5;          // relaxation that breaks cycles

constexpr Index kBodiesPerPiece = 1024;
constexpr Index kFirstSweeps = 4;  // with all batches
constexpr Index kWholeEvery = 64;

}  // namespace

void RigidNsgs::start(const problem::RigidContact& problem, const problem::ContactImpulses& guess,
                      Index history_room) {
  TALUS_DEMAND(guess.empty() || (guess.central.size() == problem.central.batches.size() &&
                                 guess.general.size() == problem.general.size()));
  TALUS_DEMAND(problem::is_coulomb_between_balls(problem.law) || problem.central.size() == 0);
  problem_ = &problem;
  sweeps_ = 0;
  history_ = detail::History(history_room > 0, history_room);
  history_.add(std::numeric_limits<Real>::quiet_NaN());
  momentum_.drop();
  last_step_ = 0;
  has_old_ = false;
  best_step_ = std::numeric_limits<Real>::infinity();
  since_best_ = 0;
  pace_ = Pace::momentum;
  is_whole_ = true;
  idle_.start();
  velocity_.resize(problem.bodies.size() + 1);
  parallel::copy(std::span(problem.bodies), velocity_.data());
  velocity_.back() = {};
  tile_sums_.resize(problem.central.tiles.size());
  const auto pieces = static_cast<std::uint32_t>(
      (static_cast<Index>(velocity_.size()) + kBodiesPerPiece - 1) / kBodiesPerPiece);
  phases_.assign(1, 0);
  if (problem.central.colours.empty()) phases_.push_back(pieces);
  for (const std::uint32_t tile : problem.central.colours) phases_.push_back(pieces + tile);

  const bool resists = !problem.resistance.empty();
  if (resists)
    resisting_.load(problem, guess);
  else
    general_.load(problem, guess.general);
  if (guess.empty()) {
    impulse_ = problem::zero_impulses(problem);
  } else {
    impulse_.central.resize(guess.central.size());
    parallel::copy(std::span(guess.central), impulse_.central.data());
    impulse_.general = guess.general;
    impulse_.moment = guess.moment;
  }
  if (guess.empty()) return;
  const detail::CentralSweep sweep = central_sweep(0, 1);
  parallel::for_phases(problem.central.colours,
                       [&](Index t) { kernels_->begin(sweep, problem.central.tiles[t]); });
  if (resists)
    resisting_.begin(velocity_);
  else
    general_.begin(velocity_);
  store_general();
}

void RigidNsgs::store_general() {
  impulse_.moment.clear();
  if (problem_->resistance.empty())
    general_.store(impulse_.general);
  else
    resisting_.store(impulse_);
}

void RigidNsgs::take(problem::ContactImpulses& impulse,
                     std::vector<problem::BodyVelocity>& velocity) {
  velocity_.resize(problem_->bodies.size());
  std::swap(impulse, impulse_);
  std::swap(velocity, velocity_);
  problem_ = nullptr;
}

detail::CentralSweep RigidNsgs::central_sweep(Real beta, Real relaxation) {
  return {problem_->central.batches.data(),
          impulse_.central.data(),
          old_central_.data(),
          reinterpret_cast<double*>(velocity_.data()),
          is_whole_ ? nullptr : idle_.data(),
          beta,
          relaxation};
}

/// All batches take part in the first sweeps, then in some, and in the one that decides.
void RigidNsgs::choose_batches(bool is_decisive) {
  if (!is_whole_ && (is_decisive || sweeps_ % kWholeEvery == 0)) {
    is_whole_ = true;
  } else if (is_whole_ && sweeps_ >= kFirstSweeps) {
    const bool is_any_central = find_idle_central();
    const bool is_any_general = problem_->resistance.empty() && general_.find_idle(has_old_);
    is_whole_ = !is_any_central && !is_any_general;
  }
}

bool RigidNsgs::find_idle_central() {
  if (!idle_.may_be_any()) return false;
  return idle_.find(problem_->central.tiles, impulse_.central.size(), [&](std::uint32_t k) {
    return !detail::is_zero(impulse_.central[k]) || (has_old_ && !detail::is_zero(old_central_[k]));
  });
}

void RigidNsgs::extrapolate_bodies(Index piece, Real beta) {
  const Index begin = piece * kBodiesPerPiece;
  const Index end = std::min(begin + kBodiesPerPiece, static_cast<Index>(velocity_.size()));
  kernels_->extrapolate(reinterpret_cast<double*>(velocity_.data() + begin),
                        reinterpret_cast<double*>(velocity_old_.data() + begin), beta, end - begin);
}

// Memory per contact: 64 B record + 24 B impulse (+ 24 B old impulse with momentum), and two bodies
// of 64 B each.
RigidNsgs::Step RigidNsgs::sweep_central(bool momentum, Real beta, Real relaxation) {
  const detail::CentralSweep sweep = central_sweep(beta, relaxation);
  const detail::CentralKernels::Sweep kernel = momentum          ? kernels_->momentum
                                               : relaxation != 1 ? kernels_->relaxed
                                                                 : kernels_->plain;
  const Index pieces = phases_[1];
  parallel::for_phases(std::span(phases_).subspan(momentum ? 0 : 1), [&](Index i) {
    if (i < pieces) return extrapolate_bodies(i, beta);
    const Index t = i - pieces;
    tile_sums_[t] = {};
    kernel(sweep, problem_->central.tiles[t], tile_sums_[t]);
  });
  Step step;
  for (const detail::LaneSums& sums : tile_sums_) {
    step.change += detail::total(sums.change);
    step.size += detail::total(sums.size);
  }
  return step;
}

RigidNsgs::Step RigidNsgs::sweep_general(bool momentum, Real beta, Real relaxation) {
  if (problem_->resistance.empty()) {
    const auto step = general_.sweep(momentum, beta, relaxation, is_whole_, velocity_);
    return {step.change, step.size};
  }
  const auto step = resisting_.sweep(momentum, beta, relaxation, velocity_);
  return {step.change, step.size};
}

/// The weight β of the next extrapolation; r_old and v_old are there from now on.
Real RigidNsgs::begin_momentum(Real cap) {
  const Real beta = momentum_.next(cap);
  if (!has_old_) {  // β = 0, but 0·(r − r_old) must be 0
    old_central_.resize(impulse_.central.size());
    parallel::copy(std::span<const problem::ImpulseBatch>(impulse_.central), old_central_.data());
    if (problem_->resistance.empty())
      general_.remember();
    else
      resisting_.remember();
    velocity_old_.resize(velocity_.size());
    parallel::copy(std::span<const BodyVelocity>(velocity_), velocity_old_.data());
  }
  has_old_ = true;
  return beta;
}

void RigidNsgs::drop_momentum() {
  momentum_.drop();
  has_old_ = false;
}

/// Another pace where sweeps bring no progress: momentum on a non-smooth map may circle for ever.
void RigidNsgs::watch_progress(Real step) {
  if (step < 0.99 * best_step_) {
    best_step_ = step;
    since_best_ = 0;
    return;
  }
  if (++since_best_ < kSweepPatience) return;
  const bool is_coulomb = problem_->law == problem::FrictionLaw::coulomb;
  const Pace last = is_coulomb ? Pace::plain : Pace::damped;
  pace_ = pace_ == last ? Pace::momentum : pace_ == Pace::plain ? Pace::damped : Pace::plain;
  drop_momentum();
  best_step_ = step;
  since_best_ = 0;
}

SolveReport RigidNsgs::run(Real gate, Index max_sweeps, const RigidNsgsOptions& options,
                           const std::function<bool()>& should_stop) {
  TALUS_DEMAND(problem_ != nullptr);
  SolveReport report{SolveStatus::max_iterations, 0, last_step_, {}};
  bool meets_gate = false;
  while (sweeps_ < max_sweeps) {
    // Momentum from the third sweep on, when there are two results to extrapolate from.
    const bool momentum = options.momentum_cap > 0 && sweeps_ >= 1 && pace_ == Pace::momentum;
    const Real beta = momentum ? begin_momentum(options.momentum_cap) : 0;
    const Real omega = pace_ == Pace::damped ? kDamped : options.relaxation;
    choose_batches(meets_gate);
    // r ← exact one-contact solution, v += M⁻¹ Jᵀ Δr, contact after contact (`jourdan_1998`).
    const Step central = sweep_central(momentum, beta, omega);
    const Step general = sweep_general(momentum, beta, omega);
    ++sweeps_;

    const Real size = central.size + general.size, change = central.change + general.change;
    const Real step = change == 0 ? 0 : std::sqrt(change / size);
    report.residual = step;
    history_.add(step);
    if (!std::isfinite(change + size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    if (beta > 0 && step > 1.05 * last_step_)
      drop_momentum();  // restart (`odonoghue_2015`): the extrapolation overshot
    last_step_ = step;
    watch_progress(step);
    meets_gate = step <= gate;
    if (meets_gate && is_whole_) {
      report.status = SolveStatus::converged;
      break;
    }
    if (should_stop && sweeps_ % options.check_interval == 0 && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
  }
  store_general();
  report.iterations = sweeps_;
  report.counts = {sweeps_, sweeps_, 0};
  report.history = history_.get();
  return report;
}

}  // namespace talus::solve
