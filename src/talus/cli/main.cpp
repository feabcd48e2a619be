#include <csignal>
#include <cstdio>
#include <exception>

#include <talus/base/error.hpp>
#include <talus/cli/verbs.hpp>

int main(int argc, char** argv) {
  using namespace talus::cli;
  CommandLine command_line("Talus: certified non-smooth rigid multibody and granular dynamics",
                           "talus");
  const Verb program = command_line.program();
  add_run(program);
  add_check(program);
  add_solve(program);
  add_bench(program);
  add_info(program);
  add_export(program);
  add_plot(program);
  add_render(program);
  add_view(program);
  add_reproduce(program);
  add_sweep(program);
  std::signal(SIGPIPE, SIG_IGN);  // a browser or a child that goes away is an error, not our end
  try {
    return command_line.run(argc, argv);
  } catch (const talus::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kInputError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "talus: internal error: %s\n", error.what());
    return kInternalError;
  }
}
