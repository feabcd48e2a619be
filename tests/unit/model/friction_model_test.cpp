#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <talus/model/interface_law.hpp>

namespace talus::model::TALUS_TEST_FILE {
namespace {

constexpr Real kMu = 0.4, kStatic = 0.6, kLoad = 50;

/// Every law whose force is a function of the slip velocity.
std::vector<FrictionModel> memoryless_laws() {
  return {{kMu, 0, 0, CoulombFriction{kStatic}},
          {kMu, 3, 0, CoulombFriction{}},
          {kMu, 0, 0, StribeckFriction{kStatic, 0.1, 2}},
          {kMu, 1, 0, StribeckFriction{kStatic, 0.1, 1}},
          {kMu, 0, 0, TanhFriction{0.05}},
          {kMu, 2, 0, AtanFriction{0.05}},
          {kMu, 0, 0, PiecewiseLinearFriction{0.01, 0.1}}};
}

// Friction opposes slip, is odd in the velocity and, without its viscous part, never above μ₀ F_N.
TEST(FrictionModel, OpposesSlip) {
  for (const FrictionModel& law : memoryless_laws())
    for (const Real v : {1e-6, 1e-3, 0.02, 0.3, 10.0}) {
      const Real force = slip_force(law, v, kLoad);
      EXPECT_LE(force, 0);
      EXPECT_EQ(slip_force(law, -v, kLoad), -force);
      EXPECT_LE(-force - law.viscous * v, static_friction(law) * kLoad * (1 + 1e-15));
      EXPECT_EQ(slip_force(law, 0, kLoad), 0);
    }
}

// The printed formulas at chosen points.
TEST(FrictionModel, ForceByItsFormula) {
  const auto force = [](FrictionKind kind, Real viscous, Real v) {
    return slip_force({kMu, viscous, 0, kind}, v, kLoad);
  };
  EXPECT_DOUBLE_EQ(force(CoulombFriction{kStatic}, 0, 2), -kMu * kLoad);
  EXPECT_DOUBLE_EQ(force(CoulombFriction{kStatic}, 3, -2), kMu * kLoad + 6);
  EXPECT_DOUBLE_EQ(force(StribeckFriction{kStatic, 0.1, 2}, 0, 0.1),
                   -(kMu + 0.2 * std::exp(-1.0)) * kLoad);
  EXPECT_DOUBLE_EQ(force(TanhFriction{0.05}, 0, 0.05), -kMu * kLoad * std::tanh(1.0));
  EXPECT_DOUBLE_EQ(force(AtanFriction{0.05}, 0, 0.05), -kMu * kLoad / 2);
  EXPECT_DOUBLE_EQ(force(PiecewiseLinearFriction{0.01, 0.1}, 0, 0.055), -kMu * kLoad / 2);
  EXPECT_EQ(force(PiecewiseLinearFriction{0.01, 0.1}, 0, 0.009), 0);
  EXPECT_DOUBLE_EQ(force(PiecewiseLinearFriction{0.01, 0.1}, 0, 0.2), -kMu * kLoad);
  EXPECT_DOUBLE_EQ(force(DahlFriction{1e3, 1}, 5, 2), -10) << "Dahl's force is a state";
}

// The slope is the derivative of the force, by central differences, for Stribeck's curve and all
// others.
TEST(FrictionModel, SlopeIsTheDerivative) {
  for (const FrictionModel& law : memoryless_laws())
    for (const Real v : {-0.3, -0.07, 0.02, 0.06, 0.25}) {
      const Real h = 1e-6;
      const Real slope = (slip_force(law, v + h, kLoad) - slip_force(law, v - h, kLoad)) / (2 * h);
      EXPECT_NEAR(slip_force_slope(law, v, kLoad), slope, 1e-6 * (1 + std::abs(slope)));
    }
  // Stribeck's weakening is what makes limit cycles: the slope is positive there.
  EXPECT_GT(slip_force_slope({kMu, 0, 0, StribeckFriction{kStatic, 0.1, 2}}, 0.05, kLoad), 0);
  EXPECT_EQ(slip_force_slope({kMu, 2, 0, StribeckFriction{0, 0.1, 0.5}}, 0, kLoad), -2);
}

// Only the set-valued laws hold a contact, up to μ₀ F_N, which is μ F_N unless something is said.
TEST(FrictionModel, WhoSticks) {
  EXPECT_TRUE(has_stick({kMu, 0, 0, CoulombFriction{}}));
  EXPECT_TRUE(has_stick({kMu, 0, 0, StribeckFriction{kStatic, 0.1, 2}}));
  EXPECT_FALSE(has_stick({kMu, 0, 0, TanhFriction{0.1}}));
  EXPECT_FALSE(has_stick({kMu, 0, 0, AtanFriction{0.1}}));
  EXPECT_FALSE(has_stick({kMu, 0, 0, PiecewiseLinearFriction{0, 0.1}}));
  EXPECT_FALSE(has_stick({kMu, 0, 0, DahlFriction{1e3, 1}}));
  EXPECT_EQ(static_friction({kMu, 0, 0, CoulombFriction{}}), kMu);
  EXPECT_EQ(static_friction({kMu, 0, 0, CoulombFriction{kStatic}}), kStatic);
  EXPECT_EQ(static_friction({kMu, 0, 0, StribeckFriction{kStatic, 0.1, 2}}), kStatic);
  EXPECT_EQ(static_friction({kMu, 0, 0, TanhFriction{0.1}}), kMu);
}

// A law without stick creeps down an incline: at v_d artanh(tan α/μ) with tanh, at
// v₀ + (tan α/μ)(v₁ − v₀) with the piecewise linear one friction balances the weight.
TEST(FrictionModel, CreepsOnAnIncline) {
  const Real angle = 0.3, weight = 9.81, mu = 0.5;
  const Real share = std::tan(angle) / mu, load = weight * std::cos(angle);
  const auto balance = [&](const FrictionKind& kind, Real v) {
    return weight * std::sin(angle) + slip_force({mu, 0, 0, kind}, v, load);
  };
  EXPECT_NEAR(balance(TanhFriction{1e-3}, 1e-3 * std::atanh(share)), 0, 1e-14);
  EXPECT_NEAR(balance(PiecewiseLinearFriction{1e-3, 4e-3}, 1e-3 + share * 3e-3), 0, 1e-14);
  EXPECT_GT(balance(TanhFriction{1e-3}, 0.99e-3 * std::atanh(share)), 0) << "slower: it speeds up";
}

/// F of Dahl's state after the way `way` at the speed 1 or −1, by RK4.
Real after(const FrictionModel& law, Real force, Real way, int steps) {
  const Real v = way > 0 ? 1 : -1, h = std::abs(way) / steps;
  const auto rate = [&](Real f) { return dahl_rate(law, f, v, kLoad); };
  for (int k = 0; k < steps; ++k) {
    const Real r1 = rate(force), r2 = rate(force + h / 2 * r1), r3 = rate(force + h / 2 * r2);
    force += h / 6 * (r1 + 2 * r2 + 2 * r3 + rate(force + h * r3));
  }
  return force;
}

// Dahl's hysteresis: with a = 1, F = F_c − (F_c − F₀) exp(−σ x/F_c) on the way forth, mirrored on
// the way back; with a = 2, F = F_c − 1/(1/(F_c − F₀) + σ x/F_c²). A closed loop of amplitude X has
// the turning force F_c tanh(σ X/F_c) at a = 1.
TEST(FrictionModel, DahlHysteresis) {
  const Real sigma = 2e3, limit = kMu * kLoad, way = 0.013;
  const FrictionModel one{kMu, 0, 0, DahlFriction{sigma, 1}},
      two{kMu, 0, 0, DahlFriction{sigma, 2}};
  const Real forth = limit - (limit + 5) * std::exp(-sigma * way / limit);
  EXPECT_NEAR(after(one, -5, way, 2000), forth, 1e-10);
  const Real back = -limit + (limit + forth) * std::exp(-sigma * way / limit);
  EXPECT_NEAR(after(one, forth, -way, 2000), back, 1e-10);
  EXPECT_NEAR(after(two, -5, way, 2000),
              limit - 1 / (1 / (limit + 5) + sigma * way / (limit * limit)), 1e-10);

  Real turning = 0;
  const Real amplitude = 0.004;
  for (int cycle = 0; cycle < 40; ++cycle) {
    turning = after(one, turning, 2 * amplitude, 500);
    turning = after(one, turning, -2 * amplitude, 500);
  }
  EXPECT_NEAR(turning, -limit * std::tanh(sigma * amplitude / limit), 1e-9);
}

// In closed form Dahl's force after a slip is what its rate leads to, on both sides of the limit,
// for every exponent; no slip changes nothing, and without a normal force there is none.
TEST(FrictionModel, DahlInClosedForm) {
  const Real limit = kMu * kLoad;
  for (const Real exponent : {1.0, 1.5, 2.0, 3.0}) {
    const FrictionModel law{kMu, 0, 0, DahlFriction{2e3, exponent}};
    for (const Real start : {-0.9, -0.2, 0.0, 0.7, 1.3})
      for (const Real way : {-0.01, -1e-4, 2e-3, 0.02})
        EXPECT_NEAR(dahl_force(law, start * limit, way, kLoad),
                    after(law, start * limit, way, 4000), 1e-8)
            << exponent << " " << start << " " << way;
    EXPECT_EQ(dahl_force(law, 3, 0, kLoad), 3);
    EXPECT_EQ(dahl_force(law, 3, 0.1, 0), 0);
  }
}

// How Dahl's force follows what presses is the difference of two forces, inside the limit and
// outside, and at no pressure that of sliding, μ.
TEST(FrictionModel, DahlFollowsWhatPresses) {
  for (const Real exponent : {1.0, 1.5, 3.0}) {
    const FrictionModel law{kMu, 0, 0, DahlFriction{2e3, exponent}};
    for (const Real start : {-1.5, -0.2, 0.0, 0.7, 1.3})
      for (const Real way : {-0.01, -1e-4, 2e-3, 0.0}) {
        const Real force = start * kMu * kLoad, less = kLoad * (1 - 1e-6),
                   more = kLoad * (1 + 1e-6);
        EXPECT_NEAR(
            dahl_force_by_normal(law, force, way, kLoad),
            (dahl_force(law, force, way, more) - dahl_force(law, force, way, less)) / (more - less),
            1e-7)
            << exponent << " " << start << " " << way;
      }
    EXPECT_EQ(dahl_force_by_normal(law, 3, -0.1, 0), -kMu);
    EXPECT_NEAR(dahl_force_by_normal(law, 3, 0.1, 1e-200), kMu, 1e-12);
  }
}

// Dahl's force is rate independent, never leaves [−F_c, F_c] from inside, and comes back to it when
// the normal force has fallen; without a normal force it does not change.
TEST(FrictionModel, DahlStaysWithinItsLimit) {
  for (const Real exponent : {1.0, 1.5, 3.0}) {
    const FrictionModel law{kMu, 0, 0, DahlFriction{2e3, exponent}};
    const Real limit = kMu * kLoad;
    EXPECT_DOUBLE_EQ(dahl_rate(law, 3, 0.2, kLoad), 2 * dahl_rate(law, 3, 0.1, kLoad));
    EXPECT_EQ(dahl_rate(law, limit, 1, kLoad), 0);
    EXPECT_LT(dahl_rate(law, limit, -1, kLoad), 0);
    EXPECT_LT(dahl_rate(law, 1.2 * limit, 1, kLoad), 0);
    EXPECT_GT(dahl_rate(law, -1.2 * limit, -1, kLoad), 0);
    EXPECT_EQ(dahl_rate(law, 0, 1, 0), 0);
  }
}

}  // namespace
}  // namespace talus::model::TALUS_TEST_FILE
