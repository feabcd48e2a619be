#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/reproduce/flow_fit.hpp>

namespace talus::reproduce::TALUS_TEST_FILE {
namespace {

/// W = C s (B − k d)^p with these numbers.
constexpr Real kC = 0.58, kK = 1.4, kScale = 4700, kDiameter = 6e-3;

Real rate(Real breadth, Real power) {
  return kC * kScale * std::pow(breadth - kK * kDiameter, power);
}

/// Normally distributed, mean 0, variance 1 (the method of Box and Muller).
Real normal(Random& random) {
  const Real u = 1 - random.uniform(), v = random.uniform();
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

// Rates that obey Beverloo's law give back its C and k to round-off, for a round opening and for a
// slot, with and without errors.
TEST(FlowFit, FindsTheConstantsOfExactRates) {
  const std::vector<Real> breadth = {0.03, 0.036, 0.045, 0.06};
  for (const Real power : {1.5, 2.5})
    for (const Real error : {0.0, 0.02}) {
      std::vector<Estimate> rates;
      for (const Real B : breadth) rates.push_back({rate(B, power), error * rate(B, power)});
      const Beverloo fit = fit_beverloo(breadth, rates, kScale, kDiameter, power);
      EXPECT_NEAR(fit.C.value, kC, 1e-12);
      EXPECT_NEAR(fit.k.value, kK, 1e-11);
      EXPECT_EQ(std::isnan(fit.C.error), error == 0);
    }
}

// With noise of a known size the errors of C and k are what they scatter by: over 4000 repetitions
// the standard deviation is within 5 % of the error stated (a sample deviation has 1.1 %; the rest
// is curvature, second order in the noise of 1 %).
TEST(FlowFit, StatesErrorsThatAreThoseOfTheScatter) {
  const std::vector<Real> breadth = {0.03, 0.036, 0.045, 0.06};
  Random random(7);
  const int count = 4000;
  Real sum_C = 0, sum_k = 0, stated_C = 0, stated_k = 0;
  for (int i = 0; i < count; ++i) {
    std::vector<Estimate> rates;
    for (const Real B : breadth)
      rates.push_back({rate(B, 1.5) * (1 + 0.01 * normal(random)), 0.01 * rate(B, 1.5)});
    const Beverloo fit = fit_beverloo(breadth, rates, kScale, kDiameter, 1.5);
    sum_C += (fit.C.value - kC) * (fit.C.value - kC) / count;
    sum_k += (fit.k.value - kK) * (fit.k.value - kK) / count;
    stated_C += fit.C.error / count;
    stated_k += fit.k.error / count;
  }
  EXPECT_NEAR(std::sqrt(sum_C) / stated_C, 1, 0.05);
  EXPECT_NEAR(std::sqrt(sum_k) / stated_k, 1, 0.05);
}

// Rates that fall with the breadth have no such law: C and k are none.
TEST(FlowFit, KnowsNoLawOfFallingRates) {
  const std::vector<Real> breadth = {0.03, 0.04};
  const std::vector<Estimate> rates = {{2, 0.1}, {1, 0.1}};
  EXPECT_TRUE(std::isnan(fit_beverloo(breadth, rates, 1, 1e-3, 1.5).C.value));
}

// A straight line has its slope and no error; of a line with independent increments the stated
// error of the slope is that of its scatter, √(variance of increments · rate of samples/duration).
TEST(FlowFit, MeasuresSlopesWithTheirErrors) {
  Series line;
  for (int i = 0; i <= 60; ++i) {
    line.time.push_back(0.01 * i);
    line.value.push_back(3 - 0.5 * 0.01 * i);
  }
  const Estimate exact = slope_of(line, 6);
  EXPECT_NEAR(exact.value, -0.5, 1e-13);
  EXPECT_NEAR(exact.error, 0, 1e-12);
  Random random(3);
  const int count = 2000;
  Real stated = 0;
  for (int n = 0; n < count; ++n) {
    Series walk;
    Real y = 0;
    for (int i = 0; i <= 60; ++i) {
      walk.time.push_back(i);
      walk.value.push_back(y);
      y += 2 + normal(random);
    }
    const Estimate slope = slope_of(walk, 6);
    stated += slope.error * slope.error / count;
  }
  // Ends of 60 independent steps of variance 1: variance of their mean 1/60. The mean square of
  // 2000 estimates with 5 degrees of freedom has √(2/5/2000) = 1.4 %: five of them.
  EXPECT_NEAR(stated * 60, 1, 0.07);
}

// A mean over time counts what lies in the window, and repetitions give the larger of their
// scatter and their own errors.
TEST(FlowFit, AveragesOverTimeAndRepetitions) {
  Series steps;
  for (int i = 0; i < 40; ++i) {
    steps.time.push_back(i);
    steps.value.push_back(i < 20 ? 100 : i % 2);
  }
  const Estimate late = mean_of(steps.between(20, 39), 5);
  EXPECT_DOUBLE_EQ(late.value, 0.5);
  EXPECT_NEAR(late.error, 0.1, 0.1);
  EXPECT_TRUE(std::isnan(mean_of(steps.between(50, 60), 5).value));
  EXPECT_TRUE(std::isnan(mean_of(steps.between(20, 23), 5).error));
  const std::vector<Estimate> apart = {{1, 0.1}, {3, 0.1}}, same = {{2, 0.3}, {2, 0.4}};
  EXPECT_DOUBLE_EQ(combine(apart).value, 2);
  EXPECT_DOUBLE_EQ(combine(apart).error, 1);
  EXPECT_DOUBLE_EQ(combine(same).error, 0.25);
}

// A ratio is one of means, not the mean of ratios: what is small below does not count double.
TEST(FlowFit, DividesMeans) {
  Series above, below;
  for (int i = 0; i < 48; ++i) {
    above.time.push_back(i);
    below.time.push_back(i);
    above.value.push_back(i % 2 == 0 ? 1 : 5);
    below.value.push_back(i % 2 == 0 ? 0 : 12);
  }
  const Estimate ratio = ratio_of(above, below, 4);
  EXPECT_DOUBLE_EQ(ratio.value, 0.5);
  EXPECT_LT(ratio.error, 0.05);
}

}  // namespace
}  // namespace talus::reproduce::TALUS_TEST_FILE
