#include <talus/dynamics/constraint_factor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <talus/base/contract.hpp>

namespace talus::dynamics {
namespace {

constexpr Real kHeld = 1e-12;  // of the response without constraints: round-off

/// Takes a vector to size n without touching memory that is there.
void fit(VecX& x, Index n) {
  if (x.size() != n) x.resize(n);
}

}  // namespace

void ConstraintFactor::factorise(const std::vector<JacobianRow>& rows, const MassMatrix& mass,
                                 std::span<const Real> compliance) {
  TALUS_ASSERT(compliance.empty() || compliance.size() == rows.size());
  rows_ = &rows;
  mass_ = &mass;
  const auto m = static_cast<Index>(rows.size());
  fit(scale_, m);
  fit(right_, m);
  fit(work_, m);
  order_.resize(rows.size());
  filled_.reserve(rows.size());
  std::iota(order_.begin(), order_.end(), Index(0));
  if (factor_.rows() != m) factor_.resize(m, m);
  for (Index i = 0; i < m; ++i) {
    const Real diagonal = inverse_effective_mass(rows[i], mass) +
                          (compliance.empty() ? 0 : compliance[static_cast<std::size_t>(i)]);
    scale_[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
  }
  // Lower triangle of the scaled D, then Cholesky column by column, the largest pivot next.
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < i; ++j)
      factor_(i, j) = scale_[i] * scale_[j] * delassus_entry(rows[i], rows[j], mass);
    factor_(i, i) = scale_[i] > 0 ? 1 : 0;
  }
  rank_ = 0;
  least_pivot_ = 1;
  for (; rank_ < m; ++rank_) {
    const Index k = rank_;
    Index largest = k;
    for (Index i = k + 1; i < m; ++i)
      if (factor_(i, i) > factor_(largest, largest)) largest = i;
    if (!(factor_(largest, largest) > kRankTolerance)) break;
    if (largest != k) {  // swap rows and columns k and largest of the lower triangle
      std::swap(order_[k], order_[largest]);
      for (Index j = 0; j < k; ++j) std::swap(factor_(k, j), factor_(largest, j));
      for (Index i = k + 1; i < largest; ++i) std::swap(factor_(i, k), factor_(largest, i));
      for (Index i = largest + 1; i < m; ++i) std::swap(factor_(i, k), factor_(i, largest));
      std::swap(factor_(k, k), factor_(largest, largest));
    }
    least_pivot_ = std::min(least_pivot_, factor_(k, k));
    const Real pivot = std::sqrt(factor_(k, k));
    factor_(k, k) = pivot;
    filled_.clear();
    for (Index i = k + 1; i < m; ++i) {
      if (factor_(i, k) == 0) continue;
      factor_(i, k) /= pivot;
      filled_.push_back(i);
    }
    // A long chain couples neighbours only; taking the largest pivot next it stays nearly so.
    for (auto j = filled_.begin(); j != filled_.end(); ++j)
      for (auto i = j; i != filled_.end(); ++i) factor_(*i, *j) -= factor_(*i, k) * factor_(*j, k);
  }
  if (rank_ < m) factorise_gram();
  is_constrained_.assign(static_cast<std::size_t>(mass.body_count()), false);
  for (const JacobianRow& row : rows)
    row.for_each(
        [&](Index body, const auto&) { is_constrained_[static_cast<std::size_t>(body)] = true; });
}

/// K = S⁻¹ L: the rows of L without the scaling, first over their triangle.
void ConstraintFactor::factorise_gram() {
  const Index m = count();
  for (Index i = 0; i < m; ++i) {
    const Real scale = scale_[order_[i]];
    for (Index j = 0; j < rank_; ++j) {
      if (j > i) factor_(i, j) = 0;
      factor_(i, j) = scale > 0 ? factor_(i, j) / scale : 0;
    }
  }
  if (gram_.rows() != rank_) gram_.resize(rank_, rank_);
  for (Index i = 0; i < rank_; ++i)
    for (Index j = 0; j <= i; ++j) {
      Real sum = 0;
      for (Index k = 0; k < m; ++k) sum += factor_(k, i) * factor_(k, j);
      for (Index k = 0; k < j; ++k) sum -= gram_(i, k) * gram_(j, k);
      gram_(i, j) = i == j ? std::sqrt(sum) : sum / gram_(j, j);
    }
}

void ConstraintFactor::solve(const VecX& r, VecX& multipliers) {
  const Index m = count();
  TALUS_ASSERT(r.size() == m);
  fit(multipliers, m);
  VecX& x = work_;
  if (rank_ == m) {  // L Lᵀ (λ/s) = s r
    for (Index i = 0; i < m; ++i) x[i] = scale_[order_[i]] * r[order_[i]];
    for (Index j = 0; j < m; ++j) {
      x[j] /= factor_(j, j);
      if (x[j] == 0) continue;
      for (Index i = j + 1; i < m; ++i) x[i] -= factor_(i, j) * x[j];
    }
    for (Index i = m; i-- > 0;) {
      Real sum = x[i];
      for (Index j = i + 1; j < m; ++j) sum -= factor_(j, i) * x[j];
      x[i] = sum / factor_(i, i);
    }
    for (Index i = 0; i < m; ++i) multipliers[order_[i]] = scale_[order_[i]] * x[i];
    return;
  }
  for (Index j = 0; j < rank_; ++j) {  // Kᵀ r
    Real sum = 0;
    for (Index i = 0; i < m; ++i) sum += factor_(i, j) * r[order_[i]];
    x[j] = sum;
  }
  for (int twice = 0; twice < 2; ++twice) {  // (KᵀK)⁻²
    for (Index i = 0; i < rank_; ++i) {
      for (Index j = 0; j < i; ++j) x[i] -= gram_(i, j) * x[j];
      x[i] /= gram_(i, i);
    }
    for (Index i = rank_; i-- > 0;) {
      for (Index j = i + 1; j < rank_; ++j) x[i] -= gram_(j, i) * x[j];
      x[i] /= gram_(i, i);
    }
  }
  for (Index i = 0; i < m; ++i) {
    Real sum = 0;
    for (Index j = 0; j < rank_; ++j) sum += factor_(i, j) * x[j];
    multipliers[order_[i]] = sum;
  }
}

