#include <gtest/gtest.h>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/stepping/event_driven/judge.hpp>

#include "support/machine_world.hpp"

namespace talus::stepping::event_driven::TALUS_TEST_FILE {
namespace {

// The forces of a block that slides down an incline, with a pin on it that carries a wheel, meet
// the laws to round-off; every force, and the acceleration, moved by a thousandth of the weight
// does not.
TEST(Judge, SeesEveryForceThatIsWrong) {
  const Real angle = 0.6;
  test::MachineWorld world(test::coulomb(0.3));
  world.add_line(angle);
  const Vec2 up(-std::sin(angle), std::cos(angle));
  const Index block = world.add_body(geometry::Box{{0.1, 0.05, 0.1}}, 2, 0.01, 0.05 * up, angle);
  const Index wheel = world.add_body(geometry::Sphere{0.02}, 1, 0.01, 0.05 * up);
  world.machine->joints.push_back({"pin", block, wheel, model::RevoluteJoint{}, {}});
  ASSERT_TRUE(world.run(0.1, 0.05)) << world.last.detail;
  const dynamics::PlanarBodies machine(world.model, world.state);
  const laws::FrictionTable elements(machine);
  Phase phase(machine, elements);
  phase.set_modes(world.scheme->modes());
  Point x{{}, {}, VecX(0)};
  machine.load(world.state, x.q, x.v);
  Rate rate{x.v, VecX(0)};
  phase.evaluate_plain(world.state.time, x, rate);
  const auto judged = [&](const Rate& a, const Forces& forces) {
    const certify::Certificate c = judge(
        machine, elements, {world.state.time, x, a, forces, world.scheme->modes(), 1e-9, 1e-9});
    return std::max(c.natural_map, c.equation_of_motion);
  };
  const Forces right = phase.forces();
  EXPECT_LT(judged(rate, right), 1e-12);
  const Real by = 1e-3 * 3 * 9.81;
  const auto is_seen = [&](VecX Forces::*which, Index i) {
    Forces wrong = right;
    (wrong.*which)[i] += by;
    return judged(rate, wrong) > 1e-5;
  };
  for (Index i = 0; i < right.lambda.size(); ++i) EXPECT_TRUE(is_seen(&Forces::lambda, i)) << i;
  for (Index i = 0; i < elements.contact_count; ++i) {
    EXPECT_TRUE(is_seen(&Forces::normal, i)) << i;
    EXPECT_TRUE(is_seen(&Forces::friction, elements.tangent(i))) << i;
  }
  Rate wrong = rate;
  wrong.a[3 * block] += 1e-3 * 9.81;
  EXPECT_GT(judged(wrong, right), 1e-5);
}

}  // namespace
}  // namespace talus::stepping::event_driven::TALUS_TEST_FILE
