#include <gtest/gtest.h>

#include <cmath>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/linalg/aitken_relaxation.hpp>
#include <talus/math/itp_root.hpp>
#include <talus/stepping/event_driven/integrator.hpp>

#include "support/machine_world.hpp"

namespace talus::stepping::event_driven::TALUS_TEST_FILE {
namespace {

/// A pendulum of a pinned body with a spring: smooth, with two constraints.
struct Pendulum : test::MachineWorld {
  Pendulum() : test::MachineWorld({}, Vec3(0, -9.81, 0)) {
    const Index ground = add(geometry::Sphere{0.01}, model::BodyKind::fixed, Vec3::Zero());
    const Index body = add_body(geometry::Sphere{0.01}, 2, 0.1, {1, 0});
    model::RevoluteJoint pin;
    pin.p_B = {-1, 0};
    machine->joints.push_back({"pin", ground, body, pin, {}});
  }
};

Vec2 swing(Integrator& integrator, Real h, Real end) {
  Pendulum world;
  const dynamics::PlanarBodies machine(world.model, world.state);
  const laws::FrictionTable elements(machine);
  Phase phase(machine, elements);
  Point x{{}, {}, VecX(0)}, next;
  machine.load(world.state, x.q, x.v);
  Rate k{x.v, VecX(0)};
  const auto steps = static_cast<Index>(std::lround(end / h));
  for (Index i = 0; i < steps; ++i) {
    const Real t = static_cast<Real>(i) * h;
    phase.evaluate(t, x, k);
    EXPECT_TRUE(integrator.step(phase, t, x, k, h, next));
    integrator.accept();
    x = next;
  }
  return {x.q[5], x.v[5]};
}

// Halving the step divides the error by 2^p: p = 4 (RK4), 5 (Dormand–Prince), 2 (generalised-α).
TEST(Integrators, HaveTheirOrder) {
  const auto reference = make_dormand_prince();
  const Vec2 exact = swing(*reference, 1. / 2048, 1);
  const auto order = [&](const auto& make, Real h) {
    const auto one = make(), two = make();
    return std::log2((swing(*one, h, 1) - exact).norm() / (swing(*two, h / 2, 1) - exact).norm());
  };
  EXPECT_NEAR(order(make_rk4, 1. / 64), 4, 0.2);
  EXPECT_NEAR(order(make_dormand_prince, 1. / 32), 5, 0.3);
  EXPECT_NEAR(order([] { return make_generalized_alpha(0.8); }, 1. / 128), 2, 0.1);
}

// Dense output is of order 4: halving the step divides its error in the middle by more than 2⁴.
TEST(Integrators, DenseOutputHasItsOrder) {
  Pendulum world;
  const dynamics::PlanarBodies machine(world.model, world.state);
  const laws::FrictionTable elements(machine);
  Phase phase(machine, elements);
  const auto error = [&](Real h) {
    const auto integrator = make_dormand_prince(), fine = make_dormand_prince();
    Point x{{}, {}, VecX(0)}, next, middle, exact;
    machine.load(world.state, x.q, x.v);
    Rate k{x.v, VecX(0)}, k1{x.v, VecX(0)};
    phase.evaluate(0, x, k);
    (void)fine->step(phase, 0, x, k, 0.4 * h, exact);
    (void)integrator->step(phase, 0, x, k, h, next);
    phase.evaluate(h, next, k1);
    middle = next;
    (void)integrator->estimate(h, next, k1, middle);
    middle = x;
    integrator->interpolate(0.4, h, x, k, next, k1, middle);
    return std::abs(middle.q[5] - exact.q[5]) + std::abs(middle.v[5] - exact.v[5]);
  };
  EXPECT_GT(std::log2(error(0.1) / error(0.05)), 4.5);
}

// A bracket shrinks to the first sign change of the least of two functions, from above.
TEST(Root, NarrowsToTheFirstSignChange) {
  int calls = 0;
  const auto f = [&](Real x) {
    ++calls;
    return std::min(std::cos(x), 1 - x);
  };
  const Bracket bracket = narrow(f, {0, 3, f(0), f(3)}, 1e-15);
  EXPECT_NEAR(bracket.high, 1, 2e-15);
  EXPECT_LT(bracket.at_high, 0);
  EXPECT_LT(calls, 56);
}

// x = 1 − 2 x diverges by plain iteration; relaxed it is met in two steps.
TEST(Relaxation, MeetsAnAffineFixedPoint) {
  linalg::AitkenRelaxation relaxation;
  relaxation.start(1);
  VecX x = VecX::Zero(1);
  for (int i = 0; i < 2; ++i) relaxation.step(VecX::Constant(1, 1 - 2 * x[0]) - x, x);
  EXPECT_NEAR(x[0], 1. / 3, 1e-14);
}

}  // namespace
}  // namespace talus::stepping::event_driven::TALUS_TEST_FILE
