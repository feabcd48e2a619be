#pragma once

#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::laws {

/// Joins the rows that act on each other.
void join_rows(const problem::SparseMatrix& G, DisjointSets& sets);

/// The members of each set, rising; sets in the order of their first members.
[[nodiscard]] std::vector<std::vector<Index>> members_of(DisjointSets& sets);

/// G of some rows and the same columns. @param rows rising. @param place −1 for each row of G; the
/// same afterwards.
[[nodiscard]] problem::SparseMatrix block_of(const problem::SparseMatrix& G,
                                             const std::vector<Index>& rows,
                                             std::vector<Index>& place);

}  // namespace talus::laws
