#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>

#include <algorithm>
#include <utility>

namespace talus::solve::detail {

using problem::GeneralContact;
using problem::kLanes;

void GeneralSchedule::build(const problem::RigidContact& problem) {
  batches_.clear();
  slots_.clear();
  if (problem.general.empty()) return;
  const std::size_t bodies = problem.bodies.size();
  find_pairs(problem.general);
  bodies_.clear();
  for (const Pair pair : pairs_)
    bodies_.push_back({problem.general[pair.first].body_a, problem.general[pair.first].body_b});
  is_movable_.resize(bodies);
  for (std::size_t i = 0; i < bodies; ++i) is_movable_[i] = problem.bodies[i].inverse_mass > 0;
  if (problem.place.empty()) place_.assign(bodies, Vec3::Zero());
  schedule_.build(bodies_, problem.place.empty() ? place_ : problem.place, is_movable_, {},
                  static_cast<Index>(problem.general.size()));
  lay_out_rows(schedule_.contact_of_slot(), static_cast<std::uint32_t>(bodies));
}

void GeneralSchedule::find_pairs(std::span<const GeneralContact> contacts) {
  found_.clear();
  std::array<std::size_t, kMostContacts> place{};  // of the pairs of every count, most first
  for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
    const GeneralContact& contact = contacts[first];
    while (end < contacts.size() && end - first < kMostContacts &&
           contacts[end].body_a == contact.body_a && contacts[end].body_b == contact.body_b)
      ++end;
    const auto count = static_cast<std::uint32_t>(end - first);
    found_.push_back({static_cast<std::uint32_t>(first), count});
    ++place[kMostContacts - count];
  }
  std::size_t before = 0;
  for (std::size_t& count : place) before += std::exchange(count, before);
  pairs_.resize(found_.size());
  for (const Pair pair : found_) pairs_[place[kMostContacts - pair.count]++] = pair;
}

void GeneralSchedule::lay_out_rows(std::span<const std::uint32_t> pair_of_lane,
                                   std::uint32_t no_body) {
  for (std::size_t first = 0; first < pair_of_lane.size(); first += kLanes) {
    const auto lanes = pair_of_lane.subspan(first, kLanes);
    const auto pair_of = [&](std::size_t l) {
      return lanes[l] == kEmpty ? Pair{0, 0} : pairs_[lanes[l]];
    };
    PairBatch batch;
    batch.first = static_cast<std::uint32_t>(slots_.size() / kLanes);
    std::uint32_t most = 0;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const bool is_empty = lanes[l] == kEmpty;
      batch.body_a[l] = is_empty ? no_body : bodies_[lanes[l]].a;
      batch.body_b[l] = is_empty ? no_body : bodies_[lanes[l]].b;
      most = std::max(most, pair_of(l).count);
    }
    batch.end = batch.first + most;
    for (std::uint32_t p = 0; p < most; ++p)
      for (std::size_t l = 0; l < kLanes; ++l)
        slots_.push_back(p < pair_of(l).count ? pair_of(l).first + p : kEmpty);
    batches_.push_back(batch);
  }
}

}  // namespace talus::solve::detail
