#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/planar_bodies.hpp>

#include "support/machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::MachineWorld;

Vec2 random_point(Random& random, Real size) {
  const Real x = random.uniform(-size, size);
  return {x, random.uniform(-size, size)};
}

model::InterfaceLaw random_surface(Random& random, bool is_inelastic) {
  model::InterfaceLaw surface;
  model::FrictionModel& friction = surface.friction;
  friction.coefficient = random.uniform(0, 0.8);
  const Real above = friction.coefficient * random.uniform(1, 1.5);
  switch (random.bits() % 7) {
    case 0:
      friction.kind = model::StribeckFriction{above, 0.1, 2};
      break;
    case 1:
      friction.kind = model::TanhFriction{0.01};
      break;
    case 2:
      friction.kind = model::DahlFriction{1e4, 1};
      break;
    case 3:
      friction.coefficient = 0;
      break;
    default:
      friction.kind = model::CoulombFriction{above};
  }
  if (random.bits() % 3 == 0) friction.viscous = random.uniform(0, 2);
  if (random.bits() % 4 == 0) friction.rolling = random.uniform(0, 0.01);
  switch (random.bits() % 6) {
    case 0:
      surface.normal = model::HertzNormal{1e6, 1.5};
      break;
    case 1:
      surface.normal = model::ViscousNormal{1e6, 1.5, 2e4};
      break;
    case 2: {
      model::DampedNormal law;
      law.stiffness = 1e6;
      law.restitution = random.uniform(0.2, 0.9);
      law.kind = static_cast<model::DampedNormal::Kind>(random.bits() % 3);
      surface.normal = law;
      break;
    }
    default:
      if (!is_inelastic) surface.impact.restitution = random.uniform(0, 0.8);
      surface.impact.is_poisson = random.bits() % 3 == 0;
  }
  return surface;
}

/// Up to five bodies above a line, some of them joined to their neighbour or to the ground, by
/// pins, guides, rods, ropes, springs and clearance joints.
void add_mechanism(Random& random, MachineWorld& world) {
  const Index ground = world.add_line(random.uniform(-0.2, 0.2));
  const Index count = 1 + static_cast<Index>(random.bits() % 5);
  std::vector<Index> bodies;
  std::vector<Vec2> places;
  for (Index i = 0; i < count; ++i) {
    const Vec2 at(0.5 * static_cast<Real>(i) - 0.6, 0.35 + random.uniform(0, 0.4));
    const Real mass = random.uniform(0.5, 5), angle = random.uniform(-3, 3);
    geometry::Shape shape = geometry::Sphere{random.uniform(0.05, 0.15)};
    const auto kind = random.bits() % 3;
    if (kind == 1)
      shape = geometry::Box{{random.uniform(0.05, 0.14), random.uniform(0.03, 0.14), 0.1}};
    if (kind == 2) shape = geometry::Capsule{random.uniform(0.02, 0.05), random.uniform(0.05, 0.1)};
    const Index body = world.add_body(shape, mass, 0.01 * mass, at, angle);
    if (kind == 2) {  // along x
      world.model.bodies[body].X_BS.q = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
    }
    world.state.velocity[body] = {random.uniform(-2, 2), random.uniform(-2, 2), 0};
    world.state.angular_velocity[body] = {0, 0, random.uniform(-5, 5)};
    bodies.push_back(body);
    places.push_back(at);
  }
  const auto local = [&](Index body, const Vec2& p) -> Vec2 {
    if (body == ground) return p;
    return Eigen::Rotation2D<Real>(-world.angle(body)) * (p - world.state.position[body].head<2>());
  };
  for (Index i = 0; i < count; ++i) {
    const Index b = bodies[i];
    const bool to_ground = i == 0 || random.bits() % 4 == 0;
    const Index a = to_ground ? ground : bodies[i - 1];
    const Vec2 on_b = places[i] + random_point(random, 0.1);
    const Vec2 on_a = to_ground ? Vec2(on_b + random_point(random, 0.3))
                                : Vec2(places[i - 1] + random_point(random, 0.1));
    model::Joint joint;
    joint.body_a = a;
    joint.body_b = b;
    const Real mu = random.uniform(0, 0.3);
    switch (random.bits() % 10) {
      case 0: {
        model::RevoluteJoint pin;
        pin.p_A = local(a, on_b);
        pin.p_B = local(b, on_b);
        if (random.bits() % 2 == 0) {
          pin.pin_radius = 0.02;
          joint.friction =
              model::JointFriction{{.coefficient = mu, .kind = model::CoulombFriction{}}, 0.5};
        }
        joint.kind = pin;
        break;
      }
      case 1: {
        model::PrismaticJoint guide;
        guide.p_A = local(a, on_b);
        guide.p_B = local(b, on_b);
        guide.axis_A = random_point(random, 1).normalized();
        guide.angle = world.angle(b) - (a == ground ? 0 : world.angle(a));
        guide.length = 0.2;
        if (random.bits() % 2 == 0)
          joint.friction =
              model::JointFriction{{.coefficient = mu, .kind = model::CoulombFriction{}}, 0};
        joint.kind = guide;
        break;
      }
      case 2:
        joint.kind = model::DistanceJoint{local(a, on_a), local(b, on_b), (on_a - on_b).norm()};
        break;
      case 3:
        joint.kind =
            model::RopeJoint{local(a, on_a), local(b, on_b), 1.05 * (on_a - on_b).norm(), 0};
        break;
      case 4: {
        model::RevoluteClearance pin;
        pin.p_A = local(a, on_b);
        pin.p_B = local(b, on_b);
        pin.clearance = 1e-3;
        pin.pin_radius = 0.02;
        pin.law = test::coulomb(0.2, 0.25);
        joint.kind = pin;
        break;
      }
      case 5: {
        model::LineForce spring;
        spring.p_A = local(a, on_a);
        spring.p_B = local(b, on_b);
        spring.stiffness = 200;
        spring.rest_length = (on_a - on_b).norm();
        spring.damping = 2;
        world.machine->forces.push_back({"spring", a, b, spring});
        continue;
      }
      default:
        continue;
    }
    joint.name = "joint" + std::to_string(i);
    joint.collides = false;
    world.machine->joints.push_back(joint);
  }
}

