#include <talus/solve/interior_point/cone_ipm.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <talus/linalg/sparse_factor.hpp>
#include <talus/solve/detail/cone_method.hpp>
#include <talus/solve/detail/second_order_cone.hpp>

namespace talus::solve {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::SolveStatus;

constexpr Real kConeStart = 0.1;                            // of r and of u, scaled problem
constexpr Real kConeToBoundary = 0.995;                     // part of the way that a step goes
constexpr Real kProximal = 1e-10;                           // on the diagonal of free rows
constexpr Real kLeastCentring = 1e-4, kMostCentring = 0.9;  // σ
constexpr Real kCentral = 1e-3;                             // least x∘y of a cone over the mean
constexpr Real kCut = 0.9;  // of steps that would leave that neighbourhood
constexpr int kMostCuts = 50;
constexpr int kConeTinySteps = 5;  // in a row: stalled

/// One bound of one row: x = ±(r − bound) ≥ 0 with its dual y ≥ 0.
struct Bound {
  Index row;
  Real sign, bound;
  Real x = 0, y = 0, dx = 0, dy = 0;
  Real change = 0;  // dy + H dx, H = y/x
};

/// One second-order cone: x = D (r_rows), u_rows += D y, D = diag(μ, 1, 1).
template <int d>
struct SecondOrder {
  using Vec = Eigen::Matrix<Real, d, 1>;
  std::array<Index, d> row;
  Real friction;
  Vec x = Vec::Zero(), y = Vec::Zero(), dx = Vec::Zero(), dy = Vec::Zero();
  Vec change = Vec::Zero();  // dy + H dx
  detail::NesterovTodd<Vec> scaling = {};
  Eigen::Matrix<Real, d, d> H = Eigen::Matrix<Real, d, d>::Zero();

  [[nodiscard]] Real stretch(int k) const { return k == 0 ? friction : 1; }
  [[nodiscard]] Vec gather(const VecX& r) const {
    Vec part;
    for (int k = 0; k < d; ++k) part[k] = stretch(k) * r[row[static_cast<std::size_t>(k)]];
    return part;
  }
  void scatter(const Vec& part, VecX& sum) const {
    for (int k = 0; k < d; ++k) sum[row[static_cast<std::size_t>(k)]] += stretch(k) * part[k];
  }
};

class ConeInteriorPoint {
 public:
  explicit ConeInteriorPoint(const detail::ScaledCones& scaled) : scaled_(scaled) {
    const Index n = scaled.size();
    r = VecX::Zero(n);
    is_fixed_.assign(static_cast<std::size_t>(n), false);
    is_free_.assign(static_cast<std::size_t>(n), false);
    for (const Cone& cone : scaled.cones) add(cone);
    for (Bound& b : bounds_) b.x = b.sign * (r[b.row] - b.bound);
    for (Bound& b : bounds_) b.y = kConeStart * kConeStart / b.x;
    const auto centre = [&](auto& cone) {
      cone.x = cone.gather(r);
      cone.y = kConeStart * kConeStart * detail::inverse(cone.x);
    };
    for_each_cone(centre);
    gather_pattern();
  }

  VecX r;  // strictly inside

  /// Mean of x·y; 0 without a cone.
  [[nodiscard]] Real gap() {
    Real sum = 0;
    for (const Bound& b : bounds_) sum += b.x * b.y;
    for_each_cone([&](const auto& cone) { sum += cone.x.dot(cone.y); });
    return degree() > 0 ? sum / degree() : Real(0);
  }

  /// One step from r with velocities u = W r + b. @return its length, −1: not factorised.
  Real step(const VecX& u) {
    if (!factorise()) return -1;
    const Real tau = gap();
    rhs_ = -u;  // affine direction, σ = 0 (predictor of `mehrotra_1992`)
    for (Bound& b : bounds_) b.change = -b.y;
    for_each_cone([](auto& cone) { cone.change = -cone.y; });
    solve();
    const Real affine = std::min(Real(1), longest_step());
    Real after = 0;
    for (const Bound& b : bounds_) after += (b.x + affine * b.dx) * (b.y + affine * b.dy);
    for_each_cone([&](const auto& cone) {
      after += (cone.x + affine * cone.dx).dot(cone.y + affine * cone.dy);
    });
    const Real ratio = degree() > 0 && tau > 0 ? after / degree() / tau : Real(0);
    // σ τ with σ = (τ_affine/τ)³, and the second-order term of the corrector (`mehrotra_1992`).
    const Real target = tau * std::clamp(ratio * ratio * ratio, kLeastCentring, kMostCentring);

    for (Bound& b : bounds_) {
      const Real change = (target - b.dx * b.dy) / b.x;
      rhs_[b.row] += b.sign * change;
      b.change += change;
    }
    for_each_cone([&](auto& cone) {
      const auto second =
          detail::product(cone.scaling.apply(cone.dx), cone.scaling.apply_inverse(cone.dy));
      const auto change = (target * detail::inverse(cone.x) -
                           cone.scaling.apply(detail::quotient(cone.scaling.apply(cone.x), second)))
                              .eval();
      cone.scatter(change, rhs_);
      cone.change += change;
    });
    solve();
    // One length for x and y (`nesterov_1998`), shorter where a cone runs ahead of the others.
    Real length = std::min(Real(1), kConeToBoundary * longest_step());
    for (int i = 0; i < kMostCuts && !is_central(length); ++i) length *= kCut;
    r += length * dr_;
    for (Bound& b : bounds_) {
      b.x += length * b.dx;
      b.y += length * b.dy;
    }
    for_each_cone([&](auto& cone) {
      cone.x += length * cone.dx;
      cone.y += length * cone.dy;
    });
    return length;
  }

