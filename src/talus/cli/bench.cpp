#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <talus/base/csv_cell.hpp>
#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/candidates.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/performance_profile.hpp>
#include <talus/cli/problem_run.hpp>
#include <talus/cli/problem_variants.hpp>
#include <talus/cli/progress_bar.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/driver/solve.hpp>
#include <talus/files/own_kinds.hpp>

namespace talus::cli {
namespace {

using problem::SolveStatus;

struct BenchArguments {
  std::string folder, output = "bench_problems";
  std::vector<std::string> solvers = {"auto"};
  driver::Options options;
  double time_limit = 20;
  int repeats = 10, seeds = 3;
  std::vector<Real> perturbations = {0}, frictions = {1};
};

/// Problem files below a folder, by name; or the file itself.
std::vector<std::string> problem_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file() && exchange::is_problem_file(entry.path()))
        files.push_back(entry.path());
  } else if (fs::exists(folder)) {
    files.push_back(folder);
  }
  if (files.empty())
    throw InputError(
        Diagnostic{{folder, 0, 0},
                   "DIR",
                   "expected a folder with problem files, found none",
                   "",
                   "problems are HDF5 files with a group fclib_local, fclib_global or alike"});
  std::sort(files.begin(), files.end());
  return files;
}

std::ofstream open_to_write(const std::string& file, const files::OwnKind& kind) {
  files::refuse_to_destroy(file, kind);
  std::ofstream out(file);
  if (!out) throw files::cannot_write(file, {errno, std::generic_category()});
  return out;
}

std::string csv_line(const std::string& name, const ProblemRun& run) {
  const certify::Certificate& c = run.certificate;
  return fmt::format("{},{},{},{},{},{:.6g},{:.6g},{},{:.3e},{:.3e},{:.3e},{:.3e},{:.3e}\n",
                     csv_cell(name), run.contacts, run.dimension, run.options.solver,
                     to_string(run.report.status), run.seconds, run.cpu_seconds,
                     run.report.iterations, c.natural_map, c.plain, c.primal, c.dual,
                     c.complementarity);
}

std::vector<std::string> solvers_of(const BenchArguments& arguments) {
  if (arguments.solvers != std::vector<std::string>{"all"}) return arguments.solvers;
  const auto names = driver::friction_contact_solver_names();
  return {names.begin(), names.end()};
}

void print_run(const std::string& name, const std::string& solver, const ProblemRun& run) {
  fmt::print("{:<44} {:>5} {:<16} {:<14} {:>10.3f} ms {:>8} its  {:.1e} {:.1e}\n", name,
             run.contacts, solver, to_string(run.report.status), 1e3 * run.cpu_seconds,
             run.report.iterations, run.certificate.natural_map, run.certificate.plain);
  std::fflush(stdout);
}

