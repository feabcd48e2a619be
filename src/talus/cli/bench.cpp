#include <fmt/format.h>
#include <fmt/os.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/performance_profile.hpp>
#include <talus/cli/problem_run.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/driver/solve.hpp>

namespace talus::cli {
namespace {

using problem::SolveStatus;

struct BenchArguments {
  std::string folder, output = "bench_problems";
  std::vector<std::string> solvers = {"auto"};
  driver::Options options;
  double time_limit = 20;
  int repeats = 10;
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

std::string csv_line(const ProblemRun& run) {
  const certify::Certificate& c = run.certificate;
  return fmt::format("{},{},{},{},{},{:.6g},{:.6g},{},{:.3e},{:.3e},{:.3e},{:.3e},{:.3e}\n",
                     std::filesystem::path(run.file).stem().string(), run.contacts, run.dimension,
                     run.options.solver, to_string(run.report.status), run.seconds, run.cpu_seconds,
                     run.report.iterations, c.natural_map, c.plain, c.primal, c.dual,
                     c.complementarity);
}

/// One line on a terminal, redrawn; nothing elsewhere.
class Bar {
 public:
  explicit Bar(std::size_t total) : total_(total), is_terminal_(isatty(STDERR_FILENO) == 1) {}
  ~Bar() { clear(); }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void show(std::size_t done, const std::string& what) {
    if (!is_terminal_) return;
    const std::size_t filled = total_ > 0 ? 20 * done / total_ : 20;
    fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {}/{} {}", "", filled, "", 20 - filled, done,
               total_, what);
    std::fflush(stderr);
  }
  void clear() {
    if (is_terminal_) fmt::print(stderr, "\r\033[K");
  }

 private:
  std::size_t total_;
  bool is_terminal_;
};

int bench_problems(const BenchArguments& arguments) {
  std::vector<std::string> solvers = arguments.solvers;
  if (solvers == std::vector<std::string>{"all"}) {
    const auto names = driver::friction_contact_solver_names();
    solvers.assign(names.begin(), names.end());
  }
  driver::Options options = arguments.options;
  options.max_iterations = std::numeric_limits<Index>::max() / 4;
  for (const std::string& solver : solvers) {
    options.solver = solver;
    driver::validate(options);
  }
  const auto files = problem_files(arguments.folder);
  const std::string csv_file = arguments.output + ".csv", svg_file = arguments.output + ".svg";
  auto csv = fmt::output_file(csv_file);
  csv.print(
      "problem,contacts,dimension,solver,status,seconds,cpu_seconds,iterations,natural_map,plain,"
      "primal,"
      "dual,complementarity\n");

  const InterruptGuard guard;
  std::vector<std::vector<double>> seconds;
  std::size_t unsolved = 0;
  {
    Bar bar(files.size() * solvers.size());
    std::size_t done = 0;
    for (const std::string& file : files) {
      std::string change;
      const RunProblem problem = read_for_law(file, "coulomb", change);
      std::vector<double> times;
      for (const std::string& solver : solvers) {
        bar.show(done++, std::filesystem::path(file).stem().string() + " " + solver);
        options.solver = solver;
        const ProblemRun run =
            run_problem(file, problem, options, arguments.time_limit, arguments.repeats);
        if (InterruptGuard::is_interrupted()) break;
        const bool is_solved = run.report.status == SolveStatus::converged;
        unsolved += is_solved ? 0 : 1;
        times.push_back(is_solved ? run.cpu_seconds : std::numeric_limits<double>::infinity());
        csv.print("{}", csv_line(run));
        csv.flush();
        bar.clear();
        fmt::print("{:<44} {:>5} {:<16} {:<14} {:>10.3f} ms {:>8} its  {:.1e} {:.1e}\n",
                   std::filesystem::path(file).stem().string(), run.contacts, solver,
                   to_string(run.report.status), 1e3 * run.cpu_seconds, run.report.iterations,
                   run.certificate.natural_map, run.certificate.plain);
        std::fflush(stdout);
      }
      if (InterruptGuard::is_interrupted()) break;
      seconds.push_back(std::move(times));
    }
  }
  const PerformanceProfile profile(solvers, seconds);
  fmt::output_file(svg_file).print("{}", profile.to_svg());
  fmt::print("\n{} problems, tolerance {:g}, {:g} s each; time over that of the fastest:\n{}",
             seconds.size(), options.tolerance, arguments.time_limit, profile.to_text());
  fmt::print("written: {}, {}\n", csv_file, svg_file);
  if (InterruptGuard::is_interrupted()) return kInterrupted;
  return unsolved == 0 ? kDone : kUncertified;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<BenchArguments>();
  driver::Options& options = arguments->options;
  CLI::App* verb = app.add_subcommand("bench", "Compare solvers");
  verb->require_subcommand(1);
  CLI::App* problems = verb->add_subcommand(
      "problems",
      "Run solvers on a folder of problem files; times, residuals, performance profile");
  problems->add_option("DIR", arguments->folder, "folder with problems in FCLIB's HDF5 format")
      ->required();
  problems
      ->add_option(
          "--solvers", arguments->solvers,
          "comma-separated names, or all: " + join_choices(driver::friction_contact_solver_names()))
      ->delimiter(',')
      ->capture_default_str();
  problems->add_option("--tol", options.tolerance, "as of talus solve")->capture_default_str();
  problems->add_option("--time-limit", arguments->time_limit, "seconds for one solve")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  problems
      ->add_option("--repeat", arguments->repeats,
                   "solve up to so often, 0.1 s in all, and keep the shortest time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  problems->add_option("-o,--output", arguments->output, "writes OUTPUT.csv and OUTPUT.svg")
      ->capture_default_str();
  problems->footer(
      "Every answer is certified; what is not within the tolerance counts as unsolved. Ctrl-C "
      "stops\n"
      "after the running solve and keeps what was measured.\n"
      "Exit code: 0 all certified, 3 some not, 2 wrong input, 130 interrupted.\n\n"
      "Examples:\n"
      "  talus bench problems data/fclib\n"
      "  talus bench problems data/fclib --solvers auto,nsgs,ipm --time-limit 5 -o profile");
  problems->callback([arguments, &exit_code] { exit_code = bench_problems(*arguments); });
}

}  // namespace talus::cli
