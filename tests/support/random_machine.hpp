#pragma once

#include <cmath>
#include <random>

#include "support/mechanism.hpp"

namespace talus::test {

/// Not talus::Random: the seeds of tests with random machines are regressions, machines that once
/// failed.
using Random = std::mt19937_64;

inline Real uniform(Random& random, Real low, Real high) {
  return std::uniform_real_distribution<Real>(low, high)(random);
}

/// A body near x = i above the floor: a disc, a box or a rod, of random mass, pose and velocity.
inline Index add_random_body(Mechanism& m, int i, Random& random) {
  const Index body =
      m.add(uniform(random, 0.5, 2), uniform(random, 0.01, 0.05),
            {i + uniform(random, -0.2, 0.2), uniform(random, 0.5, 1.5)}, uniform(random, -3, 3));
  m.machine->visual_only.clear();
  switch (random() % 3) {
    case 0:
      m.model.bodies[body].shape = geometry::Sphere{0.2};
      break;
    case 1:
      m.model.bodies[body].shape = geometry::Box{{0.2, 0.1, 0.1}};
      break;
    default:
      m.model.bodies[body].shape = geometry::Capsule{0.05, 0.2};
      m.model.bodies[body].X_BS.q = rotation_between(Vec3::UnitZ(), Vec3::UnitX());
  }
  m.state.velocity[body] = {uniform(random, -2, 2), uniform(random, -2, 2), 0};
  m.state.angular_velocity[body] = {0, 0, uniform(random, -5, 5)};
  return body;
}

/// Two to five bodies over a floor, some joined by joints of every kind and by springs and dampers,
/// with random shapes, laws and velocities.
inline Mechanism random_mechanism(Random& random) {
  Mechanism m;
  m.machine->visual_only.clear();
  m.model.bodies[0].shape = geometry::Plane{};
  m.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
  model::InterfaceLaw surface;
  surface.friction.coefficient = uniform(random, 0, 0.8);
  surface.friction.kind = model::CoulombFriction{surface.friction.coefficient};
  surface.impact.restitution = random() % 2 == 0 ? 0 : uniform(random, 0, 0.9);
  m.model.laws = {surface};
  const int bodies = 2 + static_cast<int>(random() % 4);
  for (int i = 1; i <= bodies; ++i) {
    const Index body = add_random_body(m, i, random);
    const Index other = static_cast<Index>(random() % static_cast<unsigned>(i));
    const Vec2 here = m.state.position[body].head<2>();
    const Vec2 middle = (here + m.state.position[other].head<2>()) / 2;
    const Vec2 axis = (here - middle).normalized();
    const Real length = 2 * (here - middle).norm();
    switch (random() % 8) {
      case 0:
        m.add_pin(other, body, middle);
        break;
      case 1:
        m.add_joint(other, body,
                    model::PrismaticJoint{m.in(other, here),
                                          Eigen::Rotation2D<Real>(-m.angle(other)) * axis,
                                          Vec2::Zero(), m.angle(body) - m.angle(other), 0});
        break;
      case 2:
        m.add_joint(other, body, model::DistanceJoint{Vec2::Zero(), Vec2::Zero(), length});
        break;
      case 3:
        m.add_joint(other, body, model::RopeJoint{Vec2::Zero(), Vec2::Zero(), 1.1 * length, 0.3});
        break;
      case 4:
        m.add_joint(other, body,
                    model::WeldJoint{m.in(other, middle), m.in(body, middle),
                                     m.angle(body) - m.angle(other)});
        break;
      case 5:
        m.machine->forces.push_back({"spring", other, body,
                                     model::LineForce{Vec2::Zero(),
                                                      Vec2::Zero(),
                                                      uniform(random, 1, 100),
                                                      length,
                                                      uniform(random, 0, 1),
                                                      {}}});
        break;
      default:
        break;
    }
  }
  return m;
}

/// One of the laws of friction, with all their parameters.
inline model::FrictionModel random_friction(Random& random) {
  model::FrictionModel law;
  law.coefficient = uniform(random, 0.05, 0.8);
  if (random() % 4 == 0) law.viscous = uniform(random, 0, 1);
  const Real held = law.coefficient * uniform(random, 1, 1.5);
  switch (random() % 6) {
    case 0:
      law.kind = model::CoulombFriction{held};
      break;
    case 1:
      law.kind = model::StribeckFriction{held, uniform(random, 0.01, 1), uniform(random, 1, 2)};
      break;
    case 2:
      law.kind = model::TanhFriction{uniform(random, 1e-3, 0.1)};
      break;
    case 3:
      law.kind = model::AtanFriction{uniform(random, 1e-3, 0.1)};
      break;
    case 4:
      law.kind =
          model::PiecewiseLinearFriction{uniform(random, 0, 1e-3), uniform(random, 0.01, 0.1)};
      break;
    default:
      law.kind = model::DahlFriction{uniform(random, 1e3, 1e5), uniform(random, 1, 2)};
  }
  return law;
}

/// Any friction, normal law and impact law.
inline model::InterfaceLaw random_surface(Random& random) {
  model::InterfaceLaw surface;
  surface.friction = random_friction(random);
  if (random() % 4 == 0) surface.friction.rolling = uniform(random, 0, 0.02);
  const Real stiffness = std::pow(10, uniform(random, 4, 7));
  const Real e = uniform(random, 0.1, 0.95);
  switch (random() % 6) {
    case 0:
      surface.normal = model::HertzNormal{stiffness, uniform(random, 1, 2)};
      break;
    case 1: {
      using Kind = model::DampedNormal::Kind;
      const Kind kinds[] = {Kind::hunt_crossley, Kind::lankarani_nikravesh, Kind::flores};
      surface.normal = model::DampedNormal{kinds[random() % 3], stiffness, 1.5, e};
      break;
    }
    case 2:
      surface.normal = model::ViscousNormal{stiffness, 1.5, uniform(random, 0, 1e3)};
      break;
    default:
      break;
  }
  surface.impact.restitution = random() % 2 == 0 ? 0 : e;
  surface.impact.is_poisson = random() % 3 == 0;
  surface.impact.tangential_restitution = random() % 3 == 0 ? uniform(random, 0, 1) : 0;
  return surface;
}

/// A law of time whose value is 0 at t = 0, about as large as asked.
inline model::TimeLaw random_time_law(Random& random, Real size) {
  switch (random() % 3) {
    case 0:
      return model::RampLaw{0, size * uniform(random, -1, 1)};
    case 1:
      return model::HarmonicLaw{0, size * uniform(random, 0, 1), uniform(random, 0.5, 5), 0};
    default:
      return model::make_table({0, 0.3, 0.6, 1.1},
                               {0, size * uniform(random, -1, 1), size * uniform(random, -1, 1), 0},
                               random() % 2 == 0);
  }
}

/// Everything that machines are made of: as random_mechanism, and with every law of friction,
/// normal force and impact, every joint and force element, friction in joints, and drives.
inline Mechanism random_machine(Random& random) {
  Mechanism m;
  m.machine->visual_only.clear();
  m.model.bodies[0].shape = geometry::Plane{};
  m.state.orientation[0] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
  m.model.laws = {random_surface(random)};
  const int bodies = 2 + static_cast<int>(random() % 4);
  for (int i = 1; i <= bodies; ++i) {
    const Index body = add_random_body(m, i, random);
    const Index other = static_cast<Index>(random() % static_cast<unsigned>(i));
    const Vec2 here = m.state.position[body].head<2>();
    const Vec2 there = m.state.position[other].head<2>(), middle = (here + there) / 2;
    const Vec2 axis = (here - middle).normalized();
    const Vec2 axis_a = Eigen::Rotation2D<Real>(-m.angle(other)) * axis;
    const Real length = 2 * (here - middle).norm(), turned = m.angle(body) - m.angle(other);
    const auto rub = [&] {
      if (random() % 2 == 0) return;
      model::JointFriction friction{random_friction(random), 0};
      friction.law.coefficient *= 0.5;
      if (random() % 2 == 0) friction.preload = uniform(random, 0, 5);
      m.machine->joints.back().friction = friction;
    };
    const auto force = [&](const model::ForceKind& kind) {
      m.machine->forces.push_back({"force", other, body, kind});
    };
    switch (random() % 16) {
      case 0:
        m.add_joint(other, body,
                    model::RevoluteJoint{m.in(other, middle), m.in(body, middle), 0.02});
        rub();
        break;
      case 1:
        m.add_joint(other, body,
                    model::PrismaticJoint{m.in(other, here), axis_a, Vec2::Zero(), turned,
                                          random() % 2 == 0 ? 0 : uniform(random, 0.1, 0.5)});
        rub();
        break;
      case 2:
        m.add_joint(other, body, model::DistanceJoint{Vec2::Zero(), Vec2::Zero(), length});
        break;
      case 3:
        m.add_joint(other, body, model::RopeJoint{Vec2::Zero(), Vec2::Zero(), 1.1 * length, 0.3});
        break;
      case 4:
        m.add_joint(other, body, model::WeldJoint{m.in(other, middle), m.in(body, middle), turned});
        break;
      case 5: {
        const Real ratio = uniform(random, 0.5, 2);
        m.add_joint(other, body, model::GearJoint{ratio, m.angle(body) + ratio * m.angle(other)});
        break;
      }
      case 6:
        m.add_joint(other, body, model::SlotJoint{m.in(other, here), axis_a, Vec2::Zero()});
        break;
      case 7:
        m.add_joint(other, body,
                    model::RevoluteClearance{
                        m.in(other, middle), m.in(body, middle), uniform(random, 1e-3, 0.05), 0.02,
                        random_surface(random), random() % 2 == 0 ? Vec2(0, 0) : Vec2(0.1, 0)});
        break;
      case 8:
        m.add_joint(
            other, body,
            model::TranslationalClearance{m.in(other, here), axis_a, Vec2::Zero(),
                                          Eigen::Rotation2D<Real>(-m.angle(body)) * axis, 0.2, 0.1,
                                          uniform(random, 1e-3, 0.02), random_surface(random)});
        break;
      case 9:
        force(model::LineForce{Vec2::Zero(), Vec2::Zero(), uniform(random, 1, 100), length,
                               uniform(random, 0, 1), random_time_law(random, 5)});
        break;
      case 10:
        force(model::Torque{uniform(random, 0, 5), turned, uniform(random, 0, 0.1),
                            random_time_law(random, 1)});
        break;
      case 11:
        force(model::PointForce{Vec2(0.05, 0.02), axis_a, random_time_law(random, 10)});
        break;
      case 12: {  // a motor on a shaft
        m.add_joint(other, body, model::RevoluteJoint{m.in(other, here), Vec2::Zero(), 0});
        model::Drive drive;
        drive.name = "motor";
        drive.body_a = other;
        drive.body_b = body;
        drive.is_speed = random() % 2 == 0;
        drive.law = random_time_law(random, 5);
        drive.start = turned;
        if (!drive.is_speed)
          drive.law = model::HarmonicLaw{turned, uniform(random, 0, 1), uniform(random, 0.5, 3), 0};
        m.machine->drives.push_back(drive);
        break;
      }
      default:
        break;
    }
  }
  return m;
}

}  // namespace talus::test
