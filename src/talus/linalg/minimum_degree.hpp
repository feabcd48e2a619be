#pragma once

#include <vector>

namespace talus::linalg {

/// Undirected graph: the neighbours of every node, rising, without itself.
using Graph = std::vector<std::vector<int>>;

/// The nodes in an order of elimination that makes little fill: approximate minimum degree
/// (Amestoy, Davis & Duff 1996, key `amestoy_1996`). Deterministic.
[[nodiscard]] std::vector<int> minimum_degree(const Graph& graph);

}  // namespace talus::linalg
