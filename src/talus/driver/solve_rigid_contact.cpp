#include <talus/driver/solve_rigid_contact.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/driver/detail/islands.hpp>
#include <talus/driver/detail/solve_contacts.hpp>
#include <talus/driver/detail/solve_jointed_island.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::driver {
namespace {

using certify::RigidContactCertifier;
using problem::ContactImpulses;
using problem::SolveReport;
using problem::SolveStatus;

constexpr Index kBodiesPerPiece = 4096;

/// Whether impulses and velocities that are there already are an answer.
bool is_answer(const RigidContactCertifier& certify, const Options& options,
               RigidContactSolution& there) {
  there.certificate = certify(there.impulse, there.velocity);
  if (!there.certificate.meets(options.tolerance)) return false;
  there.report = {SolveStatus::converged, 0, there.certificate.natural_map, {}};
  return true;
}

/// One island. @param newton null without rows. @param begun its first sweeps; null: none.
/// @param solution in: the guess as its impulse, and the velocities that go with it, where
/// `may_keep`, which stay where they are an answer.
void solve_island(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                  const Options& options, bool may_keep, solve::RigidNewton* newton,
                  detail::Sweeps* begun, RigidContactSolution& solution) {
  if (begun != nullptr) return detail::end_contacts(problem, certify, options, *begun, solution);
  if (may_keep && is_answer(certify, options, solution)) return;
  if (problem.rows.empty())
    return detail::solve_contacts(problem, certify, options, solution.impulse, solution);
  detail::solve_jointed_island(problem, certify, options, *newton, solution);
}

/// What the reports of all islands say: the costs together, the most iterations of one, and why the
/// first one failed.
void add(const SolveReport& one, SolveReport& total) {
  total.iterations = std::max(total.iterations, one.iterations);
  total.residual = std::max(total.residual, one.residual);
  total.counts += one.counts;
  if (one.status == SolveStatus::converged || total.status != SolveStatus::converged) return;
  total.status = one.status;
  total.detail = one.detail;
}

/// What a thread keeps for problems of several islands.
struct IslandWork {
  detail::Islands islands;
  std::vector<RigidContactSolution> answers;
  std::vector<solve::RigidNewton> newtons;  // of the islands with rows, in their order
  std::vector<solve::RigidNewton*> newton_of;
  std::vector<detail::Sweeps> sweeps;
  std::vector<certify::Certificate> certificates;  // of all islands, by their numbers
  std::vector<std::size_t> missing;                // islands that do not meet the tolerance yet
  std::vector<std::size_t> own;                    // islands that this rank does not share

  [[nodiscard]] static IslandWork& of_thread() {
    static thread_local IslandWork kept;
    return kept;
  }
  void prepare(const problem::RigidContact& problem, const RigidContactCertifier& certify,
               bool may_stay);
};

void IslandWork::prepare(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                         bool may_stay) {
  islands.split(problem, certify, may_stay);
  const std::span<const detail::Island* const> all = islands.all();
  if (answers.size() < all.size()) answers.resize(all.size());
  const auto jointed = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto* one) { return !one->rows.empty(); }));
  if (newtons.size() < jointed) newtons.resize(jointed);
  newton_of.assign(all.size(), nullptr);
  for (std::size_t i = 0, next = 0; i < all.size(); ++i)
    if (!all[i]->rows.empty()) newton_of[i] = &newtons[next++];
}

/// Solves each of the islands: those that ranks share one after the other, all others by each rank.
template <class SolveOne>
void solve_each(std::span<const detail::Island* const> islands, std::vector<std::size_t>& own,
                const SolveOne& solve_one) {
  own.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (distribute::ranks() != nullptr &&
        solve::is_worth_sharing(islands[i]->size, !islands[i]->rows.empty()))
      solve_one(i);
    else
      own.push_back(i);
  }
  // The largest first: this thread takes it, and all that others become free for helps there.
  const auto size = [&](std::size_t i) { return islands[i]->size; };
  std::sort(own.begin(), own.end(), [&](std::size_t i, std::size_t j) {
    return size(i) != size(j) ? size(i) > size(j) : i < j;
  });
  parallel::for_each(static_cast<Index>(own.size()), [&](Index i) {
    const distribute::Alone alone;
    solve_one(own[i]);
  });
}

/// What a solver says of one island.
struct IslandAnswer {
  const SolveReport& report;
  const ContactImpulses& impulse;
  std::span<const problem::BodyVelocity> velocity;
};

