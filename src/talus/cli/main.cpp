#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include <talus/base/error.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/record/provenance.hpp>

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

int main(int argc, char** argv) {
  using namespace talus::cli;
  CommandLine command_line("Talus: certified non-smooth rigid multibody and granular dynamics",
                           "talus", "talus " + talus::record::build_version());
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
  add_sweep(program);
  remove_unfinished_files_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a browser or a child that goes away is an error, not our end
  try {
    const int code = command_line.run(argc, argv);
    return all_is_printed() ? code : kInputError;
  } catch (const talus::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kInputError;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "talus: this needs more memory than there is\n");
    return kInputError;
  } catch (const std::exception& error) {
    if (!all_is_printed()) return kInputError;
    std::fprintf(stderr, "talus: internal error: %s\n", error.what());
    return kInternalError;
  }
}
