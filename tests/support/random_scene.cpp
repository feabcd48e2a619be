#include "support/random_scene.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <talus/geometry/polytope.hpp>

#include "support/planar_witness.hpp"
#include "support/witness.hpp"

namespace talus::test {
namespace {

using Apart = Real (*)(const model::Body&, const Pose&, const model::Body&, const Pose&);

geometry::Shape random_shape(Random& random) {
  const Real size = 0.05 * std::pow(4, random.uniform());
  switch (static_cast<int>(random.uniform(0, 4))) {
    case 0:
      return geometry::Sphere{size};
    case 1: {
      const Real x = random.uniform(0.3, 1), y = random.uniform(0.3, 1);
      return geometry::Box{size * Vec3(x, y, 1)};
    }
    case 2: {
      const Real radius = size * random.uniform(0.3, 1);
      return geometry::Capsule{radius, size};
    }
    default: {
      const Real radius = size * random.uniform(0.3, 1);
      return geometry::Cylinder{radius, size};
    }
  }
}

/// Whether the last body of a world overlaps no other.
bool is_clear(const World& world, Apart apart_of) {
  const Index last = world.model.body_count() - 1;
  for (Index i = 0; i < last; ++i)
    if (apart_of(world.model.bodies[i], world.state.pose(i), world.model.bodies[last],
                 world.state.pose(last)) <= 0)
      return false;
  return true;
}

Quat turned_by(Real angle) { return Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ())); }

/// A prism of a convex polygon about the origin.
geometry::Shape random_polygon(Random& random, Real size) {
  const auto n = static_cast<std::size_t>(random.uniform(3, 8));
  const Real flat = random.uniform(0.5, 1), first = random.uniform(0, 1);
  std::vector<Vec3> vertices;
  for (const Real z : {-size, size})
    for (std::size_t i = 0; i < n; ++i) {
      const Real angle =
          2 * std::numbers::pi * (static_cast<Real>(i) + first) / static_cast<Real>(n);
      vertices.emplace_back(size * std::cos(angle), flat * size * std::sin(angle), z);
    }
  std::vector<std::vector<int>> faces(2);
  const auto count = static_cast<int>(n);
  for (int i = 0; i < count; ++i) {
    faces[0].push_back(count - 1 - i);
    faces[1].push_back(count + i);
    const int next = (i + 1) % count;
    faces.push_back({i, next, count + next, count + i});
  }
  return std::make_shared<const geometry::Polytope>(
      geometry::Polytope::from_faces(vertices, faces));
}

class PlanarScene {
 public:
  PlanarScene(std::uint64_t seed, bool is_plain)
      : random_(seed),
        is_plain_(is_plain),
        world_(likely(0.2) ? 0 : random_.uniform(0, 1),
               is_plain || likely(0.4) ? 0 : random_.uniform(0, 1),
               likely(0.15) ? Vec3(Vec3::Zero()) : Vec3(0, -9.81, 0)) {
    world_.model.dimension = 2;
  }

  World made() {
    surroundings();
    if (likely(0.2))
      heap();
    else
      flying();
    return world_;
  }

 private:
  bool likely(Real chance) { return random_.uniform() < chance; }

