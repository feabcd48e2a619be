#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/model/own_model.hpp>
#include <talus/stepping/scheme_registry.hpp>

#include "support/mechanism.hpp"
#include "support/paper_rod.hpp"
#include "support/world.hpp"

// Systems in generalized coordinates, by every scheme that bodies have.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kG = 9.81;
constexpr Real kTolerance = 1e-10;

/// Two rods of unit length without mass, a unit mass at each end, hanging from the origin; the
/// lower mass may strike a wall x = 0.5. q: the angles from the vertical.
struct DoublePendulum final : model::LagrangianSystem {
  Real restitution = 0.7;
  bool has_wall = true;
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX& q) const override {
    const Real c = std::cos(q[0] - q[1]);
    return (MatX(2, 2) << 2, c, c, 1).finished();
  }
  [[nodiscard]] VecX force(const VecX& q, const VecX& v, Real) const override {
    const Real s = std::sin(q[0] - q[1]);
    return Vec2(-s * v[1] * v[1] - 2 * kG * std::sin(q[0]), s * v[0] * v[0] - kG * std::sin(q[1]));
  }
  [[nodiscard]] Index contact_count() const override { return has_wall ? 1 : 0; }
  [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
    model::LagrangianContact wall{
        0.5 - std::sin(q[0]) - std::sin(q[1]), Vec2(-std::cos(q[0]), -std::cos(q[1])), {}, {}, 0};
    wall.restitution = restitution;
    return wall;
  }
  [[nodiscard]] Real potential(const VecX& q) const override {
    return -kG * (2 * std::cos(q[0]) + std::cos(q[1]));
  }
  [[nodiscard]] bool is_passive() const override { return true; }
};

/// The same in the places of the masses, with the rods as constraints: q = (x₁, y₁, x₂, y₂).
struct TwoMassesOnRods final : model::LagrangianSystem {
  [[nodiscard]] Index coordinate_count() const override { return 4; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(4, 4); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
    return (VecX(4) << 0, -kG, 0, -kG).finished();
  }
  [[nodiscard]] model::LagrangianBilateral bilateral(const VecX& q) const override {
    const Vec2 a = q.head<2>(), b = q.tail<2>() - q.head<2>();
    model::LagrangianBilateral rods{Vec2(a.squaredNorm() - 1, b.squaredNorm() - 1) / 2,
                                    MatX::Zero(4, 2)};
    rods.gradient.col(0).head<2>() = a;
    rods.gradient.col(1) << -b, b;
    return rods;
  }
  [[nodiscard]] Real potential(const VecX& q) const override { return kG * (q[1] + q[3]); }
  [[nodiscard]] bool is_passive() const override { return true; }
  [[nodiscard]] static VecX of(const VecX& angle) {
    const Vec2 a(std::sin(angle[0]), -std::cos(angle[0]));
    return (VecX(4) << a, a + Vec2(std::sin(angle[1]), -std::cos(angle[1]))).finished();
  }
  [[nodiscard]] static VecX rate(const VecX& angle, const VecX& v) {
    const Vec2 a = v[0] * Vec2(std::cos(angle[0]), std::sin(angle[0]));
    return (VecX(4) << a, a + v[1] * Vec2(std::cos(angle[1]), std::sin(angle[1]))).finished();
  }
};

/// A system with its state and a scheme.
struct Moving {
  model::Model model;
  model::State state;
  std::unique_ptr<stepping::Scheme> scheme;
  Moving(std::shared_ptr<const model::LagrangianSystem> system, const VecX& q, const VecX& v,
         const char* name, const std::function<void(stepping::SchemeOptions&)>& set = {})
      : model(model::make_own_model(std::move(system))), state(model::make_own_state(q, v)) {
    stepping::SchemeOptions options = test::options(name, kTolerance);
    if (set) set(options);
    scheme = make_scheme(model, options);
  }
  stepping::StepReport last;
  /// Steps of h, every one certified. @return the energy after them [J].
  Real advance(Real h, int steps) {
    for (int k = 0; k < steps; ++k) {
      last = scheme->step(state, h);
      EXPECT_TRUE(last.is_certified()) << "t = " << state.time << ": " << last.detail;
      if (!last.is_certified()) break;
    }
    return last.energy.total();
  }
  [[nodiscard]] VecX q() const { return model::coordinates_of(state); }
  [[nodiscard]] VecX v() const { return model::rates_of(state); }
};

