#include <talus/certify/detail/border_contacts.hpp>

#include <algorithm>
#include <numeric>

namespace talus::certify::detail {

using problem::kLanes;

BorderContacts& BorderContacts::of(const problem::RigidContact& problem, distribute::Deal& deal) {
  static thread_local std::unique_ptr<BorderContacts> last;
  if (last == nullptr || last->deal_.get() != &deal)
    last.reset(new BorderContacts(problem, problem.central.deal));
  return *last;
}

BorderContacts::BorderContacts(const problem::RigidContact& problem,
                               std::shared_ptr<distribute::Deal> deal)
    : deal_(std::move(deal)) {
  const problem::CentralContacts& central = problem.central;
  const auto count = static_cast<std::uint32_t>(problem.bodies.size());
  std::vector<distribute::ItemExchange::Way> ways;
  std::vector<int> to;  // of one contact
  for (std::size_t t = 0; t < deal_->plan().tile_count(); ++t)
    for (std::uint32_t slot = kLanes * central.tiles[t].first; slot < kLanes * central.tiles[t].end;
         ++slot) {
      const problem::CentralBatch& batch = central.batches[slot / kLanes];
      to.clear();
      for (const std::uint32_t body : {batch.body_a[slot % kLanes], batch.body_b[slot % kLanes]})
        if (body < count)
          for (const int rank : deal_->touchers(body))
            if (rank != deal_->rank_of_tile(t) && std::find(to.begin(), to.end(), rank) == to.end())
              to.push_back(rank);
      for (const int rank : to) ways.push_back({deal_->rank_of_tile(t), rank, slot});
    }
  slots_ = {deal_->ranks(), ways};

  const std::span<const std::uint32_t> received = slots_.received();
  std::vector<std::uint32_t> order(received.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t i, std::uint32_t j) { return received[i] < received[j]; });
  place_.resize(received.size());
  auto next = order.begin();
  for (std::size_t p = 1; p < deal_->plan().phases.size(); ++p) {
    const std::uint32_t end =
        central.colours[p] == 0 ? 0 : kLanes * central.tiles[central.colours[p] - 1].end;
    const auto first = static_cast<std::uint32_t>(batches_.size());
    for (std::uint32_t k = 0; next != order.end() && received[*next] < end; ++next, ++k) {
      if (k % kLanes == 0) {
        batches_.emplace_back();
        std::fill_n(batches_.back().body_a, kLanes, count);
        std::fill_n(batches_.back().body_b, kLanes, count);
        impulse_.emplace_back();
      }
      const std::uint32_t slot = received[*next], lane = k % kLanes;
      place_[*next] = kLanes * static_cast<std::uint32_t>(batches_.size() - 1) + lane;
      const problem::CentralBatch& from = central.batches[slot / kLanes];
      const auto own = [&](std::uint32_t body) {
        return body < count && deal_->is_touched_by(body, deal_->ranks().rank()) ? body : count;
      };
      batches_.back().body_a[lane] = own(from.body_a[slot % kLanes]);
      batches_.back().body_b[lane] = own(from.body_b[slot % kLanes]);
    }
    phases_.push_back({first, first, static_cast<std::uint32_t>(batches_.size())});
  }
}

void BorderContacts::exchange(const CentralResidual& data) {
  std::size_t at = 0;
  slots_.exchange(
      6,
      [&](std::uint32_t slot, Real* to) {
        const std::uint32_t k = slot / kLanes, l = slot % kLanes;
        for (int i = 0; i < 3; ++i) to[i] = data.batches[k].arm[i][l];
        for (int i = 0; i < 3; ++i) to[3 + i] = data.impulse[k].r[i][l];
      },
      [&](std::uint32_t, const Real* from) {
        const std::uint32_t k = place_[at] / kLanes, l = place_[at] % kLanes;
        ++at;
        for (int i = 0; i < 3; ++i) batches_[k].arm[i][l] = from[i];
        for (int i = 0; i < 3; ++i) impulse_[k].r[i][l] = from[3 + i];
      });
}

}  // namespace talus::certify::detail