struct Tally {
  Index machines = 0, steps = 0, uncertified = 0, events = 0, raised = 0;
};

/// Runs a random machine for a second.
void run_machine(std::uint64_t seed, Tally& tally) {
  Random random(seed);
  const bool is_inelastic = random.bits() % 2 == 0;
  MachineWorld world(random_surface(random, is_inelastic));
  add_mechanism(random, world);
  world.options.machine.tolerance = 1e-8;
  world.options.machine.on_painleve = "time_step";
  world.options.solver.tolerance = 1e-6;
  // From velocities that the joints allow, without overlap.
  const dynamics::PlanarBodies planar(world.model, world.state);
  VecX q, v;
  planar.load(world.state, q, v);
  dynamics::ConstraintProjection projection;
  (void)projection.velocity(planar, 0, q, v);
  for (Index i = 0; i < planar.contact_count(); ++i)
    if (planar.gap(i, q) < 0) return;
  planar.store(q, v, world.state);

  world.scheme = stepping::make_event_driven_scheme(world.model, world.options);
  Real energy = planar.kinetic_energy(q, v) + planar.potential_energy(0, q),
       scale = planar.kinetic_energy(q, v) + 10;
  ++tally.machines;
  for (int k = 0; k < 50; ++k) {
    const stepping::StepReport report = world.scheme->step(world.state, 0.02);
    ++tally.steps;
    tally.events += static_cast<Index>(world.scheme->events().size());
    ASSERT_TRUE(world.state.is_finite()) << "seed " << seed;
    if (!report.is_certified()) {
      ++tally.uncertified;
      ASSERT_FALSE(report.detail.empty()) << "seed " << seed << " step " << k;
      if (std::getenv("TALUS_SHOW") != nullptr)
        std::printf("seed %lu step %d: %s\n", seed, k, report.detail.c_str());
      if (report.status == problem::SolveStatus::numerical_error) return;
    }
    const Real now = report.energy.total();
    const bool may_raise = !is_inelastic && !report.is_certified();
    if (now > energy + 1e-6 * scale && !may_raise) {
      ++tally.raised;
      ADD_FAILURE() << "seed " << seed << " step " << k << ": energy " << now << " J after "
                    << energy;
    }
    energy = now;
  }
}

// Random planar machines with every kind of contact: nothing crashes, no failure goes unreported,
// steps meet their certificates, and neither friction nor inelastic impacts make energy.
TEST(Machines, RandomOnesMeetTheirCertificates) {
  const bool is_full = std::getenv("TALUS_FULL") != nullptr;
  const Index count = is_full ? 10000 : 60;
  Tally tally;
  for (Index i = 0; i < count && !HasFatalFailure(); ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    run_machine(seed, tally);
  }
  std::printf("%ld machines, %ld steps, %ld events, %ld steps uncertified and reported\n",
              tally.machines, tally.steps, tally.events, tally.uncertified);
  EXPECT_EQ(tally.raised, 0);
  EXPECT_LE(tally.uncertified, tally.steps / 100);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
