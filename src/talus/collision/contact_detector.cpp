#include <talus/collision/contact_detector.hpp>

#include <cmath>
#include <limits>
#include <tuple>

#include <talus/base/contract.hpp>
#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/parallel/executor.hpp>

namespace talus::collision {

using geometry::Aabb;

namespace {

constexpr Index kBodiesPerPiece = 2048;
constexpr Index kPairsPerPiece = 64;  // of manifolds
constexpr Real kAbsent = -1;          // the reach of a body that is not there

const Aabb kEmptyBox{Vec3::Constant(std::numeric_limits<Real>::infinity()),
                     Vec3::Constant(-std::numeric_limits<Real>::infinity())};

bool contains(const Aabb& outer, const Aabb& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() &&
         (inner.upper.array() <= outer.upper.array()).all();
}

}  // namespace

ContactDetector::ContactDetector(std::vector<Collider> colliders, const PeriodicCell& cell)
    : colliders_(std::move(colliders)), cell_(cell) {
  for (const Collider& collider : colliders_) {
    const bool is_sphere = std::holds_alternative<geometry::Sphere>(*collider.shape);
    const bool is_plane = std::holds_alternative<geometry::Plane>(*collider.shape);
    const bool is_centred = collider.X_BS.p.isZero(0);
    kind_.push_back(is_sphere && is_centred ? Kind::centred_sphere
                    : is_plane              ? Kind::plane
                                            : Kind::other);
    radius_.push_back(geometry::bounding_radius(*collider.shape) + collider.X_BS.p.norm());
    is_movable_.push_back(collider.is_movable);
  }
}

Aabb ContactDetector::box(Index body, const Placement& where, Real margin) const {
  Aabb box;
  if (kind_[body] == Kind::centred_sphere) {
    box.lower = where.position[body].array() - radius_[body];
    box.upper = where.position[body].array() + radius_[body];
  } else {
    box = geometry::bounds(*colliders_[body].shape, where.at(body) * colliders_[body].X_BS);
  }
  box.lower.array() -= margin;
  box.upper.array() += margin;
  return box;
}

bool ContactDetector::is_up_to_date(const Placement& where, std::span<const Real> margin) const {
  if (origin_.size() != colliders_.size()) return false;
  for (std::size_t i = 0; i < colliders_.size(); ++i) {
    if (where.is_absent(i) != (reach_[i] < 0)) return false;
    if (reach_[i] < 0) continue;
    if (kind_[i] == Kind::centred_sphere) {
      const Real left = reach_[i] - margin[i];
      if (left < 0 || (where.position[i] - origin_[i]).squaredNorm() > left * left) return false;
    } else if (!contains(boxes_[i], box(static_cast<Index>(i), where, margin[i]))) {
      return false;
    }
  }
  return true;
}

bool ContactDetector::is_tracked(Pair pair) const {
  const Kind a = kind_[pair.a], b = kind_[pair.b];
  return colliders_[pair.a].is_tracked && colliders_[pair.b].is_tracked && a != Kind::other &&
         b != Kind::other;
}

/// Of two balls, or of a ball and a plane.
Real ContactDetector::ball_gap(Pair pair, const Placement& where) const {
  const auto& x = where.position;
  if (kind_[pair.a] == Kind::centred_sphere && kind_[pair.b] == Kind::centred_sphere)
    return cell_.nearest(x[pair.b] - x[pair.a]).norm() - radius_[pair.a] - radius_[pair.b];
  const std::uint32_t plane = kind_[pair.a] == Kind::plane ? pair.a : pair.b;
  const std::uint32_t ball = kind_[pair.a] == Kind::plane ? pair.b : pair.a;
  const Pose X_WP = where.at(plane) * colliders_[plane].X_BS;
  return (X_WP.q * Vec3::UnitZ()).dot(cell_.nearest(x[ball] - X_WP.p)) - radius_[ball];
}

bool ContactDetector::update(const Placement& where, std::span<const Real> margin,
                             std::span<const Real> skin) {
  TALUS_DEMAND(where.position.size() == colliders_.size() && margin.size() == colliders_.size() &&
               skin.size() == colliders_.size());
  if (is_up_to_date(where, margin)) return false;
  reach_.resize(colliders_.size());
  for (std::size_t i = 0; i < colliders_.size(); ++i)
    reach_[i] = where.is_absent(i) ? kAbsent : margin[i] + skin[i];
  search(where, reach_);
  return true;
}

void ContactDetector::search(const Placement& where, std::span<const Real> reach) {
  const std::size_t count = colliders_.size();
  TALUS_DEMAND(where.position.size() == count && reach.size() == count);
  origin_.assign(where.position.begin(), where.position.end());
  origin_orientation_.assign(where.orientation.begin(), where.orientation.end());
  if (reach.data() != reach_.data()) reach_.assign(reach.begin(), reach.end());
  boxes_.resize(count);
  parallel::for_ranges(static_cast<Index>(count), kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      boxes_[i] = reach_[i] < 0 ? kEmptyBox : box(i, where, reach_[i]);
  });
  broad_phase_.find(boxes_, is_movable_, cell_, found_);
  enum Verdict : unsigned char { too_far, tracked, untracked };
  verdict_.resize(found_.size());
  parallel::for_ranges(
      static_cast<Index>(found_.size()), kBodiesPerPiece, [&](Index begin, Index end) {
        for (Index k = begin; k < end; ++k) {
          const Pair pair = found_[k];
          verdict_[k] = !is_tracked(pair)                                          ? untracked
                        : ball_gap(pair, where) <= reach_[pair.a] + reach_[pair.b] ? tracked
                                                                                   : too_far;
        }
      });
  pairs_.clear();
  tracked_pairs_.clear();
  for (std::size_t k = 0; k < found_.size(); ++k) {
    if (verdict_[k] == untracked) pairs_.push_back(found_[k]);
    if (verdict_[k] == tracked) tracked_pairs_.push_back(found_[k]);
  }
  ++rebuild_count_;
}

