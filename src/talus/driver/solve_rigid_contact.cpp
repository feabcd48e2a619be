#include <talus/driver/solve_rigid_contact.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
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

/// One island. @param newton null without rows. @param solution in: the guess as its impulse, and
/// the velocities that go with it, where `may_keep`, which stay where they are an answer.
void solve_island(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                  const Options& options, bool may_keep, solve::RigidNewton* newton,
                  RigidContactSolution& solution) {
  if (may_keep && is_answer(certify, options, solution)) return;
  if (problem.rows.empty())
    return detail::solve_contacts(problem, certify, options, solution.impulse, solution);
  solution.report =
      detail::solve_jointed_island(problem, certify, options, *newton, solution.impulse);
  solution.velocity = problem.bodies;
  problem::apply_impulses(problem, solution.impulse, solution.velocity);
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
  std::vector<std::size_t> own;  // islands that this rank does not share

  void prepare(const problem::RigidContact& problem, const RigidContactCertifier& certify);
};

void IslandWork::prepare(const problem::RigidContact& problem,
                         const RigidContactCertifier& certify) {
  islands.split(problem, certify);
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
    if (distribute::ranks() != nullptr && solve::is_worth_sharing(islands[i]->problem))
      solve_one(i);
    else
      own.push_back(i);
  }
  // The largest first: this thread takes it, and all that others become free for helps there.
  const auto size = [&](std::size_t i) { return islands[i]->problem.contact_count(); };
  std::sort(own.begin(), own.end(), [&](std::size_t i, std::size_t j) {
    return size(i) != size(j) ? size(i) > size(j) : i < j;
  });
  parallel::for_each(static_cast<Index>(own.size()), [&](Index i) {
    const distribute::Alone alone;
    solve_one(own[i]);
  });
}

/// Puts the islands' answers together.
void collect(const problem::RigidContact& problem, const IslandWork& work,
             RigidContactSolution& solution) {
  const std::span<const detail::Island* const> islands = work.islands.all();
  SolveReport report;
  report.status = SolveStatus::converged;
  problem::set_zero(problem, solution.impulse);
  parallel::assign(std::span(problem.bodies), solution.velocity);
  solution.unanswered.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    add(work.answers[i].report, report);
    if (work.answers[i].report.status == SolveStatus::converged) continue;
    for (const Index body : islands[i]->bodies)
      if (problem.bodies[body].inverse_mass > 0) solution.unanswered.push_back(body);
  }
  parallel::for_each(std::ssize(islands), [&](Index i) {
    const RigidContactSolution& answer = work.answers[i];
    const std::vector<Index>& bodies = islands[i]->bodies;
    detail::put_impulses(*islands[i], answer.impulse, problem, solution.impulse);
    parallel::for_ranges(std::ssize(bodies), kBodiesPerPiece, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k)
        if (answer.velocity[k].inverse_mass > 0) solution.velocity[bodies[k]] = answer.velocity[k];
    });
  });
  std::sort(solution.unanswered.begin(), solution.unanswered.end());
  solution.report = std::move(report);
}

void solve_by_islands(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                      const Options& options, bool may_keep, const ContactImpulses& guess,
                      RigidContactSolution& solution) {
  static thread_local IslandWork kept;
  IslandWork& work = kept;  // of this thread, in others too
  work.prepare(problem, certify);
  const std::span<const detail::Island* const> islands = work.islands.all();
  solve_each(islands, work.own, [&](std::size_t i) {
    const detail::Island& island = *islands[i];
    RigidContactSolution& answer = work.answers[i];
    detail::impulses_of(island, problem, guess, answer.impulse);
    answer.velocity.clear();
    if (may_keep)
      for (const Index body : island.bodies) answer.velocity.push_back(solution.velocity[body]);
    const RigidContactCertifier certify_island(island.problem);
    solve_island(island.problem, certify_island, options, may_keep, work.newton_of[i], answer);
  });
  collect(problem, work, solution);
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
    solve_island(problem, certify, options, may_keep, &newton, solution);
  }
  solution.certificate = certify(solution.impulse, solution.velocity);
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

void solve(const problem::RigidContact& problem, const Options& options,
           const ContactImpulses& guess, RigidContactSolution& solution) {
  solve(problem, options, false, guess, solution);
}

void solve_again(const problem::RigidContact& problem, const Options& options,
                 RigidContactSolution& solution) {
  TALUS_DEMAND_EQ(solution.velocity.size(), problem.bodies.size());
  solve(problem, options, true, solution.impulse, solution);
}

}  // namespace talus::driver
