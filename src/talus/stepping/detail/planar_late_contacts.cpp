#include <talus/stepping/detail/planar_late_contacts.hpp>

#include <algorithm>
#include <utility>

#include <talus/stepping/detail/overlap.hpp>

namespace talus::stepping::detail {

using dynamics::PlanarMachine;

bool PlanarLateContacts::add(const PlanarMachine& machine, const VecX& q, const VecX& q_end) {
  added_.clear();
  if (!q_end.allFinite()) return false;
  dynamics::find_meetings(machine, q, q_end, kLate, meetings_);
  for (const dynamics::PlanarMeeting& meeting : meetings_) {
    const PlanarMachine::ShapePair& pair =
        machine.shape_pairs()[static_cast<std::size_t>(meeting.pair)];
    const VecX at = dynamics::on_the_way(pair, q, q_end, meeting.share);
    for (const Index i : dynamics::corners_inside(machine, pair, at)) {
      const auto [a, b] = machine.bodies_of(i);
      places_[i] = {at.segment<3>(3 * a), at.segment<3>(3 * b)};
      added_.push_back(i);
    }
  }
  return !added_.empty();
}

void PlanarLateContacts::contact(const PlanarMachine& machine, Index contact, const VecX& q,
                                 const VecX& v, Real h, Real theta,
                                 dynamics::ContactTerms& terms) const {
  const Place& place = places_.at(contact);
  const auto [a, b] = machine.bodies_of(contact);
  VecX at = q;
  at.segment<3>(3 * a) = place.a;
  at.segment<3>(3 * b) = place.b;
  machine.contact(contact, at, v, terms);
  terms.gap -= terms.normal.times(at - q);
  terms.gap += (1 - theta) * h * terms.gap_rate;
}

Index judge_overlap(const PlanarMachine& machine, const model::Model& model,
                    const StateError& error, const VecX& q, const VecX& q_end,
                    StepReport& report) {
  report.max_penetration = std::max(report.max_penetration, error.overlap);
  if (!report.is_certified()) return -1;
  const auto refuse = [&](Index contact, std::string why) {
    report.status = problem::SolveStatus::stalled;
    report.detail = std::move(why);
    return contact;
  };
  if (error.share > kMostOverlap) {
    const auto [a, b] = machine.bodies_of(error.deepest);
    return refuse(error.deepest, overlap_after_step(model, a, b, error.depth, error.share));
  }
  std::vector<dynamics::PlanarMeeting> meetings;
  dynamics::find_meetings(machine, q, q_end, kMostOverlap, meetings);
  for (const dynamics::PlanarMeeting& meeting : meetings) {
    const PlanarMachine::ShapePair& pair =
        machine.shape_pairs()[static_cast<std::size_t>(meeting.pair)];
    if (meeting.share < 1)
      return refuse(pair.first, passage_in_step(model, pair.body_a, pair.body_b));
  }
  return -1;
}

}  // namespace talus::stepping::detail
