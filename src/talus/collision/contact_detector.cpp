#include <talus/collision/contact_detector.hpp>

#include <cmath>
#include <tuple>

#include <talus/base/contract.hpp>

namespace talus::collision {

using geometry::Aabb;

ContactDetector::ContactDetector(std::vector<Collider> colliders)
    : colliders_(std::move(colliders)) {
  for (const Collider& collider : colliders_) {
    const bool is_sphere = std::holds_alternative<geometry::Sphere>(*collider.shape);
    const bool is_plane = std::holds_alternative<geometry::Plane>(*collider.shape);
    const bool is_centred = collider.X_BS.p.isZero(0);
    kind_.push_back(is_sphere && is_centred ? Kind::centred_sphere
                    : is_plane              ? Kind::plane
                                            : Kind::other);
    reach_.push_back(geometry::bounding_radius(*collider.shape) + collider.X_BS.p.norm());
    is_movable_.push_back(collider.is_movable);
  }
  boxes_.resize(colliders_.size());
}

void ContactDetector::detect(std::span<const Pose> X_WB, std::span<const Real> margin,
                             std::span<const Real> skin, std::vector<Contact>& contacts) {
  TALUS_DEMAND(X_WB.size() == colliders_.size() && margin.size() == X_WB.size() &&
               skin.size() == X_WB.size());
  for (std::size_t i = 0; i < colliders_.size(); ++i) {
    Aabb& box = boxes_[i];
    if (kind_[i] == Kind::centred_sphere) {
      box.lower = X_WB[i].p.array() - reach_[i];
      box.upper = X_WB[i].p.array() + reach_[i];
    } else {
      box = geometry::bounds(*colliders_[i].shape, X_WB[i] * colliders_[i].X_BS);
    }
    box.lower.array() -= margin[i];
    box.upper.array() += margin[i];
  }
  const std::vector<Pair>& pairs = pair_list_.update(boxes_, skin, is_movable_);
  candidate_count_ = static_cast<Index>(pairs.size());

  contacts.clear();
  for (const Pair pair : pairs) {
    const Real reach = margin[pair.a] + margin[pair.b];
    const auto kinds = std::pair(kind_[pair.a], kind_[pair.b]);
    if (kinds == std::pair(Kind::centred_sphere, Kind::centred_sphere))
      add_sphere_sphere(pair, X_WB, reach, contacts);
    else if (kinds == std::pair(Kind::centred_sphere, Kind::plane) ||
             kinds == std::pair(Kind::plane, Kind::centred_sphere))
      add_sphere_plane(pair, X_WB, reach, contacts);
    else
      add_manifold(pair, X_WB, reach, contacts);
  }
}

void ContactDetector::add_sphere_sphere(Pair pair, std::span<const Pose> X_WB, Real margin,
                                        std::vector<Contact>& contacts) const {
  const Real ra = reach_[pair.a], rb = reach_[pair.b];
  const Vec3& a = X_WB[pair.a].p;
  const Vec3 difference = X_WB[pair.b].p - a;
  const Real limit = ra + rb + margin;
  const Real distance2 = difference.squaredNorm();
  if (distance2 > limit * limit) return;
  const Real distance = std::sqrt(distance2);
  const Real gap = distance - (ra + rb);
  // Concentric spheres have no normal; any one is right, and this one is always the same.
  const Vec3 normal = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitZ());
  contacts.push_back({pair.a, pair.b, 0, a + (ra + gap / 2) * normal, normal, gap});
}

void ContactDetector::add_sphere_plane(Pair pair, std::span<const Pose> X_WB, Real margin,
                                       std::vector<Contact>& contacts) const {
  const bool plane_first = kind_[pair.a] == Kind::plane;
  const std::uint32_t plane = plane_first ? pair.a : pair.b, sphere = plane_first ? pair.b : pair.a;
  const Pose X_WP = X_WB[plane] * colliders_[plane].X_BS;
  const Vec3 up = X_WP.q * Vec3::UnitZ();
  const Real gap = up.dot(X_WB[sphere].p - X_WP.p) - reach_[sphere];
  if (gap > margin) return;
  const Vec3 position = X_WB[sphere].p - (reach_[sphere] + gap / 2) * up;
  contacts.push_back({pair.a, pair.b, 0, position, plane_first ? up : Vec3(-up), gap});
}

void ContactDetector::add_manifold(Pair pair, std::span<const Pose> X_WB, Real margin,
                                   std::vector<Contact>& contacts) const {
  const Pose X_WA = X_WB[pair.a] * colliders_[pair.a].X_BS;
  const Pose X_WS = X_WB[pair.b] * colliders_[pair.b].X_BS;
  const geometry::Manifold manifold = geometry::manifold(
      *colliders_[pair.a].shape, *colliders_[pair.b].shape, X_WA.inverse() * X_WS, margin);
  const Vec3 normal = X_WA.q * manifold.normal;
  for (int k = 0; k < manifold.point_count; ++k) {
    const geometry::ManifoldPoint& point = manifold.points[k];
    contacts.push_back({pair.a, pair.b, point.feature, X_WA * point.position, normal, point.gap});
  }
}

void match_contacts(std::span<const Contact> now, std::span<const Contact> earlier,
                    std::vector<Index>& match) {
  const auto name = [](const Contact& contact) {
    return std::tuple(contact.a, contact.b, contact.feature);
  };
  match.assign(now.size(), -1);
  std::size_t j = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    while (j < earlier.size() && name(earlier[j]) < name(now[i])) ++j;
    if (j < earlier.size() && name(earlier[j]) == name(now[i])) match[i] = static_cast<Index>(j);
  }
}

}  // namespace talus::collision