std::shared_ptr<DoublePendulum> free_pendulum() {
  auto pendulum = std::make_shared<DoublePendulum>();
  pendulum->has_wall = false;
  return pendulum;
}

const VecX kAngles = Vec2(-0.6, -0.2), kAngleRates = Vec2(1, 2);

/// Where the free pendulum is after 1 s, by event_driven's integrator of order 5.
VecX reference() {
  Moving run(free_pendulum(), kAngles, kAngleRates, "event_driven",
             [](auto& options) { options.machine.tolerance = 1e-12; });
  run.advance(0.1, 10);
  return run.q();
}

// M(q) v̇ = k(q, v) with k of second degree in v: the midpoint rule and generalized α are of second
// order, Moreau–Jean's rule with θ = 1 and the one-LCP schemes of first.
TEST(OwnSystems, OrderOfEveryScheme) {
  const VecX exact = reference();
  for (const auto& [name, order] :
       {std::pair("moreau_midpoint", 2.0), std::pair("index_3", 2.0), std::pair("moreau_jean", 1.0),
        std::pair("stewart_trinkle", 1.0), std::pair("anitescu_potra_stabilised", 1.0)}) {
    std::vector<Real> off;
    for (const int steps : {400, 800}) {
      Moving run(free_pendulum(), kAngles, kAngleRates, name);
      run.advance(Real(1) / steps, steps);
      off.push_back((run.q() - exact).norm());
    }
    EXPECT_NEAR(std::log2(off[0] / off[1]), order, 0.15)
        << name << ": " << off[0] << ", " << off[1];
  }
}

// Angles, or places under constraints: the motion is one. Energies too, with what both give of the
// potential.
TEST(OwnSystems, CoordinatesDoNotMatter) {
  for (const char* name : {"event_driven", "moreau_midpoint", "index_3"}) {
    const Real h = 1e-3;
    Moving angles(free_pendulum(), kAngles, kAngleRates, name);
    Moving places(std::make_shared<TwoMassesOnRods>(), TwoMassesOnRods::of(kAngles),
                  TwoMassesOnRods::rate(kAngles, kAngleRates), name);
    const Real one = angles.advance(h, 1000), other = places.advance(h, 1000);
    const Real close = std::string(name) == "event_driven" ? 1e-7 : 1e-4;
    EXPECT_LT((TwoMassesOnRods::of(angles.q()) - places.q()).norm(), close) << name;
    EXPECT_NEAR(one, other, 20 * close) << name;
  }
}

// The energy that the midpoint rule makes of M(q) is of second order, and event_driven's none.
TEST(OwnSystems, EnergyOfAVaryingMass) {
  const Real energy =
      0.5 * (2 * 1 + 4 + 2 * 2 * std::cos(-0.4)) - kG * (2 * std::cos(0.6) + std::cos(0.2));
  Moving exact(free_pendulum(), kAngles, kAngleRates, "event_driven");
  EXPECT_NEAR(exact.advance(0.01, 200), energy, 1e-6);
  std::vector<Real> off;
  for (const int steps : {1000, 2000}) {
    Moving run(free_pendulum(), kAngles, kAngleRates, "moreau_midpoint");
    Real worst = 0;
    for (int k = 0; k < steps; ++k)
      worst = std::max(worst, std::abs(run.advance(Real(2) / steps, 1) - energy));
    off.push_back(worst);
  }
  EXPECT_NEAR(std::log2(off[0] / off[1]), 2, 0.2) << off[0] << ", " << off[1];
}

