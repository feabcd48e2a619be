#include <talus/cli/workers.hpp>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <talus/base/contract.hpp>

namespace talus::cli {
namespace {

std::string text_of(std::FILE* file) {
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text.push_back(static_cast<char>(c));
  return text;
}

}  // namespace

Workers::~Workers() {
  stop();
  while (!is_idle()) static_cast<void>(wait());
}

void Workers::start(Index task, const std::function<std::string()>& work) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) throw std::runtime_error("cannot make a temporary file");
  std::fflush(nullptr);
  const pid_t parent = getpid(), id = fork();
  if (id < 0) {
    std::fclose(file);
    throw std::runtime_error("cannot start a process");
  }
  if (id == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // children end with their parent
    if (getppid() != parent) _exit(1);
    const std::string text = work();
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
    _exit(0);
  }
  children_.push_back({id, task, file});
}

Workers::Result Workers::wait() {
  TALUS_DEMAND(!is_idle());
  for (;;) {
    int status = 0;
    const pid_t id = waitpid(-1, &status, 0);
    if (id < 0 && errno != EINTR) throw std::runtime_error("a child process has got lost");
    const auto child = std::find_if(children_.begin(), children_.end(),
                                    [&](const Child& c) { return c.id == id; });
    if (child == children_.end()) continue;
    Result result{child->task, text_of(child->file), WIFSIGNALED(status) ? WTERMSIG(status) : 0};
    std::fclose(child->file);
    children_.erase(child);
    return result;
  }
}

void Workers::stop() const {
  for (const Child& child : children_) kill(child.id, SIGTERM);
}

}  // namespace talus::cli
