#include <support/jointed_problem.hpp>

#include <cmath>

#include <talus/base/random.hpp>

namespace talus::test {
namespace {

using problem::RigidContact;

Vec3 random_vector(Random& random) {
  return {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
}

}  // namespace

void add_parts(RigidContact& problem, std::uint32_t a, std::uint32_t b, const Vec3& e,
               const Vec3& arm_a, const Vec3& arm_b, bool is_turn) {
  const auto part = [&](std::uint32_t body, const Vec3& arm, Real sign) {
    Vec6 of;
    if (is_turn)
      of << Vec3::Zero(), sign * e * problem.length[a] / problem.length[body];
    else
      of << sign * e, sign * arm.cross(e) / problem.length[body];
    problem.rows.parts.push_back({of, body});
  };
  part(a, arm_a, -1);
  part(b, arm_b, 1);
}

RigidContact random_jointed_problem(const JointedKind& kind, std::uint64_t seed) {
  Random random(seed);
  RigidContact problem;
  std::vector<Vec3> place;
  const auto add_body = [&](Real mass, const Vec3& p) {
    problem::BodyVelocity body;
    const Real length = random.uniform(0.2, 0.6);
    if (mass > 0) {
      body.inverse_mass = 1 / mass;
      body.v = random_vector(random) - Vec3(0, 0, 2);
      body.s = random_vector(random);
    }
    problem.bodies.push_back(body);
    Mat3 root;
    for (Index k = 0; k < 3; ++k) root.col(k) = random_vector(random);
    const Mat3 inverse = mass > 0 ? Mat3((root * root.transpose() + 2 * Mat3::Identity()) / mass)
                                  : Mat3(Mat3::Zero());
    problem.inverse_inertia.push_back(inverse);
    problem.length.push_back(mass > 0 ? length : 1);
    place.push_back(p);
  };
  add_body(0, Vec3::Zero());
  for (Index i = 0; i < kind.bodies; ++i) {
    const Real mass = std::pow(kind.mass_ratio, random.uniform(0, 1));
    const auto own = static_cast<std::uint32_t>(problem.bodies.size());
    if (i == 0) {
      add_body(mass, Vec3(0, 0, 1));
      continue;
    }
    const auto parent =
        static_cast<std::uint32_t>(1 + random.bits() % static_cast<std::uint64_t>(i));
    const Vec3 pivot = place[parent] + 0.3 * random_vector(random);
    add_body(mass, pivot + 0.3 * random_vector(random));
    const Vec3 arm_a = pivot - place[parent], arm_b = pivot - place[own];
    for (int k = 0; k < 3; ++k) {
      add_parts(problem, parent, own, Vec3::Unit(k), arm_a, arm_b, false);
      problem.rows.close(0);
    }
    if (i % 2 == 0) continue;
    const Vec3 axis = random_vector(random).normalized();
    const Vec3 across = axis.unitOrthogonal();
    for (const Vec3& n : {across, Vec3(axis.cross(across))}) {
      add_parts(problem, parent, own, n, {}, {}, true);
      problem.rows.close(0);
    }
    if (!kind.has_laws) continue;
    constexpr Real kFree = problem::BoundedRows::kFree;
    const std::uint64_t which = random.bits() % 4;
    add_parts(problem, parent, own, axis, {}, {}, true);
    if (which == 0) problem.rows.close(random.uniform(0, 1), 0, 0, kFree);    // a stop
    if (which == 1) problem.rows.close(random.uniform(-1, 1), 0, -0.3, 0.3);  // a motor
    if (which == 2) problem.rows.close(0, 0, -0.1, 0.1);                      // dry friction
    if (which == 3) problem.rows.close(random.uniform(-1, 1), 2);             // an implicit spring
  }
  for (Index k = 0; k < kind.loops; ++k) {
    const auto a =
        static_cast<std::uint32_t>(1 + random.bits() % static_cast<std::uint64_t>(kind.bodies));
    const auto b = static_cast<std::uint32_t>(
        1 + (a + random.bits() % static_cast<std::uint64_t>(kind.bodies - 1)) %
                static_cast<std::uint64_t>(kind.bodies));
    const Vec3 pivot = (place[a] + place[b]) / 2 + 0.1 * random_vector(random);
    const Vec3 e = random_vector(random).normalized();
    add_parts(problem, a, b, e, pivot - place[a], pivot - place[b], false);
    problem.rows.close(0);
  }
  const auto add_contact = [&](std::uint32_t a, std::uint32_t b, const Vec3& normal) {
    problem::GeneralContact contact;
    contact.body_a = a;
    contact.body_b = b;
    contact.normal = normal;
    contact.friction = 0.5;
    const Vec3 point = place[b] + 0.2 * random_vector(random);
    contact.arm_a = (point - place[a]) / problem.length[a];
    contact.arm_b = (point - place[b]) / problem.length[b];
    problem.general.push_back(contact);
    if (!kind.resists) return;
    problem::Resistance& resistance = problem.resistance.emplace_back();
    if (random.bits() % 2 == 0) resistance.rolling = random.uniform(0, 0.1);
    if (random.bits() % 2 == 0) resistance.torsion = random.uniform(0, 0.1);
    if (random.bits() % 4 == 0) resistance.cohesion = random.uniform(0, 0.5);
    if (random.bits() % 3 == 0) {
      resistance.axis = normal.unitOrthogonal();
      resistance.friction_across = random.bits() % 2 == 0 ? 0 : random.uniform(0, 0.5);
    }
  };
  for (Index k = 0; k < kind.contacts; ++k)
    add_contact(
        0, static_cast<std::uint32_t>(1 + random.bits() % static_cast<std::uint64_t>(kind.bodies)),
        Vec3::UnitZ());
  for (Index k = 0; k < kind.between; ++k) {
    const auto a =
        static_cast<std::uint32_t>(1 + random.bits() % static_cast<std::uint64_t>(kind.bodies));
    const auto b = static_cast<std::uint32_t>(
        1 + (a + random.bits() % static_cast<std::uint64_t>(kind.bodies - 1)) %
                static_cast<std::uint64_t>(kind.bodies));
    add_contact(a, b, random_vector(random).normalized());
  }
  problem.force_speed = 0.01;
  return problem;
}

}  // namespace talus::test
