#include <talus/certify/detail/island_sums.hpp>

#include <cmath>

#include <talus/certify/detail/ratio.hpp>

namespace talus::certify::detail {

Real IslandSum::natural_map() const {
  const Real all = ratio(std::sqrt(error), std::sqrt(answer > 0 ? answer : free));
  const Real constraints = ratio(std::sqrt(held), std::sqrt(stake));
  return constraints > all ? constraints : all;  // NaN stays
}

Real IslandVerdict::ratio(Real squares) const {
  return denominator == 0 ? Real(0) : std::sqrt(squares) / denominator;
}

IslandVerdict judge(const std::vector<IslandSum>& islands) {
  IslandVerdict verdict;
  Real free = 0;
  const auto take = [](Real own, Real& largest) {
    if (!(own <= largest) && !std::isnan(largest)) largest = own;  // NaN is larger than any number
  };
  for (const IslandSum& island : islands) {
    take(island.natural_map(), verdict.natural_map);
    take(detail::ratio(island.work, island.stake), verdict.work);
    verdict.answer += island.answer;
    free += island.free;
  }
  verdict.denominator = std::sqrt(verdict.answer > 0 ? verdict.answer : free);
  return verdict;
}

}  // namespace talus::certify::detail
