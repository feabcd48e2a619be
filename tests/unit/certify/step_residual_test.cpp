#include <gtest/gtest.h>

#include <cmath>

#include <talus/certify/step_residual.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

constexpr Real kFall = 0.01;       // h g [m/s]
constexpr Real kRounding = 1e-14;  // of what rates are the sum of

/// A body of 1 kg between two walls that press it with the same impulse: its rates are what
/// rounding leaves of them.
Certificate pressed(Real impulse) {
  StepResidual residual;
  StepRow row;
  row.own = 1;
  row.applied = kFall;
  row.impulse = impulse;
  row.round_off = 10 * kRounding * impulse;
  for (const Real side : {1, -1}) {
    row.rate = side * kRounding * impulse;
    residual.add_normal(row);
  }
  return residual.certificate();
}

// Impulses that balance each other can have any size, and no law of theirs says which. What
// rounding makes of rates grows with them and is no violation; its work, 2 · 1e-14 r², must stay
// below the energy at stake, 2 m (h g)² = 2e-4 J: r ≤ 1e5 N s.
TEST(StepResidual, RoundingDoesNoWorkThatMatters) {
  const Certificate well = pressed(9.9e4), jammed = pressed(1.01e5);
  EXPECT_TRUE(well.meets(1e-6));
  EXPECT_NEAR(well.work, std::pow(9.9e4, 2) * kRounding / std::pow(kFall, 2), 1e-9);
  EXPECT_EQ(jammed.natural_map, 0);
  EXPECT_EQ(jammed.violation, 0);
  EXPECT_FALSE(jammed.meets(1e-6));
}

// Friction that slides takes slip |u'| from the energy, by its law; what it takes more or less is
// work that it should not do. One that is held does none.
TEST(StepResidual, FrictionTakesWhatItsLawSays) {
  const auto work = [](Real impulse, Real rate) {
    StepResidual residual;
    StepRow row;
    row.own = 1;
    row.applied = kFall;
    row.impulse = impulse;
    row.rate = rate;
    residual.add_friction(row, -0.3, 0.3, 0.3);
    return residual.certificate().work * std::pow(kFall, 2);
  };
  EXPECT_EQ(work(-0.3, 2), 0);
  EXPECT_EQ(work(0.3, -2), 0);
  EXPECT_EQ(work(0.2, 0), 0);
  EXPECT_NEAR(work(0.3, 2), 1.2, 1e-12);
  EXPECT_NEAR(work(-0.2, 2), 0.2, 1e-12);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
