#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <talus/stepping/event_driven/accumulation.hpp>

namespace talus::stepping::event_driven::TALUS_TEST_FILE {
namespace {

// Impacts whose intervals and speeds shrink by a ratio r accumulate at t₀ + Δ/(1 − r), known as
// soon as speeds have fallen to 1e-5 of the first.
TEST(Accumulation, FindsTheLimitOfAGeometricSeries) {
  for (const Real r : {0.1, 0.5, 0.9}) {
    Accumulation series;
    std::optional<Real> limit;
    Real time = 2, interval = 0.3, speed = 4;
    int count = 0;
    for (; !limit && count < 1000; ++count) {
      limit = series.add(time, speed);
      time += interval;
      interval *= r;
      speed *= r;
    }
    ASSERT_TRUE(limit.has_value()) << r;
    EXPECT_NEAR(*limit, 2 + 0.3 / (1 - r), 1e-12);
    EXPECT_LE(std::pow(r, count - 1), 1e-5);
    EXPECT_GT(std::pow(r, count - 2), count > 6 ? 1e-5 : 0);
  }
}

// Impacts that come back as fast as before are no series, nor are those with ratios 10 % apart.
TEST(Accumulation, TakesNothingElseForASeries) {
  Accumulation same, uneven;
  Real time = 0, interval = 0.1, speed = 1;
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(same.add(0.1 * i, 1).has_value());
    EXPECT_FALSE(uneven.add(time, speed).has_value());
    time += interval;
    interval *= i % 2 == 0 ? 0.5 : 0.55;
    speed *= 0.5;
  }
  EXPECT_FALSE(same.is_tail());
}

// A blow after a pause begins a new series, whose speeds count from its own first: what came before
// does not close it earlier.
TEST(Accumulation, BeginsAnewAfterAPause) {
  Accumulation fresh, later;
  (void)later.add(0, 1000);
  (void)later.add(0.1, 900);
  (void)later.add(0.15, 800);
  for (int i = 0; i < 100; ++i) {
    const Real time = 10 + 2 * (1 - std::pow(0.5, i)), speed = std::pow(0.5, i);
    const auto a = fresh.add(time, speed), b = later.add(time, speed);
    ASSERT_EQ(a, b) << "impact " << i;
    if (a) return;
  }
  FAIL() << "no limit";
}

// What is written and read goes on as if nothing had happened.
TEST(Accumulation, IsKept) {
  Accumulation kept, read;
  for (int i = 0; i < 6; ++i) (void)kept.add(1 - std::pow(0.5, i), std::pow(0.5, i));
  std::array<Real, Accumulation::kSize> memory{};
  kept.write(memory.data());
  read.read(memory.data());
  for (int i = 6; i < 30; ++i) {
    const auto a = kept.add(1 - std::pow(0.5, i), std::pow(0.5, i));
    const auto b = read.add(1 - std::pow(0.5, i), std::pow(0.5, i));
    ASSERT_EQ(a, b);
    if (a) return;
  }
  FAIL() << "no limit";
}

}  // namespace
}  // namespace talus::stepping::event_driven::TALUS_TEST_FILE
