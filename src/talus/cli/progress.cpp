#include <talus/cli/progress.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace talus::cli {
namespace {

constexpr double kRedrawSeconds = 0.1, kPlainSeconds = 5;

bool can_redraw(std::FILE* stream) {
  const char* terminal = std::getenv("TERM");
  return isatty(fileno(stream)) != 0 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::size_t columns_of(std::FILE* stream) {
  winsize size{};
  const bool is_known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

std::string duration(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string bar(double share) {
  constexpr int kWidth = 20;
  const int filled = static_cast<int>(share * kWidth);
  return '[' + std::string(filled, '#') + std::string(kWidth - filled, '.') + ']';
}

std::string figures(const sim::Simulation& simulation, double rate) {
  const sim::Summary& s = simulation.summary();
  const auto left = static_cast<double>(simulation.step_count() - s.steps);
  std::string text = fmt::format("t {:.4g}/{:.4g} s  {:.3g} steps/s  {} contacts  worst {:.1e}",
                                 s.time, simulation.scene().end_time, rate,
                                 simulation.last_report().contact_count, s.worst_certificate.value);
  if (s.uncertified_steps > 0) text += fmt::format("  uncertified {}", s.uncertified_steps);
  if (rate > 0) text += "  left " + duration(left / rate);
  return text;
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
  const double share =
      static_cast<double>(steps) / static_cast<double>(std::max<Index>(1, simulation.step_count()));
  const std::string numbers = figures(simulation, rate_);
  if (!is_terminal_) {
    fmt::print(stream_, "{:3.0f} %  {}\n", 100 * share, numbers);
  } else {
    std::string line = fmt::format("{} {:3.0f} %  {}", bar(share), 100 * share, numbers);
    if (const std::size_t columns = columns_of(stream_); line.size() >= columns)
      line.resize(columns - 1);  // a line that wraps cannot be redrawn
    fmt::print(stream_, "\r{}\x1b[K", line);
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
