#include <talus/cli/progress_line.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace talus::cli {
namespace {

double share_of(const ProgressFigures& figures) {
  return static_cast<double>(figures.steps) /
         static_cast<double>(std::max<Index>(1, figures.step_count));
}

std::string duration(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string progress_line(const ProgressFigures& figures) {
  const double rate = figures.steps_per_second;
  std::string text = fmt::format("{:3.0f} %  t {:.4g}/{:.4g} s", 100 * share_of(figures),
                                 figures.time, figures.end_time);
  if (rate > 0)
    text += "  left " + duration(static_cast<double>(figures.step_count - figures.steps) / rate);
  text += fmt::format("  worst {:.1e}", figures.worst_residual);
  if (figures.uncertified_steps > 0)
    text += fmt::format("  uncertified {}", figures.uncertified_steps);
  text += fmt::format("  {} contacts", figures.contact_count);
  if (rate > 0) text += fmt::format("  {:.3g} steps/s", rate);
  return text;
}

std::string progress_bar(const ProgressFigures& figures, std::size_t columns) {
  constexpr int kShortest = 4, kLongest = 20;
  std::string line = progress_line(figures);
  const int room = static_cast<int>(columns) - 1 - static_cast<int>(line.size() + 3);  // "[] "
  if (room >= kShortest) {
    const int width = std::min(room, kLongest);
    const int filled = static_cast<int>(share_of(figures) * width);
    line = '[' + std::string(filled, '#') + std::string(width - filled, '.') + "] " + line;
  }
  if (line.size() >= columns) line.resize(columns - 1);
  return line;
}

}  // namespace talus::cli
