#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include <talus/base/types.hpp>

namespace talus::laws {

/// Numbers by contact or friction element of a machine; most are the same and not stored.
class SparseValues {
 public:
  SparseValues() = default;  ///< 0 where nothing is set
  /// @param rest the number of all that is not set.
  explicit SparseValues(Real rest) : rest_(rest) {}
  [[nodiscard]] Real operator[](Index place) const {
    const auto found = values_.find(place);
    return found == values_.end() ? rest_ : found->second;
  }
  [[nodiscard]] Real& operator[](Index place) {
    return values_.try_emplace(place, rest_).first->second;
  }
  void clear() { values_.clear(); }

  /// What is stored, rising.
  [[nodiscard]] std::vector<Index> places() const {
    std::vector<Index> all;
    all.reserve(values_.size());
    for (const auto& [place, value] : values_) all.push_back(place);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  Real rest_ = 0;
  std::unordered_map<Index, Real> values_;
};

}  // namespace talus::laws
