#include <talus/cli/program.hpp>

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <talus/base/error.hpp>
#include <talus/cli/command_line.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/record/provenance.hpp>

namespace talus::cli {
namespace {

/// Whether standard output took everything. A full disk is said; a reader that has gone away, as
/// `head` does, is not.
bool all_is_printed() {
  errno = 0;
  const bool is_printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  const bool has_reader = ::poll(&output, 1, 0) <= 0 || (output.revents & POLLERR) == 0;
  if (!is_printed && has_reader)
    std::fprintf(stderr, "standard output: cannot be written%s%s\n", errno != 0 ? ": " : "",
                 errno != 0 ? std::strerror(errno) : "");
  return is_printed;
}

}  // namespace

int run_program(int argc, char** argv, const Failing& failing) {
  const auto fail = [&](int code, const char* before, const char* what) {
    if (failing(code)) std::fprintf(stderr, "%s%s\n", before, what);
    return code;
  };
  CommandLine command_line("Talus: certified non-smooth rigid multibody and granular dynamics",
                           "talus", "talus " + record::build_version());
  const Verb program = command_line.program();
  add_run(program);
  add_check(program);
  add_convert(program);
  add_solve(program);
  add_bench(program);
  add_info(program);
  add_export(program);
  add_plot(program);
  add_render(program);
  add_view(program);
  add_reproduce(program);
  add_study(program);
  add_estimate(program);
  remove_unfinished_files_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a browser or a child that goes away is an error, not our end
  try {
    const int code = command_line.run(argc, argv);
    return all_is_printed() ? code : kInputError;
  } catch (const distribute::OtherRankFailed& error) {
    return error.exit_code();
  } catch (const InputError& error) {
    return fail(kInputError, "", error.what());
  } catch (const std::bad_alloc&) {
    return fail(kInputError, "talus: ", "this needs more memory than there is");
  } catch (const std::exception& error) {
    if (!all_is_printed()) return kInputError;
    return fail(kInternalError, "talus: internal error: ", error.what());
  }
}

}  // namespace talus::cli
