#pragma once

#include <vector>

#include <talus/dynamics/system.hpp>

namespace talus::stepping::event_driven {

/// Rows of contacts and frictions in the order of ContactLcp and ImpactProblem, normals before
/// frictions, each with one number: its rate before an impact, or its drift J̇ v.
class ContactRows {
 public:
  /// @return its position among the normals.
  Index add_normal(const dynamics::JacobianRow& row, Real value) {
    return add(normals_, row, value);
  }
  /// @return its position among the frictions.
  Index add_friction(const dynamics::JacobianRow& row, Real value) {
    return add(frictions_, row, value);
  }
  [[nodiscard]] Index normal_count() const { return static_cast<Index>(normals_.row.size()); }
  [[nodiscard]] Index friction_count() const { return static_cast<Index>(frictions_.row.size()); }
  [[nodiscard]] std::vector<dynamics::JacobianRow> rows() const {
    std::vector<dynamics::JacobianRow> all = normals_.row;
    all.insert(all.end(), frictions_.row.begin(), frictions_.row.end());
    return all;
  }
  [[nodiscard]] VecX values() const {
    VecX all(normal_count() + friction_count());
    all.head(normal_count()) = VecX::Map(normals_.value.data(), normal_count());
    all.tail(friction_count()) = VecX::Map(frictions_.value.data(), friction_count());
    return all;
  }

 private:
  struct Part {
    std::vector<dynamics::JacobianRow> row;
    std::vector<Real> value;
  };
  static Index add(Part& part, const dynamics::JacobianRow& row, Real value) {
    part.row.push_back(row);
    part.value.push_back(value);
    return static_cast<Index>(part.row.size()) - 1;
  }
  Part normals_, frictions_;
};

}  // namespace talus::stepping::event_driven