// Newton's law of impact in generalized coordinates: where the wall is struck n·v' = −e n·v, and
// M (v' − v) is along n but for what forces do in the step.
TEST(OwnSystems, ImpactOfALinkage) {
  for (const char* name : {"moreau_jean", "event_driven"}) {
    const auto pendulum = std::make_shared<DoublePendulum>();
    Moving run(pendulum, kAngles, kAngleRates, name);
    const Real h = 1e-4;
    int impacts = 0;
    for (int step = 0; step < 20000; ++step) {
      const VecX q = run.q(), v = run.v();
      run.advance(h, 1);
      ASSERT_TRUE(run.last.is_certified()) << name << " step " << step;
      if (std::string(name) == "event_driven") {
        for (const stepping::Event& event : run.scheme->events()) {
          if (event.kind != stepping::EventKind::impact) continue;
          ++impacts;
          EXPECT_NEAR(event.gap_rate_after, -0.7 * event.gap_rate_before,
                      1e-9 * std::abs(event.gap_rate_before));
          EXPECT_LT(event.gap_rate_before, 0);
        }
        continue;
      }
      if (run.scheme->contacts().empty() || run.scheme->contacts()[0].impulse.y() < 0.01) continue;
      ++impacts;
      const model::LagrangianContact wall = pendulum->contact(0, q);
      EXPECT_NEAR(wall.normal.dot(run.v()), -0.7 * wall.normal.dot(v), 1e-9);
      const VecX p = pendulum->mass(q) * (run.v() - v) - h * pendulum->force(q, run.v(), 0);
      EXPECT_LT((p - run.scheme->contacts()[0].impulse.y() * wall.normal).norm(), 1e-9);
    }
    EXPECT_GE(impacts, 1) << name;
  }
}

/// A disc over a floor, q = (x, y, θ), as a user writes it down: the floor is body A, so that slip
/// is that of the disc's lowest point.
struct Disc final : model::LagrangianSystem {
  Real mass_ = 2, radius = 0.1;
  model::InterfaceLaw law_;
  [[nodiscard]] Index coordinate_count() const override { return 3; }
  [[nodiscard]] MatX mass(const VecX&) const override {
    return Vec3(mass_, mass_, 0.4 * mass_ * radius * radius).asDiagonal();
  }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
    return Vec3(0, -mass_ * kG, 0);
  }
  [[nodiscard]] Index contact_count() const override { return 1; }
  [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
    return {q[1] - radius, Vec3(0, 1, 0), Vec3(1, 0, radius), {}, 0};
  }
  [[nodiscard]] std::optional<model::InterfaceLaw> law(Index) const override { return law_; }
  [[nodiscard]] Real length() const override { return radius; }
  [[nodiscard]] Real potential(const VecX& q) const override { return mass_ * kG * q[1]; }
};

model::InterfaceLaw friction_law(Real coefficient, const model::FrictionKind& kind,
                                 Real viscous = 0) {
  model::InterfaceLaw law;
  law.friction.coefficient = coefficient;
  law.friction.kind = kind;
  law.friction.viscous = viscous;
  return law;
}

// A disc is thrown onto a floor, rolling and sliding, under every law of surfaces: what a user
// writes down moves as the body of the plane does, scheme by scheme.
TEST(OwnSystems, EveryLawAsInThePlane) {
  std::vector<std::pair<const char*, model::InterfaceLaw>> laws;
  laws.emplace_back("Coulomb", friction_law(0.3, model::CoulombFriction{}));
  laws.emplace_back("static", friction_law(0.2, model::CoulombFriction{0.5}));
  laws.emplace_back("Stribeck", friction_law(0.2, model::StribeckFriction{0.4, 0.1, 2}));
  laws.emplace_back("tanh", friction_law(0.3, model::TanhFriction{0.05}));
  laws.emplace_back("atan", friction_law(0.3, model::AtanFriction{0.05}));
  laws.emplace_back("piecewise", friction_law(0.3, model::PiecewiseLinearFriction{0.01, 0.1}));
  laws.emplace_back("Dahl", friction_law(0.3, model::DahlFriction{2e3, 1}));
  laws.emplace_back("viscous", friction_law(0.1, model::CoulombFriction{}, 3));
  laws.emplace_back("restitution", friction_law(0.3, model::CoulombFriction{}));
  laws.back().second.impact = {false, 0.6, 0.3};
  laws.emplace_back("Poisson", friction_law(0.3, model::CoulombFriction{}));
  laws.back().second.impact = {true, 0.6, 0};
  laws.emplace_back("Hertz", friction_law(0.3, model::CoulombFriction{}));
  laws.back().second.normal = model::HertzNormal{1e5, 1.5};
  for (const auto& [name, law] : laws)
    for (const char* scheme : {"moreau_jean", "moreau_midpoint", "event_driven"}) {
      if (law.impact.is_poisson && std::string(scheme) != "event_driven") continue;
      test::Mechanism plane{kG};
      plane.model.laws = {law};
      plane.model.bodies[0].shape = geometry::Plane{};
      plane.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
      const Index disc = plane.add(2, 0.4 * 2 * 0.01, Vec2(0, 0.15));
      plane.model.bodies[disc].shape = geometry::Sphere{0.1};
      plane.machine->visual_only.clear();
      plane.state.velocity[disc] = Vec3(1, -0.5, 0);
      plane.state.angular_velocity[disc] = Vec3(0, 0, 4);
      stepping::SchemeOptions options = test::options(scheme, kTolerance);
      const auto planar = make_scheme(plane.model, options);

      auto own = std::make_shared<Disc>();
      own->law_ = law;
      Moving run(own, Vec3(0, 0.15, 0), Vec3(1, -0.5, 4), scheme);
      for (int step = 0; step < 400; ++step) {
        const auto one = planar->step(plane.state, 1e-3);
        const auto other = run.scheme->step(run.state, 1e-3);
        ASSERT_TRUE(one.is_certified()) << name << " " << scheme << " " << step << one.detail;
        ASSERT_TRUE(other.is_certified()) << name << " " << scheme << " " << step << other.detail;
        ASSERT_NEAR(one.energy.total(), other.energy.total(), 1e-8)
            << name << " " << scheme << " " << step;
      }
      EXPECT_NEAR(run.q()[0], plane.state.position[disc].x(), 1e-8) << name << " " << scheme;
      EXPECT_NEAR(run.q()[1], plane.state.position[disc].y(), 1e-8) << name << " " << scheme;
      EXPECT_NEAR(run.v()[2], plane.state.angular_velocity[disc].z(), 1e-7)
          << name << " " << scheme;
    }
}

