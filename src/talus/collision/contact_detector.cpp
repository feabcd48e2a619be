#include <talus/collision/contact_detector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include <talus/base/contract.hpp>
#include <talus/distribute/shared_lists.hpp>
#include <talus/geometry/compound.hpp>
#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/separation.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/parallel/lists.hpp>

namespace talus::collision {

using geometry::Aabb;

namespace {

constexpr Index kBodiesPerPiece = 2048;
constexpr Index kPairsPerPiece = 64;     // of manifolds
constexpr Real kNoWay = 1e-5;            // of the tolerance: a way to go that is none
constexpr Real kAlongWay = 1e-2;         // and one along a face, as solvers leave it
constexpr Real kSameNormalAhead = 1e-9;  // [rad]
constexpr Real kRoom = 1e-2;             // and a distance that keeps two clear of each other
constexpr int kMostGlances = 64;         // at a pair on its way
constexpr Real kAbsent = -1;             // the reach of a body that is not there

const Aabb kEmptyBox{Vec3::Constant(std::numeric_limits<Real>::infinity()),
                     Vec3::Constant(-std::numeric_limits<Real>::infinity())};

/// Calls what adds to a list for each pair but those of two bodies that are still; the list comes
/// out in the order of the pairs. @param still per body; empty: none is. @param pieces scratch.
template <class Entry, class Add>
void for_pairs_that_move(std::span<const Pair> pairs, std::span<const unsigned char> still,
                         std::vector<std::vector<Entry>>& pieces, std::vector<Entry>& list,
                         const Add& add) {
  const auto add_moving = [&](Index k, std::vector<Entry>& piece) {
    if (still.empty() || still[pairs[k].a] == 0 || still[pairs[k].b] == 0) add(pairs[k], piece);
  };
  for (const std::vector<Entry>& piece : distribute::list_pieces(
           static_cast<Index>(pairs.size()), kPairsPerPiece, pieces, add_moving))
    list.insert(list.end(), piece.begin(), piece.end());
}

bool contains(const Aabb& outer, const Aabb& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() &&
         (inner.upper.array() <= outer.upper.array()).all();
}

/// How far a shape reaches about its middle in every direction [m], the least of its parts. The
/// side of a mesh, or of the wall of a pipe without ends, on which a body lies is that of its
/// middle: they have no depth.
Real depth_of(const geometry::Shape& shape) {
  if (std::holds_alternative<std::shared_ptr<const geometry::TriangleMesh>>(shape)) return 0;
  if (const auto* pipe = std::get_if<geometry::Pipe>(&shape); pipe != nullptr && !pipe->has_ends)
    return 0;
  if (const auto* compound = std::get_if<std::shared_ptr<const geometry::Compound>>(&shape)) {
    Real least = std::numeric_limits<Real>::infinity();
    for (const geometry::Compound::Member& member : (*compound)->members())
      least = std::min(least, depth_of(member.shape));
    return least;
  }
  if (const auto* polytope = std::get_if<std::shared_ptr<const geometry::Polytope>>(&shape)) {
    Real least = std::numeric_limits<Real>::infinity();
    for (std::size_t f = 0; f < (*polytope)->face_normals().size(); ++f)
      least = std::min(least, (*polytope)->face_offsets()[f] -
                                  (*polytope)->face_normals()[f].dot((*polytope)->middle()));
    return least;
  }
  const Aabb box = geometry::bounds(shape, Pose{});
  return (box.upper - box.lower).minCoeff() / 2;
}

}  // namespace

ContactDetector::ContactDetector(std::vector<Collider> colliders, const PeriodicCell& cell,
                                 std::vector<Pair> apart)
    : colliders_(std::move(colliders)), cell_(cell), apart_(std::move(apart)) {
  TALUS_DEMAND(std::is_sorted(apart_.begin(), apart_.end()));
  for (const Collider& collider : colliders_) {
    const bool is_sphere = std::holds_alternative<geometry::Sphere>(*collider.shape);
    const bool is_plane = std::holds_alternative<geometry::Plane>(*collider.shape);
    const bool is_centred = collider.X_BS.p.isZero(0);
    kind_.push_back(is_sphere && is_centred ? Kind::centred_sphere
                    : is_plane              ? Kind::plane
                                            : Kind::other);
    radius_.push_back(geometry::bounding_radius(*collider.shape) + collider.X_BS.p.norm());
    depth_.push_back(depth_of(*collider.shape));
    is_movable_.push_back(collider.is_movable);
    are_persistent_ = are_persistent_ && collider.is_persistent && kind_.back() != Kind::other;
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

bool ContactDetector::has_left(Index body, const Placement& where, Real margin) const {
  if (where.is_absent(body) != (reach_[body] < 0)) return true;
  if (reach_[body] < 0) return false;
  if (kind_[body] != Kind::centred_sphere) return !contains(boxes_[body], box(body, where, margin));
  const Real left = reach_[body] - margin;
  return left < 0 || (where.position[body] - origin_[body]).squaredNorm() > left * left;
}

bool ContactDetector::is_up_to_date(const Placement& where, std::span<const Real> margin) const {
  if (origin_.size() != colliders_.size()) return false;
  return distribute::all_of(static_cast<Index>(colliders_.size()), kBodiesPerPiece,
                            [&](Index i) { return !has_left(i, where, margin[i]); });
}

bool ContactDetector::is_persistent(Pair pair) const {
  const Kind a = kind_[pair.a], b = kind_[pair.b];
  return colliders_[pair.a].is_persistent && colliders_[pair.b].is_persistent && a != Kind::other &&
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
  const auto count = static_cast<Index>(colliders_.size());
  reach_.resize(colliders_.size());
  parallel::for_ranges(count, kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      reach_[i] = where.is_absent(i) ? kAbsent : margin[i] + skin[i];
  });
  search(where, reach_);
  return true;
}

void ContactDetector::search(const Placement& where, std::span<const Real> reach) {
  const std::size_t count = colliders_.size();
  TALUS_DEMAND(where.position.size() == count && reach.size() == count);
  parallel::assign(where.position, origin_);
  parallel::assign(where.orientation, origin_orientation_);
  if (reach.data() != reach_.data()) reach_.assign(reach.begin(), reach.end());
  boxes_.resize(count);
  parallel::for_ranges(static_cast<Index>(count), kBodiesPerPiece, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      boxes_[i] =
          reach_[i] < 0 || !colliders_[i].is_touchable ? kEmptyBox : box(i, where, reach_[i]);
  });
  const auto may_touch = [&](Pair pair) {
    return !is_persistent(pair) || ball_gap(pair, where) <= reach_[pair.a] + reach_[pair.b];
  };
  broad_phase_.find(boxes_, is_movable_, cell_, found_, may_touch);
  if (!apart_.empty())
    std::erase_if(found_, [&](const Pair& pair) {
      return std::binary_search(apart_.begin(), apart_.end(), pair);
    });
  ++rebuild_count_;
  if (are_persistent_) return persistent_pairs_.swap(found_);
  const auto pairs = static_cast<Index>(found_.size());
  const auto take_persistent = [&](Index k, std::vector<Pair>& list) {
    if (is_persistent(found_[k])) list.push_back(found_[k]);
  };
  const auto take_others = [&](Index k, std::vector<Pair>& list) {
    if (!is_persistent(found_[k])) list.push_back(found_[k]);
  };
  parallel::concatenate(
      parallel::list_pieces(pairs, kBodiesPerPiece, piece_pairs_, take_persistent),
      persistent_pairs_);
  parallel::concatenate(parallel::list_pieces(pairs, kBodiesPerPiece, piece_pairs_, take_others),
                        pairs_);
}

void ContactDetector::detect(const Placement& where, std::span<const Real> margin,
                             std::span<const Real> skin, std::vector<Contact>& contacts,
                             const std::optional<Foresight>& foresight) {
  update(where, margin, skin);
  contacts.clear();
  // Both lists are sorted: one merge keeps the order.
  auto persistent = persistent_pairs_.begin();
  const auto add = [&](Pair pair) {
    add_contacts(pair, where.at(pair.a), where.at(pair.b), margin[pair.a] + margin[pair.b],
                 contacts);
  };
  for (const Pair pair : pairs_) {
    for (; persistent != persistent_pairs_.end() && *persistent < pair; ++persistent)
      add(*persistent);
    add_foreseen(pair, where, margin[pair.a] + margin[pair.b], foresight, contacts);
  }
  for (; persistent != persistent_pairs_.end(); ++persistent) add(*persistent);
}

void ContactDetector::detect_transient(const Placement& where, std::span<const Real> margin,
                                       std::span<const unsigned char> still,
                                       std::vector<Contact>& contacts,
                                       const std::optional<Foresight>& foresight) {
  contacts.clear();
  for_pairs_that_move(
      pairs_, still, piece_contacts_, contacts, [&](Pair pair, std::vector<Contact>& found) {
        add_foreseen(pair, where, margin[pair.a] + margin[pair.b], foresight, found);
      });
}

void ContactDetector::add_foreseen(Pair pair, const Placement& where, Real margin,
                                   const std::optional<Foresight>& foresight,
                                   std::vector<Contact>& contacts) const {
  const std::size_t first = contacts.size();
  add_contacts(pair, where.at(pair.a), where.at(pair.b), margin, contacts);
  if (!foresight || contacts.size() == first) return;
  look_ahead(pair, where, *foresight, margin, first, contacts);
  leave_out_passed(pair, where, *foresight, first, contacts);
}

void ContactDetector::detect_reached(const Placement& start, const Placement& end,
                                     std::span<const Real> size, Real tolerance,
                                     std::span<const unsigned char> still, bool has_persistent,
                                     std::vector<ReachedContact>& reached) {
  reached.clear();
  const auto add = [&](Pair pair, std::vector<ReachedContact>& found) {
    thread_local std::vector<Contact> overlaps;
    overlaps.clear();
    const Real share = add_overlaps(pair, way_of(pair, start, end),
                                    tolerance * std::min(size[pair.a], size[pair.b]), overlaps);
    for (const Contact& overlap : overlaps) found.push_back({overlap, share});
  };
  for_pairs_that_move(pairs_, still, piece_reached_, reached, add);
  if (has_persistent) for_pairs_that_move(persistent_pairs_, still, piece_reached_, reached, add);
}

Way ContactDetector::way_of(Pair pair, const Placement& start, const Placement& end) const {
  return {{start.at(pair.a), start.at(pair.b)},
          {end.at(pair.a), end.at(pair.b)},
          is_movable_[pair.a] != 0,
          is_movable_[pair.b] != 0};
}

/// How two bodies that go through each other in a step are seen on their way.
ContactDetector::Passage ContactDetector::passage(Pair pair, Real tolerance) const {
  constexpr Real kAhead = 0.9;  // of it: a little may have been gone before
  const Real way = kAhead * (depth_[pair.a] + depth_[pair.b]);
  // What is slightly behind a side on its way, a rim that swings through it, counts at the end.
  const bool is_side = depth_[pair.a] == 0 || depth_[pair.b] == 0;
  return {way, is_side ? std::max(tolerance, way / 2) : tolerance};
}

/// @return the share of the way after which they are as they are added.
Real ContactDetector::add_overlaps(Pair pair, const Way& way, Real tolerance,
                                   std::vector<Contact>& contacts) const {
  const auto [spacing, seen] = passage(pair, tolerance);
  const auto distance_to = [](const std::vector<Contact>& found) {
    Real least = std::numeric_limits<Real>::infinity();
    for (const Contact& contact : found) least = std::min(least, contact.gap);
    return least;
  };
  // What turns moves points at the other body by its reach at most, and by no more than where the
  // other one is: bodies without end turn too.
  const Real shift = (way.shift[0] - way.shift[1]).norm();
  const Real apart = cell_.nearest(way.position[1] - way.position[0]).norm() + shift;
  const auto turn = [&](std::uint32_t body, std::uint32_t other, const Vec3& angle) {
    return kind_[body] == Kind::other
               ? std::min(radius_[body], apart + radius_[other]) * angle.norm()
               : 0;
  };
  const Real distance =
      shift + turn(pair.a, pair.b, way.turn[0]) + turn(pair.b, pair.a, way.turn[1]);
  const bool may_pass =  // a plane may not: its size has no bound
      distance > spacing && spacing > 0 && std::isfinite(distance);
  for (Real share = may_pass ? 0 : 1;;) {
    contacts.clear();
    add_contacts(pair, way.pose(0, share), way.pose(1, share),
                 share == 1 ? 0 : (1 - share) * distance, contacts);
    const Real gap = distance_to(contacts);
    if (contacts.empty() || share == 1 || (share > 0 && gap < -seen)) {
      std::erase_if(contacts, [](const Contact& contact) { return contact.gap >= 0; });
      return share;
    }
    share = std::min(Real(1), share + std::max(gap, spacing / 2) / distance);
  }
}

void ContactDetector::add_contacts(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                                   std::vector<Contact>& contacts) const {
  const auto kinds = std::pair(kind_[pair.a], kind_[pair.b]);
  if (kinds == std::pair(Kind::centred_sphere, Kind::centred_sphere))
    add_sphere_sphere(pair, X_WA, X_WB, margin, contacts);
  else if (kinds == std::pair(Kind::centred_sphere, Kind::plane) ||
           kinds == std::pair(Kind::plane, Kind::centred_sphere))
    add_sphere_plane(pair, X_WA, X_WB, margin, contacts);
  else
    add_pair(pair, X_WA, X_WB, margin, contacts);
}

void ContactDetector::add_sphere_sphere(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                                        std::vector<Contact>& contacts) const {
  const Real ra = radius_[pair.a], rb = radius_[pair.b];
  const Vec3& a = X_WA.p;
  const Vec3 difference = cell_.nearest(X_WB.p - a);
  const Real limit = ra + rb + margin;
  const Real distance2 = difference.squaredNorm();
  if (distance2 > limit * limit) return;
  const Real distance = std::sqrt(distance2);
  const Real gap = distance - (ra + rb);
  // Concentric spheres have no normal; any one is right, and this one is always the same.
  const Vec3 normal = distance > 0 ? Vec3(difference / distance) : Vec3(Vec3::UnitZ());
  contacts.push_back({pair.a, pair.b, 0, a + (ra + gap / 2) * normal, normal, gap});
}

void ContactDetector::add_sphere_plane(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                                       std::vector<Contact>& contacts) const {
  const bool plane_first = kind_[pair.a] == Kind::plane;
  const std::uint32_t plane = plane_first ? pair.a : pair.b, sphere = plane_first ? pair.b : pair.a;
  const Vec3& centre = plane_first ? X_WB.p : X_WA.p;
  const Pose X_WP = (plane_first ? X_WA : X_WB) * colliders_[plane].X_BS;
  const Vec3 up = X_WP.q * Vec3::UnitZ();
  const Real gap = up.dot(cell_.nearest(centre - X_WP.p)) - radius_[sphere];
  if (gap > margin) return;
  const Vec3 position = centre - (radius_[sphere] + gap / 2) * up;
  contacts.push_back({pair.a, pair.b, 0, position, plane_first ? up : Vec3(-up), gap});
}

/// In a periodic cell one of the two goes beside the other.
ContactDetector::ShapePoses ContactDetector::shape_poses(Pair pair, Pose X_WA, Pose X_WB) const {
  if (kind_[pair.a] == Kind::plane)
    X_WA.p = cell_.beside(X_WB.p, X_WA.p);
  else
    X_WB.p = cell_.beside(X_WA.p, X_WB.p);
  return {X_WA * colliders_[pair.a].X_BS, X_WB * colliders_[pair.b].X_BS};
}

void ContactDetector::add_pair(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                               std::vector<Contact>& contacts) const {
  add_points(pair, shape_poses(pair, X_WA, X_WB), margin, contacts);
}

void ContactDetector::add_points(Pair pair, const ShapePoses& poses, Real margin,
                                 std::vector<Contact>& contacts) const {
  // Scratch that never shows in the result: one per thread, so that nothing is allocated twice.
  thread_local geometry::PairContacts found;
  const auto& [X_WA, X_WB] = poses;
  geometry::contacts_of_pair(*colliders_[pair.a].shape, *colliders_[pair.b].shape,
                             X_WA.inverse() * X_WB, margin, found);
  for (const geometry::PairContact& point : found.points)
    contacts.push_back({pair.a, pair.b, point.feature, X_WA * point.position, X_WA.q * point.normal,
                        point.gap, false, point.member});
}

/// Replaces the contacts of a pair from `first` on, if they do not hold ahead.
void ContactDetector::look_ahead(Pair pair, const Placement& where, const Foresight& foresight,
                                 Real margin, std::size_t first,
                                 std::vector<Contact>& contacts) const {
  const geometry::Shape &a = *colliders_[pair.a].shape, &b = *colliders_[pair.b].shape;
  if (kind_[pair.a] == Kind::plane || kind_[pair.b] == Kind::plane) return;
  const Real tolerance = std::min(foresight.tolerance[pair.a], foresight.tolerance[pair.b]);
  const Way way = way_of(pair, where, foresight.ahead);
  const Real no_way = kNoWay * tolerance;
  bool is_stopping = false;
  for (std::size_t i = first; i < contacts.size(); ++i) {
    if (contacts[i].gap < -tolerance) return;
    const Real approach = way.approach(contacts[i], cell_);
    is_stopping = is_stopping || (approach > no_way && approach > contacts[i].gap);
  }
  if (!is_stopping) return;
  if (!geometry::is_convex(a) || !geometry::is_convex(b))
    return pass_along(pair, way, foresight, margin, first, contacts);
  const std::optional<Foreseen> seen = foresee(pair, way, tolerance);
  if (!seen) return;
  // It may have turned with one of the two, as the normal of its face does.
  const auto is_turned_with = [&](const Quat& before, const Quat& after) {
    return (after.conjugate() * seen->normal - before.conjugate() * contacts[first].normal)
               .norm() <= kSameNormalAhead;
  };
  const ShapePoses &now = seen->now, &ahead = seen->ahead;
  if (is_turned_with(now.X_WA.q, ahead.X_WA.q) || is_turned_with(now.X_WB.q, ahead.X_WB.q)) return;
  const std::size_t end = contacts.size();
  add_points(pair, ahead, std::max(margin, seen->gap + tolerance), contacts);
  Real smallest = std::numeric_limits<Real>::infinity();
  for (std::size_t i = end; i < contacts.size(); ++i) {
    way.take_back(seen->share, cell_, contacts[i]);
    smallest = std::min(smallest, contacts[i].gap);
  }
  // Where the bodies turn so much that the way to there is not straight, it proves nothing.
  const bool is_straight = std::abs(smallest - seen->gap_now) <= tolerance;
  const auto at = [&](std::size_t i) { return contacts.begin() + static_cast<std::ptrdiff_t>(i); };
  contacts.erase(at(is_straight ? first : end), is_straight ? at(end) : contacts.end());
}

/// A plane that has two convex shapes apart now and ahead on their way, along which they go: the
/// first one along which they go with no way across; if there is none, with hardly any.
std::optional<ContactDetector::Foreseen> ContactDetector::foresee(Pair pair, const Way& way,
                                                                  Real tolerance) const {
  const geometry::Shape &a = *colliders_[pair.a].shape, &b = *colliders_[pair.b].shape;
  std::optional<Foreseen> nearly;
  Foreseen seen;
  seen.now = shape_poses(pair, way.pose(0, 0), way.pose(1, 0));
  for (const Real share : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    const ShapePoses ahead = shape_poses(pair, way.pose(0, share), way.pose(1, share));
    const geometry::Separation then = geometry::separation(a, b, ahead.X_WA.inverse() * ahead.X_WB);
    Contact contact;
    contact.normal = ahead.X_WA.q * then.normal;
    contact.position = ahead.X_WA * ((then.on_a + then.on_b) / 2) - share * way.mean_shift;
    seen.gap_now = geometry::support_gap(a, b, seen.now.X_WA.inverse() * seen.now.X_WB,
                                         seen.now.X_WA.q.conjugate() * contact.normal);
    if (then.gap < -tolerance || seen.gap_now < -tolerance) break;
    // Where they overlap a little, the normal may be that of a side or edge which is being passed:
    // then they lie on a face farther ahead, and go along it.
    const bool is_on_face = then.feature_a.kind == geometry::Feature::Kind::face ||
                            then.feature_b.kind == geometry::Feature::Kind::face;
    const Real approach = is_on_face ? way.approach(contact, cell_) : tolerance;
    seen.ahead = ahead;
    seen.share = share;
    seen.normal = contact.normal;
    seen.gap = then.gap;
    if (approach <= kNoWay * tolerance || (share == 1 && then.gap >= 0)) return seen;
    if (!nearly && approach <= kAlongWay * tolerance) nearly = seen;
  }
  return nearly;
}

/// The same for shapes that are not convex, which no plane need separate: contacts that would stop
/// the motion, and are not there ahead, are left out, and those ahead are added. The bodies must
/// not overlap there, nor be so far that one may have gone through a thin part of the other.
void ContactDetector::pass_along(Pair pair, const Way& way, const Foresight& foresight, Real margin,
                                 std::size_t first, std::vector<Contact>& contacts) const {
  const Real tolerance = std::min(foresight.tolerance[pair.a], foresight.tolerance[pair.b]);
  const Real size = std::min(foresight.size[pair.a], foresight.size[pair.b]);
  const Real no_way = kNoWay * tolerance;
  const Real distance = (way.shift[0] - way.shift[1]).norm() +
                        std::min(radius_[pair.a], radius_[pair.b]) * way.turn[0].norm() +
                        std::min(radius_[pair.a], radius_[pair.b]) * way.turn[1].norm();
  thread_local std::vector<Contact> ahead;
  for (const Real share : {1.0, 2.0, 4.0, 8.0, 16.0}) {
    if (share * distance > size) return;
    ahead.clear();
    add_points(pair, shape_poses(pair, way.pose(0, share), way.pose(1, share)), margin, ahead);
    Real smallest = std::numeric_limits<Real>::infinity();
    bool is_along = true;
    for (const Contact& contact : ahead) {
      smallest = std::min(smallest, contact.gap);
      is_along = is_along && way.approach(contact, cell_) <= no_way;
    }
    if (smallest < -tolerance) return;
    if (!is_along && (share > 1 || smallest < 0)) continue;
    // A plane that does not have two members apart now, such as that of an edge which is left
    // behind, proves nothing of these two.
    for (Contact& contact : ahead) way.take_back(share, cell_, contact);
    const auto proves_nothing = [&](const Contact& contact) { return contact.gap < -tolerance; };
    const auto may_be_there = [&](const Contact& contact) {
      return std::any_of(ahead.begin(), ahead.end(), [&](const Contact& other) {
        return proves_nothing(other)
                   ? other.member == contact.member
                   : other.feature == contact.feature &&
                         (other.normal - contact.normal).norm() <= kSameNormalAhead;
      });
    };
    const auto from = contacts.begin() + static_cast<std::ptrdiff_t>(first);
    contacts.erase(std::remove_if(from, contacts.end(),
                                  [&](const Contact& contact) {
                                    const Real approach = way.approach(contact, cell_);
                                    return approach > no_way && approach > contact.gap &&
                                           !may_be_there(contact);
                                  }),
                   contacts.end());
    const std::size_t kept = contacts.size();
    for (const Contact& contact : ahead)
      if (!proves_nothing(contact) &&
          std::none_of(contacts.begin() + static_cast<std::ptrdiff_t>(first),
                       contacts.begin() + static_cast<std::ptrdiff_t>(kept),
                       [&](const Contact& other) { return other.feature == contact.feature; }))
        contacts.push_back(contact);
    std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first), contacts.end(),
              [](const Contact& x, const Contact& y) { return x.feature < y.feature; });
    return;
  }
}

