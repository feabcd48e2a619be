#include <talus/cli/spinner.hpp>

#include <fmt/format.h>

#include <utility>

#include <talus/cli/terminal.hpp>

namespace talus::cli {

Spinner::Spinner(std::FILE* stream, std::string text, std::chrono::milliseconds patience)
    : stream_(stream), text_(std::move(text)) {
  if (can_redraw(stream)) thread_ = std::thread([this, patience] { turn(patience); });
}

Spinner::~Spinner() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Spinner::turn(std::chrono::milliseconds patience) {
  constexpr const char* kHands = "|/-\\";
  constexpr std::chrono::milliseconds kPerTurn(100);
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  auto wait = patience;
  bool is_drawn = false;
  for (int k = 0; !ended_.wait_for(lock, wait, [this] { return is_ended_; }); ++k) {
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start;
    fmt::print(stream_, "\r\x1b[K{} {} {:.0f} s", kHands[k % 4], text_, since.count());
    std::fflush(stream_);
    wait = kPerTurn;
    is_drawn = true;
  }
  if (!is_drawn) return;
  fmt::print(stream_, "\r\x1b[K");
  std::fflush(stream_);
}

}  // namespace talus::cli
