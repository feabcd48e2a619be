#include <talus/stepping/detail/planar_late_contacts.hpp>

#include <algorithm>
#include <utility>

#include <talus/laws/tolerances.hpp>
#include <talus/stepping/detail/overlap.hpp>
#include <talus/stepping/detail/row_length.hpp>

namespace talus::stepping::detail {

using dynamics::System;

namespace {

struct Overlap {
  Index contact = -1;
  Real depth = 0, share = 0;  // [m], of the smaller body
};

}  // namespace

bool PlanarLateContacts::add(const System& machine, const VecX& q, const VecX& q_end,
                             const std::unordered_set<Index>& stays) {
  added_.clear();
  if (!q_end.allFinite()) return false;
  dynamics::find_meetings(machine, q, q_end, tolerance::kLateOverlap, meetings_);
  for (const dynamics::PlanarMeeting& meeting : meetings_) {
    VecX& at = dynamics::place_of_two(q.size());
    dynamics::on_the_way(meeting.pair, q, q_end, meeting.share, at);
    for (const Index i : dynamics::corners_inside(machine, meeting.pair, at)) {
      if (stays.contains(i)) continue;
      const auto [a, b] = machine.bodies_of(i);
      places_[i] = {at.segment<3>(3 * a), at.segment<3>(3 * b)};
      added_.push_back(i);
    }
  }
  return !added_.empty();
}

void PlanarLateContacts::contact(const System& machine, Index contact, const VecX& q, const VecX& v,
                                 Real h, Real theta, dynamics::ContactTerms& terms) const {
  const Place& place = places_.at(contact);
  const auto [a, b] = machine.bodies_of(contact);
  VecX& at = dynamics::place_of_two(q.size());
  at.segment<3>(3 * a) = place.a;
  at.segment<3>(3 * b) = place.b;
  machine.contact(contact, at, v, terms);
  const auto way = [&](Index body, const Vec6& part) {
    return part.head<3>().dot(at.segment<3>(3 * body) - q.segment<3>(3 * body));
  };
  terms.gap -= way(terms.normal.body_a, terms.normal.a) + way(terms.normal.body_b, terms.normal.b);
  terms.gap += (1 - theta) * h * terms.gap_rate;
}

bool stay_apart(const System& machine, const dynamics::ShapePair& pair, const VecX& q,
                const VecX& q_end) {
  if (!model::is_rigid(machine.law(pair.first).normal) ||
      dynamics::meets(machine, pair, q, q_end, 0))
    return false;
  // Of two corners that face each other the overlap says less than the distance.
  const Real slight =
      tolerance::kSlightOverlap * std::min(machine.size(pair.body_a), machine.size(pair.body_b));
  if (machine.overlap(pair, q) < -slight) return true;
  for (Index i = pair.first; i < pair.first + pair.count; ++i)
    if (machine.gap(i, q) <= slight) return false;
  return true;
}

Index judge_overlap(const System& machine, const model::Model& model, const VecX& q,
                    const VecX& q_end, bool is_left, StepReport& report) {
  if (!report.is_certified()) return -1;
  Overlap worst;
  const auto take = [&](Index contact, Real depth, Real before, Real size) {
    const bool is_of_step = depth > std::max(before, Real(0)) + tolerance::kLateOverlap * size;
    if ((is_of_step || !is_left) && depth / size > worst.share)
      worst = {contact, depth, depth / size};
  };
  std::vector<dynamics::ShapePair> near;
  machine.near_pairs(q_end, VecX::Zero(machine.body_count()), near);
  for (const dynamics::ShapePair& pair : near) {
    const Real size = std::min(machine.size(pair.body_a), machine.size(pair.body_b));
    if (!model::is_rigid(machine.law(pair.first).normal)) continue;
    if (const Real depth = machine.overlap(pair, q_end); depth > tolerance::kMostOverlap * size)
      take(pair.first, depth, machine.overlap(pair, q), size);
  }
  dynamics::ContactTerms terms;
  const VecX still = VecX::Zero(q.size());
  for (Index i = machine.shape_contact_count(); i < machine.contact_count(); ++i) {
    if (!model::is_rigid(machine.law(i).normal)) continue;
    machine.contact(i, q_end, still, terms);
    take(i, -terms.gap, -machine.gap(i, q), smaller_radius(machine, terms.normal));
  }
  const auto refuse = [&](Index contact, std::string why) {
    report.status = problem::SolveStatus::stalled;
    report.detail = std::move(why);
    return contact;
  };
  if (worst.share > tolerance::kMostOverlap) {
    const auto [a, b] = machine.bodies_of(worst.contact);
    return refuse(worst.contact, overlap_after_step(model, a, b, worst.depth, worst.share));
  }
  std::vector<dynamics::PlanarMeeting> meetings;
  dynamics::find_meetings(machine, q, q_end, tolerance::kMostOverlap, meetings);
  for (const dynamics::PlanarMeeting& meeting : meetings) {
    const dynamics::ShapePair& pair = meeting.pair;
    if (meeting.share < 1)
      return refuse(pair.first, passage_in_step(model, pair.body_a, pair.body_b));
  }
  return -1;
}

}  // namespace talus::stepping::detail
