#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/model/interface_law.hpp>

namespace talus::model::TALUS_TEST_FILE {
namespace {

/// A mass of 1 kg that flies against a compliant wall at 1 m/s, by RK4 until it leaves.
struct Impact {
  Real largest_force = 0;  // [N]
  Real duration = 0;       // [s]
  Real restitution = 0;    // speed of departure
};

Impact impact(const NormalLaw& law, Real step) {
  Real x = 0, v = 1, time = 0;  // penetration and its rate
  Impact result;
  const auto a = [&](Real d, Real rate) { return -normal_force(law, d, rate, 1); };
  for (;;) {
    const Real x1 = v, v1 = a(x, v);
    const Real x2 = v + step / 2 * v1, v2 = a(x + step / 2 * x1, x2);
    const Real x3 = v + step / 2 * v2, v3 = a(x + step / 2 * x2, x3);
    const Real x4 = v + step * v3, v4 = a(x + step * x3, x4);
    const Real x_next = x + step / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
    const Real v_next = v + step / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    if (x_next <= 0 || time > 1) {  // the force is of order step^1.5 here
      result.duration = time - x / v;
      result.restitution = -v;
      return result;
    }
    x = x_next, v = v_next, time += step;
    result.largest_force = std::max(result.largest_force, normal_force(law, x, v, 1));
  }
}

/// The speed of departure e of χ v = a: a − ln(1 + a) = −a e − ln(1 − a e), from
/// v dv/(1 + χ v) = −(K/m) δⁿ dδ taken to the deepest point from both sides.
Real exact_restitution(Real a) {
  Real low = 0, high = std::min<Real>(1, 1 / a);
  for (int i = 0; i < 200; ++i) {
    const Real e = (low + high) / 2;
    (-a * e - std::log1p(-a * e) < a - std::log1p(a) ? low : high) = e;
  }
  return (low + high) / 2;
}

// An impact on a Hertz spring: F_max = K δ^1.5 with δ = (5 m v²/4K)^0.4 and the contact time
// 2.94 δ/v, published for m = 1 kg, K = 1e8, v = 1 m/s.
TEST(NormalLaw, HertzianImpact) {
  const Impact hit = impact(HertzNormal{1e8, 1.5}, 1e-7);
  EXPECT_NEAR(hit.largest_force, 1811.949159, 1811.949159 * 1e-8);
  EXPECT_NEAR(hit.duration, 2.030462037e-3, 2.030462037e-3 * 1e-8);
  EXPECT_NEAR(hit.restitution, 1, 1e-8);
}

// The stored energy is the work of the force: its derivative is the force, at any exponent.
TEST(NormalLaw, EnergyIsTheWorkOfTheForce) {
  for (const Real n : {1.0, 1.2, 1.5}) {
    const HertzNormal law{3e5, n};
    for (const Real depth : {1e-4, 1e-3, 2e-2}) {
      const Real h = depth * 1e-4;
      const Real slope = (stored_energy(law, depth + h) - stored_energy(law, depth - h)) / (2 * h);
      EXPECT_NEAR(slope, normal_force(law, depth, 0, 1), 1e-7 * slope);
    }
  }
  EXPECT_EQ(stored_energy(HertzNormal{3e5, 1.5}, -1), 0);
}

// Hunt and Crossley's impact with χ v = 0.3 (e = 0.8) departs at 0.832869792 of its speed.
TEST(NormalLaw, HuntCrossleyRestitution) {
  const DampedNormal law{DampedNormal::Kind::hunt_crossley, 1e8, 1.5, 0.8};
  EXPECT_NEAR(impact(law, 1e-7).restitution, 0.832869792, 2e-9 + 1e-8);
  EXPECT_NEAR(exact_restitution(0.3), 0.832869792, 1e-9);
}

// The restitution that each damped law really gives, against the exact solution of its equation,
// over its range: asked and given agree for e → 1, and for all e only with Flores approximately.
TEST(NormalLaw, RestitutionCurves) {
  using Kind = DampedNormal::Kind;
  for (const Real e : {0.1, 0.3, 0.5, 0.7, 0.9, 0.99}) {
    const auto check = [&](Kind kind, Real a) {
      const Impact hit = impact(DampedNormal{kind, 1e8, 1.5, e}, 2e-7);
      EXPECT_NEAR(hit.restitution, exact_restitution(a), 2e-7) << "e = " << e;
      return hit.restitution;
    };
    const Real hunt = check(Kind::hunt_crossley, 3 * (1 - e) / 2);
    const Real lankarani = check(Kind::lankarani_nikravesh, 3 * (1 - e * e) / 4);
    const Real flores = check(Kind::flores, 8 * (1 - e) / (5 * e));
    EXPECT_LT(flores, hunt);
    EXPECT_LT(hunt, lankarani);
    EXPECT_NEAR(flores, e, 0.06);
    if (e == 0.99) {
      EXPECT_NEAR(hunt, e, 1e-3);
      EXPECT_NEAR(lankarani, e, 1e-3);
    }
  }
}

// Every damping law follows K δⁿ + c δ δ̇ or K δⁿ (1 + χ δ̇) where that pushes.
TEST(NormalLaw, ForceByItsFormula) {
  EXPECT_DOUBLE_EQ(normal_force(ViscousNormal{3.1e6, 1.5, 23e3}, 4e-4, 0.1, 0),
                   3.1e6 * 8e-6 + 23e3 * 4e-5);
  const DampedNormal lankarani{DampedNormal::Kind::lankarani_nikravesh, 1e6, 1.5, 0.5};
  EXPECT_DOUBLE_EQ(normal_force(lankarani, 4e-4, 0.1, 0.2), 8 * (1 + 3 * 0.75 / 4 * 0.5));
  EXPECT_DOUBLE_EQ(normal_force(lankarani, 4e-4, 0.1, 0), 8) << "no impact, no damping";
}

// The slopes of every law are those of its force by central differences, to h² of them, and are 0
// where nothing presses.
TEST(NormalLaw, SlopesAreTheForces) {
  Random random(2);
  constexpr Real kDepth = 1e-9, kRate = 1e-6;
  for (int i = 0; i < 1000; ++i) {
    const Real e = random.uniform(0.1, 1), n = random.uniform(1, 2);
    const std::vector<NormalLaw> laws = {
        HertzNormal{1e6, n}, ViscousNormal{1e6, n, 1e5},
        DampedNormal{DampedNormal::Kind::hunt_crossley, 1e6, n, e},
        DampedNormal{DampedNormal::Kind::lankarani_nikravesh, 1e6, n, e},
        DampedNormal{DampedNormal::Kind::flores, 1e6, n, e}};
    const Real depth = random.uniform(1e-4, 1e-3), rate = random.uniform(-1, 1);
    for (const NormalLaw& law : laws) {
      const NormalForce force = normal_force_slopes(law, depth, rate, 0.5);
      EXPECT_EQ(force.value, normal_force(law, depth, rate, 0.5));
      const Real less = normal_force(law, depth - kDepth, rate - kRate, 0.5);
      if (force.value == 0 || less == 0) continue;
      const Real by_depth = (normal_force(law, depth + kDepth, rate, 0.5) -
                             normal_force(law, depth - kDepth, rate, 0.5)) /
                            (2 * kDepth);
      const Real by_rate = (normal_force(law, depth, rate + kRate, 0.5) -
                            normal_force(law, depth, rate - kRate, 0.5)) /
                           (2 * kRate);
      EXPECT_NEAR(force.by_penetration, by_depth, 1e-5 * (1e3 + std::abs(by_depth)));
      EXPECT_NEAR(force.by_rate, by_rate, 1e-5 * (1 + std::abs(by_rate)));
    }
    EXPECT_EQ(normal_force_slopes(laws[0], -1e-4, rate, 0.5).by_penetration, 0);
  }
}

// A contact whose penetration falls with its rate, δ = (u₀ − u)/c, opens at u₀ by an elastic law,
// at the first look, and where a damped one would pull from, 1 = χ u/v, if that is less.
TEST(NormalLaw, OpensWhereItWouldPull) {
  constexpr Real kTouching = 2, kApproach = 0.5, kPerMetre = 1e3;
  int looks = 0;
  const auto opening = [&](const NormalLaw& law) {
    looks = 0;
    return opening_rate(kTouching, [&](Real u) {
      ++looks;
      return normal_force(law, (kTouching - u) / kPerMetre, -u, kApproach);
    });
  };
  EXPECT_EQ(opening(HertzNormal{1e7, 1.5}), kTouching);
  EXPECT_EQ(looks, 1);
  for (const Real e : {0.2, 0.5, 0.7}) {
    const Real chi = 3 * (1 - e) / 2;
    EXPECT_NEAR(opening(DampedNormal{DampedNormal::Kind::hunt_crossley, 1e7, 1.5, e}),
                std::min(kApproach / chi, kTouching), 1e-15)
        << e;
  }
}

// No normal law ever pulls, and none acts across a gap.
TEST(NormalLaw, NonePulls) {
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const Real e = random.uniform(0.01, 1), n = random.uniform(1, 2);
    const std::vector<NormalLaw> laws = {
        HertzNormal{1e6, n}, ViscousNormal{1e6, n, 1e5},
        DampedNormal{DampedNormal::Kind::hunt_crossley, 1e6, n, e},
        DampedNormal{DampedNormal::Kind::lankarani_nikravesh, 1e6, n, e},
        DampedNormal{DampedNormal::Kind::flores, 1e6, n, e}};
    const Real depth = random.uniform(-1e-3, 1e-3), rate = random.uniform(-10, 10);
    for (const NormalLaw& law : laws) {
      const Real force = normal_force(law, depth, rate, random.uniform(0.01, 1));
      EXPECT_GE(force, 0);
      if (depth <= 0) {
        EXPECT_EQ(force, 0);
      }
    }
  }
}

}  // namespace
}  // namespace talus::model::TALUS_TEST_FILE
