#include <talus/stepping/machine/elimination.hpp>

#include <cmath>

namespace talus::stepping::machine {

using dynamics::PlanarRow;

namespace {

constexpr Real kPivot = 1e-11;  // of D scaled to a unit diagonal, as MinimumNorm

Real weighted(const Vec3& a, const Vec3& b, const VecX& weight, Index body) {
  return a[0] * b[0] * weight[3 * body] + a[1] * b[1] * weight[3 * body + 1] +
         a[2] * b[2] * weight[3 * body + 2];
}

}  // namespace

Real coupling(const PlanarRow& p, const PlanarRow& r, const VecX& inverse_mass) {
  Real sum = 0;
  if (p.body_a >= 0) {
    if (p.body_a == r.body_a) sum += weighted(p.a, r.a, inverse_mass, p.body_a);
    if (p.body_a == r.body_b) sum += weighted(p.a, r.b, inverse_mass, p.body_a);
  }
  if (p.body_b >= 0) {
    if (p.body_b == r.body_a) sum += weighted(p.b, r.a, inverse_mass, p.body_b);
    if (p.body_b == r.body_b) sum += weighted(p.b, r.b, inverse_mass, p.body_b);
  }
  return sum;
}

void Elimination::set(const std::vector<PlanarRow>& rows, const VecX& inverse_mass) {
  size_ = static_cast<Index>(rows.size());
  if (scale_.size() != size_) {
    D_.resize(size_, size_);
    factor_.resize(size_, size_);
    scale_.resize(size_);
    work_.resize(size_);
    minimum_norm_.reserve(size_);
  }
  for (Index i = 0; i < size_; ++i) {
    for (Index j = 0; j <= i; ++j) D_(i, j) = D_(j, i) = coupling(rows[i], rows[j], inverse_mass);
    scale_[i] = D_(i, i) > 0 ? 1 / std::sqrt(D_(i, i)) : 1;
  }
  rank_ = size_;
  is_regular_ = true;
  for (Index i = 0; i < size_; ++i)
    for (Index j = 0; j <= i; ++j) {
      Real sum = D_(i, j);
      for (Index k = 0; k < j; ++k) sum -= factor_(i, k) * factor_(j, k);
      if (i != j) {
        factor_(i, j) = sum / factor_(j, j);
      } else if (sum * scale_[i] * scale_[i] > kPivot) {
        factor_(i, i) = std::sqrt(sum);
      } else {
        is_regular_ = false;
        work_.setZero();
        solve(work_, work_);
        return;
      }
    }
}

void Elimination::solve(const VecX& r, VecX& lambda) {
  if (!is_regular_) {
    minimum_norm_.start(size_);
    for (Index i = 0; i < size_; ++i) {
      minimum_norm_.right_side(i) = r[i];
      for (Index j = 0; j < size_; ++j) minimum_norm_.matrix(i, j) = D_(i, j);
    }
    rank_ = minimum_norm_.solve(scale_, nullptr, work_);
    lambda = work_;
    return;
  }
  for (Index i = 0; i < size_; ++i) {
    work_[i] = r[i];
    for (Index k = 0; k < i; ++k) work_[i] -= factor_(i, k) * work_[k];
    work_[i] /= factor_(i, i);
  }
  for (Index i = size_ - 1; i >= 0; --i) {
    for (Index k = i + 1; k < size_; ++k) work_[i] -= factor_(k, i) * work_[k];
    work_[i] /= factor_(i, i);
  }
  lambda = work_;
}

}  // namespace talus::stepping::machine
