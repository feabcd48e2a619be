// Springs, dampers and torsion elements in the plane are taken at q + θ h v̄, v̄ = θ v' + (1 − θ) v,
// as in space: with θ = 1/2 in the midpoint rule, θ = 1 in the family of one LCP per step. None of
// them makes energy, however stiff it is.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <talus/model/own_model.hpp>

#include "support/mechanism.hpp"
#include "support/theta_rule.hpp"
#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-10;
constexpr Real kEpsilon = std::numeric_limits<Real>::epsilon();

model::LineForce line(Real stiffness, Real rest_length, Real damping) {
  return {Vec2::Zero(), Vec2::Zero(), stiffness, rest_length, damping, model::ConstantLaw{}};
}

/// A body at the origin with a line force to an anchor at (−5, 0) m, along whose line it moves; or
/// with a torsion element, about which it turns. Both are m s̈ = −k s − c ṡ.
struct Sprung {
  test::Mechanism plane{0};
  Index body = 0;
  bool turns = false;

  Sprung(Real mass, Real speed, model::ForceKind kind)
      : turns(std::holds_alternative<model::Torque>(kind)) {
    const Index anchor = plane.add(fixed(), Vec2(-5, 0), 0);
    body = plane.add(turns ? 0.3 : mass, turns ? mass : 0.3, Vec2::Zero());
    (turns ? plane.state.angular_velocity[body].z() : plane.state.velocity[body].x()) = speed;
    plane.machine->forces.push_back({"element", anchor, body, std::move(kind)});
  }
  static model::Body fixed() {
    model::Body anchor;
    anchor.kind = model::BodyKind::fixed;
    return anchor;
  }
  [[nodiscard]] Real rate() const {
    return turns ? plane.state.angular_velocity[body].z() : plane.state.velocity[body].x();
  }
  [[nodiscard]] Real place() const {
    return turns ? plane.angle(body) : plane.state.position[body].x();
  }
};
std::vector<model::ForceKind> elements(Real stiffness, Real damping) {
  return {line(stiffness, 5, damping), model::Torque{stiffness, 0, damping, model::ConstantLaw{}}};
}

