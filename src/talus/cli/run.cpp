#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <talus/base/error.hpp>
#include <talus/base/printable.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/launch.hpp>
#include <talus/cli/override_options.hpp>
#include <talus/cli/progress.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/setting_text.hpp>
#include <talus/cli/steering.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/distribute/launcher.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/provenance.hpp>
#include <talus/scene/warnings.hpp>
#include <talus/sim/problem_dump.hpp>
#include <talus/sim/resume.hpp>
#include <talus/sim/shared_run.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::cli {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  talus run examples/four_balls                       to four_balls.h5
  talus run scene.yaml -o out.h5 --until 20ms         20 milliseconds of it
  talus run scene.yaml --step-size 1e-3 --tolerance 1e-6
  talus run scene.yaml --set contacts.default.friction=0.3 --set "bodies.gate.position=[0, 0, 1 m]"
  talus run scene.yaml --until 5; talus run --resume scene.h5 --until 9     resumes, bit for bit
  talus run scene.yaml --dump-problems 100            problem files for talus solve
  talus run scene.yaml --json --no-record | tail -1   numbers for a script
  talus run scene.yaml --ranks 4                      four processes on this machine
  mpirun -n 64 talus run scene.yaml                   on several machines; the same bits

The record is an HDF5 file (docs/reference/record.md) that can be read at every moment of the run. A
Talus record of that name is replaced as soon as there is a first frame; any other file is left alone.
Ctrl-C stops after the step with the record complete.

Exit codes: 0 done and certified, 1 internal error, 2 usage or input error, 3 some steps uncertified,
130 interrupted.)";

struct RunOptions {
  std::string scene;
  std::string output;
  std::string resume;      ///< record or state file to resume from
  std::string checkpoint;  ///< state file to leave at the end
  std::vector<std::string> settings;
  scene::Overrides overrides;
  RobotOptions robots;
  double flush_seconds = record::RecorderOptions{}.flush_seconds;
  int threads = 0;       ///< 0: all of the machine
  int ranks = 0;         ///< processes; 0: as the launcher has it
  Index dump_every = 0;  ///< steps between problem files; 0: none
  bool as_json = false, is_quiet = false, has_no_record = false;
  bool is_steered = false;  ///< by standard input
};

/// The command as it was typed, for the provenance.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) {
    const bool has_space = word.find_first_of(" \t\n'\"") != std::string::npos;
    append(text, "{0}{1}{2}{1}", text.empty() ? "" : " ", has_space ? "\"" : "", word);
  }
  return text;
}

/// The command that takes the step after a state again, with what was set here.
std::string step_again(const RunOptions& options, const std::filesystem::path& state) {
  std::string text = "talus run " + shell_word(options.scene);
  for (const std::string& setting : options.settings) text += " --set " + shell_word(setting);
  for (const std::string& word : words_of(options.robots)) text += ' ' + shell_word(word);
  const scene::Overrides& change = options.overrides;
  if (change.end_time) text += fmt::format(" --until {}", *change.end_time);
  if (change.step_size) text += fmt::format(" --step-size {}", *change.step_size);
  if (change.scheme) text += " --scheme " + shell_word(*change.scheme);
  if (change.solver) text += " --solver " + shell_word(*change.solver);
  if (change.tolerance) text += fmt::format(" --tolerance {}", *change.tolerance);
  if (change.sweeps) text += fmt::format(" --sweeps {}", *change.sweeps);
  return text + " --no-record --resume " + shell_word(state.string());
}

void report_run(const RunOptions& options, const sim::Simulation& simulation,
                const std::optional<sim::RanksAccount>& ranks) {
  const sim::Summary& summary = simulation.summary();
  if (const auto& failure = simulation.failure()) {
    fmt::print(stderr, "{}\n", printable(failure->message));
    if (!failure->state.empty())
      fmt::print(stderr, "the step again: {}\n", step_again(options, failure->state));
  }
  if (!simulation.failure() && summary.uncertified_steps > 0 && !options.is_quiet)
    fmt::print(stderr, "warning: {} of {} steps are uncertified, the first is step {}\n",
               summary.uncertified_steps, summary.steps, summary.first_uncertified_step);
  if (options.as_json)
    fmt::print("{}\n",
               ranks ? sim::with_ranks(sim::to_json(summary), *ranks) : sim::to_json(summary));
  else if (!options.is_quiet)
    fmt::print("{}{}", sim::to_text(summary), ranks ? sim::to_text(*ranks) : "");
}

