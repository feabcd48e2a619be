#include <talus/dynamics/constraint_factor.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <talus/base/contract.hpp>
#include <talus/dynamics/constraint_rank.hpp>

namespace talus::dynamics {
namespace {

constexpr Real kHeld = 1e-12;      // of the response without constraints: round-off
constexpr Real kFewDigits = 1e-8;  // the least pivot of D that leaves half the digits

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
  compliance_.assign(compliance.begin(), compliance.end());
  const auto m = static_cast<Index>(rows.size());
  fit(scale_, m);
  fit(right_, m);
  fit(work_, m);
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), Index(0));
  if (factor_.rows() != m) factor_.resize(m, m);
  for (Index i = 0; i < m; ++i) {
    const Real diagonal = inverse_effective_mass(rows[i], mass) + yielding(i);
    scale_[i] = diagonal > 0 ? 1 / std::sqrt(diagonal) : 0;
  }
  factorise_delassus();
  is_graded_ = false;
  if (rank_ < m || least_pivot_ < kFewDigits) {
    // Rows of long lever arms, or of light bodies under heavy ones, are independent all the same.
    const std::vector<bool> is_independent =
        rank_ < m ? find_independent() : std::vector<bool>(rows.size(), true);
    const Index independent = std::count(is_independent.begin(), is_independent.end(), true);
    if (independent > rank_ || least_pivot_ < kFewDigits)
      orthogonalise(is_independent, independent);
  }
  if (rank_ < m) factorise_columns();
  is_constrained_.assign(static_cast<std::size_t>(mass.body_count()), false);
  for (const JacobianRow& row : rows)
    row.for_each(
        [&](Index body, const auto&) { is_constrained_[static_cast<std::size_t>(body)] = true; });
}

/// Rows that yield depend on no others, nor others on them.
std::vector<bool> ConstraintFactor::find_independent() const {
  if (compliance_.empty()) return independent_constraints(*rows_, *mass_);
  std::vector<JacobianRow> rigid;
  for (Index i = 0; i < count(); ++i)
    if (yielding(i) == 0) rigid.push_back((*rows_)[i]);
  const std::vector<bool> of_rigid = independent_constraints(rigid, *mass_);
  std::vector<bool> all(rows_->size(), true);
  std::size_t next = 0;
  for (Index i = 0; i < count(); ++i)
    if (yielding(i) == 0) all[i] = of_rigid[next++];
  return all;
}

