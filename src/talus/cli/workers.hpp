#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include <talus/base/types.hpp>

namespace talus::cli {

/// Child processes that each do one task and leave a text. A task that crashes takes only its own
/// process with it. The program must have no threads of its own when it starts them.
class Workers {
 public:
  /// How a task ended.
  struct Result {
    Index task = 0;
    std::string text;  ///< what it left
    int signal = 0;    ///< that ended it; 0: none
  };

  explicit Workers(int count) : count_(count) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] bool is_full() const { return static_cast<int>(children_.size()) >= count_; }
  [[nodiscard]] bool is_idle() const { return children_.empty(); }
  /// Starts a task in a process of its own. @throws std::runtime_error if there can be none.
  void start(Index task, const std::function<std::string()>& work);
  /// Waits for one task to end. Contract: not idle.
  [[nodiscard]] Result wait();
  /// Stops all (SIGTERM).
  void stop() const;

 private:
  struct Child {
    pid_t id;
    Index task;
    std::FILE* file;
  };
  int count_;
  std::vector<Child> children_;
};

}  // namespace talus::cli
