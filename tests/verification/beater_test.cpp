#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>

#include <talus/stepping/machine/projection.hpp>

#include "support/machine_world.hpp"

namespace talus {
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
    const dynamics::PlanarMachine planar(model, state);
    const stepping::machine::FrictionElements elements(planar, model);
    stepping::machine::Projection projection(planar, elements);
    stepping::machine::Modes modes;
    modes.normal.resize(static_cast<std::size_t>(planar.contact_count()));
    modes.friction.resize(elements.list.size());
    stepping::machine::Point x;
    planar.load(state, x.q, x.v);
    projection.apply(0, modes, x);
    planar.store(x.q, x.v, state);
  }
  static model::SurfaceLaw surface() {
    model::SurfaceLaw law = test::coulomb(0.45, 0.6);
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

TEST(Beater, FirstPeriod) {
  for (const Real h : {4e-6, 2e-6, 1e-6, 5e-7}) {
    Beater beater;
    beater.options.machine.integrator = "rk4";
    beater.options.machine.step = h;
    beater.options.machine.stabilisation = "baumgarte";
    const Real period = 0.01496;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(beater.run(period, 1e-3)) << beater.last.detail;
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("h %g: %.12f %.12f %.12f in %.3f s: %.3g us per step; phi %.3g events %zu\n", h,
                beater.place().x(), beater.place().y(), beater.place().z(), s,
                1e6 * s / (period / h), beater.scheme->constraint_norm(), beater.events.size());
  }
  for (const Real tol : {1e-6, 1e-8, 1e-10, 1e-12}) {
    Beater beater;
    beater.options.machine.tolerance = tol;
    const Real period = 0.01496;
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(beater.run(period, period)) << beater.last.detail;
    const double s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("tol %g: %.12f %.12f %.12f in %.5f s, steps %ld rej %ld lcp %ld\n", tol,
                beater.place().x(), beater.place().y(), beater.place().z(), s,
                beater.scheme->outcome().steps, beater.scheme->outcome().rejected,
                beater.scheme->outcome().solves);
    if (tol == 1e-12)
      for (const auto& e : beater.events)
        std::printf("%s %.12g contact %ld slip %g\n", to_string(e.kind), e.time, e.contact,
                    e.slip_after);
  }
}

}  // namespace
}  // namespace talus
