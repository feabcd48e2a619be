#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/stepping/event_driven/projection.hpp>

#include "support/machine_world.hpp"
#include "support/malloc_counter.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// The flat beater of `wang_2015`, case 1: a box with a motor whose unbalanced rotor makes it hop.
struct Beater : test::MachineWorld {
  Index box = 0, rotor = 0;
  const Vec2 C{-0.033, 0.032}, A{0.03, 0.124};
  const Real omega = 420, e = 0.018;

  Beater() : test::MachineWorld(surface()) {
    add_line();
    box = add_body(geometry::Box{{0.2, 0.128, 0.1}}, 92, 0.4423, Vec2(0, 0.128) + C);
    model.bodies[box].X_BS.p = Vec3(-C.x(), -C.y(), 0);
    rotor = add_body(geometry::Sphere{0.001}, 7, 0.00247, Vec2(0, 0.128) + A + Vec2(e, 0));
    model::RevoluteJoint pin;
    pin.p_A = A - C;
    pin.p_B = {-e, 0};
    machine->joints.push_back({"pin", box, rotor, pin, {}});
    model::Drive drive;
    drive.name = "motor";
    drive.body_a = box;
    drive.body_b = rotor;
    drive.law = model::ConstantLaw{omega};
    drive.is_speed = true;
    machine->drives.push_back(drive);
    // Velocities from rest, moved the least onto the constraints.
    const dynamics::PlanarBodies planar(model, state);
    const laws::FrictionTable elements(planar);
    stepping::event_driven::DriftProjection projection(planar, elements);
    laws::Modes modes;
    modes.normal.resize(static_cast<std::size_t>(planar.contact_count()));
    modes.friction.resize(elements.list.size());
    stepping::event_driven::Point x;
    planar.load(state, x.q, x.v);
    projection.apply(0, modes, x);
    planar.store(x.q, x.v, state);
  }
  static model::InterfaceLaw surface() {
    model::InterfaceLaw law = test::coulomb(0.45, 0.6);
    law.normal = model::ViscousNormal{3.1e6, 1.5, 23e3};
    return law;
  }
  [[nodiscard]] Vec3 place() const {
    const Real theta = angle(box);
    const Vec2 centre =
        state.position[box].head<2>() - Eigen::Rotation2D<Real>(theta).toRotationMatrix() * C;
    return {centre.x(), centre.y(), theta};
  }
};

Vec3 after_a_period(const char* integrator, Real setting, const char* stabilisation) {
  Beater beater;
  beater.options.machine.integrator = integrator;
  beater.options.machine.step = beater.options.machine.tolerance = setting;
  beater.options.machine.stabilisation = stabilisation;
  EXPECT_TRUE(beater.run(2 * std::numbers::pi / beater.omega, 1e-3)) << beater.last.detail;
  EXPECT_LT(beater.scheme->constraint_norm(), 1e-9);
  return beater.place();
}

// The first period of the beater (touching, at rest but for what the motor asks) does not depend on
// the integrator or the stabilisation; with located events fixed steps converge with order 2 at
// least, the square root in the force of a contact that begins allows no more than 2.5.
TEST(Beater, FirstPeriodConverges) {
  const Vec3 exact = after_a_period("adaptive", 1e-12, "projection");
  EXPECT_NEAR(exact.x(), 0.001779208, 1e-7);
  EXPECT_NEAR(exact.y(), 0.130309122, 1e-7);
  EXPECT_NEAR(exact.z(), 0.042910866, 1e-6);
  const Vec3 coarse = after_a_period("rk4", 4e-6, "baumgarte") - exact;
  const Vec3 fine = after_a_period("rk4", 2e-6, "baumgarte") - exact;
  EXPECT_LT(fine.norm(), 1e-9);
  EXPECT_GT(std::log2(coarse.norm() / fine.norm()), 1.9);
  EXPECT_LT((after_a_period("adaptive", 1e-9, "none") - exact).norm(), 1e-7);
  EXPECT_LT((after_a_period("generalized_alpha", 1e-6, "projection") - exact).norm(), 1e-5);
}

// A run that another scheme takes up from the state after every step goes on bit for bit.
TEST(Beater, GoesOnFromItsState) {
  Beater one, two;
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(one.run(1e-3, 1e-3));
    two.scheme.reset();
    ASSERT_TRUE(two.run(1e-3, 1e-3));
    ASSERT_EQ(one.state.hash(), two.state.hash()) << k;
  }
}

// The weight is borne: over many periods the mean of the normal forces is (m₁ + m₂) g, less what
// the momentum at the two ends says.
TEST(Beater, MeanNormalForceIsTheWeight) {
  Beater beater;
  beater.options.machine.tolerance = 1e-9;
  Real impulse = 0;
  const auto momentum = [&] {
    return 92 * beater.state.velocity[beater.box].y() + 7 * beater.state.velocity[beater.rotor].y();
  };
  const Real before = momentum();
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(beater.run(1e-3, 1e-3)) << beater.last.detail;
    for (const auto& contact : beater.scheme->contacts()) impulse += contact.impulse.y();
  }
  const Real exact = (99 * 9.81 * 0.5 + momentum() - before) / 0.5;
  EXPECT_NEAR(impulse / 0.5, exact, 1e-2 * exact);
}

// Nothing allocates in a step between events.
TEST(Beater, StepsAllocateNothing) {
  if (!test::malloc_is_counted()) GTEST_SKIP() << "allocations are not counted here";
  Beater beater;
  beater.run(0.1, 0.01);
  const dynamics::PlanarBodies machine(beater.model, beater.state);
  const laws::FrictionTable elements(machine);
  stepping::event_driven::Phase phase(machine, elements);
  phase.set_modes(beater.scheme->modes());
  stepping::event_driven::Point x{{}, {}, VecX(0)};
  machine.load(beater.state, x.q, x.v);
  stepping::event_driven::Point next = x, error = x;
  stepping::event_driven::Rate k{x.v, VecX(0)};
  for (const auto& integrator :
       {stepping::event_driven::make_rk4(), stepping::event_driven::make_dormand_prince()}) {
    phase.evaluate(0, x, k);
    (void)integrator->step(phase, 0, x, k, 1e-6, next);
    const long before = test::malloc_count;
    for (int i = 0; i < 10; ++i) {
      (void)integrator->step(phase, 0, x, k, 1e-6, next);
      phase.evaluate(1e-6, next, k);
      (void)integrator->estimate(1e-6, next, k, error);
    }
    EXPECT_EQ(test::malloc_count, before);
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
