#include <talus/stepping/detail/planar_look_ahead.hpp>

#include <algorithm>
#include <cmath>

#include <talus/dynamics/planar_meeting.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>

namespace talus::stepping::detail {

namespace {

/// A contact on the straight way of its two bodies from the start of a step.
class ContactWay {
 public:
  ContactWay(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v, Real h,
             Real tolerance)
      : machine_(machine), contact_(contact), q_(q), v_(v), h_(h), tolerance_(tolerance) {}

  /// The contact after a share of the step. @param overlap that the two may have [m]. @return
  /// whether its normal separates the two there and at the start.
  bool look(Real share, Real overlap = 0) {
    const auto [a, b] = machine_.bodies_of(contact_);
    VecX& at = dynamics::place_of_two(q_.size());
    for (const Index body : {a, b})
      at.segment<3>(3 * body) = q_.segment<3>(3 * body) + share * h_ * v_.segment<3>(3 * body);
    machine_.contact(contact_, at, v_, ahead_);
    gap_now_ = ahead_.gap - share * h_ * ahead_.gap_rate;
    return std::min(ahead_.gap, gap_now_) >= -(tolerance_ + overlap);
  }
  /// By how much the two as a whole overlap at the start.
  [[nodiscard]] Real overlap() const { return std::max(overlap_at(q_), Real(0)); }
  /// Whether the two as a whole have met where it was seen last: then no normal there says how they
  /// pass.
  [[nodiscard]] bool have_met() const {
    return overlap_at(dynamics::place_of_two(q_.size())) > overlap() + tolerance_;
  }
  /// Whether the normal seen last is the one given, turned with one of the two, as the normal of
  /// its side is.
  [[nodiscard]] bool has_turned(const dynamics::ContactTerms& from, Real share) const {
    const auto [a, b] = machine_.bodies_of(contact_);
    const auto is_turned_with = [&](Index body) {
      const Mat2 turn = dynamics::rotation2d(share * h_ * v_[3 * body + 2]);
      return (ahead_.direction.head<2>() - turn * from.direction.head<2>()).norm() <=
             tolerance::kSameDirection;
    };
    return is_turned_with(a) || is_turned_with(b);
  }
  /// The approach in a step to what was seen last [m].
  [[nodiscard]] Real approach() const { return -h_ * ahead_.gap_rate; }
  [[nodiscard]] const dynamics::ContactTerms& ahead() const { return ahead_; }
  /// What was seen last as a contact at q + (1 − θ) h v.
  void take(Real theta, dynamics::ContactTerms& terms) const {
    terms = ahead_;
    terms.gap = gap_now_ + (1 - theta) * h_ * ahead_.gap_rate;
  }

 private:
  [[nodiscard]] Real overlap_at(const VecX& q) const {
    const auto [a, b] = machine_.bodies_of(contact_);
    return machine_.overlap({a, b, contact_, 1}, q);
  }

  const dynamics::System& machine_;
  const Index contact_;
  const VecX &q_, &v_;
  const Real h_, tolerance_;
  dynamics::ContactTerms ahead_;
  Real gap_now_ = 0;
};

}  // namespace

Real look_ahead(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v,
                Real h, Real theta, dynamics::ContactTerms& terms) {
  const auto [a, b] = machine.bodies_of(contact);
  const Real tolerance = tolerance::kSlightOverlap * std::min(machine.size(a), machine.size(b));
  const Real approach = -h * terms.gap_rate;
  if (!machine.is_of_shapes(contact) || !std::isfinite(tolerance) || terms.gap < -tolerance ||
      approach <= tolerance::kNoWay * tolerance || approach <= terms.gap)
    return 0;
  ContactWay way(machine, contact, q, v, h, tolerance);
  for (const Real along : {tolerance::kNoWay, tolerance::kAlongWay})
    for (const Real share : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      if (!way.look(share)) break;
      // Where they overlap a little, the normal may be that of a side or corner which is being
      // passed: then they lie on a side farther ahead, and go along it.
      const bool is_along = !way.ahead().is_corner && way.approach() <= along * tolerance;
      if (!is_along && (share > 1 || way.ahead().gap < 0)) continue;
      if (way.has_turned(terms, share) || way.have_met()) return 0;
      way.take(theta, terms);
      return share;
    }
  // Where its gap has just closed, a corner may be over another side, which it comes to later.
  if (terms.gap <= 0) return 0;
  const Real closing = (terms.gap + tolerance::kRoom * tolerance) / approach;
  if (!way.look(closing, way.overlap()) || way.ahead().is_corner ||
      way.has_turned(terms, closing) || way.have_met())
    return 0;
  way.take(theta, terms);
  return closing;
}

std::vector<Index> contacts_in_reach(const dynamics::System& machine, const VecX& q, const VecX& v,
                                     const VecX& place, const VecX& free, Real h) {
  VecX travel(machine.body_count());  // how far no point of a body gets [m]
  travel.setZero();
  for (Index i = 0; machine.shape_contact_count() > 0 && i < machine.body_count(); ++i) {
    const Real spin = std::abs(v[3 * i + 2]) + std::abs(free[3 * i + 2]);
    travel[i] = h * (v.segment<2>(3 * i).norm() + free.segment<2>(3 * i).norm() +
                     (spin > 0 ? machine.bounding_radius(i) * spin : 0));
  }
  std::vector<dynamics::ShapePair> near;
  machine.near_pairs(place, travel, near);
  const VecX end = q + h * free;
  std::vector<Index> contacts;
  dynamics::ContactTerms terms;
  const auto take = [&](Index i, bool may_close) {
    const auto [a, b] = machine.bodies_of(i);
    if (machine.gap_bound(i, place) > travel[a] + travel[b]) return;
    const Real gap = std::min(machine.gap(i, q), machine.gap(i, place));
    if (gap > 0) {
      if (!may_close) return;
      machine.contact(i, place, v, terms);
      if (gap > h * (std::abs(terms.gap_rate) + std::abs(terms.normal.times(free)))) return;
    }
    contacts.push_back(i);
  };
  for (const dynamics::ShapePair& pair : near) {
    const bool may_close = !stay_apart(machine, pair, q, end);
    for (Index i = pair.first; i < pair.first + pair.count; ++i) take(i, may_close);
  }
  for (Index i = machine.shape_contact_count(); i < machine.contact_count(); ++i) take(i, true);
  return contacts;
}

}  // namespace talus::stepping::detail
