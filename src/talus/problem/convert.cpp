#include <talus/problem/convert.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/linalg/component_lu.hpp>
#include <talus/problem/detail/probe.hpp>
#include <talus/problem/validate.hpp>

namespace talus::problem {
namespace {

using ColumnMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor>;

/// Growth of a solve with the scaled matrix beyond which it counts as singular.
constexpr Real kIllConditioned = 1e14;

InputError singular_mass(const std::string& file) {
  return InputError(Diagnostic{{file, 0, 0},
                               "M",
                               "expected a non-singular mass matrix, got a singular one",
                               "",
                               "a body or coordinate without mass has an empty or dependent row"});
}

/// What acts on the velocities, a column per row of the local form.
template <class Global>
ColumnMatrix columns(const Global& problem) {
  return problem.H;
}
ColumnMatrix columns(const GlobalBilateralContact& problem) {
  const Index p = problem.equality_count(), contacts = problem.H.cols();
  ColumnMatrix both(problem.M.rows(), p + contacts);
  both.leftCols(p) = ColumnMatrix(problem.G);
  both.rightCols(contacts) = ColumnMatrix(problem.H);
  return both;
}

/// The prescribed velocities of those rows.
template <class Global>
VecX prescribed(const Global& problem) {
  return problem.w;
}
VecX prescribed(const GlobalBilateralContact& problem) {
  VecX both(problem.b.size() + problem.w.size());
  both << problem.b, problem.w;
  return both;
}

// A local problem with everything but W and b.
FrictionContact law_of(const GlobalFrictionContact& problem) {
  return {problem.dimension, {}, {}, problem.friction, problem.law, problem.directions};
}
RollingFrictionContact law_of(const GlobalRollingFrictionContact& problem) {
  return {{}, {}, problem.friction, problem.rolling};
}
BilateralContact law_of(const GlobalBilateralContact& problem) {
  return {problem.dimension, problem.equality_count(), {}, {}, problem.friction};
}

}  // namespace

/// Factors of S M S, S = 1/√|M_ii|, so that kg beside kg·m² does no harm.
template <class Global>
struct LocalForm<Global>::Factors {
  VecX scale;
  ColumnMatrix H_scaled;  // S H
  VecX f_scaled;          // S f
  linalg::ComponentLu lu;
};

template <class Global>
LocalForm<Global>::LocalForm(const Global& problem, const std::string& file)
    : local_(law_of(problem)), factors_(std::make_unique<Factors>()) {
  const Index n = problem.M.rows();
  VecX diagonal = problem.M.diagonal();
  factors_->scale = diagonal.unaryExpr(
      [](Real value) { return value != 0 ? 1 / std::sqrt(std::abs(value)) : Real(1); });
  const auto S = factors_->scale.asDiagonal();
  factors_->H_scaled = S * columns(problem);
  factors_->f_scaled = S * problem.f;
  if (!factors_->lu.factorise(S * problem.M * S)) throw singular_mass(file);
  if (n > 0) {
    const VecX response = factors_->lu.solve(detail::probe(n));
    if (!response.allFinite() || response.cwiseAbs().maxCoeff() > kIllConditioned)
      throw singular_mass(file);
  }

  const ColumnMatrix H_transposed = factors_->H_scaled.transpose();
  const ColumnMatrix W = H_transposed * factors_->lu.solve(factors_->H_scaled);
  local_.W = W;
  local_.W.prune([](Index, Index, Real value) { return value != 0; });
  local_.b = prescribed(problem);
  if (n > 0) local_.b += H_transposed * factors_->lu.solve(factors_->f_scaled);
  validate(local_, file);
}

template <class Global>
LocalForm<Global>::~LocalForm() = default;
template <class Global>
LocalForm<Global>::LocalForm(LocalForm&&) noexcept = default;
template <class Global>
LocalForm<Global>& LocalForm<Global>::operator=(LocalForm&&) noexcept = default;

template <class Global>
VecX LocalForm<Global>::velocity(const VecX& impulse) const {
  if (factors_->f_scaled.size() == 0) return VecX();
  const VecX momentum = factors_->H_scaled * impulse + factors_->f_scaled;
  return factors_->scale.cwiseProduct(factors_->lu.solve(momentum));
}

template class LocalForm<GlobalFrictionContact>;
template class LocalForm<GlobalRollingFrictionContact>;
template class LocalForm<GlobalBilateralContact>;

PolyhedralLcp to_lcp(const FrictionContact& problem, Index directions) {
  const Index d = problem.dimension, m = problem.contact_count();
  const Index k = d == 2 ? 2 : directions;
  TALUS_DEMAND(k >= 2 && k % 2 == 0);
  const Index normals = k * m, slips = (k + 1) * m, size = (k + 2) * m;

  PolyhedralLcp result;
  std::vector<Eigen::Triplet<Real>> entries;
  const auto add = [&](Index row, Index column, Real value) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  };
  for (Index c = 0; c < m; ++c) {
    add(d * c, normals + c, 1);
    for (Index j = 0; j < k; ++j) {
      if (d == 2) {
        add(d * c + 1, k * c + j, j == 0 ? 1 : -1);
      } else {
        const Real angle = 2 * std::numbers::pi * static_cast<Real>(j) / static_cast<Real>(k);
        add(d * c + 1, k * c + j, std::cos(angle));
        add(d * c + 2, k * c + j, std::sin(angle));
      }
    }
  }
  result.impulse.resize(d * m, size);
  result.impulse.setFromTriplets(entries.begin(), entries.end());

  const SparseMatrix product =
      result.impulse.transpose() * SparseMatrix(problem.W * result.impulse);
  result.lcp.M = product;
  result.lcp.q = result.impulse.transpose() * problem.b;
  for (Index c = 0; c < m; ++c) {
    result.lcp.M.block(k * c, slips + c, k, 1).setOnes();
    result.lcp.M.block(slips + c, k * c, 1, k).setConstant(-1);
    result.lcp.M(slips + c, normals + c) = problem.friction[c];
  }
  return result;
}

}  // namespace talus::problem
