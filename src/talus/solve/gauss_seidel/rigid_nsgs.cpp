#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/solve/gauss_seidel/detail/sweep_plan.hpp>

namespace talus::solve {
namespace {

using problem::BodyVelocity;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kSweepPatience = 200;  // sweeps without progress
constexpr Real kDamped = 0.5;          // relaxation that breaks cycles

constexpr Index kRow = 8;  // numbers per body
constexpr Index kBodiesPerPiece = 1024;
constexpr Index kFirstSweeps = 4;  // with all batches
constexpr Index kWholeEvery = 64;

// Sweeps of single precision have to make up for what it costs to begin and to end them, which is
// about three sweeps: there must be so many contacts, sweeps behind, and way to the gate.
constexpr std::size_t kSingleBatches = 32;
constexpr Index kBeforeSingle = 12, kBeforeSingleFar = 48;  // more where copies leave the caches
constexpr std::size_t kNearBodies = 8192;
constexpr Real kSingleAhead = 2;

/// Gives a list away; in exchange for another that has room for it, but the memory of large
/// problems does not go to small ones.
template <class T>
void hand_over(std::vector<T>& own, std::vector<T>& to) {
  if (2 * to.capacity() >= own.capacity())
    std::swap(own, to);
  else
    parallel::assign(std::span<const T>(own), to);
}

}  // namespace

bool is_worth_sharing(Index contacts, bool has_rows) {
  return !has_rows && contacts >= 2 * problem::ContactColouring::kTileContacts;
}

namespace {

bool has_several_tiles(const problem::RigidContact& problem, std::size_t central,
                       const detail::GeneralSchedule& general) {
  return is_worth_sharing(problem.contact_count(), !problem.rows.empty()) &&
         std::max(central, general.tiles().size()) > 1;
}

/// Where tiles are dealt out by: of balls alone, where they were when their contacts were laid out.
const std::vector<Vec3>& place_of(const problem::RigidContact& problem) {
  return problem.place.empty() ? problem.central.place : problem.place;
}

}  // namespace

bool deal_out_sweeps(const problem::RigidContact& problem, distribute::Ranks& ranks,
                     distribute::HandOvers& hand_overs) {
  detail::GeneralSchedule general;
  general.build(problem);
  if (!has_several_tiles(problem, problem.central.tiles.size(), general)) return false;
  distribute::SweepPlan plan;
  const detail::ProblemPlan of_problem(problem, problem.central.colours, general);
  of_problem.begin(plan);
  of_problem.add_tiles(plan);
  hand_overs.share(ranks, std::move(plan), place_of(problem));
  return true;
}

std::shared_ptr<distribute::Deal> deal_of(const problem::RigidContact& problem,
                                          distribute::Ranks& ranks, Index colours) {
  const detail::GeneralSchedule general;
  std::span<const std::uint32_t> visited = problem.central.colours;
  if (colours > 0) visited = visited.first(static_cast<std::size_t>(colours) + 1);
  if (!problem.general.empty() || visited.empty() ||
      !has_several_tiles(problem, visited.back(), general))
    return nullptr;
  distribute::SweepPlan plan;
  const detail::ProblemPlan of_problem(problem, visited, general);
  of_problem.begin(plan);
  of_problem.add_tiles(plan);
  return std::make_shared<distribute::Deal>(ranks, std::move(plan), place_of(problem));
}

void RigidNsgs::start(const problem::RigidContact& problem, const problem::ContactImpulses& guess,
                      Index history_room, Index colours, bool is_in_parts) {
  is_in_parts_ = is_in_parts;
  TALUS_DEMAND(guess.empty() || (guess.central.size() == problem.central.batches.size() &&
                                 guess.general.size() == problem.general.size()));
  TALUS_DEMAND(problem::is_coulomb_between_balls(problem.law) || problem.central.size() == 0);
  problem_ = &problem;
  colours_ = problem.central.colours;
  if (colours > 0) colours_ = colours_.first(colours + 1);
  tiles_ = std::span(problem.central.tiles).first(colours_.empty() ? 0 : colours_.back());
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
  single_.stop();
  may_be_single_ = true;
  velocity_.resize(problem.bodies.size() + 1);
  load_bodies();
  velocity_.back() = {};
  general_.load(problem);
  if (guess.empty()) {
    problem::set_zero(problem, impulse_);
  } else {
    impulse_.general = guess.general;
    impulse_.moment = guess.moment;
  }
  find_phases();
  share();
  lay_out_general(guess);
  if (!guess.empty()) begin(guess.central);
}

/// The velocities are those of the problem, of a step in parts where bodies are here.
void RigidNsgs::load_bodies() {
  const std::vector<BodyVelocity>& bodies = problem_->bodies;
  if (!is_in_parts_) return parallel::copy(std::span(bodies), velocity_.data());
  problem_->central.deal->for_here([&](Index begin, Index end) {
    std::copy(bodies.begin() + begin, bodies.begin() + end, velocity_.begin() + begin);
  });
}

/// Copies the impulses of the tiles that are visited here; of all central contacts where ranks do
/// not share the sweeps.
void RigidNsgs::copy_central(std::span<const problem::ImpulseBatch> from,
                             std::span<problem::ImpulseBatch> to) const {
  if (!hand_overs_.is_shared()) return parallel::copy(from, to.data());
  hand_overs_.for_each_own([&](Index t) {
    if (t >= std::ssize(tiles_)) return;
    const problem::Tile tile = tiles_[t];
    std::copy(from.begin() + tile.first, from.begin() + tile.end, to.begin() + tile.first);
  });
}

void RigidNsgs::narrow(const problem::RigidContact& island, std::span<const Index> bodies) {
  const auto gather = [&](std::vector<BodyVelocity>& rows) {
    if (rows.empty()) return;
    for (std::size_t i = 0; i < bodies.size(); ++i) rows[i] = rows[bodies[i]];  // they rise
    rows.resize(bodies.size() + 1);
    rows.back() = {};
  };
  if (single_.is_loaded()) leave_single();
  if (hand_overs_.is_shared() && has_old_) settle(velocity_old_, old_central_);
  problem_ = &island;
  colours_ = island.central.colours;
  tiles_ = island.central.tiles;
  gather(velocity_);
  if (has_old_) gather(velocity_old_);
  impulse_.central.resize(island.central.batches.size());
  if (has_old_) old_central_.resize(impulse_.central.size());
  general_.load(island);
  find_phases();
  share();
}

/// Of the tiles that this rank visits, where they are enough.
void RigidNsgs::lay_out_general(const problem::ContactImpulses& guess) {
  const auto central = static_cast<Index>(tiles_.size());
  const auto lay_out = [&](Index t) {
    if (t >= central) general_.lay_out_tile(t - central, guess);
  };
  if (hand_overs_.is_shared() && !general_.stores_surfaces())
    hand_overs_.for_each_own(lay_out);
  else
    parallel::for_each(static_cast<Index>(tile_steps_.size()), lay_out);
}

/// All phases of a sweep: pieces of bodies, to extrapolate, then the tiles.
void RigidNsgs::find_phases() {
  const auto pieces = static_cast<std::uint32_t>(
      (static_cast<Index>(velocity_.size()) + kBodiesPerPiece - 1) / kBodiesPerPiece);
  phases_.assign({0, pieces});
  for (const auto colours : {colours_, general_.schedule().colours()}) {
    const std::uint32_t before = phases_.back();
    for (std::size_t c = 1; c < colours.size(); ++c) phases_.push_back(before + colours[c]);
  }
  tile_steps_.resize(tiles_.size() + general_.schedule().tiles().size());
}

/// The tiles are shared among the ranks of this thread, if there are any, and tiles enough.
void RigidNsgs::share() {
  hand_overs_.stop();
  distribute::Ranks* ranks = distribute::ranks();
  if (ranks == nullptr || !has_several_tiles(*problem_, tiles_.size(), general_.schedule())) return;
  const std::shared_ptr<distribute::Deal>& dealt = problem_->central.deal;
  if (dealt != nullptr && &dealt->ranks() == ranks && problem_->general.empty() &&
      tiles_.size() == dealt->plan().tile_count())
    return hand_overs_.share(dealt);
  const detail::ProblemPlan of_problem(*problem_, colours_, general_.schedule());
  static thread_local distribute::SweepPlan plan;
  of_problem.begin(plan);
  if (hand_overs_.share_again(*ranks, plan)) return;
  of_problem.add_tiles(plan);
  hand_overs_.share(*ranks, std::move(plan), place_of(*problem_));
}

/// Impulses and velocities of all tiles are here from now on.
void RigidNsgs::settle() {
  if (!hand_overs_.is_shared()) return;
  if (is_in_parts_)
    return problem_->central.deal->to_others().exchange(
        distribute::HandOvers::kMoved,
        [&](std::uint32_t body, Real* to) { distribute::HandOvers::pack(row(body), to); },
        [&](std::uint32_t body, const Real* from) {
          distribute::HandOvers::unpack(from, row(body));
        });
  settle(velocity_, impulse_.central);
  const auto central = static_cast<Index>(tiles_.size());
  hand_overs_.deal().collect(general_.impulses(), [&](Index t, const auto& add) {
    if (t >= central) general_.for_impulses(t - central, add);
  });
}

void RigidNsgs::settle(std::vector<BodyVelocity>& velocity,
                       std::span<problem::ImpulseBatch> central) {
  hand_overs_.settle(reinterpret_cast<Real*>(velocity.data()));
  hand_overs_.deal().collect(central, [&](Index t, const auto& add) {
    if (t < std::ssize(tiles_)) add(Index{tiles_[t].first}, Index{tiles_[t].end});
  });
}

void RigidNsgs::take(problem::ContactImpulses& impulse,
                     std::vector<problem::BodyVelocity>& velocity) {
  velocity_.resize(problem_->bodies.size());
  hand_over(impulse_.central, impulse.central);
  hand_over(impulse_.general, impulse.general);
  hand_over(impulse_.moment, impulse.moment);
  hand_over(impulse_.row, impulse.row);
  hand_over(velocity_, velocity);
  problem_ = nullptr;
}

detail::CentralSweep RigidNsgs::central_sweep(Real beta, Real relaxation) {
  return {problem_->central.batches.data(),
          impulse_.central.data(),
          old_central_.data(),
          reinterpret_cast<double*>(velocity_.data()),
          is_whole_ ? nullptr : idle_.data(),
          beta,
          relaxation,
          detail::are_far(std::span(velocity_))};
}

/// All batches take part in the first sweeps, then in some, and in the one that decides.
void RigidNsgs::choose_batches(bool is_decisive) {
  if (!is_whole_ && (is_decisive || sweeps_ % kWholeEvery == 0)) {
    is_whole_ = true;
  } else if (is_whole_ && sweeps_ >= kFirstSweeps && !impulse_.central.empty() &&
             (single_.is_loaded() ? single_.idle() : idle_).may_be_any()) {
    using Batches = std::span<const problem::ImpulseBatch>;
    const auto find = [&](auto& idle, auto tiles, auto impulse, auto old) {
      return idle.find(tiles, impulse, old, hand_overs_);
    };
    is_whole_ = !(single_.is_loaded() ? find(single_.idle(), single_.tiles(), single_.impulse(),
                                             single_.old_impulse())
                                      : find(idle_, tiles_, Batches(impulse_.central),
                                             has_old_ ? Batches(old_central_) : Batches{}));
  }
}

/// Calls visit(tile) for the tiles of a sweep, which other ranks may share; with momentum bodies
/// are extrapolated before. @param has_holders as in HandOvers::begin_pass.
template <class T, class Visit>
void RigidNsgs::for_tiles(const Bodies<T>& bodies, const detail::SweepPace& pace, bool has_holders,
                          const Visit& visit) {
  const auto extrapolate = [&](Index begin, Index end) {
    bodies.extrapolate(bodies.now + kRow * begin, bodies.old + kRow * begin, pace.beta,
                       end - begin);
  };
  if (hand_overs_.is_shared()) {
    const std::span<const distribute::Range> held = hand_overs_.held();
    if (pace.momentum)
      parallel::for_each(static_cast<Index>(held.size()),
                         [&](Index i) { extrapolate(held[i].begin, held[i].end); });
    hand_overs_.begin_pass(bodies.now, has_holders);
    hand_overs_.for_phases(bodies.now, visit);
    hand_overs_.end_pass();
    return;
  }
  const Index pieces = phases_[1], count = static_cast<Index>(velocity_.size());
  parallel::for_phases(std::span(phases_).subspan(pace.momentum ? 0 : 1), [&](Index i) {
    if (i >= pieces) return visit(i - pieces);
    const Index first = i * kBodiesPerPiece;
    extrapolate(first, std::min(first + kBodiesPerPiece, count));
  });
}

/// Calls visit(tile) for the tiles of this rank, in any order.
template <class Visit>
void RigidNsgs::for_own_tiles(const Visit& visit) const {
  if (hand_overs_.is_shared())
    hand_overs_.for_each_own(visit);
  else
    parallel::for_each(static_cast<Index>(tile_steps_.size()), visit);
}

/// The guess is cut back to its cones, and acts on the bodies. Tiles that are none of this island
/// have no impulses.
void RigidNsgs::begin(std::span<const problem::ImpulseBatch> guess) {
  impulse_.central.resize(guess.size());
  const std::size_t visited = tiles_.empty() ? 0 : tiles_.back().end;
  std::fill(impulse_.central.begin() + static_cast<std::ptrdiff_t>(visited), impulse_.central.end(),
            problem::ImpulseBatch{});
  const detail::CentralSweep central = central_sweep(0, 1);
  const auto central_tiles = static_cast<Index>(tiles_.size());
  for_tiles(body_rows(), {}, false, [&](Index t) {
    if (t < central_tiles)
      kernels_->begin(central, guess.data(), tiles_[t]);
    else
      general_.begin(t - central_tiles, velocity_);
  });
  general_.store(impulse_);
}

// Memory per central contact: 64 B record + 24 B impulse (+ 24 B old impulse with momentum), and
// two bodies of 64 B each; half of it, but 40 B of record, in single precision.
detail::SweepStep RigidNsgs::sweep(const detail::SweepPace& pace) {
  if (single_.is_loaded())
    return sweep<float>(single_.sweep(pace.beta, is_whole_), kernels_->momentum_single,
                        single_.tiles(),
                        {single_.rows(), single_.old_rows(), kernels_->extrapolate_single}, pace);
  const detail::CentralKernels::Sweep kernel = pace.momentum          ? kernels_->momentum
                                               : pace.relaxation != 1 ? kernels_->relaxed
                                                                      : kernels_->plain;
  return sweep<Real>(central_sweep(pace.beta, pace.relaxation), kernel, tiles_, body_rows(), pace);
}

template <class T>
detail::SweepStep RigidNsgs::sweep(const detail::CentralSweepOf<T>& central,
                                   detail::CentralKernels::SweepOf<T> kernel,
                                   std::span<const problem::Tile> tiles, const Bodies<T>& bodies,
                                   const detail::SweepPace& pace) {
  const auto central_tiles = static_cast<Index>(tiles.size());
  for_tiles(bodies, pace, true, [&](Index t) {
    if (t >= central_tiles) {
      if constexpr (std::is_same_v<T, Real>)
        general_.visit(t - central_tiles, pace, velocity_);
      else
        general_.visit_single(t - central_tiles, pace, bodies.now);
      tile_steps_[t] = general_.step(t - central_tiles);
      return;
    }
    detail::LaneSums sums;
    kernel(central, tiles[t], sums);
    tile_steps_[t] = {detail::total(sums.change), detail::total(sums.size)};
  });
  return step_of_tiles();
}

/// Of all ranks, added in the order of the tiles.
detail::SweepStep RigidNsgs::step_of_tiles() {
  const auto central_tiles = static_cast<Index>(tiles_.size());
  const auto tiles = static_cast<Index>(tile_steps_.size());
  if (hand_overs_.is_shared()) hand_overs_.complete(std::span(tile_steps_));
  detail::SweepStep central, general;
  for (Index t = 0; t < tiles; ++t) (t < central_tiles ? central : general) += tile_steps_[t];
  return central += general;
}

/// The weight β of the next extrapolation; r_old and v_old are there from now on.
Real RigidNsgs::begin_momentum(Real cap) {
  const Real beta = momentum_.next(cap);
  if (!has_old_ && !single_.is_loaded()) remember();  // β = 0, but 0·(r − r_old) must be 0
  has_old_ = true;
  return beta;
}

/// r_old and v_old are r and v from here on: of the tiles and bodies that this rank has.
void RigidNsgs::remember() {
  resize_unwritten(old_central_, impulse_.central.size());
  velocity_old_.resize(velocity_.size());
  general_.remember();
  copy_central(impulse_.central, old_central_);
  if (!hand_overs_.is_shared())
    return parallel::copy(std::span<const BodyVelocity>(velocity_), velocity_old_.data());
  const std::span<const distribute::Range> held = hand_overs_.held();
  parallel::for_each(std::ssize(held), [&](Index i) {
    std::copy(velocity_.begin() + held[i].begin, velocity_.begin() + held[i].end,
              velocity_old_.begin() + held[i].begin);
  });
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

bool RigidNsgs::may_begin_single(Real gate, const RigidNsgsOptions& options) const {
  const Index before = velocity_.size() > kNearBodies ? kBeforeSingleFar : kBeforeSingle;
  return may_be_single_ && gate >= options.single_gate && sweeps_ >= before &&
         last_step_ > kSingleAhead * gate && pace_ == Pace::momentum && options.momentum_cap > 0 &&
         options.relaxation == 1 && (problem_->general.empty() || general_.may_be_single()) &&
         (tiles_.empty() ? 0 : tiles_.back().end) + general_.schedule().batches().size() >=
             kSingleBatches;
}

/// Sweeps go on in single precision.
void RigidNsgs::begin_single() {
  using Rows = std::span<const BodyVelocity>;
  using Batches = std::span<const problem::ImpulseBatch>;
  single_.load(*problem_, tiles_, velocity_, has_old_ ? Rows(velocity_old_) : Rows{},
               is_in_parts_ ? problem_->central.deal.get() : nullptr);
  general_.begin_single(single_.units());
  const auto central_tiles = static_cast<Index>(tiles_.size());
  for_own_tiles([&](Index t) {
    if (t < central_tiles)
      single_.load_tile(t, impulse_.central, has_old_ ? Batches(old_central_) : Batches{});
    else
      general_.load_single(t - central_tiles, has_old_);
  });
  is_whole_ = true;
}

/// Impulses of single precision become the answer, with the velocities that follow from them.
void RigidNsgs::take_single() {
  const auto central_tiles = static_cast<Index>(tiles_.size());
  for_own_tiles([&](Index t) {
    if (t < central_tiles)
      single_.store_tile(t, impulse_.central);
    else
      general_.store_single(t - central_tiles);
  });
  load_bodies();
  begin(impulse_.central);
}

/// Sweeps go on in double precision, from where velocity_ and impulse_ are.
void RigidNsgs::leave_single() {
  single_.stop();
  may_be_single_ = false;
  is_whole_ = true;
  drop_momentum();
}

SolveReport RigidNsgs::run(Real gate, Index max_sweeps, const RigidNsgsOptions& options,
                           const std::function<bool()>& should_stop) {
  TALUS_DEMAND(problem_ != nullptr);
  SolveReport report{SolveStatus::max_iterations, 0, last_step_, {}};
  bool meets_gate = false;
  // The last run has taken what it had in single precision.
  if (single_.is_loaded() && gate < options.single_gate) leave_single();
  while (sweeps_ < max_sweeps) {
    if (!single_.is_loaded() && may_begin_single(gate, options)) begin_single();
    // Momentum from the third sweep on, when there are two results to extrapolate from.
    const bool momentum = options.momentum_cap > 0 && sweeps_ >= 1 && pace_ == Pace::momentum;
    const Real beta = momentum ? begin_momentum(options.momentum_cap) : 0;
    const Real omega = pace_ == Pace::damped ? kDamped : options.relaxation;
    choose_batches(meets_gate);
    // r ← exact one-contact solution, v += M⁻¹ Jᵀ Δr, contact after contact (`jourdan_1998`).
    const auto [change, size] = sweep({momentum, beta, omega});
    ++sweeps_;

    const Real step = change == 0 ? 0 : std::sqrt(change / size);
    report.residual = step;
    history_.add(step);
    if (single_.is_loaded() && (!std::isfinite(change + size) || change == 0)) {
      if (change == 0) take_single();
      leave_single();
      continue;
    }
    if (!std::isfinite(change + size)) {
      report.status = SolveStatus::numerical_error;
      break;
    }
    if (beta > 0 && step > 1.05 * last_step_)
      drop_momentum();  // restart (`odonoghue_2015`): the extrapolation overshot
    last_step_ = step;
    watch_progress(step);
    if (single_.is_loaded() && pace_ != Pace::momentum) {
      take_single();
      leave_single();
      pace_ = Pace::momentum;
      continue;
    }
    meets_gate = step <= gate;
    if (meets_gate && is_whole_) {
      report.status = SolveStatus::converged;
      break;
    }
    if (should_stop && sweeps_ % options.check_interval == 0 && hand_overs_.agree(should_stop())) {
      report.status = SolveStatus::interrupted;
      break;
    }
  }
  if (single_.is_loaded()) take_single();
  settle();
  general_.store(impulse_);
  report.iterations = sweeps_;
  report.counts = {sweeps_, sweeps_, 0};
  report.history = history_.get();
  return report;
}

}  // namespace talus::solve
