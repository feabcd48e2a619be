#include <talus/dynamics/planar_meeting.hpp>

#include <algorithm>
#include <cmath>

namespace talus::dynamics {
namespace {

constexpr Real kStep = 0.1;   // of the smaller size
constexpr Real kShallow = 4;  // tolerances: deep enough to be where two met first
constexpr int kMostHalvings = 40;

/// The way of one pair.
class PairWay {
 public:
  /// @param at scratch, one configuration.
  PairWay(const System& machine, const ShapePair& pair, const VecX& q, const VecX& q_end, VecX& at)
      : machine_(machine), pair_(pair), q_(q), q_end_(q_end), at_(at) {
    const Index a = pair.body_a, b = pair.body_b;
    const Vec3 way_a = way(a), way_b = way(b);
    const Real shift = (way_a - way_b).head<2>().norm();
    const Real apart = (q.segment<2>(3 * a) - q.segment<2>(3 * b)).norm() + shift;
    // What turns moves points at the other body by its reach at most, and by no more than where the
    // other one is: bodies without end turn too.
    const auto turn = [&](Index body, Index other, const Vec3& way) {
      return way[2] == 0
                 ? 0
                 : std::min(machine.bounding_radius(body), apart + machine.bounding_radius(other)) *
                       std::abs(way[2]);
    };
    distance_ = shift + turn(a, b, way_a) + turn(b, a, way_b);
    size_ = std::min(machine.size(a), machine.size(b));
    is_direct_ = is_direct(a, b, way_a, way_b) || is_direct(b, a, way_b, way_a);
  }

  /// @return whether they meet.
  bool meet(Real tolerance, PlanarMeeting& meeting) {
    tolerance *= size_;
    const Real before = depth(0);
    if (!(distance_ > 0) || before < -distance_) return false;
    const Real least = std::max(before, Real(0)) + tolerance;
    const bool may_pass = distance_ > kStep * size_ && before <= tolerance && !is_direct_;
    Real clear = 0, share = may_pass ? 0 : 1;
    Real deep = may_pass ? before : depth(1);
    while (share < 1 && deep <= least + kStep * size_) {
      if (deep <= least) clear = share;
      share = std::min(Real(1), share + std::max(-deep, kStep * size_) / distance_);
      deep = depth(share);
    }
    if (deep <= least) return false;
    for (int k = 0; may_pass && k < kMostHalvings && deep > kShallow * least; ++k) {
      const Real middle = (clear + share) / 2, there = depth(middle);
      (there > least ? share : clear) = middle;
      if (there > least) deep = there;
    }
    meeting.share = share;
    meeting.depth = deep;
    return true;
  }

 private:
  /// Whether a body is deepest in a half-plane that does not turn at one end of its way: a point on
  /// it is y = y₀ + s Δy + y_turned(s Δθ), no deeper than between its ends but by reach Δθ²/8.
  [[nodiscard]] bool is_direct(Index plane, Index body, const Vec3& of_plane,
                               const Vec3& own) const {
    return std::isinf(machine_.bounding_radius(plane)) && of_plane[2] == 0 &&
           machine_.bounding_radius(body) * own[2] * own[2] / 8 <= kStep * size_;
  }
  [[nodiscard]] Vec3 way(Index body) const {
    return q_end_.segment<3>(3 * body) - q_.segment<3>(3 * body);
  }
  Real depth(Real share) {
    on_the_way(pair_, q_, q_end_, share, at_);
    return machine_.overlap(pair_, at_);
  }

  const System& machine_;
  const ShapePair& pair_;
  const VecX &q_, &q_end_;
  VecX& at_;
  Real distance_ = 0, size_ = 0;
  bool is_direct_ = false;
};

}  // namespace

void near_on_the_way(const System& machine, const VecX& q, const VecX& q_end,
                     std::vector<ShapePair>& near) {
  near.clear();
  if (machine.shape_contact_count() == 0) return;
  VecX way(machine.body_count());  // how far no point of a body gets [m]
  for (Index i = 0; i < machine.body_count(); ++i) {
    const Real turn = std::abs(q_end[3 * i + 2] - q[3 * i + 2]);
    way[i] =
        (q_end - q).segment<2>(3 * i).norm() + (turn > 0 ? machine.bounding_radius(i) * turn : 0);
  }
  machine.near_pairs(q, way, near);
  std::erase_if(near, [&](const ShapePair& pair) {
    return !model::is_rigid(machine.law(pair.first).normal);
  });
}

bool meets(const System& machine, const ShapePair& pair, const VecX& q, const VecX& q_end,
           Real tolerance) {
  PlanarMeeting meeting{pair, 1, 0};
  return PairWay(machine, pair, q, q_end, place_of_two(q.size())).meet(tolerance, meeting);
}

void find_meetings(const System& machine, const VecX& q, const VecX& q_end, Real tolerance,
                   std::vector<PlanarMeeting>& found) {
  found.clear();
  VecX& at = place_of_two(q.size());
  std::vector<ShapePair> near;
  near_on_the_way(machine, q, q_end, near);
  for (const ShapePair& pair : near) {
    PlanarMeeting meeting{pair, 1, 0};
    if (PairWay(machine, pair, q, q_end, at).meet(tolerance, meeting)) found.push_back(meeting);
  }
}

std::vector<Index> corners_inside(const System& machine, const ShapePair& pair, const VecX& q) {
  std::vector<Index> corners;
  for (Index i = pair.first; i < pair.first + pair.count; ++i)
    if (machine.gap(i, q) < 0) corners.push_back(i);
  return corners;
}

VecX& place_of_two(Index size) {
  static thread_local VecX at;
  if (at.size() != size) at = VecX::Zero(size);
  return at;
}

void on_the_way(const ShapePair& pair, const VecX& q, const VecX& q_end, Real share, VecX& at) {
  for (const Index body : {pair.body_a, pair.body_b})
    at.segment<3>(3 * body) =
        q.segment<3>(3 * body) + share * (q_end.segment<3>(3 * body) - q.segment<3>(3 * body));
}

}  // namespace talus::dynamics
