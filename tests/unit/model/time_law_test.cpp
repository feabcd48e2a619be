#include <talus/model/time_law.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace talus::model::TALUS_TEST_FILE {
namespace {

std::vector<TimeLaw> some_laws() {
  return {ConstantLaw{3},
          RampLaw{1, -2},
          HarmonicLaw{0.5, 2, 0.7, 0.3},
          HarmonicLaw{0.5, 2, 0, 0.3},
          make_table({0.5, 1, 2.5, 3}, {1, -1, 4, 2}, false),
          make_table({-0.5, 1, 2.5, 3}, {1, -1, 4, 2}, true)};
}

// The derivatives of every law are the central differences of its value, between its corners.
TEST(TimeLaw, DerivativesAreThoseOfTheValue) {
  constexpr Real h = 1e-4;
  for (const TimeLaw& law : some_laws())
    for (const Real t : {-1.03, 0.07, 0.71, 1.93, 2.71, 4.2}) {
      const TimeValue here = evaluate(law, t);
      const TimeValue left = evaluate(law, t - h), right = evaluate(law, t + h);
      EXPECT_NEAR(here.rate, (right.value - left.value) / (2 * h), 1e-5);
      EXPECT_NEAR(here.acceleration, (right.rate - left.rate) / (2 * h), 1e-4);
    }
}

// The integral is zero at the time zero, its derivative is the law.
TEST(TimeLaw, IntegralHasTheLawAsItsDerivative) {
  constexpr Real h = 1e-4;
  for (const TimeLaw& law : some_laws()) {
    EXPECT_EQ(evaluate_integral(law, 0).value, 0);
    for (const Real t : {-1.03, 0.07, 0.71, 1.93, 2.71, 4.2}) {
      const TimeValue here = evaluate_integral(law, t);
      const Real difference =
          (evaluate_integral(law, t + h).value - evaluate_integral(law, t - h).value) / (2 * h);
      EXPECT_NEAR(difference, evaluate(law, t).value, 1e-6);
      EXPECT_EQ(here.rate, evaluate(law, t).value);
      EXPECT_EQ(here.acceleration, evaluate(law, t).rate);
    }
  }
}

// A speed that swings with frequency f leads to an angle in closed form.
TEST(TimeLaw, IntegralOfAHarmonicSpeed) {
  const Real circular = 2 * std::numbers::pi * 0.7;
  EXPECT_NEAR(evaluate_integral(HarmonicLaw{0, 2, 0.7, 0}, 1.3).value,
              2 / circular * (1 - std::cos(circular * 1.3)), 1e-14);
}

// The mean over a span times its length is what the integral gains, the mean of the rate what the
// value gains; at an instant it is the law. Of a short span nothing cancels: a law that is even
// there has its own value as its mean.
TEST(TimeLaw, MeanIsTheGainOfTheIntegral) {
  for (const TimeLaw& law : some_laws()) {
    for (const auto& [a, b] : {std::pair(-1.03, 0.07), std::pair(0.71, 1.93), std::pair(1.2, 1.3),
                               std::pair(-0.7, 4.2), std::pair(3.5, 4.2)}) {
      const TimeValue over = mean(law, {a, b}), first = evaluate(law, a), last = evaluate(law, b);
      const Real gain = evaluate_integral(law, b).value - evaluate_integral(law, a).value;
      EXPECT_NEAR(over.value * (b - a), gain, 1e-14 * (1 + std::abs(gain)));
      EXPECT_NEAR(over.rate * (b - a), last.value - first.value, 1e-14);
    }
    EXPECT_EQ(mean(law, 1.93).value, evaluate(law, 1.93).value);
    EXPECT_EQ(mean(law, 1.93).rate, evaluate(law, 1.93).rate);
  }
  const TimeLaw table = make_table({0, 1, 2000, 2001}, {3, 0.1, 0.1, 7}, false);
  EXPECT_EQ(mean(table, {1999, 1999 + 1e-9}).value, 0.1);
  // A value that holds over entries is its own mean to the last bit.
  const TimeLaw held = make_table({0, 0.01, 0.02, 0.03, 0.04}, {4.7, 4.7, 4.7, 4.7, 4.7}, false);
  for (const Real begin : {-0.003, 0.0, 0.0042, 0.0291})
    EXPECT_EQ(mean(held, {begin, begin + 0.013}).value, 4.7);
}

// A spline goes through its entries, and its slope and curvature have no jump there.
TEST(TimeLaw, SplineIsSmoothAtItsEntries) {
  const TimeLaw spline = make_table({-0.5, 1, 2.5, 3}, {1, -1, 4, 2}, true);
  constexpr Real h = 1e-7;
  for (const auto& [t, value] : {std::pair(1.0, -1.0), std::pair(2.5, 4.0)}) {
    EXPECT_DOUBLE_EQ(evaluate(spline, t).value, value);
    EXPECT_NEAR(evaluate(spline, t - h).rate, evaluate(spline, t).rate, 1e-5);
    EXPECT_NEAR(evaluate(spline, t - h).acceleration, evaluate(spline, t).acceleration, 1e-5);
  }
  EXPECT_NEAR(evaluate(spline, -0.5).acceleration, 0, 1e-12);
}

// Corners are the entries of a straight table where its slope changes, and the ends of a spline; at
// a corner the slope is that to the right.
TEST(TimeLaw, CornersAreWhereTheSlopeJumps) {
  const TimeLaw table = make_table({0.5, 1, 2}, {0, 1, 5}, false);
  EXPECT_EQ(next_kink(table, 0), 0.5);
  EXPECT_EQ(next_kink(table, 0.5), 1);
  EXPECT_EQ(next_kink(table, 2), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(evaluate(table, 1).rate, 4);
  EXPECT_EQ(evaluate(table, 2).rate, 0);
  const TimeLaw spline = make_table({0.5, 1, 2}, {0, 1, 5}, true);
  EXPECT_EQ(next_kink(spline, 0), 0.5);
  EXPECT_EQ(next_kink(spline, 0.7), 2);
  const TimeLaw even = make_table({0, 1, 2, 3}, {4, 4, 4, 5}, false);  // none at 0 and 1
  EXPECT_EQ(next_kink(even, -1), 2);
  EXPECT_EQ(next_kink(HarmonicLaw{}, 0), std::numeric_limits<Real>::infinity());
}

}  // namespace
}  // namespace talus::model::TALUS_TEST_FILE