/// Puts the answers of the islands, answer_of(i), into the whole; those that were solved there are
/// in it.
template <class AnswerOf>
void put_together(const problem::RigidContact& problem,
                  std::span<const detail::Island* const> islands, const AnswerOf& answer_of,
                  ContactImpulses& impulse, std::span<problem::BodyVelocity> velocity) {
  parallel::for_each(std::ssize(islands), [&](Index i) {
    if (islands[i]->colours > 0) return;
    const IslandAnswer answer = answer_of(static_cast<std::size_t>(i));
    const std::vector<Index>& bodies = islands[i]->bodies;
    detail::put_impulses(*islands[i], answer.impulse, problem, impulse);
    parallel::for_ranges(std::ssize(bodies), kBodiesPerPiece, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        if (answer.velocity[k].inverse_mass > 0) velocity[bodies[k]] = answer.velocity[k];
    });
  });
}

/// Bodies as they are without impulses.
void begin_whole(const problem::RigidContact& problem, RigidContactSolution& solution) {
  problem::set_zero(problem, solution.impulse);
  parallel::assign(std::span(problem.bodies), solution.velocity);
}

/// The report of the answers of the islands.
template <class AnswerOf>
void write_report(const problem::RigidContact& problem,
                  std::span<const detail::Island* const> islands, const AnswerOf& answer_of,
                  RigidContactSolution& solution) {
  SolveReport report;
  report.status = SolveStatus::converged;
  solution.unanswered.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const SolveReport& own = answer_of(i).report;
    add(own, report);
    if (own.status == SolveStatus::converged) continue;
    for (const Index body : islands[i]->bodies)
      if (problem.bodies[body].inverse_mass > 0) solution.unanswered.push_back(body);
  }
  std::sort(solution.unanswered.begin(), solution.unanswered.end());
  solution.report = std::move(report);
}

/// Sweeps over all islands, where they begin with that, each until its own part of the certificate
/// of the whole holds. @param is_in_parts of the island in the whole, as in solve_in_parts().
/// @return whether that came about; where not, each continues by itself.
bool sweep_islands(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                   const Options& options, const ContactImpulses& guess, IslandWork& work,
                   RigidContactSolution& solution, bool is_in_parts = false) {
  const std::span<const detail::Island* const> islands = work.islands.all();
  std::vector<detail::Sweeps>& sweeps = work.sweeps;
  if (sweeps.size() < islands.size()) sweeps.resize(islands.size());
  solve_each(islands, work.own, [&](std::size_t i) {
    const detail::Island& island = *islands[i];
    if (island.colours > 0)
      return detail::begin_contacts(problem, options, guess, sweeps[i], island.size, island.colours,
                                    is_in_parts);
    detail::impulses_of(island, problem, guess, work.answers[i].impulse);
    detail::begin_contacts(island.problem, options, work.answers[i].impulse, sweeps[i],
                           island.size);
  });
  const auto answer_of = [&](std::size_t i) -> IslandAnswer {
    return {sweeps[i].report, sweeps[i].nsgs.impulse(), sweeps[i].nsgs.velocity()};
  };
  const auto excess = [&](std::size_t i) {
    return work.certificates[islands[i]->number].excess(options.tolerance);
  };
  const auto place = std::find_if(islands.begin(), islands.end(),
                                  [](const detail::Island* island) { return island->colours > 0; });
  solve::RigidNsgs* whole =  // what has swept an island in the whole
      place == islands.end() ? nullptr : &sweeps[place - islands.begin()].nsgs;
  if (whole == nullptr) begin_whole(problem, solution);
  for (;;) {
    for (std::size_t i = 0; i < islands.size(); ++i)
      if (sweeps[i].report.status != SolveStatus::converged) return false;
    ContactImpulses& impulse = whole == nullptr ? solution.impulse : whole->whole_impulse();
    const std::span<problem::BodyVelocity> velocity =
        whole == nullptr ? std::span(solution.velocity) : whole->whole_velocity();
    put_together(problem, islands, answer_of, impulse, velocity);
    solution.certificate = certify(impulse, velocity, work.certificates);
    if (solution.certificate.meets(options.tolerance)) {
      write_report(problem, islands, answer_of, solution);
      if (whole != nullptr) whole->take(solution.impulse, solution.velocity);
      return true;
    }
    work.missing.clear();
    for (std::size_t i = 0; i < islands.size(); ++i)
      if (!(excess(i) <= 1)) work.missing.push_back(i);
    const auto can_continue = [&](std::size_t i) { return sweeps[i].report.residual > 0; };
    if (work.missing.empty() ||
        !std::all_of(work.missing.begin(), work.missing.end(), can_continue))
      return false;
    solve_each(islands, work.own, [&](std::size_t i) {
      if (!(excess(i) <= 1))
        detail::continue_contacts(problem, options, excess(i), sweeps[i], islands[i]->size);
    });
  }
}

