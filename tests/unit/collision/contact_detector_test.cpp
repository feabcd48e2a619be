#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>

#include <talus/base/random.hpp>
#include <talus/collision/contact_detector.hpp>
#include <talus/geometry/compound.hpp>

#include "places.hpp"

namespace talus::collision::TALUS_TEST_FILE {
namespace {

/// Spheres, boxes and capsules in a cloud over a plane.
struct Cloud {
  std::vector<geometry::Shape> shapes;
  std::vector<Pose> poses;
  std::vector<Real> margin, skin;
  explicit Cloud(std::uint64_t seed, int count) {
    Random random(seed);
    shapes.emplace_back(geometry::Plane{});
    poses.emplace_back();
    for (int i = 0; i < count; ++i) {
      if (i % 3 == 0) shapes.emplace_back(geometry::Sphere{random.uniform(0.2, 0.6)});
      if (i % 3 == 1)
        shapes.emplace_back(
            geometry::Box{Vec3(random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), 0.3)});
      if (i % 3 == 2) shapes.emplace_back(geometry::Capsule{random.uniform(0.1, 0.3), 0.3});
      const Quat q(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                   random.uniform(-1, 1));
      poses.push_back(
          {{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(0, 4)}, q.normalized()});
    }
    margin.assign(poses.size(), 0.02);
    skin.assign(poses.size(), 0.05);
  }
  [[nodiscard]] std::vector<Collider> colliders() const {
    std::vector<Collider> list;
    for (const geometry::Shape& shape : shapes)
      list.push_back({&shape, Pose{}, !std::holds_alternative<geometry::Plane>(shape)});
    return list;
  }
};

// The contacts are those of the narrow phase of all pairs, in the order of bodies and features; the
// shortcuts for spheres give what the general narrow phase gives.
TEST(ContactDetector, FindsWhatAllPairsGive) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Cloud cloud(seed, 60);
    ContactDetector detector(cloud.colliders());
    std::vector<Contact> contacts;
    detector.detect(Places(cloud.poses), cloud.margin, cloud.skin, contacts);
    std::size_t next = 0;
    for (std::uint32_t a = 0; a < cloud.shapes.size(); ++a)
      for (std::uint32_t b = a + 1; b < cloud.shapes.size(); ++b) {
        const geometry::Manifold expected = geometry::manifold(
            cloud.shapes[a], cloud.shapes[b], cloud.poses[a].inverse() * cloud.poses[b], 0.04);
        for (int k = 0; k < expected.point_count; ++k, ++next) {
          ASSERT_LT(next, contacts.size());
          const Contact& contact = contacts[next];
          ASSERT_EQ(contact.a, a);
          ASSERT_EQ(contact.b, b);
          EXPECT_EQ(contact.feature, expected.points[k].feature);
          EXPECT_NEAR(contact.gap, expected.points[k].gap, 1e-14);
          EXPECT_LT((contact.normal - cloud.poses[a].q * expected.normal).norm(), 1e-13);
          EXPECT_LT((contact.position - cloud.poses[a] * expected.points[k].position).norm(),
                    1e-13);
        }
      }
    EXPECT_EQ(next, contacts.size());
    EXPECT_GT(next, 20U);
  }
}

// Bodies that are not there have no contacts; the others have those that they have anyhow. One that
// comes or goes is seen at once, though nobody moves; as long as nobody does, nothing is searched.
TEST(ContactDetector, LeavesOutWhoIsNotThere) {
  const Cloud cloud(3, 60);
  ContactDetector detector(cloud.colliders());
  std::vector<Contact> all, some;
  detector.detect(Places(cloud.poses), cloud.margin, cloud.skin, all);
  const Places places(cloud.poses);
  Placement where = places;
  std::vector<std::byte> absence(cloud.poses.size(), std::byte{0});
  where.absence = absence;
  detector.detect(where, cloud.margin, cloud.skin, some);
  EXPECT_EQ(some.size(), all.size());
  EXPECT_EQ(detector.rebuild_count(), 1);
  for (const std::size_t gone : {5U, 6U, 7U, 0U}) {  // one of each shape, and the plane
    absence[gone] = std::byte{2};
    const Index searches = detector.rebuild_count();
    detector.detect(where, cloud.margin, cloud.skin, some);
    detector.detect(where, cloud.margin, cloud.skin, some);
    EXPECT_EQ(detector.rebuild_count(), searches + 1);
    std::erase_if(all, [&](const Contact& c) { return c.a == gone || c.b == gone; });
    ASSERT_EQ(some.size(), all.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(some[k].a, all[k].a);
      EXPECT_EQ(some[k].b, all[k].b);
      EXPECT_EQ(some[k].gap, all[k].gap);
    }
  }
  // Another detector that searches as this one did has its candidates.
  ContactDetector other(cloud.colliders());
  other.search(detector.search_place(), detector.search_reach());
  EXPECT_EQ(other.candidate_count(), detector.candidate_count());
  absence[5] = std::byte{0};
  detector.detect(where, cloud.margin, cloud.skin, some);
  EXPECT_GT(some.size(), all.size());
}

