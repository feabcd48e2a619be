#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <tuple>

#include "support/mechanism.hpp"

// Linkages that pass positions in which their constraints lose a rank: all bars in one line, or a
// slider in the bearing of its crank. The motion goes on smoothly, the equations do not: near such
// a position the reactions across it are of the size of round-off over the square of the distance.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;

constexpr Real kGravity = 9.81;

stepping::SchemeOptions adaptive(Real tolerance) {
  stepping::SchemeOptions options;
  options.scheme = "event_driven";
  options.machine.tolerance = tolerance;
  return options;
}

stepping::SchemeOptions fixed(Real step) {
  stepping::SchemeOptions options = adaptive(1e-9);
  options.machine.integrator = "rk4";
  options.machine.step = step;
  return options;
}

/// A physical pendulum that stands for a linkage with one coordinate: Θ φ̈ = P g sin φ, φ from the
/// upright position.
struct Pendulum {
  Real inertia, moment;
  /// φ after a time, from φ = 0 with φ̇ = rate, by RK4 with steps of 0.1 ms.
  [[nodiscard]] Real angle(Real rate, Real time) const {
    const auto a = [this](Real phi) { return moment * kGravity / inertia * std::sin(phi); };
    Real phi = 0, w = rate;
    const auto count = std::lround(time * 1e4);
    const Real h = time / static_cast<Real>(count);
    for (long k = 0; k < count; ++k) {
      const Real w1 = w, a1 = a(phi), w2 = w + h / 2 * a1, a2 = a(phi + h / 2 * w1),
                 w3 = w + h / 2 * a2, a3 = a(phi + h / 2 * w2), w4 = w + h * a3,
                 a4 = a(phi + h * w3);
      phi += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
      w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return phi;
  }
};

/// A linkage whose bars start upright; `first` is one of them.
struct Linkage : Mechanism {
  Index first = 0;
  int axis = 1;  ///< singular where this coordinate of the first bar is zero
  Pendulum pendulum{};