// A damped mass or wheel: v' = v (1 − (1 − θ) z)/(1 + θ z), z = h c/m, in every step, however large
// z is; and m (v − v₀) = −c (x − x₀) where the scheme moves by the same mean velocity. A few
// roundings of v₀ per step.
TEST(SpringsInPlane, DampersFollowTheThetaScheme) {
  const Real m = 0.7, h = 0.1, v0 = 1.3;
  for (const test::ThetaRule& rule : test::theta_rules)
    for (const Real z : {0.1, 3.0, 300.0, 1e6})
      for (const model::ForceKind& kind : elements(0, z * m / h)) {
        Sprung sprung(m, v0, kind);
        const auto scheme = rule.make(sprung.plane.model);
        Real v = v0;
        for (int k = 1; k <= 20; ++k) {
          const auto report = scheme->step(sprung.plane.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << ": " << report.detail;
          v *= (1 - (1 - rule.theta) * z) / (1 + rule.theta * z);
          ASSERT_NEAR(sprung.rate(), v, 16 * k * kEpsilon * v0) << rule.scheme << " z = " << z;
        }
      }
}

// In the midpoint rule m (v − v₀) = −c x in every step, v − e^(−cT/m) v₀ = −v₀ e^(−T) T z²/12 of
// c = m = 1 to the next order, z⁴ T (T/288 + 1/80): dampers are of second order.
TEST(SpringsInPlane, DampersAreOfSecondOrderByTheMidpointRule) {
  for (const model::ForceKind& kind : elements(0, 1))
    for (const int steps : {10, 20, 40}) {
      Sprung sprung(1, 1, kind);
      const auto scheme = test::ThetaRule{"moreau_midpoint", 0.5}.make(sprung.plane.model);
      const Real h = 1. / steps, decay = std::exp(-1.);
      for (int k = 0; k < steps; ++k)
        ASSERT_TRUE(scheme->step(sprung.plane.state, h).is_certified());
      EXPECT_NEAR(sprung.place() - (1 - decay), decay * h * h / 12, decay * std::pow(h, 4) / 60);
    }
}

// m s̈ = −k s: in a step by θ = 1/2 the phase of the oscillation turns by 2 atan(ω h/2), and its
// amplitude stays; by θ = 1 the amplitude falls by 1/√(1 + ω² h²), the phase turns by atan(ω h).
// ω h is 0.1 … 1000, explicit forces are unstable from 2 on.
TEST(SpringsInPlane, SpringsTurnTheirPhaseAndKeepTheirEnergy) {
  const Real m = 0.7, h = 0.01;
  for (const test::ThetaRule& rule : test::theta_rules) {
    if (rule.theta != 0.5 && rule.theta != 1) continue;
    for (const Real turn : {0.1, 1.0, 10.0, 1e3})
      for (const model::ForceKind& kind : elements(m * turn * turn / (h * h), 0)) {
        const Real amplitude = std::min(0.5, 2 / turn), omega = turn / h;  // not past the anchor
        Sprung sprung(m, amplitude * omega, kind);
        const auto scheme = rule.make(sprung.plane.model);
        const std::complex<Real> by =
            rule.theta == 1 ? Real(1) / std::complex<Real>(1, -turn)
                            : std::complex<Real>(1, turn / 2) / std::complex<Real>(1, -turn / 2);
        std::complex<Real> motion(amplitude, 0);  // v/ω + i s
        for (int k = 1; k <= 30; ++k) {
          const auto report = scheme->step(sprung.plane.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << ": " << report.detail;
          motion *= by;
          // s is l − l₀, known to the rounding of l = 5 m, whose force moves it by ω h times that.
          const Real rounding = 64 * k * kEpsilon * (amplitude * turn + 5 * turn + 5);
          ASSERT_NEAR(sprung.place(), motion.imag(), rounding) << rule.scheme << " " << turn;
          ASSERT_NEAR(sprung.rate() / omega, motion.real(), rounding) << rule.scheme << " " << turn;
        }
      }
  }
}

/// T and U.
Real energy_of(const test::Mechanism& plane) {
  return dynamics::energy(plane.model, plane.state).total();
}
/// Some bodies at random places and speeds.
struct RandomBodies : test::Mechanism {
  Random random;
  explicit RandomBodies(std::uint32_t seed) : Mechanism(0), random(seed) {
    for (int i = 0; i < 3; ++i) {
      const Real mass = decades(-2, 2);
      const Index body =
          add(mass, mass * decades(-3, 0), Vec2(3 * i + uniform(), uniform()), uniform());
      state.velocity[body] = Vec3(uniform(), uniform(), 0);
      state.angular_velocity[body] = Vec3(0, 0, uniform());
    }
  }
  Real uniform() { return random.uniform(-1, 1); }
  Real decades(Real from, Real to) { return std::pow(Real(10), random.uniform(from, to)); }
  void connect(const std::function<model::ForceKind()>& kind) {
    for (const auto& [a, b] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 3), std::pair(0, 3)})
      machine->forces.push_back({"element", a, b, kind()});
  }
};

// Dampers between ends anywhere in bodies take energy in every step of every scheme, whatever c
// and h are: ΔT = −h w̄ᵀ C w̄ − (θ − 1/2) ‖v' − v‖². They alone lose no certificate.
RC_GTEST_PROP(SpringsInPlane, DampersNeverGiveEnergy, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  for (const test::ThetaRule& rule : test::theta_rules) {
    RandomBodies bodies(seed);
    const Real h = bodies.decades(-4, 0);
    bodies.connect([&]() -> model::ForceKind {
      const Real damping = bodies.decades(-3, 6);
      if (bodies.uniform() < 0) return model::Torque{0, 0, damping, model::ConstantLaw{}};
      model::LineForce damper = line(0, 1, damping);
      damper.p_A = Vec2(bodies.uniform(), bodies.uniform());
      damper.p_B = Vec2(bodies.uniform(), bodies.uniform());
      return damper;
    });
    const auto scheme = rule.make(bodies.model);
    Real energy = energy_of(bodies);
    const Real rounding = 1e-12 * energy;
    for (int k = 0; k < 20; ++k) {
      const auto report = scheme->step(bodies.state, h);
      if (!report.is_certified()) RC_FAIL(std::string(rule.scheme) + ": " + report.detail);
      RC_ASSERT(energy_of(bodies) <= energy + rounding);
      energy = energy_of(bodies);
    }
  }
}