// Candidates kept over many steps of moving balls always contain the pairs within their margins,
// for persistent pairs as for contacts, and are searched again far less often than there are steps.
TEST(ContactDetector, NeverMissesAPairWhileBallsMove) {
  Random random(5);
  const geometry::Shape ball = geometry::Sphere{0.05}, floor = geometry::Plane{};
  std::vector<Collider> colliders = {{&floor, {}, false, true}};
  std::vector<Vec3> place = {Vec3::Zero()}, velocity = {Vec3::Zero()};
  for (int i = 0; i < 500; ++i) {
    colliders.push_back({&ball, {}, true, true});
    place.emplace_back(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    velocity.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  }
  const std::vector<Quat> upright(place.size(), Quat::Identity());
  const std::vector<Real> margin(place.size(), 1e-3), skin(place.size(), 1e-2);
  ContactDetector detector(colliders);
  for (Collider& collider : colliders) collider.is_persistent = false;
  ContactDetector other(colliders);
  std::vector<Contact> contacts;
  for (int step = 0; step < 100; ++step) {
    for (std::size_t i = 0; i < place.size(); ++i) place[i] += 1e-3 * velocity[i];
    const Placement where{place, upright};
    detector.update(where, margin, skin);
    other.detect(where, margin, skin, contacts);
    const auto persistent = detector.persistent_pairs();
    ASSERT_TRUE(std::is_sorted(persistent.begin(), persistent.end()));
    for (const Contact& contact : contacts)
      ASSERT_TRUE(
          std::binary_search(persistent.begin(), persistent.end(), Pair{contact.a, contact.b}))
          << step;
    std::size_t expected = 0;
    for (std::size_t a = 0; a < place.size(); ++a)
      for (std::size_t b = a + 1; b < place.size(); ++b)
        expected += (a == 0 ? place[b].z() - 0.05 : (place[b] - place[a]).norm() - 0.1) <= 2e-3;
    ASSERT_EQ(contacts.size(), expected) << step;
  }
  EXPECT_LE(detector.rebuild_count(), 20);
}

// What is found depends on the poses now and not on what was asked before.
TEST(ContactDetector, HasNoMemoryThatShows) {
  const Cloud first(1, 60), second(2, 60);
  Cloud moved = first;  // the same shapes, elsewhere
  for (std::size_t i = 1; i < moved.poses.size(); ++i)
    moved.poses[i].p += 0.04 * (second.poses[i].p - first.poses[i].p);
  ContactDetector used(first.colliders()), fresh(first.colliders());
  std::vector<Contact> warm, cold;
  used.detect(Places(first.poses), first.margin, first.skin, warm);
  used.detect(Places(moved.poses), first.margin, first.skin, warm);
  fresh.detect(Places(moved.poses), first.margin, first.skin, cold);
  ASSERT_EQ(warm.size(), cold.size());
  for (std::size_t c = 0; c < warm.size(); ++c) {
    EXPECT_EQ(std::tie(warm[c].a, warm[c].b, warm[c].feature),
              std::tie(cold[c].a, cold[c].b, cold[c].feature));
    EXPECT_EQ(warm[c].gap, cold[c].gap);
  }
}

/// Two bodies and the overlaps that a motion of theirs brings about.
std::vector<ReachedContact> reached(const geometry::Shape& a, const geometry::Shape& b,
                                    const std::vector<Pose>& start, const std::vector<Pose>& end,
                                    const std::vector<Real>& size) {
  ContactDetector detector({{&a, Pose{}, true}, {&b, Pose{}, true}});
  const std::vector<Real> margin(2, 10), skin(2, 0);
  const std::vector<unsigned char> still(2, 0);
  const Places at_start(start), at_end(end);
  detector.update(at_start, margin, skin);
  std::vector<ReachedContact> list;
  detector.detect_reached(at_start, at_end, size, 1e-3, still, true, list);
  return list;
}

// A ball that goes through a plate is found on the near side of it, however fast it is; one that
// passes beside another ball is not found.
TEST(ReachedContacts, AreWhereBodiesFirstMeet) {
  const geometry::Shape plate = geometry::Box{Vec3(5, 5, 1e-3)}, ball = geometry::Sphere{0.02};
  for (const Real way : {0.1, 1.0, 8.0}) {
    const auto list = reached(plate, ball, {Pose{}, {{0, 0, 0.04}}}, {Pose{}, {{0, 0, 0.04 - way}}},
                              {1e-3, 0.02});
    ASSERT_EQ(list.size(), 1U) << way;
    EXPECT_LT(list[0].share, 1);
    EXPECT_GT(0.04 - list[0].share * way, 0) << "on the near side";
    EXPECT_GT(list[0].contact.normal.z(), 0.99);
  }
  EXPECT_TRUE(
      reached(ball, ball, {Pose{}, {{-1, 0.0401, 0}}}, {Pose{}, {{1, 0.0401, 0}}}, {0.02, 0.02})
          .empty());
  EXPECT_FALSE(
      reached(ball, ball, {Pose{}, {{-1, 0.03, 0}}}, {Pose{}, {{1, 0.03, 0}}}, {0.02, 0.02})
          .empty());
}

// A rod that turns by half a radian and past a post meets it on the way.
TEST(ReachedContacts, OfARodThatTurns) {
  const geometry::Shape post = geometry::Capsule{0.01, 0.2}, rod = geometry::Box{{0.5, 0.01, 0.01}};
  const auto turned = [](Real angle) {
    return Pose{Vec3::Zero(), Quat(Eigen::AngleAxis<Real>(angle, Vec3::UnitZ()))};
  };
  const Pose at{{0.4 * std::cos(0.25), 0.4 * std::sin(0.25), 0}};
  const auto list = reached(post, rod, {at, turned(0)}, {at, turned(0.5)}, {0.01, 0.01});
  ASSERT_FALSE(list.empty());
  EXPECT_NEAR(list[0].share, 0.5, 0.1);
}

// Bodies without end are looked at too, whether they rest or turn: a ball that ends in a plane, and
// one that ends in the wall of a pipe that turns about its axis.
TEST(ReachedContacts, WithBodiesWithoutEnd) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const geometry::Shape plane = geometry::Plane{}, box = geometry::Box{{0.1, 0.1, 0.1}};
  const Quat turned(Eigen::AngleAxis<Real>(0.1, Vec3::UnitZ()));
  const auto in_plane = reached(plane, box, {Pose{}, {{0, 0, 0.12}}},
                                {Pose{}, {{0, 0, 0.09}, turned}}, {kInfinity, 0.1});
  EXPECT_EQ(in_plane.size(), 4U);
  const geometry::Shape pipe = geometry::Pipe{0.5, 1, false}, ball = geometry::Sphere{0.1};
  const Pose middle{{0.39, 0, 0}}, outside{{0.41, 0, 0}};
  EXPECT_EQ(
      reached(ball, pipe, {middle, Pose{}}, {outside, {Vec3::Zero(), turned}}, {0.1, 0.5}).size(),
      1U);
}

