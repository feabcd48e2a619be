#include <support/guided_problem.hpp>

#include <cmath>
#include <numbers>
#include <vector>

#include <support/jointed_problem.hpp>
#include <talus/base/random.hpp>

namespace talus::test {
namespace {

using problem::RigidContact;

enum class Guide : unsigned char { none, plane, slider, lift, slot, pin };
constexpr std::uint64_t kGuides = 6;
constexpr Real kHalfHeight = 0.1;  // [m]

/// A direction of the floor: at a multiple of 22.5°, or any.
Vec3 floor_direction(Random& random) {
  const Real step = std::numbers::pi / 8;
  const Real angle =
      random.bits() % 4 == 0 ? random.uniform(0, 6) : step * static_cast<Real>(random.bits() % 16);
  return {std::cos(angle), std::sin(angle), 0};
}

/// Directions in which a guide lets its point move, and about which it lets the body turn.
struct Freedom {
  std::vector<Vec3> blocked_ways, blocked_turns;
};

Freedom freedom_of(Guide guide, const Vec3& along) {
  const Vec3 up = Vec3::UnitZ(), across = up.cross(along);
  switch (guide) {
    case Guide::plane:
      return {{across}, {along, up}};
    case Guide::slider:
      return {{across, up}, {along, across, up}};
    case Guide::lift:
      return {{along, across}, {along, across, up}};
    case Guide::slot:
      return {{across, up}, {}};
    case Guide::pin:
      return {{along, across, up}, {along, up}};
    case Guide::none:
      break;
  }
  return {};
}

}  // namespace

RigidContact random_guided_problem(const GuidedKind& kind, std::uint64_t seed) {
  Random random(seed);
  RigidContact problem;
  problem.bodies.emplace_back();
  problem.inverse_inertia.emplace_back(Mat3::Zero());
  problem.length.push_back(1);
  const auto add_contact = [&](Index a, Index b, const Vec3& normal, const Vec3& arm_a,
                               const Vec3& arm_b, Real friction) {
    problem::GeneralContact contact;
    contact.body_a = static_cast<std::uint32_t>(a);
    contact.body_b = static_cast<std::uint32_t>(b);
    contact.normal = normal;
    contact.friction = friction;
    contact.arm_a = arm_a / problem.length[static_cast<std::size_t>(a)];
    contact.arm_b = arm_b / problem.length[static_cast<std::size_t>(b)];
    problem.general.push_back(contact);
  };
  const auto place = [](Index i) { return Vec3(static_cast<Real>(i), 0, kHalfHeight); };
  for (Index i = 1; i <= kind.bodies; ++i) {
    const Vec3 half(random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), kHalfHeight);
    const Vec3 axis = floor_direction(random);
    Mat3 turned;
    turned << axis, Vec3::UnitZ().cross(axis), Vec3::UnitZ();
    const Real mass = kind.mass_unit * std::pow(kind.mass_ratio, random.uniform(0, 1));
    const Real length = random.uniform(0.2, 0.6);
    problem::BodyVelocity body;
    body.inverse_mass = 1 / mass;
    body.v = kind.speed_unit *
             Vec3(random.uniform(-1, 1), random.uniform(-1, 1), -random.uniform(0.01, 0.1));
    if (random.bits() % 2 == 0) body.s.z() = kind.speed_unit * random.uniform(-1, 1);
    problem.bodies.push_back(body);
    const Vec3 squares = half.cwiseAbs2();
    const Vec3 inertia = (squares.sum() - squares.array()).matrix() / 3;
    problem.inverse_inertia.emplace_back(
        turned * (length * length / mass * inertia.cwiseInverse()).asDiagonal() *
        turned.transpose());
    problem.length.push_back(length);
    const Real friction = random.uniform(0.2, 0.9);
    for (const Real x : {-1, 1})
      for (const Real y : {-1, 1}) {
        const Vec3 arm = turned * half.cwiseProduct(Vec3(x, y, -1));
        add_contact(0, i, Vec3::UnitZ(), place(i) + arm, arm, friction);
      }
  }
  for (Index i = 1; i <= kind.bodies; ++i) {
    const auto guide = static_cast<Guide>(random.bits() % kGuides);
    const Vec3 along = floor_direction(random);
    const Vec3 arm(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0);
    const bool is_chained = kind.has_neighbours && i > 1 && random.bits() % 2 == 0;
    const auto body = static_cast<std::uint32_t>(i), on = is_chained ? body - 1 : 0;
    const Vec3 arm_on = place(i) + arm - (is_chained ? place(i - 1) : Vec3(Vec3::Zero()));
    const Freedom freedom = freedom_of(guide, along);
    const auto close = [&] {
      const Real unit = std::pow(10, random.uniform(-3, 3));
      auto& parts = problem.rows.parts;
      parts[parts.size() - 2].part *= unit;
      parts[parts.size() - 1].part *= unit;
      problem.rows.close(0);
    };
    for (const Vec3& way : freedom.blocked_ways) {
      add_parts(problem, on, body, way, arm_on, arm, false);
      close();
    }
    for (const Vec3& turn : freedom.blocked_turns) {
      add_parts(problem, on, body, turn, {}, {}, true);
      close();
    }
    if (kind.has_neighbours && i > 1)
      for (const Real y : {-0.1, 0.1}) {
        const Vec3 point(-0.5, y, random.uniform(-kHalfHeight, kHalfHeight));
        add_contact(i - 1, i, Vec3::UnitX(), point + Vec3::UnitX(), point, 0.4);
      }
  }
  problem.force_speed = 0.01 * kind.speed_unit;
  return problem;
}

}  // namespace talus::test
