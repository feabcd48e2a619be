#pragma once

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <support/scratch.hpp>
#include <support/subprocess.hpp>

namespace talus::test {

/// A folder of its own with a scene in it, and the program.
class CliFolder {
 public:
  explicit CliFolder(const std::string& more = "", const std::string& end = "0.1") {
    std::ofstream(scratch_ / "balls.yaml")
        << "title: Balls\ntime: {step: 1e-3, end: " << end << R"(}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: ball, shape: {sphere: 0.1}, mass: 1, position: [0, 0, 0.12]}
  - {name: other, shape: {sphere: 0.1}, mass: 2, position: [0.01, 0, 0.35]}
)" << more;
  }
  Outcome talus(const std::vector<std::string>& words,
                const std::function<void(pid_t)>& meanwhile = {}) const {
    std::vector<std::string> command = {TALUS_BINARY};
    for (const std::string& word : words) command.push_back(word);
    return run_program(command, scratch_.folder(), meanwhile);
  }
  std::filesystem::path operator/(const std::string& name) const { return scratch_ / name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.folder()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  Scratch scratch_;
};

}  // namespace talus::test
