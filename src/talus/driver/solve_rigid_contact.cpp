#include <talus/driver/solve_rigid_contact.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/driver/contact_laws.hpp>
#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/driver/detail/islands.hpp>
#include <talus/driver/detail/rest.hpp>
#include <talus/driver/detail/solve_jointed_island.hpp>
#include <talus/driver/detail/stopwatch.hpp>
#include <talus/driver/detail/verdict.hpp>
#include <talus/driver/registry.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver {
namespace {

using certify::RigidContactCertifier;
using problem::ContactImpulses;
using problem::SolveReport;
using problem::SolveStatus;

void solve_by_nsgs(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                   const Options& options, const ContactImpulses& guess,
                   RigidContactSolution& solution) {
  static thread_local solve::RigidNsgs nsgs;  // the workspace of this thread
  solve::RigidNsgsOptions nsgs_options;
  nsgs_options.relaxation = options.relaxation;
  if (options.relaxation != 1)
    nsgs_options.momentum_cap = 0;  // the two do not go together: some runs then stall
  nsgs.start(problem, guess, options.keep_history ? options.max_iterations : 0);

  const auto sweep_to = [&](Real tolerance, Index most_sweeps) {
    solution.report = detail::sweep_until_certified(
        tolerance,
        [&](Real gate) { return nsgs.run(gate, most_sweeps, nsgs_options, options.should_stop); },
        [&] {
          solution.certificate = certify(nsgs.impulse(), nsgs.velocity());
          return solution.certificate.excess(tolerance);
        });
  };
  sweep_to(options.tolerance, options.max_iterations);
  if (solution.report.status == SolveStatus::converged &&
      !solution.certificate.meets(std::min(options.tolerance, detail::kRestTolerance)) &&
      detail::is_nearly_at_rest(problem, nsgs.velocity())) {
    const Index most = (1 + detail::kRestPatience) * solution.report.iterations;
    sweep_to(detail::kRestTolerance, std::min(most, options.max_iterations));
    if (solution.certificate.meets(options.tolerance))
      solution.report.status = SolveStatus::converged;
    else if (solution.report.status != SolveStatus::interrupted)
      sweep_to(options.tolerance, options.max_iterations);
  }
  nsgs.take(solution.impulse, solution.velocity);
}

/// Whether an answer is at least as good as another; one that is not finite never is.
bool is_better(const certify::Certificate& one, const certify::Certificate& other, Real tolerance) {
  return one.is_finite && one.excess(tolerance) <= other.excess(tolerance);
}

/// The assembled local form of a rigid problem, whose answers are judged on the rigid one.
class Assembled {
 public:
  Assembled(const problem::RigidContact& problem, const RigidContactCertifier& certify,
            Real tolerance)
      : rigid_(problem),
        tolerance_(tolerance),
        local_(problem::to_local(problem)),
        certify_(certify) {
    if (problem.law == problem::FrictionLaw::frictionless) local_.friction.setZero();
  }

  [[nodiscard]] const problem::FrictionContact& local() const { return local_; }

  [[nodiscard]] VecX to_local(const ContactImpulses& impulse) const {
    if (impulse.empty()) return VecX::Zero(local_.b.size());
    return problem::impulses_to_frames(rigid_, impulse);
  }

  /// The impulses as an answer to the rigid problem with its certificate; the report is left alone.
  void certify(const VecX& r, RigidContactSolution& solution) const {
    solution.impulse = problem::impulses_to_world(rigid_, r);
    solution.velocity = rigid_.bodies;
    problem::apply_impulses(rigid_, solution.impulse, solution.velocity);
    solution.certificate = certify_(solution.impulse, solution.velocity);
  }

  [[nodiscard]] solve::ExternalResidual external_residual() const {
    return [this](const VecX& r) {
      RigidContactSolution candidate;
      certify(r, candidate);
      return candidate.certificate.excess(tolerance_);
    };
  }

