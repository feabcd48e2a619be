#include <talus/solve/detail/scaled_cones.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/math/cone_projection.hpp>

namespace talus::solve::detail {

using problem::Cone;
using problem::ConeKind;
using Entry = problem::SparseMatrix::InnerIterator;

namespace {

/// One scale for rows first … first+size−1: the root of the mean diagonal; 0 if that is 0.
void scale_together(const VecX& diagonal, Index first, Index size, VecX& scale) {
  const Real mean = diagonal.segment(first, size).mean();
  scale.segment(first, size).setConstant(mean > 0 ? 1 / std::sqrt(mean) : 0);
}

VecX row_scales(const problem::ConeProblem& problem) {
  const VecX diagonal = problem.W.diagonal().cwiseAbs();
  VecX scale(problem.size());
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::friction) {
      scale_together(diagonal, cone.first, cone.size, scale);
    } else if (cone.kind == ConeKind::rolling) {
      scale_together(diagonal, cone.first, 3, scale);
      scale_together(diagonal, cone.first + 3, 2, scale);
    } else {
      for (Index i = cone.first; i < cone.first + cone.size; ++i)
        scale_together(diagonal, i, 1, scale);
    }
  }
  if (!(scale.array() == 0).any()) return scale;

  // Rows without diagonal: couplings of about 1 with the rows that have one.
  VecX coupling = VecX::Zero(problem.size());
  for (Index i = 0; i < problem.size(); ++i)
    for (Entry entry(problem.W, i); entry; ++entry) {
      const Index j = entry.col();
      const Real size = std::abs(entry.value());
      if (scale[i] == 0 && scale[j] > 0) coupling[i] = std::max(coupling[i], size * scale[j]);
      if (scale[j] == 0 && scale[i] > 0) coupling[j] = std::max(coupling[j], size * scale[i]);
    }
  const Real largest = scale.size() > 0 ? scale.maxCoeff() : 0;
  const auto fill = [&](Index first, Index size) {
    if (scale[first] > 0) return;
    const Real most = coupling.segment(first, size).maxCoeff();
    scale.segment(first, size).setConstant(most > 0 ? 1 / most : (largest > 0 ? largest : 1));
  };
  for (const Cone& cone : problem.cones) {
    if (cone.kind == ConeKind::friction) {
      fill(cone.first, cone.size);
    } else if (cone.kind == ConeKind::rolling) {
      fill(cone.first, 3);
      fill(cone.first + 3, 2);
    } else {
      for (Index i = cone.first; i < cone.first + cone.size; ++i) fill(i, 1);
    }
  }
  return scale;
}

}  // namespace

void project(const Cone& cone, const VecX& lower, const VecX& upper, VecX& x) {
  const Index i = cone.first;
  switch (cone.kind) {
    case ConeKind::free:
      return;
    case ConeKind::nonnegative:
      for (Index k = i; k < i + cone.size; ++k) x[k] = std::max(x[k], Real(0));
      return;
    case ConeKind::box:
      for (Index k = i; k < i + cone.size; ++k) x[k] = std::min(std::max(x[k], lower[k]), upper[k]);
      return;
    case ConeKind::friction:
      if (cone.size == 2)
        x.segment<2>(i) = project_friction_cone(Vec3(x[i], x[i + 1], 0), cone.friction).head<2>();
      else
        x.segment<3>(i) = project_friction_cone(x.segment<3>(i), cone.friction);
      return;
    case ConeKind::rolling:
      x.segment<5>(i) = project_rolling_cone(x.segment<5>(i), cone.friction, cone.rolling);
      return;
  }
}

ScaledCones::ScaledCones(const problem::ConeProblem& problem)
    : W(problem.W),
      b(problem.b),
      scale(row_scales(problem)),
      cones(problem.cones),
      original_(&problem) {
  TALUS_DEMAND(W.rows() == b.size() && W.cols() == b.size());
  W.makeCompressed();
  for (Index i = 0; i < W.rows(); ++i)
    for (Entry entry(W, i); entry; ++entry) entry.valueRef() *= scale[i] * scale[entry.col()];
  b = b.cwiseProduct(scale);
  gamma = b.norm();
  const bool has_bounds = problem.lower.size() > 0;
  if (!(gamma > 0) && has_bounds)  // only bounds set a size
    for (const Cone& cone : cones)
      for (Index i = cone.first; cone.kind == ConeKind::box && i < cone.first + cone.size; ++i)
        for (const Real bound : {problem.lower[i], problem.upper[i]})
          if (std::isfinite(bound)) gamma = std::max(gamma, std::abs(bound) / scale[i]);
  if (!(gamma > 0)) gamma = 1;
  b /= gamma;
  if (has_bounds) {
    lower = problem.lower.cwiseQuotient(gamma * scale);
    upper = problem.upper.cwiseQuotient(gamma * scale);
  }
  for (Cone& cone : cones)
    if (cone.kind == ConeKind::rolling) cone.rolling *= scale[cone.first] / scale[cone.first + 3];
}

void ScaledCones::to_scaled(const VecX& r, VecX& x) const { x = r.cwiseQuotient(scale) / gamma; }

void ScaledCones::to_original(const VecX& x, VecX& r) const {
  r = gamma * x.cwiseProduct(scale);
  for (const Cone& cone : cones)
    if (cone.kind == ConeKind::box) detail::project(cone, original_->lower, original_->upper, r);
}

void ScaledCones::velocity(const VecX& x, VecX& u) const {
  const Real* value = W.valuePtr();
  const int* column = W.innerIndexPtr();
  const int* start = W.outerIndexPtr();
  for (Index i = 0; i < W.rows(); ++i) {
    Real sum = b[i];
    for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
    u[i] = sum;
  }
}

void ScaledCones::multiply(const VecX& x, VecX& y) const {
  const Real* value = W.valuePtr();
  const int* column = W.innerIndexPtr();
  const int* start = W.outerIndexPtr();
  for (Index i = 0; i < W.rows(); ++i) {
    Real sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}

void ScaledCones::project(VecX& x) const {
  for (const Cone& cone : cones) detail::project(cone, lower, upper, x);
}

Real ScaledCones::natural_map(const VecX& x, const VecX& u, VecX& work) const {
  work = x - u;
  project(work);
  return (x - work).norm();
}

Real ScaledCones::row_sum_norm() const {
  Real largest = 0;
  for (Index i = 0; i < W.rows(); ++i) {
    Real sum = 0;
    for (Entry entry(W, i); entry; ++entry) sum += std::abs(entry.value());
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace talus::solve::detail
