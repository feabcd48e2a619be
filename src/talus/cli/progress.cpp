#include <talus/cli/progress.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <talus/cli/progress_line.hpp>
#include <talus/cli/terminal.hpp>

namespace talus::cli {
namespace {

constexpr double kRedrawSeconds = 0.1, kPlainSeconds = 5;

std::size_t columns_of(std::FILE* stream) {
  winsize size{};
  const bool is_known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

ProgressFigures figures_of(const sim::Simulation& simulation, double rate) {
  const sim::Summary& s = simulation.summary();
  return {.steps = s.steps,
          .step_count = simulation.step_count(),
          .time = s.time,
          .end_time = simulation.scene().end_time,
          .steps_per_second = rate,
          .contact_count = simulation.last_report().contact_count,
          .worst_residual = s.worst_residual(),
          .uncertified_steps = s.uncertified_steps};
}

}  // namespace

Progress::Progress(std::FILE* stream)
    : stream_(stream), is_terminal_(can_redraw(stream)), last_(Clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::show(const sim::Simulation& simulation) {
  const Clock::time_point now = Clock::now();
  const double passed = std::chrono::duration<double>(now - last_).count();
  if (passed < (is_terminal_ ? kRedrawSeconds : kPlainSeconds)) return;
  const Index steps = simulation.summary().steps;
  const double rate = static_cast<double>(steps - last_steps_) / passed;
  rate_ = rate_ > 0 ? 0.8 * rate_ + 0.2 * rate : rate;
  last_ = now;
  last_steps_ = steps;
  const ProgressFigures figures = figures_of(simulation, rate_);
  if (!is_terminal_) {
    fmt::print(stream_, "{}\n", progress_line(figures));
  } else {
    fmt::print(stream_, "\r{}\x1b[K", progress_bar(figures, columns_of(stream_)));
    is_drawn_ = true;
  }
  std::fflush(stream_);
}

void Progress::clear() {
  if (!is_drawn_) return;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
  is_drawn_ = false;
}

}  // namespace talus::cli