  Index add(const geometry::Shape& shape, model::BodyKind kind, const Vec2& place, Real angle) {
    const Index added =
        world_.add(shape, model::BodyKind::fixed, {place.x(), place.y(), 0}, turned_by(angle));
    model::Body& body = world_.model.bodies[added];
    body.kind = kind;
    if (std::holds_alternative<geometry::Capsule>(shape))
      body.X_BS.q = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3::UnitX());
    if (kind != model::BodyKind::dynamic) return added;
    const Real reach = planar_reach(body), thick = planar_half_thickness(body);
    body.mass = 100 * std::pow(100, random_.uniform()) * 4 * thick * reach;
    body.inertia = body.mass * (reach * reach + thick * thick) / 4 * Mat3::Identity();
    return added;
  }

  /// A floor, perhaps walls and a lid; thin plates and posts; what turns or drives through.
  void surroundings() {
    const auto half_plane = [&](const Vec2& n) {
      const Index i = add(geometry::Plane{}, model::BodyKind::fixed, -kHalf * n, 0);
      world_.state.orientation[i] = Quat::FromTwoVectors(Vec3::UnitZ(), Vec3(n.x(), n.y(), 0));
    };
    if (likely(0.5)) {
      for (const Vec2& n : {Vec2(0, 1), Vec2(1, 0), Vec2(-1, 0), Vec2(0, -1)}) half_plane(n);
    } else {  // of plates
      const Real thick = 0.0005 * std::pow(40, random_.uniform());
      for (const Real side : {-1.0, 1.0}) {
        add(geometry::Box{{2 * kHalf, thick, 1}}, model::BodyKind::fixed, {0, side * kHalf}, 0);
        add(geometry::Box{{thick, 2 * kHalf, 1}}, model::BodyKind::fixed,
            {side * (kHalf + 3 * thick), 0}, 0);
      }
    }
    for (int posts = static_cast<int>(random_.uniform(0, 3)); posts > 0; --posts) {
      const Real size = 0.003 * std::pow(20, random_.uniform());
      place(likely(0.5) ? geometry::Shape(geometry::Sphere{size})
                        : geometry::Shape(geometry::Box{{size, 3 * size, 1}}),
            model::BodyKind::fixed);
    }
    if (is_plain_ || !likely(0.25)) return;
    const Index mover = place(geometry::Capsule{0.01, 0.1}, model::BodyKind::kinematic);
    if (mover < 0) return;
    const Real speed = random_.uniform(0, 2);
    world_.state.velocity[mover] = speed * Vec3(random_.uniform(-1, 1), random_.uniform(-1, 1), 0);
    world_.state.angular_velocity[mover].z() = random_.uniform(-20, 20);
  }

  geometry::Shape shape() {
    const Real size = 0.03 * std::pow(4, random_.uniform());
    switch (static_cast<int>(random_.uniform(0, 4))) {
      case 0:
        return geometry::Sphere{size};
      case 1: {
        const Real thin = random_.uniform(0.2, 1);
        return geometry::Box{size * Vec3(1, thin, 1)};
      }
      case 2: {
        const Real radius = size * random_.uniform(0.1, 0.6);
        return geometry::Capsule{radius, size};
      }
      default:
        return random_polygon(random_, size);
    }
  }

  /// At a place where nothing is. @return the body, −1 if none was found.
  Index place(const geometry::Shape& shape, model::BodyKind kind) {
    for (int tries = 0; tries < 20; ++tries) {
      const Vec2 at(random_.uniform(-0.4, 0.4), random_.uniform(-0.4, 0.4));
      const World before = world_;
      const Index added = add(shape, kind, at, random_.uniform(-3, 3));
      if (is_clear(world_, planar_apart)) return added;
      world_ = before;
    }
    return -1;
  }

  void flying() {
    const Real speed = likely(0.15) ? 50 : 3, spin = likely(0.15) ? 300 : 10;
    for (int count = static_cast<int>(random_.uniform(2, 8)); count > 0; --count) {
      const Index added = place(shape(), model::BodyKind::dynamic);
      if (added < 0) continue;
      world_.state.velocity[added] =
          speed * Vec3(random_.uniform(-1, 1), random_.uniform(-1, 1), 0);
      world_.state.angular_velocity[added].z() = spin * random_.uniform(-1, 1);
    }
  }

  /// Rows of bodies, each in a cell of its own, that fall.
  void heap() {
    const bool is_upright = likely(0.3);
    const geometry::Shape one = shape();
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) {
        const Vec2 at(-0.36 + 0.24 * column + random_.uniform(-0.001, 0.001), -0.36 + 0.24 * row);
        const World before = world_;
        add(is_upright ? one : shape(), model::BodyKind::dynamic, at,
            is_upright ? 0 : random_.uniform(-3, 3));
        if (!is_clear(world_, planar_apart)) world_ = before;
      }
  }

  static constexpr Real kHalf = 0.5;
  Random random_;
  const bool is_plain_;
  World world_;
};

}  // namespace

World random_scene(std::uint64_t seed) {
  Random random(seed);
  const Real friction = random.uniform() < 0.2 ? 0 : random.uniform(0, 1.2);
  World world(friction);
  world.add_floor();
  constexpr Real kHalf = 0.5;
  for (const Vec3& n : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    world.add(geometry::Plane{}, model::BodyKind::fixed, -kHalf * n,
              Quat::FromTwoVectors(Vec3::UnitZ(), n));
  const int count = static_cast<int>(random.uniform(2, 8));
  for (int tries = 0; tries < 200 && world.model.body_count() < 5 + count; ++tries) {
    const geometry::Shape shape = random_shape(random);
    const Vec3 flat = random_vector(random, 0.3);
    const Vec3 place(flat.x(), flat.y(), random.uniform(0.2, 1));
    const Quat turn = random_rotation(random);
    const Real density = 100 * std::pow(100, random.uniform());
    const Vec3 v = random_vector(random, 3), w = random_vector(random, 10);
    World other = world;
    const Index added = other.add(shape, model::BodyKind::dynamic, place, turn, density);
    other.state.velocity[added] = v;
    other.state.angular_velocity[added] = w;
    if (is_clear(other, [](const model::Body& a, const Pose& at_a, const model::Body& b,
                           const Pose& at_b) { return apart(a, at_a, b, at_b, 0); }))
      world = other;
  }
  return world;
}

World random_planar_scene(std::uint64_t seed, bool is_plain) {
  return PlanarScene(seed, is_plain).made();
}

}  // namespace talus::test