/// A mass on a spring, held by dry friction of bounded size: m q̈ + k q = −F Sgn q̇.
struct Slider final : model::LagrangianSystem {
  Real mass_ = 1, stiffness = 4 * kG * kG, bound = 3;
  std::optional<model::FrictionModel> law_;
  [[nodiscard]] Index coordinate_count() const override { return 1; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Constant(1, 1, mass_); }
  [[nodiscard]] VecX force(const VecX& q, const VecX&, Real) const override {
    return -stiffness * q;
  }
  [[nodiscard]] std::vector<model::LagrangianJoint> joints(const VecX&) const override {
    return {{MatX::Identity(1, 1), {}, bound, law_}};
  }
  [[nodiscard]] Real potential(const VecX& q) const override { return stiffness * q[0] * q[0] / 2; }
};

// Coulomb's oscillator: every half swing is 2 F/k shorter than the one before, in the time π
// √(m/k), until |k q| ≤ F where it turns: there it stays.
TEST(OwnSystems, DryFrictionStopsAnOscillator) {
  const auto slider = std::make_shared<Slider>();
  const Real loss = 2 * slider->bound / slider->stiffness, start = 4.3 * loss;
  const Real swing = std::numbers::pi / std::sqrt(slider->stiffness);
  for (const auto& [name, h, close] :
       {std::tuple("event_driven", 0.01, 1e-9), std::tuple("moreau_midpoint", 1e-4, 2e-5)}) {
    Moving run(slider, VecX::Constant(1, start), VecX::Zero(1), name);
    run.advance(h, static_cast<int>(std::ceil(6 * swing / h)));
    EXPECT_NEAR(run.q()[0], 4.3 * loss - 4 * loss, close) << name;
    EXPECT_NEAR(run.v()[0], 0, 1e-12) << name;
  }
}

// The law of a joint: under tanh(q̇/v_d) nothing is held, and the spring is relaxed in the end.
TEST(OwnSystems, JointsTakeLaws) {
  const auto slider = std::make_shared<Slider>();
  model::FrictionModel law;
  law.coefficient = 1;
  law.kind = model::TanhFriction{0.1};
  slider->law_ = law;
  for (const char* name : {"event_driven", "moreau_midpoint", "moreau_jean"}) {
    Moving run(slider, VecX::Constant(1, 0.05), VecX::Zero(1), name);
    run.advance(1e-3, 2000);
    EXPECT_NEAR(run.q()[0], 0, 1e-6) << name;
  }
}

