#include <talus/distribute/shared_lists.hpp>

#include <numeric>

#include <talus/base/contract.hpp>

namespace talus::distribute {

std::vector<std::size_t> begins_of_ranks(std::size_t items, int ranks) {
  TALUS_DEMAND(ranks > 0);
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> begin;
  for (std::size_t r = 0; r <= count; ++r) begin.push_back(items * r / count);
  return begin;
}

DealtLists deal_out_lists(std::size_t lists, int ranks, DealBy deal) {
  if (deal == DealBy::in_a_row) {
    DealtLists dealt{std::vector<std::size_t>(lists), begins_of_ranks(lists, ranks)};
    std::iota(dealt.order.begin(), dealt.order.end(), std::size_t{0});
    return dealt;
  }
  const auto count = static_cast<std::size_t>(ranks);
  DealtLists dealt;
  for (std::size_t r = 0; r < count; ++r) {
    dealt.first.push_back(dealt.order.size());
    for (std::size_t k = r; k < lists; k += count) dealt.order.push_back(k);
  }
  dealt.first.push_back(lists);
  return dealt;
}

}  // namespace talus::distribute
