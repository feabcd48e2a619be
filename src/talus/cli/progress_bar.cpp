#include <talus/cli/progress_bar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/cli/terminal.hpp>

namespace talus::cli {

ProgressBar::ProgressBar(std::FILE* stream) : stream_(stream), is_terminal_(can_redraw(stream)) {}

void ProgressBar::show(const std::string& text, double share) {
  constexpr int kBarWidth = 30;
  const Clock::time_point now = Clock::now();
  if (!is_terminal_ || (is_drawn_ && now - last_ < std::chrono::milliseconds(100))) return;
  const int filled = static_cast<int>(std::lround(kBarWidth * std::clamp(share, 0.0, 1.0)));
  fmt::print(stream_, "\r\x1b[K[{}{}] {:3.0f} % {}", std::string(filled, '#'),
             std::string(kBarWidth - filled, '.'), 100 * share, text);
  std::fflush(stream_);
  is_drawn_ = true;
  last_ = now;
}

void ProgressBar::clear() {
  if (!is_drawn_) return;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
  is_drawn_ = false;
}

}  // namespace talus::cli
