#include <talus/cli/program.hpp>
#include <talus/distribute/launcher.hpp>

int main(int argc, char** argv) {
  return talus::cli::run_program(
      argc, argv, [](int) { return talus::distribute::launch_of_environment().is_first(); });
}
