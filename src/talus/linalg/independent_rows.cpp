#include <talus/linalg/independent_rows.hpp>

#include <cmath>

namespace talus::linalg {

std::vector<bool> independent_rows(MatX gram, RankTolerance tolerance, RowChoice choice) {
  const Index n = gram.rows();
  const VecX diagonal = gram.diagonal();
  std::vector<bool> is_independent(static_cast<std::size_t>(n), false);
  std::vector<bool> is_done = is_independent;
  const auto is_regular = [&](Index i) {
    return gram(i, i) > tolerance.relative * diagonal[i];  // NaN, 0: false
  };
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    if (choice == RowChoice::best_conditioned) {
      pivot = -1;
      for (Index i = 0; i < n; ++i)
        if (!is_done[static_cast<std::size_t>(i)] && is_regular(i) &&
            (pivot < 0 || gram(i, i) * diagonal[pivot] > gram(pivot, pivot) * diagonal[i]))
          pivot = i;
      if (pivot < 0) break;
    }
    is_done[static_cast<std::size_t>(pivot)] = true;
    if (!is_regular(pivot)) continue;
    is_independent[static_cast<std::size_t>(pivot)] = true;
    const VecX column = gram.col(pivot) / std::sqrt(gram(pivot, pivot));
    for (Index j = 0; j < n; ++j)
      if (column[j] != 0) gram.col(j) -= column[j] * column;
  }
  return is_independent;
}

}  // namespace talus::linalg
