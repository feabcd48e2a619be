#include <talus/problem/convert_bilateral.hpp>

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/linalg/sparse_factor.hpp>
#include <talus/problem/detail/probe.hpp>
#include <talus/problem/validate.hpp>

namespace talus::problem {
namespace {

/// Growth of a solve with the scaled matrix beyond which its rank is looked at.
constexpr Real kSuspect = 1e11;
/// Relative residual of dependent constraints beyond which they contradict each other.
constexpr Real kContradiction = 1e-8;
/// Most constraints that are factorised densely.
constexpr Index kLargestDense = 2000;
/// Share of W_kk that must be left of a row that the constraints do not hold.
constexpr Real kImmobile = 1e-12;

InputError refuse(const std::string& file, const std::string& path, const std::string& message,
                  const std::string& hint) {
  return InputError(Diagnostic{{file, 0, 0}, path, message, "", hint});
}

/// Sets to 0 what rounding leaves of rows along which the constraints hold a contact.
/// @param before the diagonal of W without the constraints.
void drop_held(const VecX& before, SparseMatrix& W) {
  const VecX diagonal = W.diagonal();
  const auto is_held = [&](Index row) {
    return std::abs(diagonal[row]) <= kImmobile * std::abs(before[row]);
  };
  for (Index row = 0; row < W.outerSize(); ++row)
    for (SparseMatrix::InnerIterator entry(W, row); entry; ++entry)
      if (is_held(row) || is_held(entry.col())) entry.valueRef() = 0;
}

/// Contacts that the constraints hold along their normals have no place in a problem.
/// @param before the diagonal of W without the constraints.
void refuse_immobile(const FrictionContact& contacts, const VecX& before, const std::string& file) {
  for (Index i = 0; i < contacts.contact_count(); ++i) {
    const Index normal = i * contacts.dimension;
    if (!(contacts.W.coeff(normal, normal) > kImmobile * before[normal]))
      throw refuse(
          file, "W",
          fmt::format("contact {} cannot move along its normal: the constraints hold it", i),
          "a contact between bodies that are joined there has no place in the problem");
  }
}

}  // namespace

/// Factors of S W_ee S, S = 1/√W_kk.
struct ContactForm::Factors {
  VecX scale, b;  // S, b_e
  SparseMatrix W_ec;
  SparseMatrix scaled;  // S W_ee S
  linalg::SparseLu lu;
  std::optional<linalg::CompleteOrthogonal> orthogonal;  // where constraints repeat others

  [[nodiscard]] VecX solve(const VecX& rhs) const {
    const VecX scaled_rhs = scale.cwiseProduct(rhs);
    VecX x = orthogonal ? orthogonal->solve(scaled_rhs) : lu.solve(scaled_rhs);
    const VecX defect = scaled_rhs - scaled * x;
    x += orthogonal ? orthogonal->solve(defect) : lu.solve(defect);
    return scale.cwiseProduct(x);
  }
  [[nodiscard]] bool is_solved(const VecX& x, const VecX& rhs) const {
    const VecX scaled_rhs = scale.cwiseProduct(rhs);
    return (scaled * x.cwiseQuotient(scale) - scaled_rhs).norm() <=
           kContradiction * scaled_rhs.norm();
  }

  /// Factorises S W_ee S, densely where constraints depend on each other. @return its rank.
  Index factorise(const SparseMatrix& W_ee, const std::string& file) {
    const Index p = W_ee.rows();
    scale = W_ee.diagonal().unaryExpr(
        [](Real value) { return value > 0 ? 1 / std::sqrt(value) : Real(1); });
    scaled = scale.asDiagonal() * W_ee * scale.asDiagonal();
    const linalg::SparseColumns columns = scaled;
    lu.analyse(columns);
    if (lu.factorise(columns)) {
      const VecX answer = lu.solve(detail::probe(p));
      if (answer.allFinite() && answer.cwiseAbs().maxCoeff() <= kSuspect) return p;
    }
    if (p > kLargestDense)
      throw refuse(file, "W",
                   fmt::format("expected at most {} constraints that depend on each other, got {}",
                               kLargestDense, p),
                   "drop the constraints that repeat others");
    orthogonal.emplace(linalg::kScaledRank);
    orthogonal->compute(MatX(scaled));
    return orthogonal->rank();
  }

  /// −W_ce W_ee⁻¹ W_ec.
  [[nodiscard]] SparseMatrix correction(const SparseMatrix& W_ce, const std::string& file) const {
    const Index n = W_ce.rows();
    const linalg::SparseColumns by_contact = W_ec;
    std::vector<Eigen::Triplet<Real>> entries;
    for (Index j = 0; j < n; ++j) {
      if (by_contact.outerIndexPtr()[j] == by_contact.outerIndexPtr()[j + 1]) continue;
      const VecX rhs = by_contact.col(j);
      const VecX x = solve(rhs);
      if (!is_solved(x, rhs))
        throw refuse(file, "W",
                     "the constraints cannot follow what the contacts do: W is not positive "
                     "semidefinite",
                     "");
      const VecX product = W_ce * x;
      for (Index i = 0; i < n; ++i)
        if (product[i] != 0)
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), -product[i]);
    }
    SparseMatrix result(n, n);
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
  }
};

ContactForm::ContactForm(const BilateralContact& problem, const std::string& file)
    : factors_(std::make_unique<Factors>()) {
  const Index p = problem.equality_count, n = problem.b.size() - p;
  contacts_.dimension = problem.dimension;
  contacts_.friction = problem.friction;
  contacts_.W = problem.W.block(p, p, n, n);
  contacts_.b = problem.b.tail(n);
  if (p == 0) return;

  Factors& f = *factors_;
  f.b = problem.b.head(p);
  f.W_ec = problem.W.block(0, p, p, n);
  const SparseMatrix W_ce = problem.W.block(p, 0, n, p);
  const Index rank = f.factorise(problem.W.block(0, 0, p, p), file);
  const VecX x_b = f.solve(f.b);
  if (!f.is_solved(x_b, f.b))
    throw refuse(file, "b",
                 fmt::format("the {} constraints (of rank {}) contradict each other", p, rank),
                 "prescribed velocities that no motion can follow");
  contacts_.b -= W_ce * x_b;
  const VecX before = contacts_.W.diagonal();
  contacts_.W += f.correction(W_ce, file);
  refuse_immobile(contacts_, before, file);
  drop_held(before, contacts_.W);
  validate(contacts_, file);
  change_ =
      fmt::format("eliminates {} constraints{}; W has {} non-zeros instead of {}", p,
                  rank < p ? fmt::format(" of rank {}, their impulses of least norm", rank) : "",
                  contacts_.W.nonZeros(), problem.W.nonZeros());
}

ContactForm::~ContactForm() = default;
ContactForm::ContactForm(ContactForm&&) noexcept = default;
ContactForm& ContactForm::operator=(ContactForm&&) noexcept = default;

VecX ContactForm::impulse(const VecX& contact_impulse) const {
  const Index p = factors_->b.size();
  VecX r(p + contact_impulse.size());
  if (p > 0) r.head(p) = -factors_->solve(factors_->W_ec * contact_impulse + factors_->b);
  r.tail(contact_impulse.size()) = contact_impulse;
  return r;
}

}  // namespace talus::problem