int exit_code_of(const sim::Summary& summary) {
  if (summary.status == record::RunStatus::interrupted) return kInterrupted;
  return summary.uncertified_steps > 0 ? kUncertified : kDone;
}

/// The point of resumption, if any; the scene's name comes from the record where none is given.
std::optional<sim::Resumption> resumption_of(RunOptions& options) {
  if (options.resume.empty()) return std::nullopt;
  sim::Resumption from = sim::read_resumption(options.resume);
  if (options.scene.empty()) options.scene = from.scene.string();
  if (options.scene.empty())
    throw file_error(options.resume, "this file does not say what scene it is of",
                     "give the scene too: talus run SCENE --resume FILE");
  return from;
}

void resume(const RunOptions& options, const sim::Resumption& from, sim::Simulation& simulation) {
  simulation.resume(from.checkpoint);
  const Index left = simulation.step_count() - simulation.summary().steps;
  if (left <= 0)
    throw file_error(
        options.resume,
        fmt::format("this run is at its end already, at {:g} s", from.checkpoint.state.time),
        options.overrides.end_time ? fmt::format("--until {:g} is not beyond it: give a later time",
                                                 *options.overrides.end_time)
                                   : "give a later end with --until");
  if (!options.is_quiet)
    for (const std::string& line : sim::differences(from, simulation.scene()))
      fmt::print(stderr, "warning: not the run that never ended: {}\n", printable(line));
}

/// Before the work: what must not be written at its end.
void refuse_outputs(const RunOptions& options, const std::string& record) {
  if (options.checkpoint.empty()) return;
  const std::vector<std::filesystem::path> inputs = {options.scene, options.resume};
  files::refuse_to_destroy(options.checkpoint, record::state_kind(), inputs);
  if (!options.has_no_record && files::is_same_file(options.checkpoint, record))
    throw usage_error("--checkpoint", options.checkpoint + " is the record of this run",
                      "give the state another name");
}

/// The first rank alone speaks and writes.
void leave_outputs_to_the_first(const distribute::Ranks* ranks, RunOptions& options) {
  if (ranks == nullptr) return;
  if (options.is_steered)
    throw usage_error("--steered", "several ranks cannot be steered", "run it on one");
  if (ranks->is_first()) return;
  options.is_quiet = options.has_no_record = true;
  options.as_json = false;
  options.checkpoint.clear();
  options.dump_every = 0;
}

/// The record of a run, of which a scene or a record to resume from is known.
std::string record_of(const RunOptions& options, bool goes_on) {
  if (!options.output.empty()) return options.output;
  return goes_on ? options.resume : sim::default_name(options.scene) + ".h5";
}

/// What is left of a run on several ranks of which one was ended from outside.
void say_how_to_restart(const RunOptions& options, int code) {
  const std::string record = record_of(options, options.scene.empty());
  std::error_code ignored;
  const bool is_there = !options.has_no_record && std::filesystem::exists(record, ignored);
  const std::string file = is_there ? record : options.resume;
  std::string again = "talus run";
  if (!options.scene.empty()) again += ' ' + shell_word(options.scene);
  again += fmt::format(" --ranks {}", options.ranks);
  if (!file.empty()) again += " --resume " + shell_word(file);
  fmt::print(stderr, "a rank has come to its end from outside (exit code {}){}\nto restart: {}\n",
             code, is_there ? "; what is recorded is whole" : "", printable(again));
}

