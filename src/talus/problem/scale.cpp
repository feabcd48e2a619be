#include <talus/problem/scale.hpp>

#include <algorithm>
#include <cmath>

namespace talus::problem {

VecX lcp_scale(const Lcp& lcp) {
  const MatX& M = lcp.M;
  VecX scale(lcp.size());
  for (Index i = 0; i < lcp.size(); ++i) {
    Real stiffness = std::abs(M(i, i));
    if (stiffness == 0)
      for (Index j = 0; j < lcp.size(); ++j)
        if (M(j, j) != 0)
          stiffness =
              std::max(stiffness, std::abs(M(i, j)) * std::abs(M(j, i)) / std::abs(M(j, j)));
    scale[i] = stiffness > 0 ? 1 / stiffness : 1;
  }
  return scale;
}

VecX cone_scale(const ConeProblem& problem) {
  const SparseMatrix& W = problem.W;
  const VecX diagonal = W.diagonal().cwiseAbs();
  VecX scale(problem.size());
  const auto set = [&](Index first, Index size) {
    Real stiffness = diagonal.segment(first, size).sum() / static_cast<Real>(size);
    if (stiffness == 0)
      for (Index i = first; i < first + size; ++i)
        for (SparseMatrix::InnerIterator entry(W, i); entry; ++entry) {
          const Index j = entry.col();
          if (diagonal[j] != 0)
            stiffness = std::max(stiffness, std::abs(entry.value() * W.coeff(j, i)) / diagonal[j]);
        }
    scale.segment(first, size).setConstant(stiffness > 0 ? 1 / stiffness : 1);
  };
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::friction) {
      set(cone.first, cone.size);
    } else if (cone.kind == ConeKind::rolling) {
      set(cone.first, 3);
      set(cone.first + 3, 2);
    } else {
      for (Index i = cone.first; i < cone.first + cone.size; ++i) set(i, 1);
    }
  }
  return scale;
}

}  // namespace talus::problem
