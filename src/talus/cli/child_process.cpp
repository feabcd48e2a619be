#include <talus/cli/child_process.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <talus/base/error.hpp>

namespace talus::cli {

ChildProcess::ChildProcess(const std::vector<std::string>& words, Output output, int end_signal)
    : end_signal_(end_signal) {
  const bool shares_output = output == Output::share;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (shares_output) {
    ends[0] = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  } else {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw file_error(words.front(), std::strerror(errno));
    output_ = output == Output::keep ? ::memfd_create("talus-child", MFD_CLOEXEC)
                                     : ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, end_signal);  // also where we are killed
    if (::getppid() != parent) ::_exit(127);
    ::setpgid(0, 0);
    ::dup2(ends[0], 0);
    if (!shares_output) {
      ::dup2(output_, 1);
      ::dup2(output_, 2);
    }
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(ends[0]);
  input_ = ends[1];
  if (pid_ < 0) throw file_error(words.front(), std::strerror(errno));
}

ChildProcess::~ChildProcess() {
  close_input();
  if (!poll()) {
    send(end_signal_);
    wait();
  }
  if (output_ >= 0) ::close(output_);
}

std::optional<int> ChildProcess::poll() {
  if (exit_code_) return exit_code_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_)
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return exit_code_;
}

int ChildProcess::wait() {
  while (!poll()) ::usleep(10'000);
  return *exit_code_;
}

void ChildProcess::send(int signal) const {
  if (!exit_code_) ::kill(-pid_, signal);
}

void ChildProcess::write(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(input_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw std::runtime_error("a program that was started does not read any more");
    done += static_cast<std::size_t>(n);
  }
}

void ChildProcess::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

std::string ChildProcess::printed() const {
  std::string text;
  char block[4096];
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(output_, block, sizeof block, at);
    if (n <= 0) return text;
    text.append(block, static_cast<std::size_t>(n));
    at += n;
  }
}

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::filesystem::path file = std::filesystem::path(folder) / name;
      std::error_code ignored;
      if (std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0)
        return file.string();
    }
  }
  return "";
}

}  // namespace talus::cli