 private:
  [[nodiscard]] Real degree() const {
    return static_cast<Real>(bounds_.size() + planes_.size() + cones_.size());
  }
  template <class Visit>
  void for_each_cone(Visit&& visit) {
    for (SecondOrder<2>& cone : planes_) visit(cone);
    for (SecondOrder<3>& cone : cones_) visit(cone);
  }

  void add(const Cone& cone) {
    switch (cone.kind) {
      case ConeKind::free:
        for (Index i = 0; i < cone.size; ++i)
          is_free_[static_cast<std::size_t>(cone.first + i)] = true;
        return;
      case ConeKind::nonnegative:
        for (Index i = 0; i < cone.size; ++i) add_half_line(cone.first + i);
        return;
      case ConeKind::box:
        for (Index i = 0; i < cone.size; ++i) add_interval(cone.first + i);
        return;
      case ConeKind::friction:
      case ConeKind::rolling:
        add_half_line(cone.first, cone.friction == 0);
        add_second_order(cone.first, cone.first + 1, std::min<Index>(cone.size, 3) - 1,
                         cone.friction);
        if (cone.kind == ConeKind::rolling)
          add_second_order(cone.first, cone.first + 3, 2, cone.rolling);
        return;
    }
  }
  void add_half_line(Index row, bool is_bounded = true) {
    r[row] = kConeStart;
    if (is_bounded) bounds_.push_back({row, 1, 0});
  }
  void add_interval(Index row) {
    const Real low = scaled_.lower[row], high = scaled_.upper[row];
    if (low == high) {
      r[row] = low;
      is_fixed_[static_cast<std::size_t>(row)] = true;
      return;
    }
    const Real half = std::min(kConeStart, (high - low) / 2);
    r[row] = std::isfinite(low) ? low + half : std::isfinite(high) ? high - half : Real(0);
    if (std::isfinite(low)) bounds_.push_back({row, 1, low});
    if (std::isfinite(high)) bounds_.push_back({row, -1, high});
    is_free_[static_cast<std::size_t>(row)] = !std::isfinite(low) && !std::isfinite(high);
  }
  /// Rows (normal; tangential, …); without friction the tangential ones are 0.
  void add_second_order(Index normal, Index tangential, Index count, Real friction) {
    if (friction == 0)
      for (Index k = 0; k < count; ++k) is_fixed_[static_cast<std::size_t>(tangential + k)] = true;
    else if (count == 1)
      planes_.push_back({{normal, tangential}, friction});
    else
      cones_.push_back({{normal, tangential, tangential + 1}, friction});
  }

  /// Pattern of W + Wᵀ and of the cones' blocks, without the couplings of fixed rows.
  void gather_pattern() {
    std::vector<Eigen::Triplet<Real>> entries;
    const auto add_entry = [&](Index i, Index j, Real value) {
      if (i >= j) entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
    };
    for (Index i = 0; i < r.size(); ++i) {
      const bool is_fixed = is_fixed_[static_cast<std::size_t>(i)];
      add_entry(i, i, is_fixed ? 1 : is_free_[static_cast<std::size_t>(i)] ? kProximal : Real(0));
      for (problem::SparseMatrix::InnerIterator entry(scaled_.W, i); entry; ++entry) {
        if (is_fixed || is_fixed_[static_cast<std::size_t>(entry.col())]) continue;
        add_entry(i, entry.col(), entry.col() == i ? entry.value() : entry.value() / 2);
        if (entry.col() != i) add_entry(entry.col(), i, entry.value() / 2);
      }
    }
    for_each_cone([&](const auto& cone) {
      for (const Index i : cone.row)
        for (const Index j : cone.row) add_entry(i, j, 0);
    });
    constant_.resize(r.size(), r.size());
    constant_.setFromTriplets(entries.begin(), entries.end());
    system_ = constant_;
    factors_.analyse(system_);
  }