void solve_by_islands(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                      const Options& options, bool may_keep, const ContactImpulses& guess,
                      RigidContactSolution& solution) {
  IslandWork& work = IslandWork::of_thread();
  // Balls alone: other bodies may have to meet more where the sweeps bring them to rest.
  const bool is_swept = !may_keep && problem.general.empty() && problem.rows.empty() &&
                        detail::begins_with_sweeps(problem, options);
  work.prepare(problem, certify, is_swept);
  if (is_swept && sweep_islands(problem, certify, options, guess, work, solution)) return;
  const Index left = work.islands.copy_rest(problem);
  const std::span<const detail::Island* const> islands = work.islands.all();
  if (left >= 0) work.sweeps[left].nsgs.narrow(islands[left]->problem, islands[left]->bodies);
  solve_each(islands, work.own, [&](std::size_t i) {
    const detail::Island& island = *islands[i];
    RigidContactSolution& answer = work.answers[i];
    if (!is_swept) detail::impulses_of(island, problem, guess, answer.impulse);
    answer.velocity.clear();
    if (may_keep)
      for (const Index body : island.bodies) answer.velocity.push_back(solution.velocity[body]);
    const RigidContactCertifier certify_island(island.problem);
    solve_island(island.problem, certify_island, options, may_keep, work.newton_of[i],
                 is_swept ? &work.sweeps[i] : nullptr, answer);
  });
  const auto answer_of = [&](std::size_t i) -> IslandAnswer {
    return {work.answers[i].report, work.answers[i].impulse, work.answers[i].velocity};
  };
  begin_whole(problem, solution);
  put_together(problem, islands, answer_of, solution.impulse, solution.velocity);
  write_report(problem, islands, answer_of, solution);
  solution.certificate = certify(solution.impulse, solution.velocity);
  detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                     solution.report);
}

/// Whether all bodies that forces move are one island, with rows.
bool is_one_machine(const problem::RigidContact& problem, const RigidContactCertifier& certify) {
  if (problem.rows.empty() || certify.island_count() > 1 || certify.is_idle(0)) return false;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0 && certify.island_of_body(static_cast<Index>(i)) < 0)
      return false;
  return true;
}

/// Solves it as it is, without a copy.
void solve_machine(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                   const Options& options, bool may_keep, const ContactImpulses& guess,
                   RigidContactSolution& solution) {
  static thread_local solve::RigidNewton newton;  // keeps the pattern of the last machine
  if (&guess != &solution.impulse) solution.impulse = guess;
  {
    const distribute::Alone alone;
    solve_island(problem, certify, options, may_keep, &newton, nullptr, solution);
  }
  detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                     solution.report);
}

void solve(const problem::RigidContact& problem, const Options& options, bool may_keep,
           const ContactImpulses& guess, RigidContactSolution& solution) {
  const RigidContactCertifier certify(problem);
  if (is_one_machine(problem, certify))
    solve_machine(problem, certify, options, may_keep, guess, solution);
  else if (!problem.rows.empty() || certify.island_count() > 1 || certify.is_idle(0))
    return solve_by_islands(problem, certify, options, may_keep, guess, solution);
  else if (!may_keep || !is_answer(certify, options, solution))
    detail::solve_contacts(problem, certify, options, guess, solution);
  solution.unanswered.clear();
  if (solution.report.status == SolveStatus::converged) return;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (problem.bodies[i].inverse_mass > 0) solution.unanswered.push_back(static_cast<Index>(i));
}

}  // namespace

void deal_out(problem::RigidContact& problem, Index colours) {
  constexpr Index kFewToDeal = 4096;  // contacts
  distribute::Ranks* const ranks = distribute::ranks();
  if (ranks == nullptr || problem.contact_count() < kFewToDeal)
    problem.central.deal = nullptr;
  else
    problem.central.deal = solve::deal_of(problem, *ranks, colours);
}

void solve(const problem::RigidContact& problem, const Options& options,
           const ContactImpulses& guess, RigidContactSolution& solution) {
  solve(problem, options, false, guess, solution);
}

bool solve_in_parts(const problem::RigidContact& problem, const Options& options,
                    const ContactImpulses& guess, RigidContactSolution& solution) {
  TALUS_DEMAND(problem.central.deal != nullptr && &guess != &solution.impulse);
  const RigidContactCertifier certify(problem);
  if (!certify.is_dealt() || !detail::begins_with_sweeps(problem, options)) return false;
  const std::size_t dealt = problem.central.deal->plan().tile_count();
  solution.unanswered.clear();
  if (certify.island_count() == 1 && !certify.is_idle(0))
    return dealt == problem.central.tiles.size() &&
           detail::solve_contacts_in_parts(problem, certify, options, guess, solution);
  IslandWork& work = IslandWork::of_thread();
  work.prepare(problem, certify, true);
  for (const detail::Island* island : work.islands.all())
    if (island->colours > 0 && problem.central.colours[island->colours] == dealt)
      return sweep_islands(problem, certify, options, guess, work, solution, true);
  return false;
}

void solve_again(const problem::RigidContact& problem, const Options& options,
                 RigidContactSolution& solution) {
  TALUS_DEMAND_EQ(solution.velocity.size(), problem.bodies.size());
  solve(problem, options, true, solution.impulse, solution);
}

}  // namespace talus::driver
