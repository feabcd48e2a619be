#include <talus/cli/launch.hpp>

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
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

/// A program that is given the words that this one was called with.
class Successor {
 public:
  explicit Successor(std::vector<std::string> words) : words_(std::move(words)) {
    const std::vector<std::string> own = own_words();
    words_.insert(words_.end(), own.begin(), own.end());
    for (std::string& word : words_) arguments_.push_back(word.data());
    arguments_.push_back(nullptr);
  }
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;

  /// Takes the place of this process.
  void replace_us() {
    ::execv(arguments_[0], arguments_.data());
    fail();
  }
  /// Runs beside this process, which waits for it. @return its exit code, or 128 + signal.
  int run() {
    const pid_t self = ::getpid();
    started_ = ::fork();
    if (started_ < 0) fail();
    if (started_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // also where we are killed
      if (::getppid() == self) ::execv(arguments_[0], arguments_.data());
      ::_exit(127);
    }
    pass_signals_on();
    int status = 0;
    while (::waitpid(started_, &status, 0) < 0 && errno == EINTR) {
    }
    started_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  [[noreturn]] void fail() const {
    throw file_error(words_[0], std::string("cannot be started: ") + std::strerror(errno));
  }
  static void pass_on(int signal, siginfo_t* from, void*) {
    if (from->si_code <= 0 && started_ > 0)
      ::kill(started_, signal);  // a terminal tells all itself
  }
  static void pass_signals_on() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction before {};
      ::sigaction(signal, nullptr, &before);
      if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
    }
  }

  std::vector<std::string> words_;
  std::vector<char*> arguments_;
  static inline volatile pid_t started_ = -1;
};

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
    Successor({program_with_mpi(launch.variable)}).replace_us();
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
  return Successor(std::move(words)).run();
}

}  // namespace talus::cli
