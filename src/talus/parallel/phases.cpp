#include <array>
#include <atomic>
#include <thread>

#include <talus/parallel/executor.hpp>

namespace talus::parallel::detail {
namespace {

constexpr int kSpins = 2000;  // some ten microseconds: longer than a phase should last

/// A phase under way: which number is next, and how many are done.
struct alignas(64) Phase {
  std::atomic<std::uint32_t> next{0};
  alignas(64) std::atomic<std::uint32_t> done{0};
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void wait_until_done(const Phase& phase, std::uint32_t count) {
  for (int spins = 0; phase.done.load(std::memory_order_acquire) < count; ++spins)
    if (spins < kSpins)
      pause();
    else
      std::this_thread::yield();
}

}  // namespace

// Any thread may take remaining work of the phase. No thread waits for one that has not
// come: a phase is done when those that came have done it.
void for_phases(std::span<const std::uint32_t> bounds, void (*call)(const void*, Index),
                const void* body) {
  constexpr std::size_t kAtOnce = 16;
  while (bounds.size() > kAtOnce + 1) {
    for_phases(bounds.first(kAtOnce + 1), call, body);
    bounds = bounds.subspan(kAtOnce);
  }
  std::array<Phase, kAtOnce> phases;
  parallel::for_each(thread_count(), [&](Index) {
    for (std::size_t p = 0; p + 1 < bounds.size(); ++p) {
      const std::uint32_t count = bounds[p + 1] - bounds[p];
      for (std::uint32_t i; (i = phases[p].next.fetch_add(1, std::memory_order_relaxed)) < count;) {
        call(body, bounds[p] + Index{i});
        phases[p].done.fetch_add(1, std::memory_order_release);
      }
      wait_until_done(phases[p], count);
    }
  });
}

}  // namespace talus::parallel::detail