 private:
  const problem::RigidContact& rigid_;
  Real tolerance_;
  problem::FrictionContact local_;
  const RigidContactCertifier& certify_;
};

/// Any solver on the assembled form, under any law.
void solve_assembled(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                     const Options& options, const ContactImpulses& guess,
                     RigidContactSolution& solution) {
  const Assembled assembled(problem, certify, options.tolerance);
  VecX r = assembled.to_local(guess);
  solution.report = run_under_law(assembled.local(), options, assembled.external_residual(), r);
  assembled.certify(r, solution);
  detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                     solution.report);
}

/// What Newton's method solves under a law; nothing for polygons.
std::optional<solve::ContactEquation> newton_equation(problem::FrictionLaw law) {
  using problem::FrictionLaw;
  switch (law) {
    case FrictionLaw::coulomb:
    case FrictionLaw::frictionless:  // μ = 0 in the assembled form
      return solve::ContactEquation::alart_curnier;
    case FrictionLaw::maximum_dissipation:
      return solve::ContactEquation::maximum_dissipation;
    case FrictionLaw::cone_complementarity:
      return solve::ContactEquation::cone;
    default:
      return std::nullopt;
  }
}

/// What a sweep costs, in block products of a factorisation: about one per contact of balls, four
/// per other contact.
double sweep_cost(const problem::RigidContact& problem) {
  const auto central = static_cast<double>(problem.central.size());
  return central + 4 * (static_cast<double>(problem.contact_count()) - central);
}

/// The cascade: sweeps while they are cheap; then Newton, sweeps, Newton along the path of slowly
/// falling α, each from the best answer so far. The first Newton run is taken where it costs less
/// than a third of what has been spent; where its factors cost more, sweeps continue, four times as
/// many each time. The last one, where sweeps have not done, may cost three times what has been
/// spent. Costs are counted, not measured: the same answers everywhere.
void solve_by_cascade(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                      const Options& options, solve::ContactEquation equation,
                      const ContactImpulses& guess, RigidContactSolution& solution) {
  // Contacts; the factors of larger beds cost more than the sweeps they save.
  constexpr Index kLargestAssembled = 20000;
  constexpr double kFirstOverSpent = 0.3, kLastOverSpent = 3;
  const Index contacts = problem.contact_count();
  // Sweeps that cost about as much as a Newton run.
  const Index patience = 200 + 10 * std::min<Index>(contacts, 100);
  const bool has_newton = contacts <= kLargestAssembled && patience < options.max_iterations;
  Options limited = options;
  if (has_newton) limited.max_iterations = patience;
  detail::Stopwatch watch;
  solve_by_nsgs(problem, certify, limited, guess, solution);
  const bool is_given_up = solution.report.status == SolveStatus::max_iterations ||
                           solution.report.status == SolveStatus::stalled;
  if (!has_newton || !is_given_up) return;

  const Assembled assembled(problem, certify, options.tolerance);
  const solve::ExternalResidual external_residual = assembled.external_residual();
  solve::ProximalNewton newton;
  newton.start(assembled.local());
  RigidContactSolution other;
  SolveReport total;
  Index left = options.max_iterations;
  const auto finish_stage = [&](std::string_view name, RigidContactSolution& stage) {
    left -= stage.report.iterations;
    total.add({std::string(name), stage.report.iterations, stage.certificate.natural_map,
               watch.seconds(), stage.report.counts, std::move(stage.report.history)});
    watch = {};
  };
  finish_stage("nsgs", solution);
  bool is_interrupted = false;
  const auto keep_better = [&] {
    is_interrupted = other.report.status == SolveStatus::interrupted;
    if (is_better(other.certificate, solution.certificate, options.tolerance))
      std::swap(solution, other);
    return is_interrupted || solution.certificate.meets(options.tolerance) || left < 1;
  };
  double spent = sweep_cost(problem) * static_cast<double>(patience);
  bool is_too_dear = false;
  const auto newton_from_best = [&](solve::ProximalNewtonOptions newton_options) {
    newton_options.keep_history = options.keep_history;
    VecX r = assembled.to_local(solution.impulse);
    other.report = newton.run(newton_options, external_residual, options.should_stop, r);
    spent += newton.products();
    is_too_dear = newton.was_too_dear();
    assembled.certify(r, other);
    finish_stage("proximal_newton", other);
  };
  const auto sweep_from_best = [&](Index most) {
    limited.max_iterations = most;
    solve_by_nsgs(problem, certify, limited, solution.impulse, other);
    spent += sweep_cost(problem) * static_cast<double>(most);  // also of those that stall before
    finish_stage("nsgs", other);
  };
  const auto solve_in_stages = [&] {
    solve::ProximalNewtonOptions near, creep;
    near.equation = equation;
    for (Index more = patience;; more *= 4) {
      near.max_factorisations = std::min<Index>(50, left);
      near.most_products = kFirstOverSpent * spent;
      newton_from_best(near);
      if (keep_better()) return;
      if (is_too_dear && left > more) {
        sweep_from_best(more);
        if (keep_better()) return;
        continue;
      }
      sweep_from_best(std::min(patience, left));
      if (keep_better()) return;
      // A jammed bed creeps towards its answer along the path of large α.
      creep = {std::min<Index>(450, left), 1e-1, 0.7, 0.95, equation};
      creep.most_products = kLastOverSpent * spent;
      newton_from_best(creep);
      if (keep_better()) return;
      sweep_from_best(left);
      keep_better();
      return;
    }
  };
  solve_in_stages();
  if (solution.certificate.meets(options.tolerance))
    total.status = SolveStatus::converged;
  else
    total.status = is_interrupted                   ? SolveStatus::interrupted
                   : solution.certificate.is_finite ? SolveStatus::max_iterations
                                                    : SolveStatus::numerical_error;
  total.residual = solution.report.residual;
  total.detail = describe(total.stages);
  solution.report = std::move(total);
}