// The falling rod of the paper, written down with its own coordinates, comes to rest by every
// scheme that has impacts; its ends bear its weight.
TEST(OwnSystems, FallingRodComesToRest) {
  for (const char* name : {"moreau_jean", "moreau_midpoint", "event_driven", "stewart_trinkle"}) {
    const auto rod = std::make_shared<test::PaperRod>();
    const auto start = test::PaperRod::start();
    Moving run(rod, start.q, start.v, name);
    const Real h = 1e-3;
    run.advance(h, 2000);
    EXPECT_NEAR(run.q()[1], rod->end_radius, 1e-3) << name;
    EXPECT_LT(run.v().norm(), 1e-6) << name;
    Real borne = 0;
    for (const stepping::StepContact& contact : run.scheme->contacts())
      borne += contact.impulse.y();
    EXPECT_NEAR(borne, h * rod->mass_ * rod->gravity, 1e-8) << name;
  }
}

/// A mass on a guide that is moved: q = (x, y), y = a sin(ω t).
struct MovedGuide final : model::LagrangianSystem {
  Real amplitude = 0.1, rate = 30;
  [[nodiscard]] Index coordinate_count() const override { return 2; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(2, 2); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(1, 0); }
  [[nodiscard]] model::LagrangianBilateral bilateral(const VecX& q) const override {
    return bilateral_at(q, 0);
  }
  [[nodiscard]] model::LagrangianBilateral bilateral_at(const VecX& q, Real time) const override {
    return {VecX::Constant(1, q[1] - amplitude * std::sin(rate * time)), Vec2(0, 1),
            VecX::Constant(1, -amplitude * rate * std::cos(rate * time))};
  }
};

// Constraints that change in time: y = a sin ω t, and x = t²/2 beside it.
TEST(OwnSystems, FollowWhatIsPrescribed) {
  for (const char* name : {"event_driven", "moreau_midpoint", "moreau_jean", "index_3"}) {
    Moving run(std::make_shared<MovedGuide>(), Vec2(0, 0), Vec2(0, 3), name);
    run.advance(1e-3, 500);
    EXPECT_NEAR(run.q()[1], 0.1 * std::sin(30 * 0.5), 1e-9) << name;
    EXPECT_NEAR(run.v()[1], 3 * std::cos(30 * 0.5), std::string(name) == "index_3" ? 1e-2 : 1e-8)
        << name;
    EXPECT_NEAR(run.q()[0], 0.125, std::string(name) == "moreau_jean" ? 1e-3 : 1e-9) << name;
  }
}

// A run that is taken up from its state and the scheme's memory goes the same way bit for bit.
TEST(OwnSystems, ResumesBitForBit) {
  for (const char* name :
       {"moreau_jean", "moreau_midpoint", "event_driven", "index_3", "stewart_trinkle"}) {
    const auto system = std::make_shared<DoublePendulum>();
    system->has_wall = std::string(name) != "index_3";
    if (std::string(name) == "stewart_trinkle") system->restitution = 0;
    Moving whole(system, kAngles, kAngleRates, name), first(system, kAngles, kAngleRates, name);
    whole.advance(1e-3, 800);
    first.advance(1e-3, 300);
    Moving second(system, kAngles, kAngleRates, name);
    second.state = first.state;
    second.scheme->recall(first.scheme->memory());
    second.advance(1e-3, 500);
    EXPECT_EQ(whole.state.hash(), second.state.hash()) << name;
  }
}