// Torsion springs, and lines between centres of mass with no length of their own, are linear:
// k, c and h whatever they are, the energy never grows, and by the midpoint rule without dampers it
// stays.
RC_GTEST_PROP(SpringsInPlane, LinearSpringsNeverGiveEnergy, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  for (const test::ThetaRule& rule : test::theta_rules)
    for (const bool is_damped : {false, true}) {
      RandomBodies bodies(seed);
      const Real h = bodies.decades(-4, 0);
      bodies.connect([&]() -> model::ForceKind {
        const Real stiffness = bodies.decades(-3, 6);
        const Real damping = is_damped ? bodies.decades(-3, 3) : 0;
        if (bodies.uniform() < 0)
          return model::Torque{stiffness, 0.1, damping, model::ConstantLaw{}};
        return line(stiffness, 0, damping);
      });
      const auto scheme = rule.make(bodies.model);
      const Real start = energy_of(bodies);
      Real energy = start;
      for (int k = 0; k < 20; ++k) {
        const auto report = scheme->step(bodies.state, h);
        if (!report.is_certified()) RC_FAIL(std::string(rule.scheme) + ": " + report.detail);
        RC_ASSERT(energy_of(bodies) <= energy + 1e-10 * start);
        energy = energy_of(bodies);
      }
      if (rule.scheme == std::string("moreau_midpoint") && !is_damped)
        RC_ASSERT(std::abs(energy - start) <= 1e-10 * start);
    }
}

// A damper between a body and a base that is shaken along its line: v' = v + z (u − v̄) with the
// velocity u of the base at t + θ h and v̄ = θ v' + (1 − θ) v, certified in every step.
TEST(SpringsInPlane, ADamperFollowsAShakenBase) {
  const Real m = 2, h = 0.01, z = 0.5;
  for (const test::ThetaRule& rule : test::theta_rules) {
    if (std::string(rule.scheme).starts_with("moreau") == false) continue;  // no prescribed bodies
    test::Mechanism plane{0};
    model::Body kinematic;
    kinematic.kind = model::BodyKind::kinematic;
    const Index base = plane.add(kinematic, Vec2(-5, 0), 0);
    plane.model.motions.push_back({base,
                                   {Vec3(-5, 0, 0), Quat::Identity()},
                                   {model::HarmonicTranslation{Vec3(0.1, 0, 0), 1, 0}}});
    const Index body = plane.add(m, 0.3, Vec2::Zero());
    plane.machine->forces.push_back({"dashpot", base, body, line(0, 5, z * m / h)});
    const auto scheme = rule.make(plane.model);
    Real v = 0;
    for (int k = 0; k < 100; ++k) {
      const auto report = scheme->step(plane.state, h);
      ASSERT_TRUE(report.is_certified()) << rule.scheme << " " << k << ": " << report.detail;
      const Real turn = 2 * std::numbers::pi,
                 u = 0.1 * turn * std::cos(turn * (k + rule.theta) * h);
      v = ((1 - (1 - rule.theta) * z) * v + z * u) / (1 + rule.theta * z);
      ASSERT_NEAR(plane.state.velocity[body].x(), v, 1e-13) << rule.scheme << " " << k;
    }
  }
}