/// Sweeps on the bodies' velocities; where a while of them does not do, whatever takes polygons on
/// the assembled form. The better answer of the two.
void solve_polygons(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                    const Options& options, const ContactImpulses& guess,
                    RigidContactSolution& solution) {
  constexpr Index kPatience = 2000;
  Options limited = options;
  limited.max_iterations = std::min(options.max_iterations, kPatience);
  solve_by_nsgs(problem, certify, limited, guess, solution);
  const bool is_given_up = solution.report.status == SolveStatus::max_iterations ||
                           solution.report.status == SolveStatus::stalled;
  limited.max_iterations = options.max_iterations - solution.report.iterations;
  if (!is_given_up || limited.max_iterations < 1) return;
  RigidContactSolution other;
  solve_assembled(problem, certify, limited, solution.impulse, other);
  const Index sweeps = solution.report.iterations;
  if (!is_better(other.certificate, solution.certificate, options.tolerance)) return;
  std::swap(solution, other);
  solution.report.iterations += sweeps;
}

/// Solves a problem without rows as one.
void solve_contacts(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                    const Options& options, const ContactImpulses& guess,
                    RigidContactSolution& solution) {
  const bool is_known_to_sweeps =
      problem::is_coulomb_between_balls(problem.law) || problem.central.size() == 0;
  const auto equation = newton_equation(problem.law);
  if (!problem::has_local_form(problem))
    return solve_by_nsgs(problem, certify, options, guess, solution);
  if (is_known_to_sweeps && options.solver == "auto" && equation)
    solve_by_cascade(problem, certify, options, *equation, guess, solution);
  else if (is_known_to_sweeps && options.solver == "auto")
    solve_polygons(problem, certify, options, guess, solution);
  else if (is_known_to_sweeps && options.solver == "nsgs")
    solve_by_nsgs(problem, certify, options, guess, solution);
  else
    solve_assembled(problem, certify, options, guess, solution);
}

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
void solve_island(const problem::RigidContact& problem, const Options& options, bool may_keep,
                  solve::RigidNewton* newton, RigidContactSolution& solution) {
  const RigidContactCertifier certify(problem);
  if (may_keep && is_answer(certify, options, solution)) return;
  if (problem.rows.empty())
    return solve_contacts(problem, certify, options, solution.impulse, solution);
  solution.report = detail::solve_jointed_island(problem, options, *newton, solution.impulse);
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
};