/// What a scheme refuses, in its words.
std::string refusal(std::shared_ptr<const model::LagrangianSystem> system, const VecX& q,
                    const VecX& v, int steps = 1, const char* scheme = "moreau_jean") {
  try {
    Moving run(std::move(system), q, v, scheme);
    for (int k = 0; k < steps; ++k) (void)run.scheme->step(run.state, 0.01);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing";
}

// What these schemes cannot take is named, with what can.
TEST(OwnSystems, RefusesByName) {
  struct Floor final : model::LagrangianSystem {
    Index tangents = 1;
    bool changes = false, is_definite = true;
    [[nodiscard]] Index coordinate_count() const override { return 3; }
    [[nodiscard]] MatX mass(const VecX&) const override {
      MatX M = MatX::Identity(3, 3);
      if (!is_definite) M(2, 2) = -1;
      return M;
    }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
      return Vec3(1, 0, -10);
    }
    [[nodiscard]] Index contact_count() const override { return 1; }
    [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
      return {q[2], Vec3(0, 0, 1), MatX::Identity(3, tangents), {}, changes ? 0.5 + q[0] : 0.5};
    }
  };
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  const VecX q = Vec3::Zero(), v = Vec3(1, 0, 0);
  auto floor = std::make_shared<Floor>();
  EXPECT_EQ(refusal(floor, q, v), "nothing");
  floor->tangents = 2;
  EXPECT_TRUE(has(refusal(floor, q, v), "contact 0: 2 tangents")) << refusal(floor, q, v);
  floor->tangents = 1;
  floor->changes = true;
  EXPECT_TRUE(has(refusal(floor, q, v, 2), "friction of contact 0")) << refusal(floor, q, v, 2);
  floor->changes = false;
  floor->is_definite = false;
  EXPECT_TRUE(has(refusal(floor, q, v), "M(q): is not positive definite")) << refusal(floor, q, v);
  const VecX p = Vec3(0, 0.1, 0);
  EXPECT_TRUE(has(refusal(std::make_shared<Disc>(), p, v, 1, "stewart_trinkle"),
                  "law of a contact: the one-LCP family does not support it"));
  EXPECT_TRUE(has(refusal(std::make_shared<Disc>(), p, v, 1, "index_3"),
                  "index_3 does not support contacts"));
  const auto disc = std::make_shared<Disc>();
  disc->law_.impact = {true, 0.5, 0};
  EXPECT_EQ(refusal(disc, p, v, 1, "event_driven"), "nothing");
  EXPECT_TRUE(has(refusal(disc, p, v), "moreau_jean supports Newton's impact law only"));
  disc->law_ = {};
  disc->law_.friction.rolling = 0.1;
  EXPECT_TRUE(has(refusal(disc, p, v), "law of contact 0: has rolling"));
  const VecX striking = Vec2(0.3, 0.3), fast = Vec2(2, 2);
  EXPECT_TRUE(has(refusal(std::make_shared<DoublePendulum>(), striking, fast, 20, "anitescu_potra"),
                  "restitution of a contact: the one-LCP family does not support it"));
  const auto slider = std::make_shared<Slider>();
  const VecX one = VecX::Ones(1);
  EXPECT_EQ(refusal(slider, one, one, 1, "stewart_trinkle"), "nothing");
  EXPECT_TRUE(has(refusal(slider, one, one, 1, "index_3"),
                  "friction of joints: index_3 does not support it"));
  slider->law_ = model::FrictionModel{};
  EXPECT_TRUE(has(refusal(slider, one, one, 1, "stewart_trinkle"),
                  "friction law of a joint: the one-LCP family does not support it"));
  EXPECT_TRUE(has(refusal(std::make_shared<Floor>(), Vec2(0, 0), Vec2(0, 0)),
                  "coordinates of the state: expected 3×1 numbers, got 2×1"));
}

/// A mass of 2 kg under a force of 3 N between 0.1 and 0.4 ms of the second step of 1 ms.
struct Kicked final : model::LagrangianSystem {
  bool has_mean = true;
  [[nodiscard]] Index coordinate_count() const override { return 1; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Constant(1, 1, 2); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real t) const override {
    return VecX::Constant(1, t > 1.1e-3 && t < 1.4e-3 ? 3 : 0);
  }
  [[nodiscard]] VecX step_force(const VecX& q, const VecX& v, Real t, Real h) const override {
    if (!has_mean) return force(q, v, t);
    return VecX::Constant(1, 3 * (std::min(t + h, 1.4e-3) - std::max(t, 1.1e-3)) / h).cwiseMax(0);
  }
};