/// Leaves out the contacts of a pair that would stop the motion, if the two stay clear of each
/// other all the same: no normal need hold all the way for bodies that turn past a side. Of bodies
/// that joints hold, by the tolerance and as far as turning takes their points.
void ContactDetector::leave_out_passed(Pair pair, const Placement& where,
                                       const Foresight& foresight, std::size_t first,
                                       std::vector<Contact>& contacts) const {
  const Real tolerance = std::min(foresight.tolerance[pair.a], foresight.tolerance[pair.b]);
  Way way = way_of(pair, where, foresight.ahead);
  Real room = kRoom * tolerance;
  for (const int k : {0, 1}) {
    const std::uint32_t body = k == 0 ? pair.a : pair.b;
    if (is_movable_[body] != 0) way.shift[k] += foresight.fall;
    if (foresight.is_held.empty() || foresight.is_held[body] == 0) continue;
    room = std::max(room, tolerance);
    if (!way.turn[k].isZero(0)) room += radius_[body] * way.turn[k].norm();
  }
  const auto is_stopping = [&](const Contact& contact) {
    return way.approach(contact, cell_) > contact.gap;
  };
  const auto from = contacts.begin() + static_cast<std::ptrdiff_t>(first);
  // What is closed may bear a load that presses the two together.
  const bool is_open = std::all_of(from, contacts.end(),
                                   [&](const Contact& contact) { return contact.gap > tolerance; });
  if (is_open && std::any_of(from, contacts.end(), is_stopping) && stays_clear(pair, way, room))
    contacts.erase(std::remove_if(from, contacts.end(), is_stopping), contacts.end());
}