void solve_by_islands(const problem::RigidContact& problem, const RigidContactCertifier& certify,
                      const Options& options, bool may_keep, const ContactImpulses& guess,
                      RigidContactSolution& solution) {
  static thread_local IslandWork kept;
  IslandWork& work = kept;  // of this thread, in others too
  work.islands.split(problem, certify);
  const std::span<const detail::Island> islands = work.islands.all();
  if (work.answers.size() < islands.size()) work.answers.resize(islands.size());
  const auto jointed = static_cast<std::size_t>(std::count_if(
      islands.begin(), islands.end(), [](const auto& one) { return !one.rows.empty(); }));
  if (work.newtons.size() < jointed) work.newtons.resize(jointed);
  work.newton_of.assign(islands.size(), nullptr);
  for (std::size_t i = 0, next = 0; i < islands.size(); ++i)
    if (!islands[i].rows.empty()) work.newton_of[i] = &work.newtons[next++];

  const auto solve_one = [&](std::size_t i) {
    const detail::Island& island = islands[i];
    RigidContactSolution& answer = work.answers[i];
    detail::impulses_of(island, problem, guess, answer.impulse);
    answer.velocity.clear();
    if (may_keep)
      for (const Index body : island.bodies) answer.velocity.push_back(solution.velocity[body]);
    solve_island(island.problem, options, may_keep, work.newton_of[i], answer);
  };
  // Ranks share large islands, one after the other; all others are solved by each of them.
  const auto is_shared = [&](std::size_t i) {
    return distribute::ranks() != nullptr && solve::is_worth_sharing(islands[i].problem);
  };
  work.own.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    if (is_shared(i))
      solve_one(i);
    else
      work.own.push_back(i);
  }
  // The largest first: this thread takes it, and all that others become free for helps there.
  const auto size = [&](std::size_t i) { return islands[i].problem.contact_count(); };
  std::sort(work.own.begin(), work.own.end(), [&](std::size_t i, std::size_t j) {
    return size(i) != size(j) ? size(i) > size(j) : i < j;
  });
  parallel::for_each(static_cast<Index>(work.own.size()), [&](Index i) {
    const distribute::Alone alone;
    solve_one(work.own[i]);
  });

  SolveReport report;
  report.status = SolveStatus::converged;
  problem::set_zero(problem, solution.impulse);
  solution.velocity = problem.bodies;
  solution.unanswered.clear();
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const RigidContactSolution& answer = work.answers[i];
    const bool is_answered = answer.report.status == SolveStatus::converged;
    add(answer.report, report);
    detail::put_impulses(islands[i], answer.impulse, problem, solution.impulse);
    for (std::size_t k = 0; k < islands[i].bodies.size(); ++k)
      if (const Index body = islands[i].bodies[k]; answer.velocity[k].inverse_mass > 0) {
        solution.velocity[body] = answer.velocity[k];
        if (!is_answered) solution.unanswered.push_back(body);
      }
  }
  std::sort(solution.unanswered.begin(), solution.unanswered.end());
  solution.report = std::move(report);
  solution.certificate = certify(solution.impulse, solution.velocity);
  detail::set_status(solution.certificate, solution.certificate.excess(options.tolerance),
                     solution.report);
}

void solve(const problem::RigidContact& problem, const Options& options, bool may_keep,
           const ContactImpulses& guess, RigidContactSolution& solution) {
  const RigidContactCertifier certify(problem);
  if (!problem.rows.empty() || certify.island_count() > 1 || certify.is_idle(0))
    return solve_by_islands(problem, certify, options, may_keep, guess, solution);
  if (!may_keep || !is_answer(certify, options, solution))
    solve_contacts(problem, certify, options, guess, solution);
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