int run(RunOptions options) {
  if (const std::optional<int> code = become_ranks(options.ranks)) {
    if (*code > 128 && *code != kInterrupted) say_how_to_restart(options, *code);
    return *code;
  }
  distribute::Ranks* const ranks = distribute::ranks();
  const bool has_frames = !options.has_no_record, may_have_parts = options.dump_every == 0;
  leave_outputs_to_the_first(ranks, options);
  if (ranks != nullptr && options.threads == 0)
    options.threads = distribute::cores_per_process(distribute::launch_of_environment());
  for (const std::string& text : options.settings)
    options.overrides.settings.push_back(setting_of(text));
  take(options.robots, options.overrides);
  const InterruptGuard guard;
  parallel::set_thread_count(options.threads);
  const std::optional<sim::Resumption> from = resumption_of(options);
  const bool goes_on = from && from->is_record &&
                       (options.output.empty() ||
                        files::is_same_file(options.output, options.resume));  // never over itself
  const std::string record = record_of(options, goes_on);
  refuse_outputs(options, record);
  std::optional<distribute::Alone> reading(std::in_place);  // until all are known to have the same
  sim::Simulation simulation(scene::load(options.scene, options.overrides));
  if (!options.is_quiet)
    for (const std::string& warning : scene::warnings(simulation.scene()))
      fmt::print(stderr, "warning: {}\n", printable(warning));
  if (from) resume(options, *from, simulation);
  if (options.dump_every > 0) {
    std::filesystem::path stem =
        options.output.empty() ? sim::default_name(options.scene) : options.output;
    simulation.observe(
        sim::ProblemDump(simulation.scene(), stem.replace_extension(), options.dump_every));
  }
  if (ranks != nullptr) {
    static_cast<void>(ranks->agree_to_stop(false));  // all have read it
    sim::demand_same_run(*ranks, record::build_version(), simulation.scene(), simulation.state());
    if (!ranks->is_first()) simulation.save_failures_as({});
  }
  reading.reset();
  const record::RecorderOptions recording{.flush_seconds = options.flush_seconds};
  if (goes_on && !options.has_no_record)
    simulation.record_on(record, recording);
  else if (!options.has_no_record)
    simulation.record_to(record, command_line(), recording);
  if (ranks != nullptr && may_have_parts) simulation.allow_parts(has_frames);
  {
    std::optional<Progress> progress;
    if (!options.is_quiet) {
      progress.emplace(stderr);
      simulation.observe([&](const sim::Simulation& s) { progress->show(s); });
    }
    if (ranks == nullptr) simulation.stop_within_steps(InterruptGuard::is_interrupted);
    Steering steering;
    simulation.run([&] {
      if (options.is_steered) steering.wait(simulation, InterruptGuard::is_interrupted);
      const bool is_interrupted = InterruptGuard::is_interrupted();
      return ranks == nullptr ? is_interrupted : ranks->agree_to_stop(is_interrupted);
    });
  }
  if (!options.checkpoint.empty())
    record::write_checkpoint(options.checkpoint, simulation.checkpoint());
  std::optional<sim::RanksAccount> account;
  if (ranks != nullptr) {
    static_cast<void>(ranks->agree_to_stop(false));  // all is written
    account = sim::account_of(*ranks, parallel::thread_count(), simulation.summary().wall_seconds);
  }
  if (ranks == nullptr || ranks->is_first()) report_run(options, simulation, account);
  return exit_code_of(simulation.summary());
}

}  // namespace

void add_run(Verb program) {
  auto options = std::make_shared<RunOptions>();
  scene::Overrides& change = options->overrides;
  Verb verb = program.add_verb("run", "Runs a scene, certifies every step, records it");
  verb.footer(kRunExamples);
  verb.add_option("scene", options->scene, "Scene file, or a folder with scene.yaml");
  const Option output =
      verb.add_option("-o,--output", options->output,
                      "Record to write; otherwise the scene's name with .h5, in this folder");
  const Option resumed =
      verb.add_option("--resume", options->resume,
                      "Resume from a record (and in it, unless -o names another) or a state file");
  verb.add_option("--checkpoint", options->checkpoint,
                  "State file to leave at the end, for --resume");
  verb.add_option("--set", options->settings,
                  "PATH=VALUE: a value of the scene file to replace, e.g. time.step='2 ms'; list "
                  "items by name or number")
      .one_word_each();
  add_robot_options(verb, options->robots);
  add_override_options(verb, change);
  verb.add_option("--threads", options->threads,
                  "Threads to use, 0: all of the machine; the results do not depend on it")
      .in_range(0, 1024);
  verb.add_option("--ranks", options->ranks,
                  "Processes on this machine, by mpirun; the results do not depend on it")
      .in_range(1, 4096);
  verb.add_option("--flush-every", options->flush_seconds,
                  "Wall time between flushes of the record [s]")
      .in_seconds()
      .in_range(0.0, 1e9)
      .with_default();
  verb.add_option("--dump-problems", options->dump_every,
                  "Write the contact problem of every N-th step to NAME.problem_STEP.hdf5")
      .positive();
  verb.add_flag("--no-record", options->has_no_record, "Write no record").excludes(output);
  verb.add_flag("--steered", options->is_steered,
                "Obey lines of standard input: pause, step, go; as talus view does");
  verb.add_flag("--json", options->as_json, "Print the summary as JSON, the last line of stdout");
  verb.add_flag("--quiet", options->is_quiet, "No progress and no summary; mistakes are printed");
  verb.action([options, resumed] {
    if (options->scene.empty() && !resumed.is_given()) throw_missing("scene");
    return run(*options);
  });
}

}  // namespace talus::cli