void ContactDetector::detect(const Placement& where, std::span<const Real> margin,
                             std::span<const Real> skin, std::vector<Contact>& contacts) {
  update(where, margin, skin);
  contacts.clear();
  // Both lists are sorted: one merge keeps the order.
  auto tracked = tracked_pairs_.begin();
  const auto add = [&](Pair pair) {
    add_contacts(pair, where, margin[pair.a] + margin[pair.b], contacts);
  };
  for (const Pair pair : pairs_) {
    for (; tracked != tracked_pairs_.end() && *tracked < pair; ++tracked) add(*tracked);
    add(pair);
  }
  for (; tracked != tracked_pairs_.end(); ++tracked) add(*tracked);
}

void ContactDetector::detect_untracked(const Placement& where, std::span<const Real> margin,
                                       std::span<const unsigned char> still,
                                       std::vector<Contact>& contacts) {
  contacts.clear();
  const auto count = static_cast<Index>(pairs_.size());
  const auto pieces = static_cast<std::size_t>((count + kPairsPerPiece - 1) / kPairsPerPiece);
  if (piece_contacts_.size() < pieces) piece_contacts_.resize(pieces);
  parallel::for_ranges(count, kPairsPerPiece, [&](Index begin, Index end) {
    std::vector<Contact>& found = piece_contacts_[begin / kPairsPerPiece];
    found.clear();
    for (Index k = begin; k < end; ++k) {
      const Pair pair = pairs_[k];
      if (!still.empty() && still[pair.a] != 0 && still[pair.b] != 0) continue;
      add_contacts(pair, where, margin[pair.a] + margin[pair.b], found);
    }
  });
  for (std::size_t k = 0; k < pieces; ++k)
    contacts.insert(contacts.end(), piece_contacts_[k].begin(), piece_contacts_[k].end());
}

void ContactDetector::add_contacts(Pair pair, const Placement& where, Real margin,
                                   std::vector<Contact>& contacts) const {
  const auto kinds = std::pair(kind_[pair.a], kind_[pair.b]);
  if (kinds == std::pair(Kind::centred_sphere, Kind::centred_sphere))
    add_sphere_sphere(pair, where, margin, contacts);
  else if (kinds == std::pair(Kind::centred_sphere, Kind::plane) ||
           kinds == std::pair(Kind::plane, Kind::centred_sphere))
    add_sphere_plane(pair, where, margin, contacts);
  else
    add_pair(pair, where, margin, contacts);
}

void ContactDetector::add_sphere_sphere(Pair pair, const Placement& where, Real margin,
                                        std::vector<Contact>& contacts) const {
  const Real ra = radius_[pair.a], rb = radius_[pair.b];
  const Vec3& a = where.position[pair.a];
  const Vec3 difference = cell_.nearest(where.position[pair.b] - a);
  const Real limit = ra + rb + margin;
  const Real distance2 = difference.squaredNorm();
  if (distance2 > limit * limit) return;
  const Real distance = std::sqrt(distance2);
  const Real gap = distance - (ra + rb);
  // Concentric spheres have no normal; any one is right, and this one is always the same.
  const Vec3 normal = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitZ());
  contacts.push_back({pair.a, pair.b, 0, a + (ra + gap / 2) * normal, normal, gap});
}

void ContactDetector::add_sphere_plane(Pair pair, const Placement& where, Real margin,
                                       std::vector<Contact>& contacts) const {
  const bool plane_first = kind_[pair.a] == Kind::plane;
  const std::uint32_t plane = plane_first ? pair.a : pair.b, sphere = plane_first ? pair.b : pair.a;
  const Vec3& centre = where.position[sphere];
  const Pose X_WP = where.at(plane) * colliders_[plane].X_BS;
  const Vec3 up = X_WP.q * Vec3::UnitZ();
  const Real gap = up.dot(cell_.nearest(centre - X_WP.p)) - radius_[sphere];
  if (gap > margin) return;
  const Vec3 position = centre - (radius_[sphere] + gap / 2) * up;
  contacts.push_back({pair.a, pair.b, 0, position, plane_first ? up : Vec3(-up), gap});
}

void ContactDetector::add_pair(Pair pair, const Placement& where, Real margin,
                               std::vector<Contact>& contacts) const {
  // Scratch that never shows in the result: one per thread, so that nothing is allocated twice.
  thread_local geometry::PairContacts found;
  Pose X_WA = where.at(pair.a), X_WB = where.at(pair.b);
  if (kind_[pair.a] == Kind::plane)
    X_WA.p = cell_.beside(X_WB.p, X_WA.p);
  else
    X_WB.p = cell_.beside(X_WA.p, X_WB.p);
  X_WA = X_WA * colliders_[pair.a].X_BS;
  const Pose X_WS = X_WB * colliders_[pair.b].X_BS;
  geometry::contacts_of_pair(*colliders_[pair.a].shape, *colliders_[pair.b].shape,
                             X_WA.inverse() * X_WS, margin, found);
  for (const geometry::PairContact& point : found.points)
    contacts.push_back(
        {pair.a, pair.b, point.feature, X_WA * point.position, X_WA.q * point.normal, point.gap});
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
