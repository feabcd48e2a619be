#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/driver/solve.hpp>
#include <talus/exchange/fclib.hpp>

namespace talus::cli {
namespace {

using problem::SolveStatus;

struct SolveArguments {
  std::string file, output;
  driver::Options options;
  double time_limit = 0;  // seconds; 0: none
  bool json = false;
};

/// What both forms of a problem answer with.
struct Answer {
  problem::SolveReport report;
  certify::Certificate certificate;
  exchange::FclibSolution solution;
};

Answer run(const problem::FrictionContact& problem, const driver::Options& options) {
  auto s = driver::solve(problem, options);
  return {s.report, s.certificate, {std::move(s.impulse), std::move(s.velocity), {}}};
}

Answer run(const problem::GlobalFrictionContact& problem, const driver::Options& options) {
  auto s = driver::solve(problem, options);
  return {s.report, s.certificate, {std::move(s.impulse), std::move(s.velocity), std::move(s.v)}};
}

nlohmann::ordered_json residuals(const certify::Certificate& c) {
  return {{"natural_map", c.natural_map},
          {"plain", c.plain},
          {"primal", c.primal},
          {"dual", c.dual},
          {"complementarity", c.complementarity},
          {"equation_of_motion", c.equation_of_motion},
          {"worst_velocity", c.worst_velocity},
          {"is_finite", c.is_finite}};
}

void print_text(const SolveArguments& arguments, const Answer& answer, Index contacts,
                Index dimension, double seconds) {
  const certify::Certificate& c = answer.certificate;
  fmt::print("{}: {} contacts, {}-D\n", arguments.file, contacts, dimension);
  fmt::print("{}: {} after {} iterations, {:.3g} s", arguments.options.solver,
             to_string(answer.report.status), answer.report.iterations, seconds);
  fmt::print("{}\n", answer.report.detail.empty() ? "" : " (" + answer.report.detail + ")");
  const auto line = [](const char* name, double value, const char* meaning) {
    fmt::print("  {:<20}{:<11.3e} {}\n", name, value, meaning);
  };
  line("natural_map", c.natural_map, "scaled, free of units; judged by the tolerance");
  line("plain", c.plain, "as other libraries print it; mixes N·s and m/s");
  line("primal", c.primal, "impulses outside their cones");
  line("dual", c.dual, "velocities outside the dual cones");
  line("complementarity", c.complementarity, "power of contacts that should have none");
  line("equation_of_motion", c.equation_of_motion, "global form only");
  line("worst_velocity", c.worst_velocity, "largest violation as a velocity [m/s]");
  if (c.worst_contact >= 0)
    fmt::print("  worst contact       {} with {:.0f} % of the squared natural map\n",
               c.worst_contact, 100 * c.worst_share);
  if (!arguments.output.empty()) fmt::print("written: {}\n", arguments.output);
}

int solve(SolveArguments arguments) {
  using Clock = std::chrono::steady_clock;
  driver::validate(arguments.options);
  const auto problem = exchange::read_fclib(arguments.file);
  const auto start = Clock::now();
  const auto elapsed = [&start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  bool is_out_of_time = false;
  arguments.options.should_stop = [&] {
    is_out_of_time = arguments.time_limit > 0 && elapsed() > arguments.time_limit;
    return is_out_of_time || InterruptGuard::is_interrupted();
  };
  const InterruptGuard guard;
  Answer answer = std::visit([&](const auto& p) { return run(p, arguments.options); }, problem);
  const double seconds = elapsed();
  if (answer.report.status == SolveStatus::interrupted && is_out_of_time)
    answer.report.status = SolveStatus::time_limit;

  if (!arguments.output.empty()) exchange::write_fclib_solution(arguments.output, answer.solution);
  const auto [contacts, dimension] =
      std::visit([](const auto& p) { return std::pair(p.contact_count(), p.dimension); }, problem);
  if (!arguments.json) print_text(arguments, answer, contacts, dimension, seconds);
  if (arguments.json) {
    const nlohmann::ordered_json json = {
        {"file", arguments.file},
        {"solver", arguments.options.solver},
        {"status", to_string(answer.report.status)},
        {"iterations", answer.report.iterations},
        {"seconds", seconds},
        {"contacts", contacts},
        {"dimension", dimension},
        {"tolerance", arguments.options.tolerance},
        {"solver_residual", answer.report.residual},
        {"detail", answer.report.detail},
        {"residuals", residuals(answer.certificate)},
        {"worst_contact",
         {{"index", answer.certificate.worst_contact}, {"share", answer.certificate.worst_share}}},
        {"output", arguments.output}};
    fmt::print("{}\n", json.dump());
  }
  if (answer.report.status == SolveStatus::converged) return kDone;
  return answer.report.status == SolveStatus::interrupted ? kInterrupted : kUncertified;
}

}  // namespace

void add_solve(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<SolveArguments>();
  driver::Options& options = arguments->options;
  CLI::App* verb =
      app.add_subcommand("solve", "Solve a frictional contact problem file and certify the answer");
  verb->add_option("FILE", arguments->file, "problem in FCLIB's HDF5 format")->required();
  verb->add_option("--solver", options.solver, "one of: " + join_choices(driver::solver_names()))
      ->capture_default_str();
  verb->add_option("--tol", options.tolerance, "on the certificate's natural map")
      ->capture_default_str();
  verb->add_option("--time-limit", arguments->time_limit,
                   "seconds, looked at between iterations; 0: none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb->add_option("--max-iterations", options.max_iterations, "sweeps or pivots")
      ->capture_default_str();
  verb->add_option("--relaxation", options.relaxation, "over-relaxation of nsgs, in (0, 2)")
      ->capture_default_str();
  verb->add_option("--directions", options.directions,
                   "sides of the pyramids that lemke puts for cones in 3-D")
      ->capture_default_str();
  verb->add_option("--output", arguments->output,
                   "write /solution/{r, u} (and v in global form) to this HDF5 file");
  verb->add_flag("--json", arguments->json, "print one JSON object as the last line");
  verb->footer(
      "Exit code: 0 certified, 3 not certified, 2 wrong input, 130 interrupted.\n\n"
      "Examples:\n"
      "  talus solve problem.hdf5\n"
      "  talus solve problem.hdf5 --tol 1e-6 --time-limit 10 --relaxation 1.3\n"
      "  talus solve planar.hdf5 --solver lemke --json\n"
      "  talus solve problem.hdf5 --output solution.hdf5");
  verb->callback([arguments, &exit_code] { exit_code = solve(*arguments); });
}

}  // namespace talus::cli