  Index add_upright(Real x, Real speed) {
    const Index bar = add_bar(1, Vec2(x, 0), Vec2(x, 1));
    state.velocity[bar] = {speed / 2, 0, 0};
    state.angular_velocity[bar] = {0, 0, -speed};
    add_pin(0, bar, Vec2(x, 0));
    pendulum.inertia += 1. / 3;
    pendulum.moment += 0.5;
    return bar;
  }
  Index add_lying(Real mass, Real from, Real to, Real speed) {
    const Index bar = add_bar(mass, Vec2(from, 1), Vec2(to, 1));
    state.velocity[bar] = {speed, 0, 0};
    pendulum.inertia += mass;
    pendulum.moment += mass;
    return bar;
  }
};

/// The double four-bar linkage of the IFToMM benchmark library (key gonzalez_2006): five bars of
/// 1 m and 1 kg.
Linkage double_four_bar(Real speed) {
  Linkage linkage;
  Index upright[3];
  for (int i = 0; i < 3; ++i) upright[i] = linkage.add_upright(i, speed);
  for (int i = 0; i < 2; ++i) {
    const Index bar = linkage.add_lying(1, i, i + 1, speed);
    linkage.add_pin(upright[i], bar, Vec2(i, 1));
    linkage.add_pin(upright[i + 1], bar, Vec2(i + 1, 1));
  }
  linkage.first = upright[1];
  return linkage;
}

/// One beam of 2 kg carried by several upright bars; from three on their pins are redundant.
Linkage carried_beam(int bars, Real span, Real speed) {
  Linkage linkage;
  const Index beam = linkage.add_lying(2, 0, span, speed);
  for (int i = 0; i < bars; ++i) {
    const Real x = i * span / (bars - 1);
    const Index bar = linkage.add_upright(x, speed);
    linkage.add_pin(bar, beam, Vec2(x, 1));
    linkage.first = bar;
  }
  return linkage;
}

struct Passage {
  Real drift = 0;   ///< of the energy [J]
  Real turned = 0;  ///< of the first bar [rad]
  Index steps = 0, passes = 0;
};

Passage pass(Linkage& linkage, const stepping::SchemeOptions& options, Real h, Real time = 10) {
  Passage passage;
  const auto scheme = make_scheme(linkage.model, options);
  const Real start = dynamics::energy(linkage.model, linkage.state).total();
  Real angle = linkage.angle(linkage.first), height = 0;
  const auto count = std::lround(time / h);
  for (long k = 0; k < count; ++k) {
    const auto report = scheme->step(linkage.state, h);
    EXPECT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
    if (!report.is_certified()) break;
    passage.drift = std::max(passage.drift, std::abs(report.energy.total() - start));
    passage.steps += report.iterations;
    const Real next = linkage.angle(linkage.first);
    passage.turned += std::remainder(next - angle, 2 * std::numbers::pi);
    angle = next;
    const Real now = linkage.state.position[linkage.first][linkage.axis];
    passage.passes += now * height < 0;
    height = now;
  }
  return passage;
}

// The adaptive integrator passes the singular positions with steps as long as elsewhere, whatever
// its tolerance, and ends where the pendulum does that the linkage is. Each step errs by less than
// the tolerance on velocities below 10 m/s: for the energy of 5 kg over 1000 steps that is 1e-5 J.
TEST(SingularPositions, AdaptiveStepsPassThem) {
  for (const Real tolerance : {1e-8, 1e-9, 1e-10, 1e-12})
    for (const Real speed : {0.1, 1.0, 3.0}) {
      Linkage linkage = double_four_bar(speed);
      const Passage passage = pass(linkage, adaptive(tolerance), 1e-2);
      EXPECT_LT(passage.drift, 1e-5) << tolerance << " " << speed;
      EXPECT_LT(passage.steps, 5000) << tolerance << " " << speed;
      EXPECT_GE(passage.passes, 6);
      EXPECT_NEAR(-passage.turned, linkage.pendulum.angle(speed, 10), 1e-6)
          << tolerance << " " << speed;
    }
}

// Fixed steps with projection keep 1e-5 J too, not only with h = 1 ms and 1 m/s.
TEST(SingularPositions, FixedStepsPassThem) {
  for (const auto& [h, speed] :
       {std::tuple(0.5e-3, 1.0), std::tuple(1e-3, 1.0), std::tuple(1.3e-3, 1.0),
        std::tuple(2e-3, 1.0), std::tuple(1e-3, 0.1), std::tuple(1e-3, 5.0)}) {
    Linkage linkage = double_four_bar(speed);
    const Passage passage = pass(linkage, fixed(h), h);
    EXPECT_LT(passage.drift, 1e-5) << h << " " << speed;
    EXPECT_NEAR(-passage.turned,
                linkage.pendulum.angle(speed, h * static_cast<Real>(std::lround(10 / h))), 1e-6)
        << h << " " << speed;
  }
}

// A beam on two bars (a parallelogram, long or short), on three and on five: redundant all the
// time, and singular where they lie flat.
TEST(SingularPositions, DoubledLinksPassThem) {
  for (const auto& [bars, span] :
       {std::tuple(2, 2.0), std::tuple(2, 0.8), std::tuple(3, 2.0), std::tuple(5, 3.0)})
    for (const auto& options : {adaptive(1e-9), fixed(1e-3)}) {
      Linkage linkage = carried_beam(bars, span, 1);
      const Passage passage = pass(linkage, options, 1e-2);
      EXPECT_LT(passage.drift, 1e-5) << bars << " " << span;
      EXPECT_LT(passage.steps, 12000) << bars << " " << span;
      EXPECT_NEAR(-passage.turned, linkage.pendulum.angle(1, 10), 1e-6) << bars << " " << span;
    }
}

// A slider–crank whose rod is as long as its crank: upright the slider is in the bearing, where the
// rod could as well turn with the crank. It does not: rod and crank stay mirror images, and the
// motion is that of one coordinate, of which the energy is a first integral.
TEST(SingularPositions, EqualSliderCrankPassesThem) {
  Linkage machine;
  const Real start = 0.7, rate = 2;
  const Vec2 pin(std::cos(start), std::sin(start)), wrist(2 * pin.x(), 0);
  const Index crank = machine.add_bar(1, Vec2::Zero(), pin);
  const Index rod = machine.add_bar(1, pin, wrist);
  const Index slider = machine.add(0.5, 1e-2, wrist);
  machine.add_pin(0, crank, Vec2::Zero());
  machine.add_pin(crank, rod, pin);
  machine.add_pin(rod, slider, wrist);
  machine.add_joint(0, slider, model::PrismaticJoint{wrist, Vec2::UnitX(), Vec2::Zero(), 0, 0});
  machine.state.angular_velocity[crank] = {0, 0, rate};
  machine.state.velocity[crank] = {-rate * pin.y() / 2, rate * pin.x() / 2, 0};
  machine.state.angular_velocity[rod] = {0, 0, -rate};
  machine.state.velocity[rod] = {-1.5 * rate * pin.y(), 0.5 * rate * pin.x(), 0};
  machine.state.velocity[slider] = {-2 * rate * pin.y(), 0, 0};
  machine.first = crank;
  machine.axis = 0;
  const Passage passage = pass(machine, adaptive(1e-9), 1e-2);
  EXPECT_LT(passage.drift, 1e-5);
  EXPECT_LT(passage.steps, 5000);
  EXPECT_GE(passage.passes, 6);
  EXPECT_NEAR(std::remainder(machine.angle(crank) + machine.angle(rod), 2 * std::numbers::pi), 0,
              1e-9);
  const auto inertia = [](Real phi) {  // crank, rod (its centre at 1.5 cos φ, 0.5 sin φ), slider
    const Real s = std::sin(phi), c = std::cos(phi);
    return 1. / 3 + (1. / 12 + 2.25 * s * s + 0.25 * c * c) + 0.5 * 4 * s * s;
  };
  const auto potential = [](Real phi) { return kGravity * std::sin(phi); };
  const Real now = machine.angle(crank), w = machine.state.angular_velocity[crank].z();
  EXPECT_NEAR(inertia(now) * w * w / 2 + potential(now),
              inertia(start) * rate * rate / 2 + potential(start), 1e-5);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
