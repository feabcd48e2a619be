#include <talus/problem/convert.hpp>

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/linalg/component_lu.hpp>
#include <talus/problem/validate.hpp>

namespace talus::problem {
namespace {

using ColumnMatrix = Eigen::SparseMatrix<Real, Eigen::ColMajor>;

/// Growth of a solve with the scaled matrix beyond which it counts as singular.
constexpr Real kSingular = 1e14;

InputError singular_mass(const std::string& file) {
  return InputError(Diagnostic{{file, 0, 0},
                               "M",
                               "expected a non-singular mass matrix, got a singular one",
                               "",
                               "a body or coordinate without mass has an empty or dependent row"});
}

}  // namespace

/// Factors of S M S, S = 1/√|M_ii|, so that kg beside kg·m² does no harm.
struct LocalForm::Factors {
  VecX scale;
  ColumnMatrix H_scaled;  // S H
  VecX f_scaled;          // S f
  linalg::ComponentLu lu;
};

LocalForm::LocalForm(const GlobalFrictionContact& problem, const std::string& file)
    : factors_(std::make_unique<Factors>()) {
  const Index n = problem.M.rows();
  VecX diagonal = problem.M.diagonal();
  factors_->scale = diagonal.unaryExpr(
      [](Real value) { return value != 0 ? 1 / std::sqrt(std::abs(value)) : Real(1); });
  const auto S = factors_->scale.asDiagonal();
  const SparseMatrix scaled_rows = S * problem.H;
  factors_->H_scaled = scaled_rows;
  factors_->f_scaled = S * problem.f;
  if (!factors_->lu.factorise(S * problem.M * S)) throw singular_mass(file);
  if (n > 0) {
    VecX probe(n);  // signs ±1 in a fixed, aperiodic pattern
    for (Index i = 0; i < n; ++i) probe[i] = (i * i + i / 3) % 7 < 4 ? 1 : -1;
    const VecX response = factors_->lu.solve(probe);
    if (!response.allFinite() || response.cwiseAbs().maxCoeff() > kSingular)
      throw singular_mass(file);
  }

  local_.dimension = problem.dimension;
  local_.friction = problem.friction;
  const ColumnMatrix H_transposed = factors_->H_scaled.transpose();
  const ColumnMatrix W = H_transposed * factors_->lu.solve(factors_->H_scaled);
  local_.W = W;
  local_.W.prune([](Index, Index, Real value) { return value != 0; });
  local_.b = problem.w;
  if (n > 0) local_.b += H_transposed * factors_->lu.solve(factors_->f_scaled);
  validate(local_, file);
}

LocalForm::~LocalForm() = default;
LocalForm::LocalForm(LocalForm&&) noexcept = default;
LocalForm& LocalForm::operator=(LocalForm&&) noexcept = default;

VecX LocalForm::velocity(const VecX& impulse) const {
  if (factors_->f_scaled.size() == 0) return VecX();
  const VecX momentum = factors_->H_scaled * impulse + factors_->f_scaled;
  return factors_->scale.cwiseProduct(factors_->lu.solve(momentum));
}

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