bool ContactDetector::stays_clear(Pair pair, const Way& way, Real distance) const {
  const geometry::Shape &a = *colliders_[pair.a].shape, &b = *colliders_[pair.b].shape;
  if (!geometry::is_convex(a) || !geometry::is_convex(b)) return false;
  const auto bend_of = [&](std::uint32_t body, const Vec3& turn) {
    return turn.isZero(0) ? 0 : radius_[body] * turn.squaredNorm() / 8;
  };
  const Real bend = bend_of(pair.a, way.turn[0]) + bend_of(pair.b, way.turn[1]);
  if (!std::isfinite(bend)) return false;
  const auto poses_at = [&](Real share) {
    return shape_poses(pair, way.pose(0, share), way.pose(1, share));
  };
  const auto apart = [&](const ShapePoses& at) {
    return geometry::separation(a, b, at.X_WA.inverse() * at.X_WB);
  };
  const auto gap_along = [&](const Vec3& normal, Real share) {
    const ShapePoses at = poses_at(share);
    return geometry::support_gap(a, b, at.X_WA.inverse() * at.X_WB, at.X_WA.q.conjugate() * normal);
  };
  if (apart(poses_at(1)).gap <= distance) return false;
  Real begin = 0, length = 1;
  for (int glance = 0; glance < kMostGlances && begin < 1; ++glance) {
    const ShapePoses middle = poses_at(begin + length / 2);
    const geometry::Separation between = apart(middle);
    if (between.gap <= distance) return false;
    const Vec3 normal = middle.X_WA.q * between.normal;
    const Real least = std::min(gap_along(normal, begin), gap_along(normal, begin + length));
    if (least - bend * length * length > distance) {
      begin += length;
      length = 1 - begin;
    } else {
      length /= 2;
    }
  }
  return begin >= 1;
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