// A pendulum of 1 m let go at 5° swings in 20 steps a period with its energy right to 0.24 % of the
// swing, T of a step being nothing where it turns round. A spring or a drag that does nothing
// changes no verdict: all steps are certified, as those of the pendulum alone.
TEST(SpringsInPlane, WhatTurnsRoundIsCertified) {
  const Real angle = 5 * std::numbers::pi / 180;
  for (const Real drag : {0.0, 1e-9})
    for (const Real stiffness : {0.0, 1e-6}) {
      test::Mechanism plane{9.81};
      const Index bob = plane.add(1, 0.01, Vec2(std::sin(angle), -std::cos(angle)));
      const Index ground = plane.add(Sprung::fixed(), Vec2::Zero(), 0);
      plane.add_pin(ground, bob, Vec2::Zero());
      plane.model.linear_damping = drag;
      if (stiffness > 0)
        plane.machine->forces.push_back(
            {"element", ground, bob, model::Torque{stiffness, 0, 0, model::ConstantLaw{}}});
      const auto scheme = test::ThetaRule{"moreau_midpoint", 0.5}.make(plane.model);
      for (int k = 0; k < 120; ++k) {
        const auto report = scheme->step(plane.state, 0.1);
        ASSERT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
      }
    }
}

// A body flies at its anchor, 5 m away, by 40 m in a step, whose middle is beyond it: the spring,
// stretched by 10 m there, pulls along the way, and there is no energy for that. The step says so.
TEST(SpringsInPlane, AStepPastTheAnchorIsNotCertified) {
  const Real m = 1, h = 0.1, k = 100;
  Sprung sprung(m, -400, line(k, 5, 0));
  const Real start = energy_of(sprung.plane);
  const auto report =
      test::ThetaRule{"moreau_midpoint", 0.5}.make(sprung.plane.model)->step(sprung.plane.state, h);
  EXPECT_GT(energy_of(sprung.plane), 1.01 * start);
  EXPECT_FALSE(report.is_certified());
  EXPECT_NE(report.detail.find("the energy rises by"), std::string::npos) << report.detail;
}

/// m ẍ = −k x − c ẋ, with spring and damper as such.
struct Oscillator final : model::LagrangianSystem {
  Real mass_of_it = 0.5, stiffness = 0, damping = 0;
  [[nodiscard]] Index coordinate_count() const override { return 1; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Constant(1, 1, mass_of_it); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return VecX::Zero(1); }
  [[nodiscard]] model::LagrangianSprings springs(const VecX& q) const override {
    return {q, MatX::Ones(1, 1), VecX::Constant(1, stiffness), VecX::Constant(1, damping)};
  }
  [[nodiscard]] Real potential(const VecX& q) const override { return stiffness * q[0] * q[0] / 2; }
  [[nodiscard]] bool is_passive() const override { return true; }
};

/// A mass of 1.5 kg on a spring of 1 m, which swings: q = (r, θ).
struct ElasticPendulum final : model::LagrangianSystem {
  Real m = 1.5, g = 9.81, stiffness = 1e10, damping = 1e6;
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX& q) const override {
    return Vec2(m, m * q[0] * q[0]).asDiagonal();
  }
  [[nodiscard]] VecX force(const VecX& q, const VecX& v, Real) const override {
    return m * Vec2(q[0] * v[1] * v[1] + g * std::cos(q[1]),
                    -2 * q[0] * v[0] * v[1] - g * q[0] * std::sin(q[1]));
  }
  [[nodiscard]] model::LagrangianSprings springs(const VecX& q) const override {
    return {VecX::Constant(1, q[0] - 1), Vec2(1, 0), VecX::Constant(1, stiffness),
            VecX::Constant(1, damping)};
  }
  [[nodiscard]] Real potential(const VecX& q) const override {
    return stiffness * (q[0] - 1) * (q[0] - 1) / 2 - m * g * q[0] * std::cos(q[1]);
  }
  [[nodiscard]] bool is_passive() const override { return true; }
};

