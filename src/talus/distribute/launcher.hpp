#pragma once

#include <string>

namespace talus::distribute {

/// What a launcher (mpirun, srun) has said to this process through its environment.
struct Launch {
  std::string variable;     ///< that says how many there are; empty: no launcher has started us
  int processes = 1;        ///< started together
  int number = 0;           ///< of this one, from 0
  int on_this_machine = 1;  ///< of the processes

  [[nodiscard]] bool is_of_several() const { return processes > 1; }
  /// Whether this process reports what is wrong for all of them.
  [[nodiscard]] bool is_first() const { return number == 0; }
};
[[nodiscard]] Launch launch_of_environment();

/// Cores that each process of this machine has for its threads, at least one.
[[nodiscard]] int cores_per_process(const Launch& launch);

}  // namespace talus::distribute
