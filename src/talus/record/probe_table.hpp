#pragma once

#include <string>
#include <vector>

namespace talus::record {

/// One thing that a probe measures.
struct ProbeColumn {
  std::string name;                 ///< also the dataset's
  std::vector<std::string> labels;  ///< of its components; empty: a single number
  std::string unit;                 ///< "1" where there is none
  std::string meaning;
  [[nodiscard]] std::size_t components() const { return labels.empty() ? 1 : labels.size(); }
};

/// What a probe writes: the group /probes/NAME with a dataset per column, and `step` and `time`.
struct ProbeTable {
  std::string name;
  std::string kind;
  std::vector<ProbeColumn> columns;
  /// Numbers of one sample: the components of all columns.
  [[nodiscard]] std::size_t width() const {
    std::size_t sum = 0;
    for (const ProbeColumn& column : columns) sum += column.components();
    return sum;
  }
};

}  // namespace talus::record
