#include <talus/solve/newton/proximal_newton.hpp>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/contract.hpp>

namespace talus::solve {
namespace {

using problem::FrictionContact;
using problem::SolveReport;
using problem::SolveStatus;
using problem::SparseMatrix;

constexpr Index kDenseContacts = 120;  // up to here a dense LU is faster than a sparse one
constexpr int kNewtonSteps = 15;       // of one outer step

/// The scaled problem W̃ = S W S, b̃ = S b/γ, and the way back r = γ S r̃.
struct Scaled {
  SparseMatrix W;
  VecX b, scale;  // scale: one per row
  Real gamma = 1;
};

Scaled scale(const FrictionContact& problem) {
  const Index d = problem.dimension, m = problem.contact_count();
  Scaled scaled;
  scaled.scale.resize(d * m);
  for (Index i = 0; i < m; ++i) {
    Real trace = 0;
    for (Index k = 0; k < d; ++k) trace += problem.W.coeff(d * i + k, d * i + k);
    scaled.scale.segment(d * i, d).setConstant(1 / std::sqrt(trace / static_cast<Real>(d)));
  }
  scaled.W = scaled.scale.asDiagonal() * problem.W * scaled.scale.asDiagonal();
  scaled.b = scaled.scale.cwiseProduct(problem.b);
  const Real size = scaled.b.norm();
  if (size > 0) scaled.gamma = size;
  scaled.b /= scaled.gamma;
  return scaled;
}

/// Nearest point of the disc of a radius; the interval in 2-D.
VecX project_disc(const VecX& x, Real radius) {
  const Real size = x.norm();
  return size <= radius ? x : VecX(radius / size * x);
}

/// ‖F(r, v)‖ of Alart & Curnier.
Real alart_curnier(const FrictionContact& problem, const VecX& r, const VecX& v) {
  const Index d = problem.dimension;
  Real sum = 0;
  for (Index i = 0; i < problem.contact_count(); ++i) {
    const VecX z = r.segment(d * i, d) - v.segment(d * i, d);
    const Real height = std::max(Real(0), z[0]);
    sum += std::pow(r[d * i] - height, 2);
    sum += (r.segment(d * i + 1, d - 1) - project_disc(z.tail(d - 1), problem.friction[i] * height))
               .squaredNorm();
  }
  return std::sqrt(sum);
}

/// Linearised rows of one active contact: P dv + Q dr = s.
struct Rows {
  Index contact;
  MatX P, Q;
  VecX s;
};

/// The linearisation of F at (r, v) for a contact with z_N > 0: sticking or slipping.
Rows linearise(Index contact, Real friction, const VecX& r, const VecX& v) {
  const Index d = r.size(), t = d - 1;
  const VecX z = r - v;
  const Real size = z.tail(t).norm();
  Rows rows{contact, MatX::Identity(d, d), MatX::Zero(d, d), -v};
  if (size <= friction * z[0]) return rows;  // stick: v = 0
  const VecX direction = z.tail(t) / size;
  const MatX across =
      friction * z[0] / size * (MatX::Identity(t, t) - direction * direction.transpose());  // C
  rows.P.bottomLeftCorner(t, 1) = friction * direction;
  rows.P.bottomRightCorner(t, t) = across;
  rows.Q.bottomLeftCorner(t, 1) = -friction * direction;
  rows.Q.bottomRightCorner(t, t) = MatX::Identity(t, t) - across;
  rows.s.tail(t) = -(r.tail(t) - friction * z[0] * direction);
  return rows;
}

/// One Newton step: dr with open contacts going to r = 0 and the others solving their rows. False
/// if the matrix is singular.
bool newton_step(const FrictionContact& problem, const SparseMatrix& W, Real alpha, const VecX& r,
                 const VecX& v, VecX& dr) {
  const Index d = problem.dimension, m = problem.contact_count();
  std::vector<Index> place(m, -1);  // of a contact among the active ones
  std::vector<Rows> active;
  dr = VecX::Zero(r.size());
  for (Index i = 0; i < m; ++i) {
    if (r[d * i] - v[d * i] > 0) {
      place[i] = static_cast<Index>(active.size());
      active.push_back(linearise(i, problem.friction[i], r.segment(d * i, d), v.segment(d * i, d)));
    } else {
      dr.segment(d * i, d) = -r.segment(d * i, d);
    }
  }
  if (active.empty()) return true;

  const VecX open_change = W * dr;  // what closing down the open contacts does to the others
  const auto n = static_cast<Index>(active.size());
  VecX rhs(d * n);
  std::vector<Eigen::Triplet<Real>> entries;
  const bool is_dense = n <= kDenseContacts;
  MatX dense = is_dense ? MatX::Zero(d * n, d * n) : MatX();
  const auto add = [&](Index row, Index column, Real value) {
    if (is_dense)
      dense(row, column) += value;
    else
      entries.emplace_back(row, column, value);
  };
  for (Index a = 0; a < n; ++a) {
    const Rows& rows = active[a];
    const Index first = d * rows.contact;
    rhs.segment(d * a, d) = rows.s - rows.P * open_change.segment(first, d);
    const MatX diagonal = alpha * rows.P + rows.Q;
    for (Index k = 0; k < d; ++k)
      for (Index l = 0; l < d; ++l)
        if (diagonal(k, l) != 0) add(d * a + k, d * a + l, diagonal(k, l));
    for (Index j = 0; j < d; ++j)  // row j of W, weighted by column j of P
      for (SparseMatrix::InnerIterator entry(W, first + j); entry; ++entry) {
        const Index b = place[entry.col() / d];
        if (b < 0) continue;
        for (Index k = 0; k < d; ++k)
          if (rows.P(k, j) != 0)
            add(d * a + k, d * b + entry.col() % d, rows.P(k, j) * entry.value());
      }
  }

  VecX solution;
  if (is_dense) {
    solution = Eigen::PartialPivLU<MatX>(dense).solve(rhs);
  } else {
    Eigen::SparseMatrix<Real> matrix(d * n, d * n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    Eigen::SparseLU<Eigen::SparseMatrix<Real>> lu(matrix);
    if (lu.info() != Eigen::Success) return false;
    solution = lu.solve(rhs);
  }
  if (!solution.allFinite()) return false;
  for (Index a = 0; a < n; ++a) dr.segment(d * active[a].contact, d) = solution.segment(d * a, d);
  return true;
}

/// Undamped Newton on F(r, W r + b + α(r − r_k)) from r = r_k; stops early when it grows or
/// stagnates.
struct InnerResult {
  bool is_converged = false;
  bool is_usable = true;
  int steps = 0;
};
InnerResult newton(const FrictionContact& problem, const Scaled& scaled, Real alpha,
                   const VecX& centre, Real tolerance, Real first, Index& factorisations, VecX& r,
                   VecX& u) {
  InnerResult result;
  Real residual = first, best = first;
  int since_decrease = 0;
  VecX dr;
  while (residual > tolerance && result.steps < kNewtonSteps) {
    const VecX v = u + alpha * (r - centre);
    ++factorisations;
    if (!newton_step(problem, scaled.W, alpha, r, v, dr)) return {false, false, result.steps};
    r += dr;
    u = scaled.W * r + scaled.b;
    residual = alart_curnier(problem, r, u + alpha * (r - centre));
    ++result.steps;
    if (!std::isfinite(residual)) return {false, false, result.steps};
    since_decrease = residual < 0.9 * best ? 0 : since_decrease + 1;
    best = std::min(best, residual);
    if ((result.steps >= 4 && residual > 100 * best) || since_decrease >= 6) break;
  }
  result.is_converged = residual <= 10 * tolerance || residual <= 0.1 * first;
  return result;
}

}  // namespace

SolveReport proximal_newton(const FrictionContact& problem, const ProximalNewtonOptions& options,
                            const std::function<bool()>& should_stop, VecX& r) {
  TALUS_DEMAND(r.size() == problem.b.size());
  const Scaled scaled = scale(problem);
  VecX x = r.cwiseQuotient(scaled.scale) / scaled.gamma;  // r̃
  VecX u = scaled.W * x + scaled.b;
  Real residual = alart_curnier(problem, x, u);
  VecX best = x;
  Real best_residual = residual;

  SolveReport report{SolveStatus::max_iterations, 0, 0, {}};
  Real alpha = options.regularisation, decrease = options.decrease;
  int successes = 0, failures = 0;
  const auto is_solved = [&] {
    return residual <= options.gate * std::max(x.norm(), Real(1e-300));
  };
  while (!is_solved() && report.iterations < options.max_factorisations) {
    if (should_stop && should_stop()) {
      report.status = SolveStatus::interrupted;
      break;
    }
    const VecX centre = x, centre_u = u;
    const Real tolerance = std::max(Real(1e-15), Real(0.1) * std::min(residual, Real(1)));
    const InnerResult inner =
        newton(problem, scaled, alpha, centre, tolerance, residual, report.iterations, x, u);
    if (inner.steps == 0) {  // the residual is round-off already: nothing more to gain
      report.status = SolveStatus::stalled;
      break;
    }
    const Real after = inner.is_usable ? alart_curnier(problem, x, u) : INFINITY;
    // A diverged r makes relative residuals look small: the absolute one must not have grown
    // either.
    const bool is_sane = after <= std::max(10 * residual, Real(1e-3));
    if (is_sane && (inner.is_converged || after < 0.9 * residual)) {
      residual = after;
      failures = 0;
      if (inner.is_converged) {
        ++successes;
        if (inner.steps <= 5)
          alpha = std::max(alpha * decrease, Real(1e-10));
        else if (inner.steps > 10)
          alpha *= 1.5;
        if (successes >= 3) decrease = std::max(options.decrease, Real(0.7) * decrease);
      } else {
        alpha *= 2;
        decrease = std::min(Real(0.8), Real(1.5) * decrease);
      }
    } else {
      x = centre;
      u = centre_u;
      alpha *= 4;
      decrease = std::min(Real(0.8), std::max(2 * decrease, Real(0.02)));
      successes = 0;
      if (++failures > 12 || alpha > 1e6) {
        report.status = SolveStatus::stalled;
        break;
      }
    }
    if (residual < best_residual) {
      best_residual = residual;
      best = x;
    }
  }
  if (is_solved()) report.status = SolveStatus::converged;
  const Real size = best.norm();
  report.residual = size > 0 ? best_residual / size : best_residual;
  if (!std::isfinite(report.residual)) report.status = SolveStatus::numerical_error;
  r = scaled.gamma * scaled.scale.cwiseProduct(best);
  return report;
}

}  // namespace talus::solve