/// Cholesky of the scaled D, column by column, the largest pivot next.
void ConstraintFactor::factorise_delassus() {
  const Index m = count();
  filled_.reserve(order_.size());
  for (Index i = 0; i < m; ++i) {  // the lower triangle
    for (Index j = 0; j < i; ++j)
      factor_(i, j) = scale_[i] * scale_[j] * delassus_entry((*rows_)[i], (*rows_)[j], *mass_);
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
}

/// The same L from the rows themselves, whose distances have twice the digits of their squares in
/// D: modified Gram–Schmidt in the metric M⁻¹ (`golub_2013` §5.2.8), of the rows given the
/// farthest from the span of those before next. A row that yields has √C in a direction of its own.
void ConstraintFactor::orthogonalise(const std::vector<bool>& is_independent, Index independent) {
  const Index m = count();
  const Index n = mass_->size(), yielding_count = compliance_.empty() ? 0 : m;
  graded_.setZero(n + yielding_count, m);
  std::iota(order_.begin(), order_.end(), Index(0));
  for (Index i = 0; i < m; ++i) {
    fit(direction_, mass_->size());
    direction_.setZero();
    (*rows_)[i].add_to(direction_, scale_[i]);
    graded_.col(i).head(n) = direction_;
    if (yielding_count > 0) graded_(n + i, i) = scale_[i] * std::sqrt(yielding(i));
  }
  factor_.setZero(m, m);
  least_pivot_ = 1;
  for (rank_ = 0; rank_ < independent; ++rank_) {
    const Index k = rank_;
    Index farthest = -1;
    Real most = 0;
    for (Index i = k; i < m; ++i) {
      if (!is_independent[static_cast<std::size_t>(order_[i])]) continue;
      const auto own = graded_.col(order_[i]);
      const Real square = mass_->inverse_form(own.head(n)) + own.tail(yielding_count).squaredNorm();
      if (!(square > most)) continue;
      most = square;
      farthest = i;
    }
    if (farthest < 0) break;
    std::swap(order_[k], order_[farthest]);
    factor_.row(k).head(k).swap(factor_.row(farthest).head(k));
    least_pivot_ = std::min(least_pivot_, most);
    factor_(k, k) = std::sqrt(most);
    const VecX pivot = graded_.col(order_[k]) / factor_(k, k);
    mass_->solve(pivot.head(n), direction_);
    for (Index i = k + 1; i < m; ++i) {
      factor_(i, k) = graded_.col(order_[i]).head(n).dot(direction_) +
                      graded_.col(order_[i]).tail(yielding_count).dot(pivot.tail(yielding_count));
      graded_.col(order_[i]) -= factor_(i, k) * pivot;
    }
  }
  is_graded_ = true;
}

/// K = L, zero over its triangle, = Q R by Gram–Schmidt, twice (`golub_2013` §5.2.8): of the scaled
/// D, in which forces and moments have one unit.
void ConstraintFactor::factorise_columns() {
  const Index m = count();
  for (Index i = 0; i < m; ++i) {
    const Real scale = scale_[order_[i]];
    for (Index j = 0; j < rank_; ++j) {
      if (j > i) factor_(i, j) = 0;
      if (!(scale > 0)) factor_(i, j) = 0;
    }
  }
  triangle_.setZero(rank_, rank_);
  for (Index j = 0; j < rank_; ++j) {
    for (int twice = 0; twice < 2; ++twice)
      for (Index k = 0; k < j; ++k) {
        const Real along = factor_.col(k).dot(factor_.col(j));
        triangle_(k, j) += along;
        factor_.col(j) -= along * factor_.col(k);
      }
    triangle_(j, j) = factor_.col(j).norm();
    factor_.col(j) /= triangle_(j, j);
  }
}

void ConstraintFactor::solve(const VecX& r, VecX& multipliers) {
  TALUS_ASSERT(r.size() == count());
  if (!is_graded_) {
    solve_once(r, multipliers);
    return;
  }
  // Multipliers of long levers nearly cancel: what they leave of r is solved for again.
  constexpr int kRefinements = 2;
  target_ = r;
  fit(left_, count());
  solve_once(r, multipliers);
  for (int i = 0; i < kRefinements; ++i) {
    fit(response_, mass_->size());
    response_.setZero();
    for (Index k = 0; k < count(); ++k)
      apply_impulse((*rows_)[k], multipliers[k], *mass_, response_);
    for (Index k = 0; k < count(); ++k)
      left_[k] = target_[k] - (*rows_)[k].times(response_) - yielding(k) * multipliers[k];
    solve_once(left_, left_);
    multipliers += left_;
  }
}

void ConstraintFactor::solve_once(const VecX& r, VecX& multipliers) {
  const Index m = count();
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
  for (Index j = 0; j < rank_; ++j) {  // Qᵀ r
    Real sum = 0;
    for (Index i = 0; i < m; ++i) sum += factor_(i, j) * scale_[order_[i]] * r[order_[i]];
    x[j] = sum;
  }
  for (Index i = rank_; i-- > 0;) {  // R⁻¹
    for (Index j = i + 1; j < rank_; ++j) x[i] -= triangle_(i, j) * x[j];
    x[i] /= triangle_(i, i);
  }
  for (Index i = 0; i < rank_; ++i) {  // R⁻ᵀ
    for (Index j = 0; j < i; ++j) x[i] -= triangle_(j, i) * x[j];
    x[i] /= triangle_(i, i);
  }
  for (Index i = 0; i < m; ++i) {
    Real sum = 0;
    for (Index j = 0; j < rank_; ++j) sum += factor_(i, j) * x[j];
    multipliers[order_[i]] = scale_[order_[i]] * sum;
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
