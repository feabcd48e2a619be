#include <talus/cli/interrupt.hpp>

#include <signal.h>

#include <talus/files/unfinished_files.hpp>

namespace talus::cli {
namespace {

volatile sig_atomic_t was_interrupted = 0;

void end_program(int signal_number) {
  files::remove_unfinished_files();
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void note(int signal_number) {
  if (was_interrupted != 0) end_program(signal_number);
  was_interrupted = 1;
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

}  // namespace

void remove_unfinished_files_on_signals() { install(end_program); }

InterruptGuard::InterruptGuard() {
  was_interrupted = 0;
  install(note);
}

InterruptGuard::~InterruptGuard() { install(end_program); }

bool InterruptGuard::is_interrupted() noexcept { return was_interrupted != 0; }

}  // namespace talus::cli