// A ball runs down the side of a clump of one box, pressed against it, and on past its lower edge.
// What is foreseen never says that the two overlap, for they touch and no more: contacts of the
// edge, which the ball leaves behind, hold there and not yet here. (Their planes, taken back, said
// 3 mm.)
TEST(Foresight, OfWhatIsLeftBehindMakesNoOverlap) {
  constexpr Real kRadius = 0.08, kDeep = 7e-5, kTolerance = 1e-3 * kRadius, kWay = 5e-3;
  std::vector<geometry::Compound::Member> members(1);
  members[0].shape = geometry::Box{{0.09, 0.14, 0.22}};
  const geometry::Shape trunk = std::make_shared<const geometry::Compound>(
                            geometry::Compound::build(std::move(members))),
                        ball = geometry::Sphere{kRadius};
  const std::vector<Real> margin = {0.02, 0.02}, tolerance = {kTolerance, kTolerance},
                          size = {0.09, kRadius};
  for (int step = 0; step < 40; ++step) {
    const Vec3 at(0.09 + kRadius - kDeep, 0, -0.22 + (20 - step) * kWay);
    const Places now(std::vector<Pose>{Pose{}, {at}}),
        ahead(std::vector<Pose>{Pose{}, {at - Vec3(1e-6, 0, kWay)}});
    ContactDetector detector({{&trunk, Pose{}, false}, {&ball, Pose{}, true}});
    detector.update(now, margin, margin);
    std::vector<Contact> contacts;
    detector.detect_transient(now, margin, {}, contacts, Foresight{ahead, tolerance, size});
    for (const Contact& contact : contacts)
      EXPECT_GE(contact.gap, -kTolerance) << "step " << step << ": " << contact.normal.transpose();
    if (step <= 20) {
      EXPECT_EQ(contacts.size(), 1U) << "step " << step;
    }
  }
}

// Contacts are found again by bodies and feature; new ones have no past, old ones that are gone
// leave none.
TEST(MatchContacts, FindsTheSameContactInTheLastStep) {
  const auto contact = [](std::uint32_t a, std::uint32_t b, geometry::FeatureId feature) {
    Contact c;
    c.a = a;
    c.b = b;
    c.feature = feature;
    return c;
  };
  const std::vector<Contact> earlier = {contact(0, 1, 0), contact(0, 2, 3), contact(0, 2, 5),
                                        contact(1, 4, 0)};
  const std::vector<Contact> now = {contact(0, 1, 0), contact(0, 2, 4), contact(0, 2, 5),
                                    contact(1, 3, 0), contact(1, 4, 0)};
  std::vector<Index> match;
  match_contacts(now, earlier, match);
  EXPECT_EQ(match, (std::vector<Index>{0, -1, 2, -1, 3}));
}

}  // namespace
}  // namespace talus::collision::TALUS_TEST_FILE