  /// W + Gᵀ H G with H of the present x, y.
  bool factorise() {
    std::copy_n(constant_.valuePtr(), constant_.nonZeros(), system_.valuePtr());
    for (const Bound& b : bounds_) system_.coeffRef(b.row, b.row) += b.y / b.x;
    for_each_cone([&](auto& cone) {
      cone.scaling = {cone.x, cone.y};  // H x = y (`nesterov_1998`)
      cone.H = cone.scaling.square();
      for (std::size_t k = 0; k < cone.row.size(); ++k)
        for (std::size_t l = 0; l < cone.row.size(); ++l)
          if (cone.row[k] >= cone.row[l])
            system_.coeffRef(cone.row[k], cone.row[l]) +=
                cone.stretch(static_cast<int>(k)) * cone.stretch(static_cast<int>(l)) *
                cone.H(static_cast<Index>(k), static_cast<Index>(l));
    });
    return factors_.factorise(system_);
  }

  /// dr of the right-hand side rhs_.
  void solve() {
    for (Index i = 0; i < rhs_.size(); ++i)
      if (is_fixed_[static_cast<std::size_t>(i)]) rhs_[i] = 0;
    factors_.solve(rhs_, dr_);
  }

  /// dx and dy of the step dr_, and how long it may be, at most 1 over kConeToBoundary: a full step
  /// stays a full step.
  Real longest_step() {
    Real longest = 1 / kConeToBoundary;
    for (Bound& b : bounds_) {
      b.dx = b.sign * dr_[b.row];
      b.dy = b.change - b.y / b.x * b.dx;
      if (b.dx < 0) longest = std::min(longest, -b.x / b.dx);
      if (b.dy < 0) longest = std::min(longest, -b.y / b.dy);
    }
    for_each_cone([&](auto& cone) {
      cone.dx = cone.gather(dr_);
      cone.dy = cone.change - cone.H * cone.dx;
      longest = std::min({longest, detail::step_to_boundary(cone.x, cone.dx),
                          detail::step_to_boundary(cone.y, cone.dy)});
    });
    return longest;
  }

  /// Whether no cone runs ahead of the others to its boundary, where its scaling loses its digits:
  /// det x det y ≥ (kCentral τ)² after the step.
  bool is_central(Real length) {
    Real sum = 0, least = std::numeric_limits<Real>::infinity();
    for (const Bound& b : bounds_) {
      const Real product = (b.x + length * b.dx) * (b.y + length * b.dy);
      sum += product;
      least = std::min(least, product);
    }
    for_each_cone([&](const auto& cone) {
      const auto x = (cone.x + length * cone.dx).eval(), y = (cone.y + length * cone.dy).eval();
      sum += x.dot(y);
      const Real product = detail::determinant(x) * detail::determinant(y);
      least = std::min(least, product > 0 ? std::sqrt(product) : product);
    });
    return degree() == 0 || least >= kCentral * sum / degree();
  }

  const detail::ScaledCones& scaled_;
  std::vector<Bound> bounds_;
  std::vector<SecondOrder<2>> planes_;
  std::vector<SecondOrder<3>> cones_;
  std::vector<bool> is_fixed_, is_free_;
  linalg::SparseColumns constant_, system_;  // lower triangles
  linalg::SparseLdlt factors_;
  VecX rhs_, dr_;
};

}  // namespace

problem::SolveReport cone_ipm(const problem::ConeProblem& problem, const ConeIpmOptions& options,
                              const ExternalResidual& external_residual,
                              const StopRequest& should_stop, VecX& r) {
  const auto iterate = [&](const detail::ScaledCones& scaled, detail::StoppingRule& rule) {
    ConeInteriorPoint point(scaled);
    VecX u(scaled.size()), work(scaled.size());
    scaled.velocity(point.r, u);
    ++rule.count().products;
    int tiny = 0;
    while (rule.should_continue(point.r, scaled.natural_map(point.r, u, work))) {
      const Real length = point.step(u);
      ++rule.count().factorisations;
      if (length < 0) {
        rule.stop(point.r, SolveStatus::stalled);
        break;
      }
      scaled.velocity(point.r, u);
      ++rule.count().products;
      ++rule.count().projections;
      tiny = length < 1e-6 ? tiny + 1 : 0;
      if (tiny >= kConeTinySteps) {
        rule.stop(point.r, SolveStatus::stalled);
        break;
      }
    }
  };
  return detail::run_cone_method(problem, options, external_residual, should_stop, r, iterate);
}

}  // namespace talus::solve
