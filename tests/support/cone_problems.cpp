#include "support/cone_problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <talus/linalg/dense.hpp>

namespace talus::test {

VecX slow_projection(const problem::Cone& cone, const VecX& lower, const VecX& upper,
                     const VecX& z) {
  using problem::ConeKind;
  VecX p = z;
  if (cone.kind == ConeKind::free) return p;
  if (cone.kind == ConeKind::nonnegative || cone.kind == ConeKind::box) {
    for (Index k = 0; k < z.size(); ++k) {
      const bool is_box = cone.kind == ConeKind::box;
      const Real low = is_box ? lower[cone.first + k] : 0;
      const Real high = is_box ? upper[cone.first + k] : std::numeric_limits<Real>::infinity();
      if (p[k] < low) p[k] = low;
      if (p[k] > high) p[k] = high;
    }
    return p;
  }
  const Index tangents = cone.size == 2 ? 1 : 2;
  const Real t = z.segment(1, tangents).norm();
  const Real s = cone.kind == ConeKind::rolling ? z.segment(3, 2).norm() : 0;
  const auto derivative = [&](Real n) {
    return n - z[0] - cone.friction * std::max(Real(0), t - cone.friction * n) -
           cone.rolling * std::max(Real(0), s - cone.rolling * n);
  };
  Real low = 0, high = 2 * (std::abs(z[0]) + cone.friction * t + cone.rolling * s) + 1e-300;
  if (derivative(0) >= 0) return VecX::Zero(z.size());
  for (int k = 0; k < 200; ++k) {
    const Real middle = (low + high) / 2;
    (derivative(middle) < 0 ? low : high) = middle;
  }
  p[0] = high;
  if (t > cone.friction * high) p.segment(1, tangents) *= cone.friction * high / t;
  if (cone.kind == ConeKind::rolling && s > cone.rolling * high)
    p.segment(3, 2) *= cone.rolling * high / s;
  return p;
}

Real natural_map(const problem::ConeProblem& problem, const VecX& r) {
  const VecX u = problem.W * r + problem.b, diagonal = problem.W.diagonal();
  Real sum = 0, size = 0;
  for (const problem::Cone& cone : problem.cones) {
    const bool is_scalar =
        cone.kind != problem::ConeKind::friction && cone.kind != problem::ConeKind::rolling;
    const Index step = is_scalar ? 1 : cone.size;
    for (Index i = cone.first; i < cone.first + cone.size; i += step) {
      problem::Cone one = cone;
      one.first = i;
      one.size = step;
      const Real mean = diagonal.segment(i, step).mean(), rho = mean > 0 ? 1 / mean : 1;
      const VecX ri = r.segment(i, step);
      const VecX z = ri - rho * u.segment(i, step);
      sum += (ri - slow_projection(one, problem.lower, problem.upper, z)).squaredNorm() / rho;
      size += rho * problem.b.segment(i, step).squaredNorm();
    }
  }
  return size > 0 ? std::sqrt(sum / size) : std::sqrt(sum);
}

Real energy(const problem::ConeProblem& problem, const VecX& r) {
  return r.dot(problem.W * r) / 2 + problem.b.dot(r);
}

KnownProblem known_problem(Random& random, std::vector<problem::Cone> cones, Index rank) {
  using problem::ConeKind;
  Index n = 0;
  bool has_box = false;
  for (problem::Cone& cone : cones) {
    cone.first = n;
    n += cone.size;
    has_box |= cone.kind == ConeKind::box;
  }
  KnownProblem known;
  problem::ConeProblem& problem = known.problem;
  if (has_box) {
    problem.lower = VecX::Constant(n, -0.3);
    problem.upper = VecX::Constant(n, 0.4);
    for (Index i = 0; i < n; i += 3) problem.upper[i] = std::numeric_limits<Real>::infinity();
  }
  MatX J(rank, n);
  for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
  const MatX W = linalg::product(J.transpose(), J) / static_cast<Real>(rank);
  problem.W = W.sparseView();
  known.r.resize(n);
  known.u.resize(n);
  for (const problem::Cone& cone : cones) {
    VecX z(cone.size);
    for (Index k = 0; k < z.size(); ++k) z[k] = random.uniform(-1, 1);
    if (cone.kind == ConeKind::friction || cone.kind == ConeKind::rolling) z[0] += 0.3;
    const VecX p = slow_projection(cone, problem.lower, problem.upper, z);
    known.r.segment(cone.first, cone.size) = p;
    known.u.segment(cone.first, cone.size) = p - z;
  }
  problem.cones = std::move(cones);
  problem.b = known.u - W * known.r;
  return known;
}

std::vector<problem::Cone> friction_cones(Random& random, Index count, Index dimension,
                                          Real largest_friction) {
  std::vector<problem::Cone> cones;
  for (Index i = 0; i < count; ++i)
    cones.push_back(
        {problem::ConeKind::friction, 0, dimension, random.uniform(0, largest_friction), 0});
  return cones;
}

problem::ConeProblem relaxed(const problem::FrictionContact& problem) {
  problem::ConeProblem cones{problem.W, problem.b, {}, {}, {}};
  const Index d = problem.dimension;
  for (Index i = 0; i < problem.contact_count(); ++i)
    cones.cones.push_back({problem::ConeKind::friction, d * i, d, problem.friction[i], 0});
  return cones;
}

Real coulomb_natural_map(const problem::FrictionContact& problem, const VecX& r) {
  problem::ConeProblem cones = relaxed(problem);
  const VecX u = problem.W * r + problem.b;
  for (const problem::Cone& cone : cones.cones)
    cones.b[cone.first] += cone.friction * u.segment(cone.first + 1, cone.size - 1).norm();
  return natural_map(cones, r);
}

}  // namespace talus::test
