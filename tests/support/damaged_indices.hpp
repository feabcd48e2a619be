#pragma once

#include <string>
#include <vector>

namespace talus::test {

/// Copies of a file in HDF5's older form, in each of which eight bytes of one of its first indices,
/// the B-trees, symbol nodes and heaps that lead to groups and names, are 0xff. They carry no
/// checksums, and HDF5 1.10 itself breaks on some of these copies.
inline std::vector<std::string> with_damaged_indices(const std::string& good) {
  constexpr int kMost = 3;            // of each kind
  constexpr std::size_t kReach = 72;  // from its signature on
  std::vector<std::string> all;
  for (const char* signature : {"TREE", "SNOD", "HEAP"}) {
    std::size_t at = good.find(signature);
    for (int k = 0; k < kMost && at != std::string::npos; ++k, at = good.find(signature, at + 1))
      for (std::size_t place = at; place < at + kReach && place + 8 <= good.size(); place += 8)
        all.push_back(std::string(good).replace(place, 8, 8, '\xff'));
  }
  return all;
}

}  // namespace talus::test
