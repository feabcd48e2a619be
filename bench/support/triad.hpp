#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

#include <benchmark/benchmark.h>

namespace talus::bench {

/// Bandwidth [byte/s] of a[i] = b[i] + s c[i] on one thread, three arrays of `bytes` together, best
/// of several runs; 24 bytes per element, as STREAM counts (the line fetched for a store is free).
inline double triad_bandwidth(std::size_t bytes) {
  const std::size_t count = std::max<std::size_t>(bytes / (3 * sizeof(double)), 64);
  std::vector<double> a(count, 0.0), b(count, 1.0), c(count, 2.0);
  const std::size_t repeats = 1 + (std::size_t{1} << 25) / (24 * count);  // 32 MB per run at least
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 9; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
      for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
      benchmark::DoNotOptimize(a.data());
      benchmark::ClobberMemory();
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return 24.0 * static_cast<double>(count) * static_cast<double>(repeats) / best;
}

}  // namespace talus::bench
