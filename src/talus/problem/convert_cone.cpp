#include <talus/problem/convert_cone.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <talus/base/error.hpp>

namespace talus::problem {
namespace {

/// How far M_ij and M_ji may be apart over √(M_ii M_jj).
constexpr Real kSymmetricMass = 1e-9;

constexpr const char* kDropsShift =
    "drops the De Saxcé term: a contact that slides separates with u_N = μ‖u_T‖";
constexpr const char* kDropsRollingShift =
    "drops the De Saxcé term: a contact that slides or rolls separates with u_N = μ‖u_T‖ + "
    "μ_r‖u_R‖";

void demand_monotone(const MatX& M, const char* name) {
  const auto refuse = [&](const std::string& found) {
    throw InputError(
        Diagnostic{{},
                   name,
                   fmt::format("expected a symmetric matrix with a diagonal ≥ 0, got {}", found),
                   "",
                   "first-order methods minimise a quadratic form; Lemke takes any matrix"});
  };
  for (Index i = 0; i < M.rows(); ++i) {
    if (M(i, i) < 0) refuse(fmt::format("{} at ({}, {})", M(i, i), i, i));
    for (Index j = 0; j < i; ++j)
      if (std::abs(M(i, j) - M(j, i)) > kSymmetricMass * std::sqrt(std::abs(M(i, i) * M(j, j))))
        refuse(fmt::format("{} at ({}, {}) and {} at ({}, {})", M(i, j), i, j, M(j, i), j, i));
  }
}

void add_contacts(Index first, Index dimension, const VecX& friction, ConeProblem& result) {
  for (Index i = 0; i < friction.size(); ++i)
    result.cones.push_back({ConeKind::friction, first + dimension * i, dimension, friction[i], 0});
}

}  // namespace

ConeProblem as_cone_problem(const Lcp& problem) {
  ConeProblem result{problem.M.sparseView(), problem.q, {}, {}, {}};
  if (problem.size() > 0) result.cones = {{ConeKind::nonnegative, 0, problem.size(), 0, 0}};
  return result;
}

Conversion<ConeProblem> to_cone_problem(const Lcp& problem) {
  demand_monotone(problem.M, "M");
  return {as_cone_problem(problem), ""};
}

Conversion<ConeProblem> to_cone_problem(const Mlcp& problem) {
  const Index n = problem.free_count(), m = problem.complementary_count();
  MatX W(n + m, n + m);
  W << problem.A, problem.C, problem.D, problem.B;
  demand_monotone(W, "[A C; D B]");
  ConeProblem result{W.sparseView(), VecX(n + m), {}, {}, {}};
  result.b << problem.a, problem.b;
  if (n > 0) result.cones.push_back({ConeKind::free, 0, n, 0, 0});
  if (m > 0) result.cones.push_back({ConeKind::nonnegative, n, m, 0, 0});
  return {std::move(result), ""};
}

Conversion<ConeProblem> to_cone_problem(const BoxQp& problem) {
  ConeProblem result{problem.H, problem.g, {}, {}, {}};
  if (problem.size() > 0) {
    result.cones = {{ConeKind::box, 0, problem.size(), 0, 0}};
    result.lower = problem.lower;
    result.upper = problem.upper;
  }
  return {std::move(result), ""};
}

Conversion<ConeProblem> to_cone_problem(const FrictionContact& problem) {
  ConeProblem result{problem.W, problem.b, {}, {}, {}};
  add_contacts(0, problem.dimension, problem.friction, result);
  return {std::move(result), kDropsShift};
}

Conversion<ConeProblem> to_cone_problem(const RollingFrictionContact& problem) {
  ConeProblem result{problem.W, problem.b, {}, {}, {}};
  for (Index i = 0; i < problem.contact_count(); ++i)
    result.cones.push_back({ConeKind::rolling, 5 * i, 5, problem.friction[i], problem.rolling[i]});
  return {std::move(result), kDropsRollingShift};
}

Conversion<ConeProblem> to_cone_problem(const BilateralContact& problem) {
  ConeProblem result{problem.W, problem.b, {}, {}, {}};
  const Index p = problem.equality_count;
  if (p > 0) result.cones.push_back({ConeKind::free, 0, p, 0, 0});
  add_contacts(p, problem.dimension, problem.friction, result);
  return {std::move(result), kDropsShift};
}

Conversion<ConeProblem> to_cone_problem(const BoundedFriction& problem) {
  if (problem.dimension != 1)
    throw InputError(Diagnostic{
        {},
        "dimension",
        fmt::format("expected joints with one direction of slip, got {}", problem.dimension),
        "",
        "the LCP form takes planar slip, with polygons for discs"});
  ConeProblem result{problem.W, problem.b, {}, {}, {}};
  if (problem.joint_count() > 0) {
    result.cones = {{ConeKind::box, 0, problem.joint_count(), 0, 0}};
    result.lower = -problem.bound;
    result.upper = problem.bound;
  }
  return {std::move(result), ""};
}

}  // namespace talus::problem
