#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <tuple>

#include <talus/base/random.hpp>
#include <talus/collision/contact_detector.hpp>
#include <talus/geometry/contacts_of_pair.hpp>

#include "places.hpp"

namespace talus::collision::TALUS_TEST_FILE {
namespace {

/// Spheres, boxes and capsules over a plane, many of them near the faces of a cell that is periodic
/// in x, in x and y, or in all directions (then without the plane); each at a random image.
struct Crowd {
  PeriodicCell cell;
  std::vector<geometry::Shape> shapes;
  std::vector<Pose> poses;
  std::vector<Real> margin, skin;

  explicit Crowd(std::uint64_t seed) {
    Random random(seed);
    const int axes = 1 + static_cast<int>(random.uniform(0, 3));
    Vec3 low, length = Vec3::Zero();
    for (int k = 0; k < 3; ++k) {
      low[k] = random.uniform(-3, 3);
      if (k < axes) length[k] = random.uniform(2, 3);
    }
    cell = PeriodicCell(low, length);
    if (axes < 3) add(geometry::Plane{}, {Vec3(0, 0, low.z()), Quat::Identity()});
    for (int i = 0; i < 60; ++i) {
      const Real size = random.uniform(0.1, 0.25);  // so that 4 × 1.7 × size < 2 with the margins
      geometry::Shape shape = geometry::Sphere{1.5 * size};
      if (i % 3 == 1) shape = geometry::Box{Vec3(size, 0.9 * size, 0.8 * size)};
      if (i % 3 == 2) shape = geometry::Capsule{0.6 * size, 0.9 * size};
      Vec3 place;
      for (int k = 0; k < 3; ++k) {
        const Real span = k < axes ? length[k] : 2;
        const bool is_near_face = random.uniform() < 0.5;
        place[k] = low[k] + (is_near_face ? random.uniform(-0.2, 0.2) : random.uniform(0, span));
        if (k < axes) place[k] += length[k] * std::floor(random.uniform(-3, 4));
      }
      const Quat q(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                   random.uniform(-1, 1));
      if (is_free(place, size)) add(shape, {place, q.normalized()});
    }
    margin.assign(poses.size(), 0.02);
    skin.assign(poses.size(), 0.01);
  }
  /// Deep overlaps have no features that rounding leaves alone.
  [[nodiscard]] bool is_free(const Vec3& place, Real size) const {
    return std::none_of(poses.begin(), poses.end(), [&](const Pose& other) {
      return cell.nearest(other.p - place).norm() < 1.5 * size + 0.1;
    });
  }
  void add(const geometry::Shape& shape, const Pose& pose) {
    shapes.push_back(shape);
    poses.push_back(pose);
  }
  [[nodiscard]] std::vector<Collider> colliders(bool is_persistent = false) const {
    std::vector<Collider> list;
    for (const geometry::Shape& shape : shapes)
      list.push_back(
          {&shape, Pose{}, !std::holds_alternative<geometry::Plane>(shape), is_persistent});
    return list;
  }
};

/// From every pair and all of its 27 images or fewer, what the narrow phase gives.
std::vector<Contact> brute_force(const Crowd& crowd) {
  std::vector<Contact> contacts;
  geometry::PairContacts found;
  for (std::uint32_t a = 0; a < crowd.shapes.size(); ++a)
    for (std::uint32_t b = a + 1; b < crowd.shapes.size(); ++b) {
      const bool has_plane = std::holds_alternative<geometry::Plane>(crowd.shapes[a]);
      const Vec3 limit = has_plane ? Vec3(Vec3::Zero()) : Vec3(crowd.cell.length());
      Vec3 step;
      for (step.x() = -1; step.x() <= (limit.x() > 0 ? 1 : -1); ++step.x())
        for (step.y() = -1; step.y() <= (limit.y() > 0 ? 1 : -1); ++step.y())
          for (step.z() = -1; step.z() <= (limit.z() > 0 ? 1 : -1); ++step.z()) {
            Pose pose_a = crowd.poses[a], pose_b = crowd.poses[b];
            if (!has_plane) {
              pose_a.p = crowd.cell.wrap(pose_a.p);
              pose_b.p = crowd.cell.wrap(pose_b.p) + step.cwiseProduct(limit);
            }
            geometry::contacts_of_pair(crowd.shapes[a], crowd.shapes[b], pose_a.inverse() * pose_b,
                                       0.04, found);
            for (const geometry::PairContact& point : found.points)
              contacts.push_back({a, b, point.feature, pose_a * point.position,
                                  pose_a.q * point.normal, point.gap});
          }
    }
  return contacts;
}

/// Whether two lists have the same contacts but for their features, whose names rounding may
/// change.
bool agree(const std::vector<Contact>& some, const std::vector<Contact>& others,
           const PeriodicCell& cell, const Vec3& shift = Vec3::Zero()) {
  const auto is_there = [&](const Contact& contact) {
    return std::any_of(others.begin(), others.end(), [&](const Contact& other) {
      return contact.a == other.a && contact.b == other.b &&
             std::abs(contact.gap - other.gap) < 1e-12 &&
             (contact.normal - other.normal).norm() < 1e-10 &&
             cell.nearest(contact.position + shift - other.position).norm() < 1e-10;
    });
  };
  return some.size() == others.size() && std::all_of(some.begin(), some.end(), is_there);
}

// The contacts in a periodic cell are those that all pairs have with all images of each other, once
// each, wherever the positions are; contact points lie beside body a, or the body that is no plane.
RC_GTEST_PROP(PeriodicDetector, FindsWhatAllImagesGive, ()) {
  const Crowd crowd(*rc::gen::arbitrary<std::uint64_t>());
  ContactDetector detector(crowd.colliders(), crowd.cell);
  std::vector<Contact> contacts;
  detector.detect(Places(crowd.poses), crowd.margin, crowd.skin, contacts);
  RC_ASSERT(agree(contacts, brute_force(crowd), crowd.cell));
  for (const Contact& contact : contacts) {
    const bool has_plane = std::holds_alternative<geometry::Plane>(crowd.shapes[contact.a]);
    const Vec3 centre = crowd.poses[has_plane ? contact.b : contact.a].p;
    RC_ASSERT((contact.position - centre).norm() < 0.5);
  }
}

// Tracked pairs are exactly those of balls and planes whose nearest images are within their reach,
// each once and in order, though ghosts meet several times.
RC_GTEST_PROP(PeriodicDetector, TracksThePairsWithinReach, ()) {
  Crowd crowd(*rc::gen::arbitrary<std::uint64_t>());
  std::fill(crowd.skin.begin(), crowd.skin.end(), 1.3);  // boxes wider than the cell
  ContactDetector detector(crowd.colliders(true), crowd.cell);
  detector.update(Places(crowd.poses), crowd.margin, crowd.skin);
  std::vector<Pair> expected;
  for (std::uint32_t a = 0; a < crowd.shapes.size(); ++a)
    for (std::uint32_t b = a + 1; b < crowd.shapes.size(); ++b) {
      const auto* ball_a = std::get_if<geometry::Sphere>(&crowd.shapes[a]);
      const auto* ball_b = std::get_if<geometry::Sphere>(&crowd.shapes[b]);
      if (ball_b == nullptr) continue;
      const Vec3 difference = crowd.poses[b].p - crowd.poses[a].p;
      if (ball_a != nullptr &&
          crowd.cell.nearest(difference).norm() - ball_a->radius - ball_b->radius <= 2.64)
        expected.push_back({a, b});
      if (std::holds_alternative<geometry::Plane>(crowd.shapes[a]) &&
          difference.z() - ball_b->radius <= 2.64)
        expected.push_back({a, b});
    }
  RC_ASSERT(std::equal(expected.begin(), expected.end(), detector.persistent_pairs().begin(),
                       detector.persistent_pairs().end()));
}

// Moving everything by one vector, through the faces too, changes no contact.
RC_GTEST_PROP(PeriodicDetector, IsInvariantUnderTranslation, ()) {
  const Crowd crowd(*rc::gen::arbitrary<std::uint64_t>());
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Vec3 shift(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3));
  std::vector<Pose> moved = crowd.poses;
  for (Pose& pose : moved) pose.p += shift;
  ContactDetector here(crowd.colliders(), crowd.cell), there(crowd.colliders(), crowd.cell);
  std::vector<Contact> before, after;
  here.detect(Places(crowd.poses), crowd.margin, crowd.skin, before);
  there.detect(Places(moved), crowd.margin, crowd.skin, after);
  RC_ASSERT(agree(before, after, crowd.cell, shift));
}

}  // namespace
}  // namespace talus::collision::TALUS_TEST_FILE