void ConstraintFactor::accelerate(const VecX& Q, const VecX& drift, VecX& acceleration,
                                  VecX& multipliers) {
  mass_->add_solved(Q, acceleration);
  for (Index i = 0; i < count(); ++i) right_[i] = -(*rows_)[i].times(acceleration) - drift[i];
  solve(right_, multipliers);
  for (Index i = 0; i < count(); ++i)
    apply_impulse((*rows_)[i], multipliers[i], *mass_, acceleration);
}

void ConstraintFactor::constrained_response(const JacobianRow& w, VecX& y, VecX& multipliers) {
  y.setZero(mass_->size());
  apply_impulse(w, 1, *mass_, y);
  const Real free = w.times(y);
  for (Index i = 0; i < count(); ++i) right_[i] = -(*rows_)[i].times(y);
  solve(right_, multipliers);
  for (Index i = 0; i < count(); ++i) apply_impulse((*rows_)[i], multipliers[i], *mass_, y);
  if (w.times(y) <= kHeld * free) y.setZero();
}

void ConstraintFactor::constrained_response(const JacobianRow& w, Response& response) {
  response.parts.clear();
  if (w.is_general()) {
    constrained_response(w, response_, response.multipliers);
    response.general = response_.isZero(0) ? VecX() : response_;
    return;
  }
  bool is_free = true;
  w.for_each([&](Index body, const auto&) {
    is_free = is_free && !is_constrained_[static_cast<std::size_t>(body)];
  });
  if (is_free) {
    response.multipliers = VecX::Zero(count());
    w.for_each([&](Index body, const auto& part) {
      const Vec3 change =
          mass_->inverse_diagonal().segment<3>(3 * body).cwiseProduct(part.template head<3>());
      if (!change.isZero(0)) response.parts.push_back({body, change});
    });
    if (response.parts.size() == 2 && response.parts[0].body > response.parts[1].body)
      std::swap(response.parts[0], response.parts[1]);
    return;
  }
  constrained_response(w, response_, response.multipliers);
  for (Index body = 0; body < mass_->body_count(); ++body)
    if (const Vec3 change = response_.segment<3>(3 * body); !change.isZero(0))
      response.parts.push_back({body, change});
}

void ConstraintFactor::correct(const VecX& r, VecX& v, VecX& multipliers) {
  solve(r, multipliers);
  for (Index i = 0; i < count(); ++i) apply_impulse((*rows_)[i], -multipliers[i], *mass_, v);
}

namespace {

/// 1 + the largest entry of x among a row's bodies.
Real size_at(const JacobianRow& row, const VecX& x) {
  Real size = 0;
  for (const Index body : {row.body_a, row.body_b})
    if (body >= 0)
      size = std::max(size, x.segment(row.width * body, row.width).cwiseAbs().maxCoeff());
  return 1 + size;
}

/// The largest |value|, scaled.
Real scaled(const ConstraintTerms& terms, const VecX& value, const VecX& x) {
  Real largest = 0;
  for (Index i = 0; i < value.size(); ++i)
    largest =
        std::max(largest, std::abs(value[i]) / size_at(terms.rows[static_cast<std::size_t>(i)], x));
  return largest;
}

}  // namespace

ProjectionReport ConstraintProjection::position(const System& machine, Real time, VecX& q) {
  constexpr Index kMostIterations = 50;
  constexpr Real kGoodEnough = 1e-11;
  ProjectionReport report;
  zero_.setZero(machine.coordinate_count());
  machine.take_mass(q);
  machine.constraints(time, q, zero_, terms_);
  report.residual = scaled(terms_, terms_.value, q);
  Real before = std::numeric_limits<Real>::infinity();
  const auto is_done = [&] {
    return report.residual <= kTolerance ||
           (report.residual <= kGoodEnough && report.residual >= 0.5 * before);
  };
  while (!is_done() && report.iterations < kMostIterations && std::isfinite(report.residual)) {
    solver_.factorise(terms_.rows, machine.mass());
    report.rank = solver_.rank();
    solver_.correct(terms_.value, q, multipliers_);
    ++report.iterations;
    before = report.residual;
    machine.constraints(time, q, zero_, terms_);
    report.residual = scaled(terms_, terms_.value, q);
  }
  if (report.iterations == 0) {
    solver_.factorise(terms_.rows, machine.mass());
    report.rank = solver_.rank();
  }
  report.is_converged = is_done();
  return report;
}

ProjectionReport ConstraintProjection::velocity(const System& machine, Real time, const VecX& q,
                                                VecX& v) {
  constexpr Real kGoodEnough = 1e-9;  // redundant rows agree as well as q meets them
  ProjectionReport report;
  machine.take_mass(q);
  machine.constraints(time, q, v, terms_);
  solver_.factorise(terms_.rows, machine.mass());
  report.rank = solver_.rank();
  impulses_ = VecX::Zero(terms_.rate.size());
  for (; report.iterations < 2; ++report.iterations) {
    solver_.correct(terms_.rate, v, multipliers_);
    impulses_ -= multipliers_;
    machine.constraints(time, q, v, terms_);
  }
  report.residual = scaled(terms_, terms_.rate, v);
  report.is_converged = report.residual <= kGoodEnough;
  return report;
}

}  // namespace talus::dynamics
