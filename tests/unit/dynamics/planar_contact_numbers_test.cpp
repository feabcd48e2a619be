#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/dynamics/planar_contact_numbers.hpp>
#include <talus/model/machine.hpp>

#include "unit/dynamics/machines.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

/// The law, contact by contact: the corners of b against a, then those of a against b, of all pairs
/// that can touch; only a point of a later body touches a point.
std::vector<CornerCandidate> listed(const model::Model& model,
                                    const std::vector<geometry::PlanarShape>& shapes) {
  std::vector<CornerCandidate> all;
  const auto add = [&](Index target, Index body) {
    const geometry::PlanarShape &of = shapes[static_cast<std::size_t>(target)],
                                &shape = shapes[static_cast<std::size_t>(body)];
    const bool is_point = !of.is_half_plane && of.corners.size() == 1;
    if (shape.is_half_plane || (is_point && (shape.corners.size() > 1 || target > body))) return;
    for (std::size_t corner = 0; corner < shape.corners.size(); ++corner)
      all.push_back({target, body, corner});
  };
  for (Index a = 0; a < model.body_count(); ++a)
    for (Index b = a + 1; b < model.body_count(); ++b)
      if (model::can_touch(model, a, b)) {
        add(a, b);
        add(b, a);
      }
  return all;
}

// Numbers that are counted and not stored are those of the list of all contacts: of discs, rods,
// boxes and half-planes, fixed and movable, some joined, some that nothing touches.
RC_GTEST_PROP(PlanarContactNumbers, AreThoseOfTheList, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  test::PlanarModel world;
  const Index count = *rc::gen::inRange(2, 14);
  for (Index i = 0; i < count; ++i) {
    const auto kind = random.bits() % 4 == 0 ? model::BodyKind::fixed : model::BodyKind::dynamic;
    switch (random.bits() % 4) {
      case 0:
        world.add(geometry::Sphere{0.1}, kind);
        break;
      case 1:
        world.add(geometry::Box{{0.1, 0.2, 0.1}}, kind);
        break;
      case 2:
        world.add(geometry::Capsule{0.1, 0.2}, kind);
        break;
      default:
        world.add(geometry::Plane{}, kind,
                  {Vec3::Zero(), rotation_between(Vec3::UnitZ(), Vec3::UnitY())});
    }
  }
  for (Index i = 0; i < count; ++i) {
    const Index other = static_cast<Index>(random.bits() % static_cast<std::uint64_t>(count));
    if (random.bits() % 3 == 0 && other != i)
      world.machine->joints.push_back({"pin", i, other, model::RevoluteJoint{{0, 0}, {0, 0}}, {}});
    if (random.bits() % 8 == 0) world.machine->visual_only.push_back(i);
  }
  std::vector<geometry::PlanarShape> shapes;
  for (const model::Body& body : world.model.bodies)
    shapes.push_back(geometry::project_to_plane(body.shape, body.X_BS));
  const std::vector<CornerCandidate> all = listed(world.model, shapes);
  const PlanarContactNumbers numbers(world.model, shapes);
  RC_ASSERT(numbers.count() == std::ssize(all));
  for (Index i = 0; i < numbers.count(); ++i) {
    const CornerCandidate one = numbers.candidate(i), &other = all[static_cast<std::size_t>(i)];
    RC_ASSERT(one.body_a == other.body_a);
    RC_ASSERT(one.body_b == other.body_b);
    RC_ASSERT(one.corner == other.corner);
  }
  Index first = 0;
  for (Index a = 0; a < count; ++a)
    for (Index b = a + 1; b < count; ++b) {
      const ShapePair pair = numbers.pair(a, b);
      RC_ASSERT(pair.count == std::count_if(all.begin(), all.end(), [&](const auto& one) {
                  return std::min(one.body_a, one.body_b) == a &&
                         std::max(one.body_a, one.body_b) == b;
                }));
      if (pair.count > 0) RC_ASSERT(pair.first == first);
      first += pair.count;
    }
}

// A bed of 10⁵ boxes has 4·10¹⁰ contacts; the last one of all is found as fast as the first.
TEST(PlanarContactNumbers, OfManyBodiesAreNotStored) {
  constexpr Index kCount = 100'000;
  test::PlanarModel world;
  world.model.bodies.resize(kCount);
  for (model::Body& body : world.model.bodies) {
    body.shape = geometry::Box{{1, 1, 1}};
    body.kind = model::BodyKind::dynamic;
  }
  const std::vector<geometry::PlanarShape> shapes(
      kCount, geometry::project_to_plane(world.model.bodies[0].shape, Pose{}));
  const PlanarContactNumbers numbers(world.model, shapes);
  EXPECT_EQ(numbers.count(), 8 * kCount * (kCount - 1) / 2);
  const CornerCandidate last = numbers.candidate(numbers.count() - 1);
  EXPECT_EQ(last.body_a, kCount - 1);
  EXPECT_EQ(last.body_b, kCount - 2);
  EXPECT_EQ(last.corner, 3U);
  EXPECT_EQ(numbers.pair(7, 9).first, 8 * ((kCount - 1) * 7 - 7 * 6 / 2 + 1));
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
