#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace talus::cli {

/// Another program that runs beside this one. Where this program ends first, it is told to end
/// (SIGTERM, or SIGINT if so asked), and waited for.
class ChildProcess {
 public:
  enum class Output : unsigned char {
    keep,     ///< printed() has it
    discard,  ///< lost
    share,    ///< it writes where this program does, and reads nothing
  };

  /// Starts it, in a process group of its own: Ctrl-C reaches it through us.
  /// @param words program and arguments; a name without a slash is looked for in PATH.
  /// @param output where what it prints goes. @param end_signal how it is told to end.
  /// @throws InputError if there is no such program.
  explicit ChildProcess(const std::vector<std::string>& words, Output output = Output::keep,
                        int end_signal = 15);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Its exit code (128 + signal if a signal ended it), or nothing while it runs.
  [[nodiscard]] std::optional<int> poll();
  int wait();
  void send(int signal) const;
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// To its standard input. @throws InputError if it does not read any more.
  void write(const std::string& bytes);
  void close_input();
  /// What it has printed so far, on both outputs.
  [[nodiscard]] std::string printed() const;

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;  ///< a file without a name
  int end_signal_;
  std::optional<int> exit_code_;
};

/// The path of a program in PATH, or of the first of several names that is there; "" if none is.
[[nodiscard]] std::string find_program(const std::vector<std::string>& names);

}  // namespace talus::cli
