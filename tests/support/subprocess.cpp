#include <support/subprocess.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include <support/content_of.hpp>
#include <support/scratch.hpp>

namespace talus::test {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void become(std::vector<char*>& words, const fs::path& folder, const fs::path& out,
                         const fs::path& err) {
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  if (chdir(folder.c_str()) != 0) _exit(126);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  dup2(open(out.c_str(), kWrite, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), kWrite, 0600), STDERR_FILENO);
  execv(words[0], words.data());
  _exit(127);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& words, const fs::path& folder,
                    const std::function<void(pid_t)>& meanwhile, double timeout_seconds) {
  using Clock = std::chrono::steady_clock;
  const Scratch scratch;  // files instead of pipes: nothing can fill up
  const fs::path out = scratch / "out", err = scratch / "err";
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot fork");
  if (child == 0) become(pointers, folder, out, err);
  if (meanwhile) meanwhile(child);
  const auto deadline = Clock::now() + std::chrono::duration<double>(timeout_seconds);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Clock::now() > deadline) kill(child, SIGKILL);
    usleep(500);
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return {code, test::content_of(out), test::content_of(err)};
}

}  // namespace talus::test
