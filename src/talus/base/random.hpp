#pragma once

#include <cstdint>

namespace talus {

/// Seeded random numbers, the same on every machine: SplitMix64 (Steele, Lea & Flood 2014), key
/// `steele_2014`. Every generator is passed in by its user; Talus has no global random state.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  /// The next 64 bits.
  std::uint64_t bits() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1), 53 bits.
  double uniform() noexcept { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  /// Uniform in [low, high).
  double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

}  // namespace talus
