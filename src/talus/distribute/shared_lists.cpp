#include <talus/distribute/shared_lists.hpp>

#include <talus/base/contract.hpp>

namespace talus::distribute {

std::vector<std::size_t> begins_of_ranks(std::size_t items, int ranks) {
  TALUS_DEMAND(ranks > 0);
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> begin;
  for (std::size_t r = 0; r <= count; ++r) begin.push_back(items * r / count);
  return begin;
}

}  // namespace talus::distribute