// Steps take the mean of a force where a system returns it: m v = ∫k dt, though the force is none
// at the beginning, the middle and the end of all steps. Without it they take that of the middle.
TEST(OwnSystems, StepsTakeTheMeanOfAForce) {
  for (const char* name : {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra"})
    for (const bool has_mean : {true, false}) {
      const auto system = std::make_shared<Kicked>();
      system->has_mean = has_mean;
      Moving run(system, VecX::Zero(1), VecX::Zero(1), name);
      run.advance(1e-3, 4);
      EXPECT_NEAR(run.v()[0], has_mean ? 3 * 3e-4 / 2 : 0, 1e-15) << name;
    }
}

/// x'' = cos t from rest: x = 1 − cos t.
struct Shaken final : model::LagrangianSystem {
  [[nodiscard]] Index coordinate_count() const override { return 1; }
  [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Constant(1, 1, 1); }
  [[nodiscard]] VecX force(const VecX&, const VecX&, Real t) const override {
    return VecX::Constant(1, std::cos(t));
  }
};

// The middle of a step has the mean of a smooth force to second order, which is that of the
// schemes.
TEST(OwnSystems, ASmoothForceOfTimeLeavesTheOrder) {
  for (const char* name : {"moreau_midpoint", "index_3"}) {
    const auto miss = [&](int steps) {
      Moving run(std::make_shared<Shaken>(), VecX::Zero(1), VecX::Zero(1), name);
      run.advance(Real(1) / steps, steps);
      return run.q()[0] - (1 - std::cos(1));
    };
    EXPECT_NEAR(miss(100) / miss(200), 4, 0.2) << name;
  }
}

// ½ v·M v depends on the symmetric part of M alone, so that an M that has another part is a
// mistake: every scheme names the first pair of entries that differ by more than 1e-9 √(M_ii M_jj),
// at the first q where they do. Here M₀₁ − M₁₀ = 1e-7 q₀ with q₀ = t, and 1e-9 √2 is reached
// at 14.1 ms; and of two bodies the second one's block is asymmetric from the start.
TEST(OwnSystems, AMassMatrixIsSymmetric) {
  struct Skew final : model::LagrangianSystem {
    [[nodiscard]] Index coordinate_count() const override { return 2; }
    [[nodiscard]] MatX mass(const VecX& q) const override {
      return (MatX(2, 2) << 2, 0.5 + 1e-7 * q[0], 0.5, 1).finished();
    }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override { return Vec2(0, 0); }
  };
  struct TwoBodies final : model::LagrangianSystem {
    [[nodiscard]] Index coordinate_count() const override { return 4; }
    [[nodiscard]] MatX mass(const VecX&) const override {
      return (MatX(4, 2) << 2, 0.5, 0.5, 1, 2, 0, 0.25, 1).finished();
    }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
      return VecX::Zero(4);
    }
  };
  const auto has = [](const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
  };
  const VecX v = Vec2(1, 0), q = Vec2(0, 0), zero = VecX::Zero(4);
  for (const char* const name : {"moreau_jean", "moreau_midpoint", "index_3", "event_driven",
                                 "stewart_trinkle", "anitescu_potra"}) {
    const auto skew = std::make_shared<Skew>();
    EXPECT_EQ(refusal(skew, q, v, 1, name), "nothing") << name;
    const std::string later = refusal(skew, q, v, 3, name);
    EXPECT_TRUE(has(later, "M(q): expected a symmetric matrix, got 0.50000000")) << later;
    EXPECT_TRUE(has(later, "at (0, 1) and 0.5 at (1, 0)")) << later;
    EXPECT_TRUE(has(later, "1.4e-09")) << later;
    const std::string second = refusal(std::make_shared<TwoBodies>(), zero, zero, 1, name);
    EXPECT_TRUE(has(second, "got 0 at (2, 3) and 0.25 at (3, 2)")) << second;
  }
}

// A gap that is not a number is no contact that is open: no step is certified, in any scheme.
TEST(OwnSystems, AGapThatIsNoNumberIsAnError) {
  struct Lost final : model::LagrangianSystem {
    [[nodiscard]] Index coordinate_count() const override { return 1; }
    [[nodiscard]] MatX mass(const VecX&) const override { return MatX::Identity(1, 1); }
    [[nodiscard]] VecX force(const VecX&, const VecX&, Real) const override {
      return VecX::Constant(1, -10);
    }
    [[nodiscard]] Index contact_count() const override { return 1; }
    [[nodiscard]] model::LagrangianContact contact(Index, const VecX& q) const override {
      return {std::sqrt(q[0] - 0.5), VecX::Ones(1), {}, {}, 0};
    }
  };
  for (const char* name : {"moreau_jean", "moreau_midpoint", "event_driven", "stewart_trinkle"}) {
    Moving run(std::make_shared<Lost>(), VecX::Ones(1), VecX::Zero(1), name);
    stepping::StepReport report;
    for (int k = 0; k < 50 && run.q()[0] > 0; ++k) report = run.scheme->step(run.state, 0.01);
    EXPECT_FALSE(report.is_certified()) << name;
    if (std::string(name).starts_with("moreau")) {
      EXPECT_EQ(report.detail, "the gap of contact 0 is not a number");
    }
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
