#include <talus/certify/velocity_residual.hpp>

#include <algorithm>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/certify/detail/ratio.hpp>
#include <talus/problem/scale.hpp>

namespace talus::certify {
namespace {

constexpr Real kProductRounding =
    64 * std::numeric_limits<Real>::epsilon();  // of the terms of a row
constexpr Index kVelocityRows = 3;              // of a contact; what follows are angular velocities

/// u = A x + b as it comes out, and what rounding may make of it.
struct Product {
  VecX u, rounding;
  template <class Matrix>
  Product(const Matrix& A, const VecX& x, const VecX& b) : u(b) {
    u += A * x;
    rounding = kProductRounding * (A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs());
  }
};

/// @param size rows of a contact; those of one unit are compared with each other.
Real residual(const Product& made, const VecX& b, const VecX& u, Index size) {
  TALUS_DEMAND_EQ(u.size(), b.size());
  if (!u.allFinite() || !made.u.allFinite()) return std::numeric_limits<Real>::infinity();
  Real error[2] = {}, scale[2] = {};
  for (Index k = 0; k < u.size(); ++k) {
    const int unit = k % size < kVelocityRows ? 0 : 1;
    error[unit] = std::max(error[unit], std::abs(u[k] - made.u[k]) - made.rounding[k]);
    scale[unit] = std::max({scale[unit], std::abs(u[k]), std::abs(b[k])});
  }
  return std::max(detail::ratio(error[0], scale[0]), detail::ratio(error[1], scale[1]));
}

/// Rows that have one unit once they are scaled.
Real scaled_residual(Product made, const VecX& root, const VecX& b, const VecX& u) {
  made.u.array() *= root.array();
  made.rounding.array() *= root.array();
  return residual(made, b.cwiseProduct(root), u.cwiseProduct(root), 1);
}

template <class Local>
Real local_residual(const Local& problem, const VecX& impulse, const VecX& u) {
  return residual(Product(problem.W, impulse, problem.b), problem.b, u, problem.dimension);
}

template <class Global>
Real global_residual(const Global& problem, const VecX& v, const VecX& u) {
  const problem::SparseMatrix J = problem.H.transpose();
  const Product made(J, v, problem.w);
  return residual(made, made.rounding / kProductRounding, u, problem.dimension);
}

}  // namespace

Real velocity_residual(const problem::FrictionContact& problem, const VecX& impulse,
                       const VecX& u) {
  return local_residual(problem, impulse, u);
}

Real velocity_residual(const problem::RollingFrictionContact& problem, const VecX& impulse,
                       const VecX& u) {
  return local_residual(problem, impulse, u);
}

Real velocity_residual(const problem::BilateralContact& problem, const VecX& impulse,
                       const VecX& u) {
  Product made(problem.W, impulse, problem.b);
  made.u = made.u.tail(u.size()).eval();
  made.rounding = made.rounding.tail(u.size()).eval();
  return residual(made, problem.b.tail(u.size()), u, problem.dimension);
}

Real velocity_residual(const problem::Lcp& problem, const VecX& z, const VecX& w) {
  return scaled_residual(Product(problem.M, z, problem.q), problem::lcp_scale(problem).cwiseSqrt(),
                         problem.q, w);
}

Real velocity_residual(const problem::ConeProblem& problem, const VecX& r, const VecX& u) {
  return scaled_residual(Product(problem.W, r, problem.b), problem::cone_scale(problem).cwiseSqrt(),
                         problem.b, u);
}

Real velocity_residual(const problem::GlobalFrictionContact& problem, const VecX& v,
                       const VecX& u) {
  return global_residual(problem, v, u);
}

Real velocity_residual(const problem::GlobalBilateralContact& problem, const VecX& v,
                       const VecX& u) {
  return global_residual(problem, v, u);
}

Real velocity_residual(const problem::GlobalRollingFrictionContact& problem, const VecX& v,
                       const VecX& u) {
  return global_residual(problem, v, u);
}

}  // namespace talus::certify