// Springs of a user's own system are taken in the same way by every scheme, and are forces of
// event_driven: x = x₀ e^(−δ t) (cos ω t + (δ/ω) sin ω t).
TEST(SpringsInPlane, OwnSystemsHaveSprings) {
  const Real h = 0.1;
  const auto system = std::make_shared<Oscillator>();
  system->stiffness = 1e4;
  system->damping = 10;
  const model::Model model = model::make_own_model(system);
  for (const test::ThetaRule& rule : test::theta_rules) {
    model::State state = model::make_own_state(VecX::Constant(1, 0.2), VecX::Zero(1));
    const auto scheme = rule.make(model);
    Real x = 0.2, v = 0;
    for (int k = 0; k < 30; ++k) {
      const auto report = scheme->step(state, h);
      ASSERT_TRUE(report.is_certified()) << rule.scheme << ": " << report.detail;
      const Real share = h / 0.5, theta = rule.theta, damping = 10, stiffness = 1e4;
      const Real g = share * (damping * theta + stiffness * h * theta * theta);
      const Real push =
          -share * (stiffness * (x + theta * (1 - theta) * h * v) + damping * (1 - theta) * v);
      const Real next = (v + push) / (1 + g);
      x += h * (theta * next + (1 - theta) * v);
      v = next;
      ASSERT_NEAR(model::coordinates_of(state)[0], x, 1e-13) << rule.scheme;
      ASSERT_NEAR(model::rates_of(state)[0], v, 1e-11) << rule.scheme;
    }
  }
  stepping::SchemeOptions options = test::options("event_driven", kTolerance);
  options.machine.tolerance = 1e-10;
  model::State state = model::make_own_state(VecX::Constant(1, 0.2), VecX::Zero(1));
  const auto scheme = make_scheme(model, options);
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(scheme->step(state, 0.01).is_certified());
  const Real delta = 10, omega = std::sqrt(1e4 / 0.5 - 100);  // c/(2 m), √(k/m − δ²)
  EXPECT_NEAR(model::coordinates_of(state)[0],
              0.2 * std::exp(-delta * 0.1) *
                  (std::cos(omega * 0.1) + delta / omega * std::sin(omega * 0.1)),
              1e-7);
}

// T + V of a pendulum on a spring does not rise. With √(k/m) h = 82 it does in steps of index_3,
// without limit: as the system says that nothing gives it energy, none of them is certified. The
// other schemes take the same steps, certified, and gain nothing.
TEST(SpringsInPlane, AnOwnSystemThatIsPassiveIsJudgedByItsEnergy) {
  const auto system = std::make_shared<ElasticPendulum>();
  const model::Model model = model::make_own_model(system);
  const auto energy = [&](const model::State& state) {
    const VecX q = model::coordinates_of(state), v = model::rates_of(state);
    return v.dot(system->mass(q) * v) / 2 + system->potential(q);
  };
  for (const char* name : {"index_3", "moreau_midpoint", "moreau_jean", "stewart_trinkle"}) {
    const bool gains = std::string(name) == "index_3";
    model::State state = model::make_own_state(Vec2(1.01, 0.7), Vec2(0, -0.5));
    const auto scheme = make_scheme(model, test::options(name, 1e-6));
    Real largest = energy(state);
    int rises = 0;
    for (int k = 0; k < 100; ++k) {
      const Real before = energy(state);
      const auto report = scheme->step(state, 1e-3);
      const Real rise = energy(state) - before;
      largest = std::max(largest, energy(state));
      if (rise > 0.03 * largest) {  // T + T' + U + U' is at most twice the larger energy
        ++rises;
        EXPECT_FALSE(report.is_certified()) << name << " " << k;
        EXPECT_NE(report.detail.find("the energy rises by"), std::string::npos) << report.detail;
      }
      if (gains) continue;
      ASSERT_TRUE(report.is_certified()) << name << " " << k << ": " << report.detail;
    }
    EXPECT_EQ(rises > 0, gains) << name;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
