#pragma once

#include <array>

#include <talus/base/contract.hpp>
#include <talus/dynamics/jacobian_row.hpp>

namespace talus::dynamics {

/// A row of a Jacobian in space over up to eight bodies: rate = Σ part · (v, ω) of its body. For
/// couplings; rows of two bodies are JacobianRow.
class MultibodyRow {
 public:
  struct Entry {
    Index body = -1;
    Vec6 part = Vec6::Zero();
  };

  [[nodiscard]] int size() const { return count_; }
  [[nodiscard]] const Entry* begin() const { return entries_.data(); }
  [[nodiscard]] const Entry* end() const { return entries_.data() + count_; }

  void clear() { count_ = 0; }
  /// This row + factor · a row of two bodies in space; parts of the same body are summed.
  /// @param row width 6, no more than eight bodies in all (contract).
  void add(const JacobianRow& row, Real factor) {
    row.for_each_in_space([&](Index body, const Vec6& part) { at(body) += factor * part; });
  }
  [[nodiscard]] Real times(const VecX& v) const {
    Real sum = 0;
    for (const Entry& entry : *this) sum += entry.part.dot(v.segment<6>(6 * entry.body));
    return sum;
  }
  /// v += rowᵀ s.
  void add_to(VecX& v, Real s) const {
    for (const Entry& entry : *this) v.segment<6>(6 * entry.body) += s * entry.part;
  }

 private:
  [[nodiscard]] Vec6& at(Index body) {
    for (int i = 0; i < count_; ++i)
      if (entries_[static_cast<std::size_t>(i)].body == body)
        return entries_[static_cast<std::size_t>(i)].part;
    TALUS_DEMAND(count_ < static_cast<int>(entries_.size()));
    Entry& entry = entries_[static_cast<std::size_t>(count_++)];
    entry = {body, Vec6::Zero()};
    return entry.part;
  }

  std::array<Entry, 8> entries_;
  int count_ = 0;
};

}  // namespace talus::dynamics
