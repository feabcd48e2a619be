#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace talus::cli {

/// While it lives, a line on a terminal that says what takes long and since when; elsewhere
/// nothing. For work that cannot tell its share done.
class Spinner {
 public:
  /// @param patience before the line is drawn for the first time.
  Spinner(std::FILE* stream, std::string text,
          std::chrono::milliseconds patience = std::chrono::seconds(1));
  /// Removes the line, so that other text can follow.
  ~Spinner();
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;

 private:
  void turn(std::chrono::milliseconds patience);

  std::FILE* stream_;
  std::string text_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool is_ended_ = false;
  std::thread thread_;
};

}  // namespace talus::cli
