#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/sim/periodic_orbit.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

/// A map of a flat space: charts are differences.
ReturnMap flat(Index dimension, std::function<VecX(const VecX&)> after) {
  return {dimension, std::move(after),
          [](const VecX& base, const VecX& step) { return VecX(base + step); },
          [](const VecX& state, const VecX& base) { return VecX(state - base); }};
}

// A driven damped oscillator: shooting finds the steady oscillation, and the multipliers are
// exp(λT) of its free one. The map is linear, so one iteration of Newton's method is enough.
TEST(PeriodicOrbit, DrivenOscillator) {
  const Real w = 3, damping = 0.2, drive = 2, period = 2 * kPi / drive;
  const std::complex<Real> free(-damping, std::sqrt(w * w - damping * damping));
  const std::complex<Real> amplitude =
      1.0 / std::complex<Real>(w * w - drive * drive, 2 * damping * drive);
  const auto steady = [&](Real t) {
    const auto x = amplitude * std::exp(std::complex<Real>(0, drive * t));
    return Eigen::Vector2d(x.real(), (std::complex<Real>(0, drive) * x).real());
  };
  const auto after = [&](const VecX& x) -> VecX {
    const Eigen::Vector2d e = x - steady(0);  // decays as exp(free t)
    const Real b = (e[1] + damping * e[0]) / free.imag();
    const std::complex<Real> z = std::complex<Real>(e[0], -b) * std::exp(free * period);
    return steady(period) + Eigen::Vector2d(z.real(), (free * z).real());
  };
  const auto orbit = find_periodic_orbit(flat(2, after), VecX::Constant(2, 5), {.perturbation = 1});
  EXPECT_EQ(orbit.status, PeriodicOrbit::Status::found);
  EXPECT_EQ(orbit.iterations, 1);
  EXPECT_LE((orbit.state - steady(0)).norm(), 1e-9);
  ASSERT_EQ(orbit.multipliers.size(), 2U);
  for (const auto& multiplier : orbit.multipliers)
    EXPECT_NEAR(std::abs(multiplier), std::exp(free.real() * period), 1e-8);
  EXPECT_NEAR(std::abs(orbit.multipliers[0].imag()), std::abs(std::exp(free * period).imag()),
              1e-8);
  EXPECT_TRUE(orbit.is_stable());
}

/// A ball on a table that shakes with the amplitude A, high above it: phase of an impact and speed
/// after it; in flight 2v/g, at the impact v' = e v + (1 + e) A ω cos φ'.
VecX next_bounce(const VecX& x, Real restitution, Real table) {
  const Real phase = x[0] + 2 * x[1];  // ω = 1, g = 1
  return Eigen::Vector2d(phase, restitution * x[1] + (1 + restitution) * table * std::cos(phase));
}

// The bouncing ball's motion of one impact per period: v = π and cos φ = π(1 − e)/((1 + e)A) with
// multipliers of product e² − …: those of [[1, 2], [−s, e − 2s]], s = (1 + e) A sin φ. The phase
// turns by 2π per bounce, which is no change.
TEST(PeriodicOrbit, BouncingBall) {
  const Real e = 0.8, table = 0.4;
  ReturnMap map = flat(2, [&](const VecX& x) { return next_bounce(x, e, table); });
  map.difference = [](const VecX& to, const VecX& from) {
    return VecX(Eigen::Vector2d(std::remainder(to[0] - from[0], 2 * kPi), to[1] - from[1]));
  };
  const Real phase = std::acos(kPi * (1 - e) / ((1 + e) * table));
  const auto orbit =
      find_periodic_orbit(map, Eigen::Vector2d(phase + 0.1, kPi - 0.2), {.tolerance = 1e-12});
  ASSERT_EQ(orbit.status, PeriodicOrbit::Status::found) << to_string(orbit.status);
  EXPECT_NEAR(orbit.state[0], phase, 1e-11);
  EXPECT_NEAR(orbit.state[1], kPi, 1e-11);
  const Real s = (1 + e) * table * std::sin(phase);
  const Real trace = 1 + e - 2 * s;  // the determinant is e
  const std::complex<Real> root = std::sqrt(std::complex<Real>(trace * trace / 4 - e));
  EXPECT_NEAR(std::abs(orbit.multipliers[0] - (trace / 2 + root)) *
                  std::abs(orbit.multipliers[0] - (trace / 2 - root)),
              0, 1e-8);
  EXPECT_NEAR(std::abs(orbit.multipliers[0] * orbit.multipliers[1]), e, 1e-8);
  EXPECT_TRUE(orbit.is_stable());
  // The other orbit, at −φ, is a saddle, and Newton's method finds it just as well.
  const auto saddle =
      find_periodic_orbit(map, Eigen::Vector2d(-phase + 0.05, kPi), {.tolerance = 1e-12});
  ASSERT_EQ(saddle.status, PeriodicOrbit::Status::found);
  EXPECT_NEAR(saddle.state[0], -phase, 1e-11);
  EXPECT_FALSE(saddle.is_stable());
}

// Where there is no orbit, or no return, it says so instead of giving a state.
TEST(PeriodicOrbit, SaysWhereThereIsNone) {
  const auto shift =
      flat(1, [](const VecX& x) { return VecX(x + VecX::Constant(1, 1 + x[0] * x[0])); });
  EXPECT_EQ(find_periodic_orbit(shift, VecX::Constant(1, 0.5)).status,
            PeriodicOrbit::Status::not_converged);
  const auto lost = flat(1, [](const VecX&) { return VecX(); });
  EXPECT_EQ(find_periodic_orbit(lost, VecX::Zero(1)).status, PeriodicOrbit::Status::no_return);
  EXPECT_EQ(find_periodic_orbit(shift, VecX::Zero(1), {.should_stop = [] { return true; }}).status,
            PeriodicOrbit::Status::interrupted);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
