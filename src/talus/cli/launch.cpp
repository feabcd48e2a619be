#include <talus/cli/launch.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/cli/child_process.hpp>
#include <talus/cli/command_line.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/distribute/launcher.hpp>
#include <talus/distribute/ranks.hpp>

namespace talus::cli {
namespace {

/// The words that this program was called with, without its name.
std::vector<std::string> own_words() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  if (!words.empty()) words.erase(words.begin());
  return words;
}

/// A program, given the words that this one was called with.
std::vector<std::string> with_own_words(std::vector<std::string> program) {
  const std::vector<std::string> own = own_words();
  program.insert(program.end(), own.begin(), own.end());
  return program;
}

/// Takes the place of this process; does not return.
void become(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  throw file_error(words[0], std::string("cannot be started: ") + std::strerror(errno));
}

volatile pid_t listener = -1;  // to whom signals are passed on
volatile sig_atomic_t is_told_to_end = 0;

void pass_on(int signal) {
  is_told_to_end = 1;
  if (listener > 0) ::kill(listener, signal);
}

/// Runs beside this process, which waits for it and passes signals on: it alone hears them.
/// @return its exit code, or 128 + signal; kInterrupted where it was told to end and has.
int run_beside(const std::vector<std::string>& words) {
  ChildProcess child(words, ChildProcess::Output::share);
  listener = child.pid();
  struct sigaction action {};
  action.sa_handler = pass_on;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  const int code = child.wait();
  listener = -1;
  const bool is_cut = code != kDone && code != kUncertified;
  return is_told_to_end != 0 && is_cut ? kInterrupted : code;
}

/// The program with MPI, beside this one.
std::string program_with_mpi(const std::string& needed_for) {
  std::error_code ignored;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto program = own.parent_path() / "talus-mpi";
  if (::access(program.c_str(), X_OK) != 0)
    throw usage_error(needed_for, "this program has been built without MPI",
                      "./talus run SCENE --ranks 2 installs Open MPI and builds talus-mpi beside "
                      "talus; else cmake -DTALUS_WITH_MPI=ON");
  return program.string();
}

}  // namespace

std::optional<int> become_ranks(int ranks) {
  const distribute::Launch launch = distribute::launch_of_environment();
  if (!launch.variable.empty() && ranks > 0 && ranks != launch.processes)
    throw usage_error(
        "--ranks", fmt::format("{} asked for, {} started by the launcher", ranks, launch.processes),
        "the launcher says how many there are: leave --ranks out");
  if (launch.is_of_several() && distribute::ranks() == nullptr)
    become(with_own_words({program_with_mpi(launch.variable)}));
  if (!launch.variable.empty() || ranks <= 1) return std::nullopt;

  const std::string program = program_with_mpi("--ranks");
  const std::string mpirun = find_program({"mpirun.openmpi", "mpirun"});
  if (mpirun.empty())
    throw usage_error("--ranks", "there is no mpirun", "scripts/install-dependencies mpi");
  const bool is_crowded = ranks > static_cast<int>(std::thread::hardware_concurrency());
  if (::geteuid() == 0)
    for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
      ::setenv(variable, "1", 1);
  std::vector<std::string> words = {
      mpirun, "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none", "--quiet"};
  if (is_crowded) words.insert(words.end(), {"--mca", "mpi_yield_when_idle", "1"});
  words.push_back(program);
  return run_beside(with_own_words(std::move(words)));
}

}  // namespace talus::cli
