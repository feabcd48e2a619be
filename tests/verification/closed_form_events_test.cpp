#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>

#include "support/machine_world.hpp"

// The closed forms of single contacts, event-driven, for parameters drawn at random: 1e-9 on event
// times that polynomials give, 1e-6 and better on those of integrated motions.

namespace talus::TALUS_TEST_FILE {
namespace {

using stepping::EventKind;
using test::coulomb;
using test::MachineWorld;
constexpr int kDraws = 12;

struct Draw {
  Random random;
  explicit Draw(unsigned seed) : random(seed) {}
  Real operator()(Real low, Real high) { return random.uniform(low, high); }
  Real decades(Real low, Real high) { return std::exp((*this)(std::log(low), std::log(high))); }
};

// A ball from a height h over the floor rests after √(2h/g) (1 + e)/(1 − e).
TEST(ClosedForms, BouncingBall) {
  Draw draw(1);
  for (int i = 0; i < kDraws; ++i) {
    const Real e = draw(0.1, 0.9), height = draw.decades(0.05, 5), g = draw(1, 20),
               radius = draw(0.05, 0.2), mass = draw.decades(0.1, 50);
    MachineWorld world(coulomb(draw(0, 0.8), 0, e), Vec3(0, -g, 0));
    world.add_line();
    const Index ball = world.add_body(geometry::Sphere{radius}, mass, 0.4 * mass * radius * radius,
                                      {0, radius + height});
    const Real first = std::sqrt(2 * height / g), rests = first * (1 + e) / (1 - e);
    ASSERT_TRUE(world.run(1.1 * rests, rests / 50)) << i << ": " << world.last.detail;
    const auto* end = world.first(EventKind::accumulation);
    ASSERT_NE(end, nullptr) << i;
    EXPECT_NEAR(end->time, rests, 1e-9 * rests) << i;
    EXPECT_NEAR(world.first(EventKind::impact)->time, first, 1e-11 * first) << i;
    EXPECT_NEAR(world.state.position[ball].y(), radius, 1e-9) << i;
  }
}

// A block thrown up an incline stops after v/(g (sin α + μ cos α)), and stays where tan α < μ₀, or
// slides back with g (sin α − μ cos α).
TEST(ClosedForms, BlockOnAnIncline) {
  Draw draw(2);
  int stayed = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Real angle = draw(0.05, 0.9), mu = draw(0.05, 0.9), mu0 = mu * draw(1, 1.5),
               v = draw(0.5, 5), g = 9.81;
    MachineWorld world(coulomb(mu, mu0));
    world.add_line(angle);
    const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
    const Index block = world.add_body(geometry::Box{{0.3, 0.02, 0.1}}, 1, 0.03, 0.02 * up, angle);
    world.state.velocity[block] = {v * along.x(), v * along.y(), 0};
    const Real stop = v / (g * (std::sin(angle) + mu * std::cos(angle))), way = v * stop / 2;
    ASSERT_TRUE(world.run(2 * stop, stop / 7)) << i << ": " << world.last.detail;
    const bool stays = std::tan(angle) < mu0;
    const auto* event = world.first(stays ? EventKind::stick : EventKind::reversal);
    ASSERT_NE(event, nullptr) << i;
    EXPECT_NEAR(event->time, stop, 1e-9 * stop) << i;
    const Real back = stays ? 0 : g * (std::sin(angle) - mu * std::cos(angle)) * stop * stop / 2;
    EXPECT_NEAR((world.state.position[block].head<2>() - 0.02 * up).dot(along), way - back,
                1e-9 * (way + back))
        << i;
    stayed += stays;
  }
  EXPECT_GT(stayed, 2);
  EXPECT_LT(stayed, kDraws - 2);
}

// A disc with J = c m r² that slides at v with a spin ω: it rolls from |v + ω r|/(μ g (1 + 1/c))
// on.
TEST(ClosedForms, SlidingDiscBeginsToRoll) {
  Draw draw(3);
  for (int i = 0; i < kDraws; ++i) {
    const Real mu = draw(0.05, 0.9), c = draw(0.2, 1), r = draw(0.02, 0.5),
               m = draw.decades(0.1, 9), v = draw(-5, 5), spin = draw(-20, 20);
    MachineWorld world(coulomb(mu));
    world.add_line();
    const Index disc = world.add_body(geometry::Sphere{r}, m, c * m * r * r, {0, r});
    world.state.velocity[disc] = {v, 0, 0};
    world.state.angular_velocity[disc] = {0, 0, spin};
    const Real slip = v + spin * r;
    const Real rolls = std::abs(slip) / (mu * 9.81 * (1 + 1 / c));
    ASSERT_TRUE(world.run(1.5 * rolls, rolls / 5)) << i << ": " << world.last.detail;
    const auto* stick = world.first(EventKind::stick);
    ASSERT_NE(stick, nullptr) << i;
    EXPECT_NEAR(stick->time, rolls, 1e-9 * rolls) << i;
    const Real rolling = v - std::copysign(mu * 9.81 * rolls, slip);
    EXPECT_NEAR(world.state.velocity[disc].x(), rolling, 1e-9 * (1 + std::abs(v))) << i;
    EXPECT_NEAR(world.state.angular_velocity[disc].z() * r, -rolling, 1e-9 * (1 + std::abs(v)))
        << i;
  }
}

/// A block on a line or a belt, held by a spring that rests at x = 0.
struct Oscillator : MachineWorld {
  Index block = 0;
  Oscillator(const model::InterfaceLaw& surface, Real g, Real mass, Real stiffness, Real start,
             Real belt)
      : MachineWorld(surface, Vec3(0, -g, 0)) {
    const Index line =
        add(geometry::Plane{}, belt != 0 ? model::BodyKind::kinematic : model::BodyKind::fixed,
            Vec3::Zero(), rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
    if (belt != 0) state.velocity[line] = {belt, 0, 0};
    block = add_body(geometry::Box{{0.2, 0.02, 0.1}}, mass, mass, {start, 0.02});
    const Index wall = add(geometry::Sphere{0.01}, model::BodyKind::fixed, {-5, 0.02, 0});
    model::LineForce spring;
    spring.stiffness = stiffness;
    spring.rest_length = 5;
    machine->forces.push_back({"spring", wall, block, spring});
  }
};

// On a belt at v_b with d = (μ₀ − μ) N/k every slip takes (π + 2 arctan(v_b/ω d))/ω and every stick
// 2 d/v_b.
TEST(ClosedForms, BlockOnABelt) {
  Draw draw(4);
  for (int i = 0; i < kDraws; ++i) {
    const Real m = draw.decades(0.2, 20), omega = draw(3, 30), g = draw(5, 15), mu = draw(0.1, 0.5),
               mu0 = mu + draw(0.1, 0.4), k = m * omega * omega, d = (mu0 - mu) * m * g / k,
               belt = d * omega * draw(0.2, 2) * (i % 2 == 0 ? 1 : -1);
    Oscillator world(coulomb(mu, mu0), g, m, k, 0, belt);
    world.state.velocity[world.block] = {belt, 0, 0};
    const Real slips = (std::numbers::pi + 2 * std::atan(std::abs(belt) / (omega * d))) / omega,
               sticks = 2 * d / std::abs(belt);
    const Real settled = mu0 * m * g / k / std::abs(belt) + slips + 1e-6;
    ASSERT_TRUE(world.run(settled + 2.2 * (slips + sticks), slips / 3)) << i << world.last.detail;
    const auto* slip = world.first(EventKind::slip);
    ASSERT_NE(slip, nullptr) << i;
    const auto* stick = world.first(EventKind::stick, slip->time);
    ASSERT_NE(stick, nullptr) << i;
    const auto* next = world.first(EventKind::slip, stick->time);
    ASSERT_NE(next, nullptr) << i;
    EXPECT_NEAR(stick->time - slip->time, slips, 1e-8 * slips) << i;
    EXPECT_NEAR(next->time - stick->time, sticks, 1e-8 * sticks) << i;
  }
}

// A dry oscillator loses 2 μ N/k of its amplitude in every half swing, and rests at the first turn
// within μ₀ N/k.
TEST(ClosedForms, DryOscillator) {
  Draw draw(5);
  for (int i = 0; i < kDraws; ++i) {
    const Real m = draw.decades(0.2, 20), omega = draw(3, 30), g = draw(5, 15),
               mu = draw(0.05, 0.3), mu0 = mu * draw(1, 2), k = m * omega * omega,
               start = draw(3, 12) * mu * m * g / k;
    Real x = start;
    int halves = 0;
    for (; std::abs(x) > mu0 * m * g / k; ++halves) x = -(x - std::copysign(2 * mu * m * g / k, x));
    Oscillator world(coulomb(mu, mu0), g, m, k, start, 0);
    const Real rests = halves * std::numbers::pi / omega;
    ASSERT_TRUE(world.run(1.2 * rests, rests / 9)) << i << world.last.detail;
    EXPECT_NEAR(world.state.position[world.block].x(), x, 1e-8 * start) << i;
    const auto* stick = world.first(EventKind::stick, 0.1 * rests);
    ASSERT_NE(stick, nullptr) << i;
    EXPECT_NEAR(stick->time, rests, 1e-7 * rests) << i;
  }
}

/// A ball that flies against a wall; no gravity.
struct Bouncer : MachineWorld {
  Index ball = 0;
  Bouncer(const model::NormalLaw& law, Real mass, Real speed) : MachineWorld({}, Vec3::Zero()) {
    model.laws[0].normal = law;
    add_line();
    ball = add_body(geometry::Sphere{0.1}, mass, 0.01 * mass, {0, 0.1 + 1e-3 * speed});
    state.velocity[ball] = {0, -speed, 0};
  }
};

// Hertz: δ_max = (5 m v²/4K)^⅖, F_max = K δ_max^1.5, and the contact lasts
// (4 √π/5) Γ(⅖)/Γ(9/10) δ_max/v.
TEST(ClosedForms, HertzContact) {
  Draw draw(6);
  const Real constant = 0.8 * std::sqrt(std::numbers::pi) * std::tgamma(0.4) / std::tgamma(0.9);
  EXPECT_NEAR(constant, 2.943275, 1e-6);
  for (int i = 0; i < kDraws; ++i) {
    const Real m = draw.decades(0.01, 10), K = draw.decades(1e6, 1e10), v = draw.decades(0.1, 10);
    Bouncer world(model::HertzNormal{K, 1.5}, m, v);
    const Real depth = std::pow(1.25 * m * v * v / K, 0.4), lasts = constant * depth / v;
    ASSERT_TRUE(world.run(1e-3 + lasts / 2, lasts / 2)) << i << world.last.detail;
    EXPECT_NEAR(world.scheme->forces().normal[0], K * std::pow(depth, 1.5),
                1e-6 * K * std::pow(depth, 1.5))
        << i;
    ASSERT_TRUE(world.run(lasts, lasts / 2)) << i << world.last.detail;
    const auto* begin = world.first(EventKind::touch);
    const auto* end = world.first(EventKind::detachment);
    ASSERT_TRUE(begin != nullptr && end != nullptr) << i;
    EXPECT_NEAR(end->time - begin->time, lasts, 1e-6 * lasts) << i;
    EXPECT_NEAR(world.state.velocity[world.ball].y(), v, 1e-6 * v) << i;
  }
}

// Hunt–Crossley, Lankarani–Nikravesh, Flores: F = K δⁿ (1 + χ δ̇) with χ v = a of the law gives back
// e of the speed with a − ln(1 + a) = −a e − ln(1 − a e), whatever K, n and v are.
TEST(ClosedForms, RestitutionOfDampedContacts) {
  using Kind = model::DampedNormal::Kind;
  Draw draw(7);
  for (int i = 0; i < 2 * kDraws; ++i) {
    const Kind kind = i % 3 == 0   ? Kind::hunt_crossley
                      : i % 3 == 1 ? Kind::lankarani_nikravesh
                                   : Kind::flores;
    const Real asked = draw(0.2, 0.95), m = draw.decades(0.1, 10), v = draw.decades(0.1, 5);
    model::DampedNormal law;
    law.kind = kind;
    law.stiffness = draw.decades(1e6, 1e9);
    law.exponent = draw(1, 1.5);
    law.restitution = asked;
    const Real a = kind == Kind::hunt_crossley         ? 1.5 * (1 - asked)
                   : kind == Kind::lankarani_nikravesh ? 0.75 * (1 - asked * asked)
                                                       : 1.6 * (1 - asked) / asked;
    Bouncer world(law, m, v);
    const Real lasts =
        4 * std::pow((law.exponent + 1) * m * v * v / 2 / law.stiffness, 1 / (law.exponent + 1)) /
        v / std::min(asked, Real(0.5));
    ASSERT_TRUE(world.run(1e-3 + 3 * lasts, lasts / 5)) << i << world.last.detail;
    const Real e = world.state.velocity[world.ball].y() / v;
    EXPECT_GT(e, 0) << i;
    const Real residual = (a - std::log1p(a)) - (-a * e - std::log1p(-a * e));
    const Real slope = -a + a / (1 - a * e);  // of the right side over e
    EXPECT_NEAR(residual / slope, 0, 1e-6) << i << " e " << e;
  }
}

// Smoothed laws creep down an incline at the speed at which their friction bears the weight.
TEST(ClosedForms, Creep) {
  Draw draw(8);
  for (int i = 0; i < kDraws; ++i) {
    const Real angle = draw(0.05, 0.5), mu = std::tan(angle) * draw(1.1, 3),
               v_d = draw.decades(1e-4, 1e-2), use = std::tan(angle) / mu;
    model::InterfaceLaw surface;
    surface.friction.coefficient = mu;
    Real creep = 0;
    switch (i % 3) {
      case 0:
        surface.friction.kind = model::TanhFriction{v_d};
        creep = v_d * std::atanh(use);
        break;
      case 1:
        surface.friction.kind = model::AtanFriction{v_d};
        creep = v_d * std::tan(std::numbers::pi / 2 * use);
        break;
      default:
        surface.friction.kind = model::PiecewiseLinearFriction{v_d, 3 * v_d};
        creep = v_d * (1 + 2 * use);
    }
    MachineWorld world(surface);
    world.add_line(angle);
    const Vec2 along(std::cos(angle), std::sin(angle)), up(-along.y(), along.x());
    const Index block = world.add_body(geometry::Box{{0.3, 0.02, 0.1}}, 1, 0.03, 0.02 * up, angle);
    // Started at twice that speed: it comes down to it, whatever the branch.
    world.state.velocity[block] = {-2 * creep * along.x(), -2 * creep * along.y(), 0};
    const Real settles = 60 * creep / (9.81 * std::cos(angle) * (mu - std::tan(angle)));
    ASSERT_TRUE(world.run(settles, settles / 5)) << i << world.last.detail;
    EXPECT_NEAR(-world.state.velocity[block].head<2>().dot(along), creep, 1e-6 * creep) << i;
  }
}

// A rod at an angle θ to the ground jams from μ = (1 + 3 cos² θ)/(3 sin θ cos θ) on.
TEST(ClosedForms, PainleveRod) {
  Draw draw(9);
  for (int i = 0; i < kDraws; ++i) {
    const Real angle = draw(0.3, 1.4), c = std::cos(angle), s = std::sin(angle),
               critical = (1 + 3 * c * c) / (3 * s * c), length = draw.decades(0.2, 5),
               m = draw.decades(0.1, 10);
    EXPECT_GE(critical, 4. / 3);
    for (const Real factor : {1 - 1e-6, 1 + 1e-6}) {
      MachineWorld world(coulomb(critical * factor));
      world.add_line();
      const Real half = length / 2, thin = 1e-9 * half;
      const Index rod = world.add_body(geometry::Box{{half, thin, 0.1}}, m, m * half * half / 3,
                                       {half * c, half * s + thin * c}, angle);
      world.state.velocity[rod] = {-20 * std::sqrt(length), 0, 0};
      (void)world.run(1e-7, 1e-7);
      EXPECT_EQ(world.last.detail.find("Painlev") != std::string::npos, factor > 1)
          << i << " θ " << angle << ": " << world.last.detail;
    }
  }
}

// A rocking block of 2b × 2h keeps 1 − 3b²/2(b² + h²) of its rate at every impact.
TEST(ClosedForms, RockingBlock) {
  Draw draw(10);
  for (int i = 0; i < kDraws; ++i) {
    const Vec2 half(draw(0.1, 0.4), draw(0.6, 2));
    const Real m = draw.decades(0.5, 50), tilt = draw(0.01, 0.05) * (i % 2 == 0 ? 1 : -1);
    MachineWorld world(coulomb(1.5));
    world.add_line();
    const Vec2 corner(tilt > 0 ? half.x() : -half.x(), half.y());
    const Index block =
        world.add_body(geometry::Box{{half.x(), half.y(), 0.1}}, m, m * half.squaredNorm() / 3,
                       Eigen::Rotation2D<Real>(tilt) * corner, tilt);
    ASSERT_TRUE(world.run(2, 0.1)) << i << world.last.detail;
    const auto* impact = world.first(EventKind::impact);
    ASSERT_NE(impact, nullptr) << i;
    EXPECT_NEAR(impact->v_after[3 * block + 2] / impact->v_before[3 * block + 2],
                1 - 1.5 * half.x() * half.x() / half.squaredNorm(), 1e-9)
        << i;
  }
}

// Stribeck friction μ + (μ₀ − μ) exp(−v/v_s) stops a block after
// (v_s/μ g) ln((μ exp(v/v_s) + μ₀ − μ)/μ₀).
TEST(ClosedForms, StribeckStop) {
  Draw draw(11);
  for (int i = 0; i < kDraws; ++i) {
    const Real mu = draw(0.05, 0.5), mu0 = mu * draw(1, 2), v_s = draw(0.05, 1), v = draw(0.2, 4);
    model::InterfaceLaw surface;
    surface.friction.coefficient = mu;
    surface.friction.kind = model::StribeckFriction{mu0, v_s, 1};
    MachineWorld world(surface);
    world.add_line();
    const Index block = world.add_body(geometry::Box{{0.3, 0.02, 0.1}}, 1, 0.03, {0, 0.02});
    world.state.velocity[block] = {v, 0, 0};
    const Real stops = v_s / (mu * 9.81) * std::log((mu * std::exp(v / v_s) + mu0 - mu) / mu0);
    ASSERT_TRUE(world.run(1.1 * stops, stops / 5)) << i << world.last.detail;
    const auto* stick = world.first(EventKind::stick);
    ASSERT_NE(stick, nullptr) << i;
    EXPECT_NEAR(stick->time, stops, 1e-8 * stops) << i;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
