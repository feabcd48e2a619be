#include <talus/cli/interrupt.hpp>

#include <signal.h>

namespace talus::cli {
namespace {

volatile sig_atomic_t was_interrupted = 0;

void note(int) { was_interrupted = 1; }

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // not under nohup
}

}  // namespace

InterruptGuard::InterruptGuard() {
  was_interrupted = 0;
  install(note);
}

InterruptGuard::~InterruptGuard() { install(SIG_DFL); }

bool InterruptGuard::is_interrupted() noexcept { return was_interrupted != 0; }

}  // namespace talus::cli
