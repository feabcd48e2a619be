#include <talus/distribute/ranks.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace talus::distribute {
namespace {

Ranks*& current() {
  static thread_local Ranks* of_this_thread = nullptr;
  return of_this_thread;
}

// What ranks say where they meet: well, to be stopped, or failed with an exit code.
constexpr std::uint64_t kWell = 0, kStop = 1, kFailed = 2;

}  // namespace

std::vector<std::uint64_t> Ranks::numbers(std::uint64_t own) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(count()));
  std::vector<std::size_t> begin;
  for (std::size_t r = 0; r <= all.size(); ++r) begin.push_back(r * sizeof own);
  all[static_cast<std::size_t>(rank())] = own;
  gather(std::as_writable_bytes(std::span(all)), begin);
  return all;
}

bool Ranks::any(bool own) {
  Real is_any = own ? 1 : 0;
  take_largest({&is_any, 1});
  return is_any > 0;
}

bool Ranks::agree_to_stop(bool wants_to_stop) {
  const std::vector<std::uint64_t> all =
      meet(wants_to_stop ? kStop : kWell, std::numeric_limits<double>::infinity());
  for (const std::uint64_t one : all)
    if (one >= kFailed) throw OtherRankFailed(static_cast<int>(one - kFailed));
  return std::find(all.begin(), all.end(), kStop) != all.end();
}

bool Ranks::fail(int exit_code) {
  constexpr double kPatience = 3;  // seconds
  const auto own = static_cast<std::uint64_t>(rank());
  const std::vector<std::uint64_t> all =
      meet(kFailed + static_cast<std::uint64_t>(exit_code), kPatience);
  if (all.empty()) break_off(exit_code);
  return std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.empty() ? 0 : own),
                      [](std::uint64_t one) { return one >= kFailed; });
}

Ranks* ranks() { return current(); }

Sharing::Sharing(Ranks& with) : Sharing(&with) {}
Sharing::Sharing(Ranks* with) : before_(std::exchange(current(), with)) {}
Sharing::~Sharing() { current() = before_; }

}  // namespace talus::distribute
