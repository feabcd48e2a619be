#include <talus/solve/gauss_seidel/detail/cone_sweep.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/linalg/dense.hpp>
#include <talus/math/cone_projection.hpp>

namespace talus::solve::detail {

using problem::Cone;
using problem::ConeKind;

namespace {

constexpr int kLocalSteps = 4;
constexpr Real kLocalTolerance = 0.01;  // of the first local step: the rest is not worth a step

Vec2 project_block(const Vec2& x, const Cone& cone) {
  return project_friction_cone(Vec3(x[0], x[1], 0), cone.friction).head<2>();
}
Vec3 project_block(const Vec3& x, const Cone& cone) {
  return project_friction_cone(x, cone.friction);
}
Vec5 project_block(const Vec5& x, const Cone& cone) {
  return project_rolling_cone(x, cone.friction, cone.rolling);
}

bool is_block(const Cone& cone) {
  return cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling;
}

}  // namespace

ConeSweep::ConeSweep(const ScaledCones& problem)
    : problem_(problem), step_(VecX::Ones(problem.size())) {
  for (const Cone& cone : problem.cones) {
    place_.push_back(static_cast<Index>(blocks_.size()));
    if (is_block(cone)) {
      MatX A = MatX::Zero(cone.size, cone.size);
      for (Index k = 0; k < cone.size; ++k)
        for (problem::SparseMatrix::InnerIterator entry(problem.W, cone.first + k); entry; ++entry)
          if (entry.col() >= cone.first && entry.col() < cone.first + cone.size)
            A(k, entry.col() - cone.first) += entry.value();
      blocks_.insert(blocks_.end(), A.data(), A.data() + A.size());
      const MatX symmetric = (A + A.transpose()) / 2;
      const Real largest = linalg::symmetric_eigenvalues(symmetric)[cone.size - 1];
      if (largest > 0) step_[cone.first] = 1 / largest;
    } else {
      for (Index i = cone.first; i < cone.first + cone.size; ++i) {
        const Real diagonal = problem.W.coeff(i, i);
        if (diagonal > 0) step_[i] = 1 / diagonal;
      }
    }
  }
}

template <int d>
void ConeSweep::block(const Cone& cone, Real relaxation, VecX& x, Result& result) const {
  using Vec = Eigen::Matrix<Real, d, 1>;
  const Real* value = problem_.W.valuePtr();
  const int* column = problem_.W.innerIndexPtr();
  const int* start = problem_.W.outerIndexPtr();
  Vec u;
  for (int k = 0; k < d; ++k) {
    const Index i = cone.first + k;
    Real sum = problem_.b[i];
    for (int e = start[i]; e < start[i + 1]; ++e) sum += value[e] * x[column[e]];
    u[k] = sum;
  }
  const Eigen::Map<const Eigen::Matrix<Real, d, d>> A(
      blocks_.data() + place_[static_cast<std::size_t>(&cone - problem_.cones.data())]);
  const Vec before = x.segment<d>(cone.first), u_before = u;
  Vec xi = before;
  result.residual += (xi - project_block(Vec(xi - u), cone)).squaredNorm();
  const Real step = relaxation * step_[cone.first];
  Real first = 0;
  for (int k = 0; k < kLocalSteps; ++k) {
    // x_i ← P(x_i − ω u_i/λ): projected gradient on the block (`bertsekas_1999`, section 2.3).
    const Vec next = project_block(Vec(xi - step * u), cone);
    const Vec change = next - xi;
    const Real size = change.squaredNorm();
    if (k == 0) first = size;
    xi = next;
    if (size <= kLocalTolerance * kLocalTolerance * first) break;
    u.noalias() += A * change;
  }
  x.segment<d>(cone.first) = xi;
  const Vec change = xi - before;
  result.has_changed |= !change.isZero(0);
  result.energy_change += change.dot(u_before) + change.dot(A * change) / 2;
}

ConeSweep::Result ConeSweep::run(Real relaxation, VecX& x) const {
  Result result;
  const Real* value = problem_.W.valuePtr();
  const int* column = problem_.W.innerIndexPtr();
  const int* start = problem_.W.outerIndexPtr();
  for (const Cone& cone : problem_.cones) {
    if (is_block(cone)) {
      if (cone.size == 2)
        block<2>(cone, relaxation, x, result);
      else if (cone.size == 3)
        block<3>(cone, relaxation, x, result);
      else
        block<5>(cone, relaxation, x, result);
      continue;
    }
    for (Index i = cone.first; i < cone.first + cone.size; ++i) {
      Real u = problem_.b[i], diagonal = 0;
      for (int k = start[i]; k < start[i + 1]; ++k) {
        u += value[k] * x[column[k]];
        if (column[k] == i) diagonal = value[k];
      }
      Real low = -std::numeric_limits<Real>::infinity(), high = -low;
      if (cone.kind == ConeKind::nonnegative) low = 0;
      if (cone.kind == ConeKind::box) {
        low = problem_.lower[i];
        high = problem_.upper[i];
      }
      const Real old = x[i];
      const auto clamp = [&](Real t) { return std::min(std::max(t, low), high); };
      const Real error = old - clamp(old - u);
      // xᵢ ← P(xᵢ − ω uᵢ/W_ii) (`cryer_1971`).
      const Real change = clamp(old - relaxation * step_[i] * u) - old;
      x[i] = clamp(old - relaxation * step_[i] * u);
      result.residual += error * error;
      result.energy_change += change * (u + diagonal * change / 2);
      result.has_changed |= change != 0;
    }
  }
  result.residual = std::sqrt(result.residual);
  return result;
}

}  // namespace talus::solve::detail
