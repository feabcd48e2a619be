#pragma once

#include <vector>

#include <talus/base/disjoint_sets.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::problem {

/// Joins the rows that act on each other. Cost O(non-zeros), of a dense matrix O(n²).
void join_rows(const SparseMatrix& G, DisjointSets& sets);
void join_rows(const MatX& G, DisjointSets& sets);

/// The members of each set, rising; sets in the order of their first members.
[[nodiscard]] std::vector<std::vector<Index>> members_of(DisjointSets& sets);

/// G of some rows and the same columns. @param rows rising. @param place −1 for each row of G; the
/// same afterwards.
[[nodiscard]] SparseMatrix block_of(const SparseMatrix& G, const std::vector<Index>& rows,
                                    std::vector<Index>& place);

}  // namespace talus::problem
