#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <utility>

#include <talus/dynamics/planar_machine.hpp>

#include "support/mechanism.hpp"

namespace talus {
namespace {

using test::Mechanism;
using Random = std::mt19937_64;

Real uniform(Random& random, Real low, Real high) {
  return std::uniform_real_distribution<Real>(low, high)(random);
}

/// Two to five bodies over a floor, some joined by joints of every kind and by springs and dampers,
/// with random shapes, laws and velocities.
Mechanism random_mechanism(Random& random) {
  Mechanism m;
  m.machine->untouchable.clear();
  m.model.bodies[0].shape = geometry::Plane{};
  m.state.orientation[0] = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitY());
  model::SurfaceLaw surface;
  surface.friction.friction = uniform(random, 0, 0.8);
  surface.friction.kind = model::CoulombFriction{surface.friction.friction};
  surface.impact.restitution = random() % 2 == 0 ? 0 : uniform(random, 0, 0.9);
  m.machine->surfaces = {surface};
  const int bodies = 2 + static_cast<int>(random() % 4);
  for (int i = 1; i <= bodies; ++i) {
    const Index body =
        m.add(uniform(random, 0.5, 2), uniform(random, 0.01, 0.05),
              {i + uniform(random, -0.2, 0.2), uniform(random, 0.5, 1.5)}, uniform(random, -3, 3));
    m.machine->untouchable.clear();
    switch (random() % 3) {
      case 0:
        m.model.bodies[body].shape = geometry::Sphere{0.2};
        break;
      case 1:
        m.model.bodies[body].shape = geometry::Box{{0.2, 0.1, 0.1}};
        break;
      default:
        m.model.bodies[body].shape = geometry::Capsule{0.05, 0.2};
        m.model.bodies[body].X_BS.q = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
    }
    m.state.velocity[body] = {uniform(random, -2, 2), uniform(random, -2, 2), 0};
    m.state.angular_velocity[body] = {0, 0, uniform(random, -5, 5)};
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

/// How the run of a machine ended.
struct Ending {
  enum class Kind : unsigned char {
    certified,   ///< to its end, every step certified
    reported,    ///< stopped: no motion obeys the laws there, and it said why
    uncertified  ///< a step without a certificate that says why
  };
  Kind kind = Kind::certified;
  std::string cause;  ///< what it said, without numbers
};

/// A message without its numbers: what causes are counted by.
std::string without_numbers(const std::string& message) {
  static const std::regex number("[-+]?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?");
  return std::regex_replace(message, number, "#");
}

/// Kinetic energy and that of gravity and springs at the start.
Real energy_of(const Mechanism& m) {
  const dynamics::PlanarMachine machine(m.model, m.state);
  VecX q, v;
  machine.load(m.state, q, v);
  return machine.kinetic_energy(v) + machine.potential_energy(0, q);
}

/// Runs one of them for a time. Whatever does not go well must say why.
Ending run_random(unsigned seed, const std::string& name, Real end) {
  Random random(seed);
  Mechanism m = random_mechanism(random);
  stepping::SchemeOptions options;
  options.scheme = name;
  const auto scheme = make_scheme(m.model, options);
  const bool has_events = name == "event_driven";
  const Real h = has_events ? 0.02 : 2e-3;
  Real energy = energy_of(m);
  for (int step = 0; step * h < end; ++step) {
    const auto report = scheme->step(m.state, h);
    EXPECT_TRUE(m.state.is_finite()) << name << " seed " << seed << " step " << step;
    if (!report.is_certified()) {
      EXPECT_FALSE(report.detail.empty()) << name << " seed " << seed << " step " << step;
      std::cout << name << " seed " << seed << " step " << step << ": " << report.detail << '\n';
      const bool is_stopped = report.status == problem::SolveStatus::numerical_error;
      return {is_stopped ? Ending::Kind::reported : Ending::Kind::uncertified,
              without_numbers(report.detail)};
    }
    if (has_events) {
      EXPECT_LE(report.energy.total(), energy + 1e-6 * std::max(Real(1), std::abs(energy)))
          << "seed " << seed << " step " << step;
    }
    energy = report.energy.total();
  }
  return {};
}

/// Which seeds are asked for: TALUS_RANDOM_MECHANISMS is how many, or the first and the last, A-B.
std::pair<unsigned, unsigned> seeds() {
  const char* asked = std::getenv("TALUS_RANDOM_MECHANISMS");
  if (asked == nullptr) return {1, 40};
  char* rest = nullptr;
  const auto number = static_cast<unsigned>(std::strtoul(asked, &rest, 10));
  if (*rest != '-') return {1, number};
  return {number, static_cast<unsigned>(std::strtoul(rest + 1, nullptr, 10))};
}

/// Runs all of them. @return how many ended without a certificate and without a reason to stop.
unsigned count_uncertified(const std::string& name) {
  const auto [first, last] = seeds();
  std::map<Ending::Kind, unsigned> kinds;
  std::map<std::string, unsigned> causes;
  for (unsigned seed = first; seed <= last; ++seed) {
    const Ending ending = run_random(seed, name, 1);
    ++kinds[ending.kind];
    if (!ending.cause.empty()) ++causes[ending.cause];
  }
  std::cout << name << ", seeds " << first << " to " << last << ": "
            << kinds[Ending::Kind::certified] << " certified, " << kinds[Ending::Kind::reported]
            << " stopped with a reason, " << kinds[Ending::Kind::uncertified] << " uncertified\n";
  for (const auto& [cause, count] : causes) std::cout << "  " << count << " x " << cause << '\n';
  return kinds[Ending::Kind::uncertified];
}

// Random machines over a floor for a second: nothing crashes, whatever fails says why, friction and
// impacts make no energy. TALUS_RANDOM_MECHANISMS sets how many.
TEST(RandomMechanisms, EventDrivenRunOrSayWhyNot) {
  const auto [first, last] = seeds();
  EXPECT_LE(count_uncertified("event_driven"), (last - first) / 1000);
}

// The same machines by Moreau's time stepping.
TEST(RandomMechanisms, TimeSteppingRunsOrSaysWhyNot) {
  const auto [first, last] = seeds();
  for (const char* scheme : {"moreau_midpoint", "moreau_jean"})
    EXPECT_LE(count_uncertified(scheme), (last - first) / 20) << scheme;
}

}  // namespace
}  // namespace talus