int bench_problems(const BenchArguments& arguments) {
  const std::vector<std::string> solvers = solvers_of(arguments);
  driver::Options options = arguments.options;
  options.max_iterations = std::numeric_limits<Index>::max() / 4;
  for (const std::string& solver : solvers) {
    options.solver = solver;
    driver::validate(options);
  }
  const auto files = problem_files(arguments.folder);
  const auto all = variants(arguments.perturbations, arguments.seeds, arguments.frictions);
  const std::string csv_file = arguments.output + ".csv", svg_file = arguments.output + ".svg";
  files::refuse_to_destroy(svg_file, files::drawing_kind());  // before the work
  std::ofstream csv = open_to_write(csv_file, files::table_kind());
  csv << "problem,contacts,dimension,solver,status,seconds,cpu_seconds,iterations,natural_map,"
         "plain,"
         "primal,"
         "dual,complementarity\n";

  const InterruptGuard guard;
  std::vector<std::vector<double>> seconds;
  std::size_t unsolved = 0, done = 0;
  const std::size_t total = files.size() * all.size() * solvers.size();
  fmt::print(stderr, "talus: {} solves, of {:g} s at most each; times are of the processor\n",
             total, arguments.time_limit);
  ProgressBar bar(stderr);
  for (const std::string& file : files) {
    std::string change;
    const RunProblem original = read_for_law(file, "coulomb", change);
    for (const Variant& variant : all) {
      const RunProblem problem = varied(original, variant);
      const std::string name = std::filesystem::path(file).stem().string() + variant.name();
      std::vector<double> times;
      for (const std::string& solver : solvers) {
        bar.show(fmt::format("{}/{} {} {}", done, total, name, solver),
                 static_cast<double>(done) / static_cast<double>(total));
        ++done;
        options.solver = solver;
        const ProblemRun run =
            run_problem(file, problem, options, arguments.time_limit, arguments.repeats);
        if (InterruptGuard::is_interrupted()) break;
        const bool is_solved = run.report.status == SolveStatus::converged;
        unsolved += is_solved ? 0 : 1;
        times.push_back(is_solved ? run.cpu_seconds : std::numeric_limits<double>::infinity());
        csv << csv_line(name, run) << std::flush;
        bar.clear();
        print_run(name, solver, run);
      }
      if (InterruptGuard::is_interrupted()) break;
      seconds.push_back(std::move(times));
    }
    if (InterruptGuard::is_interrupted()) break;
  }
  bar.clear();
  const PerformanceProfile profile(solvers, seconds);
  csv.flush();
  if (!csv) throw files::cannot_write(csv_file, {errno, std::generic_category()});
  files::write_file(svg_file, files::drawing_kind(), files::xml_marked(profile.to_svg()));
  fmt::print(
      "\n{} problems, {} runs not certified, tolerance {:g}, {:g} s of wall time each; processor "
      "time over that of the fastest:\n{}",
      seconds.size(), unsolved, options.tolerance, arguments.time_limit, profile.to_text());
  fmt::print("written: {}, {}\n", csv_file, svg_file);
  if (InterruptGuard::is_interrupted()) return kInterrupted;
  return unsolved == 0 ? kDone : kUncertified;
}

}  // namespace

void add_bench(Verb program) {
  auto arguments = std::make_shared<BenchArguments>();
  driver::Options& options = arguments->options;
  Verb verb = program.add_verb("bench", "Compares solvers");
  Verb problems = verb.add_verb(
      "problems",
      "Run solvers on a folder of problem files; times, residuals, performance profile");
  problems.add_option("DIR", arguments->folder, "folder with problem files").required();
  problems
      .add_option("--solvers", arguments->solvers,
                  "comma-separated names, or all those of frictional contact: " +
                      join_choices(driver::friction_contact_solver_names()))
      .separated_by(',')
      .completed_by(solver_candidates())
      .with_default();
  problems.add_option("--tol", options.tolerance, "as of talus solve").with_default();
  problems
      .add_option("--time-limit", arguments->time_limit,
                  "wall time of one solve [s]; the table's times are processor time")
      .in_seconds()
      .positive()
      .with_default();
  problems
      .add_option("--repeat", arguments->repeats,
                  "solve up to so often, 0.1 s in all, and keep the shortest time")
      .positive()
      .with_default();
  problems
      .add_option("--perturb", arguments->perturbations,
                  "relative changes of the free velocities, comma-separated: each problem also "
                  "with b + p·rms(b)·N(0,1)")
      .separated_by(',')
      .non_negative()
      .with_default();
  problems.add_option("--seeds", arguments->seeds, "perturbed problems for each change")
      .in_range(1, 10000)
      .with_default();
  problems
      .add_option("--scale-friction", arguments->frictions,
                  "factors of every coefficient of friction, comma-separated")
      .separated_by(',')
      .non_negative()
      .with_default();
  problems.add_option("-o,--output", arguments->output, "writes OUTPUT.csv and OUTPUT.svg")
      .with_default();
  problems.footer(
      "Every answer is certified; what is not within the tolerance counts as unsolved. Ctrl-C "
      "stops\n"
      "after the running solve and keeps what was measured.\n"
      "Exit code: 0 all certified, 3 some not, 2 wrong input, 130 interrupted.\n\n"
      "Examples:\n"
      "  talus bench problems data/fclib\n"
      "  talus bench problems data/fclib --solvers auto,nsgs,ipm --time-limit 5 -o profile\n"
      "  talus bench problems data/fclib --perturb 0,0.001,0.03,0.3 --scale-friction "
      "0.3,0.6,1,1.5,2.5");
  problems.action([arguments] { return bench_problems(*arguments); });
}

}  // namespace talus::cli
