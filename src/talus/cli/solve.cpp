#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/problem_run.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/driver/contact_laws.hpp>
#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/files/output_file.hpp>
#include <talus/json/json.hpp>

namespace talus::cli {
namespace {

using problem::SolveStatus;

struct SolveArguments {
  std::vector<std::string> files;
  std::string output, solution, law = "coulomb";
  driver::Options options;
  Index max_iterations = 0;  // 0: the time limit alone, or kIterations where there is none
  double time_limit = 0;     // seconds; 0: none
  int repeats = 10;
  bool json = false;
};

constexpr Index kIterations = 100000;
constexpr Index kNoLimit = std::numeric_limits<Index>::max() / 4;

void print_text(const ProblemRun& run) {
  const certify::Certificate& c = run.certificate;
  fmt::print("{}: {} contacts, {}-D\n", run.file, run.contacts, run.dimension);
  fmt::print("{}: {} after {} iterations, {:.3g} s", run.options.solver,
             to_string(run.report.status), run.report.iterations, run.seconds);
  fmt::print("{}\n", run.report.detail.empty() ? "" : " (" + run.report.detail + ")");
  const auto line = [](const char* name, double value, const char* meaning) {
    fmt::print("  {:<20}{:<11.3e} {}\n", name, value, meaning);
  };
  line("natural_map", c.natural_map, "scaled, free of units; judged by the tolerance");
  line("plain", c.plain, "as other libraries print it, mixes N·s and m/s; judged too");
  line("primal", c.primal, "impulses outside their cones");
  line("dual", c.dual, "velocities outside the dual cones");
  line("complementarity", c.complementarity, "power of contacts that should have none");
  line("equation_of_motion", c.equation_of_motion, "of v in global form, of u where it is given");
  line("worst_velocity", c.worst_velocity, "largest violation as a velocity [m/s]");
  if (!std::isnan(c.violation))
    line("violation", c.violation,
         "largest violation over the contact's own speed; judged by 1000 tolerances");
  if (!std::isnan(c.work))
    line("work", c.work, "of contacts that should do none, over the energy at stake; judged by 1");
  if (c.worst_contact >= 0)
    fmt::print("  worst contact       {} with {:.0f} % of the squared natural map\n",
               c.worst_contact, 100 * c.worst_share);
}

void check_arguments(const SolveArguments& arguments) {
  const auto refuse = [](const char* option, const char* message, const char* hint) {
    throw InputError(Diagnostic{{}, option, message, "", hint});
  };
  if (arguments.files.size() > 1 && !arguments.output.empty())
    refuse("--output", "expected one problem, got several", "solve them one by one");
  if (arguments.files.size() > 1 && !arguments.solution.empty())
    refuse("--certify-only", "expected one problem, got several", "certify them one by one");
  if (arguments.options.solver == "all" && !arguments.output.empty())
    refuse("--output", "expected one solver, got all", "name the solver whose answer is wanted");
}

std::vector<std::string_view> names_of(const problem::ConeProblem& /*problem*/) {
  return driver::cone_solver_names();
}
std::vector<std::string_view> names_of(const problem::Lcp& /*problem*/) {
  return driver::lcp_solver_names();
}
template <class Contacts>
std::vector<std::string_view> names_of(const Contacts& problem) {
  if constexpr (requires { problem.rolling; })
    return driver::rolling_solver_names();
  else if constexpr (requires { problem.law; })
    return driver::solver_names(problem.law, problem.dimension);
  else  // their constraints are eliminated
    return driver::friction_contact_solver_names();
}

/// The solvers that take a problem, of its class and law.
std::vector<std::string_view> solver_names_for(const RunProblem& problem) {
  return std::visit([](const auto& p) { return names_of(p); }, problem);
}

/// The polyhedral law has as many directions as lemke is given.
RunProblem with_directions(RunProblem problem, Index directions) {
  std::visit(
      [&](auto& p) {
        if constexpr (requires { p.directions; }) p.directions = directions;
      },
      problem);
  return problem;
}

/// The mistakes of a problem that was read from a file, with its name.
InputError with_file_name(const InputError& error, const std::string& file) {
  std::vector<Diagnostic> mistakes = error.diagnostics();
  for (Diagnostic& mistake : mistakes)
    if (mistake.position.file.empty()) mistake.position.file = file;
  return InputError(std::move(mistakes));
}

/// Solves one problem by one solver, or by all of its class. @return the exit code.
int solve_file(const SolveArguments& arguments, const std::string& file, driver::Options options,
               bool wants_all) {
  int exit_code = kDone;
  std::string change;
  const RunProblem problem =
      with_directions(read_for_law(file, arguments.law, change), options.directions);
  std::vector<std::string> solvers = {options.solver};
  if (wants_all) {
    const auto names = solver_names_for(problem);
    solvers.assign(names.begin(), names.end());
  }
  for (const std::string& solver : solvers) {
    options.solver = solver;
    const ProblemRun run =
        arguments.solution.empty()
            ? run_problem(file, problem, options, arguments.time_limit, arguments.repeats)
            : certify_solution(file, problem, arguments.solution, options);
    if (!arguments.output.empty()) exchange::write_fclib_solution(arguments.output, run.solution);
    if (arguments.json) {
      auto json = to_json(run);
      json["law"] = arguments.law;
      json["law_changes"] = change;
      json["output"] = arguments.output;
      fmt::print("{}\n", json_text(json));
    } else {
      print_text(run);
      for (const std::string& warning : run.warnings) fmt::print(stderr, "warning: {}\n", warning);
      if (!change.empty()) fmt::print("law: {}\n", change);
      if (!arguments.output.empty()) fmt::print("written: {}\n", arguments.output);
    }
    if (run.report.status == SolveStatus::interrupted) return kInterrupted;
    if (run.report.status != SolveStatus::converged) exit_code = kUncertified;
  }
  return exit_code;
}

int solve(const SolveArguments& arguments) {
  check_arguments(arguments);
  if (!arguments.output.empty()) {  // before the work
    std::vector<std::filesystem::path> inputs(arguments.files.begin(), arguments.files.end());
    inputs.emplace_back(arguments.solution);
    files::refuse_to_destroy(arguments.output, exchange::solution_kind(), inputs);
  }
  driver::Options options = arguments.options;
  options.max_iterations = arguments.max_iterations > 0 ? arguments.max_iterations
                           : arguments.time_limit > 0   ? kNoLimit
                                                        : kIterations;
  const bool wants_all = options.solver == "all";
  if (wants_all) options.solver = "auto";
  driver::validate(options);
  int exit_code = kDone;
  const InterruptGuard guard;
  for (const std::string& file : arguments.files) {
    int own = kInputError;
    try {
      own = solve_file(arguments, file, options, wants_all);
    } catch (const InputError& error) {  // the others are solved all the same
      const InputError named = with_file_name(error, file);
      if (arguments.files.size() == 1) throw named;
      fmt::print(stderr, "{}\n", named.what());
    }
    if (own == kInterrupted) return own;
    if (exit_code != kInputError && own != kDone) exit_code = own;
  }
  return exit_code;
}

constexpr const char* kSolveFooter =
    "Exit code: 0 certified, 3 not certified, 2 wrong input, 130 interrupted.\n\n"
    "Examples:\n"
    "  talus solve problem.hdf5\n"
    "  talus solve problem.hdf5 --tol 1e-6 --time-limit 10 --relaxation 1.3\n"
    "  talus solve planar.hdf5 --solver lemke --json\n"
    "  talus solve problem.hdf5 --json --history\n"
    "  talus solve problem.hdf5 --output solution.hdf5\n"
    "  talus solve problem.hdf5 --certify-only solution.hdf5\n"
    "  talus solve problem.hdf5 --law maximum_dissipation --solver nsgs --tol 1e-6\n"
    "  talus solve problem.hdf5 --law cone --solver apgd\n"
    "  talus solve *.hdf5 --solver all --time-limit 20 --json";

}  // namespace

void add_solve(Verb program) {
  auto arguments = std::make_shared<SolveArguments>();
  driver::Options& options = arguments->options;
  Verb verb = program.add_verb("solve", "Solves contact problem files and certifies the answers");
  verb.add_option("FILE", arguments->files, "problems in FCLIB's HDF5 format").required();
  verb.add_option("--solver", options.solver,
                  "one of: " + join_choices(driver::solver_names()) +
                      "; or all of the problem's class and law, one after another")
      .completed_by([](const auto&) {
        const auto names = driver::solver_names();
        std::vector<std::string> words(names.begin(), names.end());
        words.emplace_back("all");
        return words;
      })
      .with_default();
  verb.add_option(
          "--law", arguments->law,
          "coulomb: as the file says; of frictional contact also maximum_dissipation, "
          "cone_complementarity, polyhedral, frictionless, each with its own certificate; cone: "
          "turned into a cone problem, without the De Saxcé term")
      .one_of({"coulomb", "maximum_dissipation", "cone_complementarity", "polyhedral",
               "frictionless", "cone"})
      .with_default();
  verb.add_option("--tol", options.tolerance,
                  "on the certificate: natural map (free of units); of LCPs and frictional "
                  "contacts also the plain residual")
      .with_default();
  verb.add_option(
          "--time-limit", arguments->time_limit,
          "wall time [s], looked at between iterations and within long factorisations; 0: none")
      .in_seconds()
      .non_negative()
      .with_default();
  verb.add_option("--repeat", arguments->repeats,
                  "solve up to so often, 0.1 s in all, and tell the shortest time")
      .positive()
      .with_default();
  verb.add_option(
          "--max-iterations", arguments->max_iterations,
          "sweeps, factorisations or pivots; 0: up to the time limit, or 100000 without one")
      .non_negative()
      .with_default();
  verb.add_option("--relaxation", options.relaxation, "over-relaxation of nsgs and pgs, in (0, 2)")
      .with_default();
  verb.add_option("--directions", options.directions,
                  "sides of the pyramids that lemke puts for cones in 3-D, and of the polygons of "
                  "--law polyhedral")
      .with_default();
  verb.add_option("--output", arguments->output,
                  "write /solution/{r, u} (and v in global form) to this HDF5 file");
  verb.add_option("--certify-only", arguments->solution,
                  "solve nothing: certify the answer /solution of this HDF5 file");
  const Option json =
      verb.add_flag("--json", arguments->json,
                    "print one JSON object per problem and solver: status, residuals, "
                    "counts (products with W, projections, factorisations), stages; "
                    "of an LCP the secondary ray, where there is one");
  verb.add_flag("--history", options.keep_history,
                "add to the JSON each solver's own residual at the start and after every "
                "iteration, and the energy where the solver computes it")
      .needs(json);
  verb.footer(kSolveFooter);
  verb.action([arguments] { return solve(*arguments); });
}

}  // namespace talus::cli
