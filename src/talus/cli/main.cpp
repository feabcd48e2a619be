#include <csignal>
#include <cstdio>
#include <exception>

#include <talus/base/error.hpp>
#include <talus/cli/verbs.hpp>

int main(int argc, char** argv) {
  using namespace talus::cli;
  CLI::App app{"Talus: certified non-smooth rigid multibody and granular dynamics", "talus"};
  app.require_subcommand(1);
  int exit_code = kDone;
  add_run(app, exit_code);
  add_check(app, exit_code);
  add_solve(app, exit_code);
  add_bench(app, exit_code);
  add_info(app, exit_code);
  add_export(app, exit_code);
  add_plot(app, exit_code);
  add_render(app, exit_code);
  add_view(app, exit_code);
  add_reproduce(app, exit_code);
  add_sweep(app, exit_code);
  std::signal(SIGPIPE, SIG_IGN);  // a browser or a child that goes away is an error, not our end
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints the help or the mistake
    return code == 0 ? kDone : kInputError;
  } catch (const talus::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kInputError;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "talus: internal error: %s\n", error.what());
    return kInternalError;
  }
  return exit_code;
}
