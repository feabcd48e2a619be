#include <gtest/gtest.h>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/stepping/detail/left_out_constraint.hpp>

#include "support/machine_world.hpp"

namespace talus::stepping::TALUS_TEST_FILE {
namespace {

/// A slide on a horizontal rail whose point is 100 km away.
test::MachineWorld slide_on_a_far_rail() {
  test::MachineWorld world;
  const Index ground = world.add_body(geometry::Sphere{0.01}, 1, 1, Vec2::Zero());
  world.model.bodies[ground].kind = model::BodyKind::fixed;
  const Index slide = world.add_body(geometry::Sphere{0.05}, 1, 1e-3, {1e5, 0});
  model::PrismaticJoint rail;
  rail.p_B = {-1e5, 0};
  world.machine->joints.push_back({"rail", ground, slide, rail, {}});
  return world;
}

// A horizontal rail lets no weight through, however far away its point is: the slide stays, and
// every step is certified. Rotations that round to 1e-16 are 1e-11 m at the arm's end.
TEST(LeftOutConstraint, AFarRailCarriesItsSlide) {
  test::MachineWorld world = slide_on_a_far_rail();
  ASSERT_TRUE(world.run(0.1, 2e-3)) << world.last.detail;
  EXPECT_LE(std::abs(world.state.position[1].y()), 1e-11);
  EXPECT_LE(std::abs(world.state.velocity[1].y()), 1e-11);
}

// Who leaves out a constraint that depends on no other, and does not meet it, is told so, with the
// joint's name: a slide that falls turns about the far point of its rail by g/L only, 1e-4 rad/s²,
// and no residual is large. Where it is met nothing is said, nor where nothing was left out.
TEST(LeftOutConstraint, IsSaidWhereItDoesNotHold) {
  test::MachineWorld world = slide_on_a_far_rail();
  const dynamics::PlanarBodies machine(world.model, world.state);
  VecX q, v;
  machine.load(world.state, q, v);
  dynamics::ConstraintTerms terms;
  machine.constraints(0, q, v, terms);
  ASSERT_EQ(terms.rows.size(), 2U);
  VecX falling = VecX::Zero(6);
  falling.tail<3>() << 0, -9.81, -9.81e-5;
  const std::string why = detail::why_left_out(machine, terms, 1, falling, terms.drift);
  EXPECT_TRUE(why.starts_with("joint rail does not hold: 2 of 2")) << why;
  EXPECT_EQ(detail::why_left_out(machine, terms, 1, VecX::Zero(6), terms.drift), "");
  EXPECT_EQ(detail::why_left_out(machine, terms, 2, falling, terms.drift), "");
}

// A constraint that is written twice depends on the first, and may be left out.
TEST(LeftOutConstraint, RedundantOnesMayBeLeftOut) {
  test::MachineWorld world = slide_on_a_far_rail();
  world.machine->joints.push_back(world.machine->joints.front());
  const dynamics::PlanarBodies machine(world.model, world.state);
  VecX q, v;
  machine.load(world.state, q, v);
  dynamics::ConstraintTerms terms;
  machine.constraints(0, q, v, terms);
  VecX falling = VecX::Zero(6);
  falling.tail<3>() << 0, -9.81, -9.81e-5;
  EXPECT_EQ(detail::why_left_out(machine, terms, 2, falling, terms.drift), "");
}

}  // namespace
}  // namespace talus::stepping::TALUS_TEST_FILE
