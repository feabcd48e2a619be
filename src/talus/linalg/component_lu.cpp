#include <talus/linalg/component_lu.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/disjoint_sets.hpp>

namespace talus::linalg {
namespace {

constexpr std::size_t kDense = 48;  // unknowns; larger parts get a sparse LU

}  // namespace

VecX ComponentLu::Part::solve(const VecX& b) const {
  return sparse ? sparse->solve(b) : dense.solve(b);
}

bool ComponentLu::factorise(const Rows& A) {
  TALUS_DEMAND_EQ(A.rows(), A.cols());
  const Index n = A.rows();
  DisjointSets coupled(n);
  for (Index i = 0; i < n; ++i)
    for (Rows::InnerIterator entry(A, i); entry; ++entry) coupled.join(i, entry.col());
  parts_.clear();
  part_of_.assign(n, 0);
  place_in_part_.assign(n, 0);
  for (Index i = 0; i < n; ++i) {
    const Index first = coupled.root(i);
    if (first == i) {
      part_of_[i] = static_cast<Index>(parts_.size());
      parts_.emplace_back();
    } else {
      part_of_[i] = part_of_[first];
    }
    Part& part = parts_[part_of_[i]];
    place_in_part_[i] = static_cast<Index>(part.rows.size());
    part.rows.push_back(i);
  }
  for (Part& part : parts_) {
    const auto size = static_cast<Index>(part.rows.size());
    if (part.rows.size() <= kDense) {
      MatX block = MatX::Zero(size, size);
      for (Index k = 0; k < size; ++k)
        for (Rows::InnerIterator entry(A, part.rows[k]); entry; ++entry)
          block(k, place_in_part_[entry.col()]) += entry.value();
      part.dense.compute(block);
      if (!part.dense.has_pivots()) return false;
      continue;
    }
    std::vector<Eigen::Triplet<Real>> entries;
    for (Index k = 0; k < size; ++k)
      for (Rows::InnerIterator entry(A, part.rows[k]); entry; ++entry)
        entries.emplace_back(static_cast<int>(k), static_cast<int>(place_in_part_[entry.col()]),
                             entry.value());
    Columns block(size, size);
    block.setFromTriplets(entries.begin(), entries.end());
    part.sparse = std::make_unique<SparseLu>();
    part.sparse->analyse(block);
    if (!part.sparse->factorise(block)) return false;
  }
  return true;
}

VecX ComponentLu::solve(const VecX& b) const {
  TALUS_DEMAND_EQ(b.size(), part_of_.size());
  VecX x(b.size()), part_b;
  for (const Part& part : parts_) {
    part_b.resize(static_cast<Index>(part.rows.size()));
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      part_b[static_cast<Index>(k)] = b[part.rows[k]];
    const VecX part_x = part.solve(part_b);
    for (std::size_t k = 0; k < part.rows.size(); ++k)
      x[part.rows[k]] = part_x[static_cast<Index>(k)];
  }
  return x;
}

ComponentLu::Columns ComponentLu::solve(const Columns& B) const {
  TALUS_DEMAND_EQ(B.rows(), part_of_.size());
  std::vector<Eigen::Triplet<Real>> entries;
  std::vector<Index> touched;
  std::vector<VecX> loads(parts_.size());
  for (Index j = 0; j < B.cols(); ++j) {
    touched.clear();
    for (Columns::InnerIterator entry(B, j); entry; ++entry) {
      const Index p = part_of_[entry.row()];
      if (loads[p].size() == 0) {
        loads[p] = VecX::Zero(static_cast<Index>(parts_[p].rows.size()));
        touched.push_back(p);
      }
      loads[p][place_in_part_[entry.row()]] += entry.value();
    }
    for (const Index p : touched) {
      const VecX x = parts_[p].solve(loads[p]);
      for (Index k = 0; k < x.size(); ++k)
        if (x[k] != 0)
          entries.emplace_back(static_cast<int>(parts_[p].rows[k]), static_cast<int>(j), x[k]);
      loads[p].resize(0);
    }
  }
  Columns X(B.rows(), B.cols());
  X.setFromTriplets(entries.begin(), entries.end());
  return X;
}

}  // namespace talus::linalg
