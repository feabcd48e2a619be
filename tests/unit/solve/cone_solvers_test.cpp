#include "unit/solve/cone_solvers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "support/cone_problems.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::Cone;
using problem::ConeKind;
using problem::SolveStatus;
using test::ConeMethod;
using test::friction_cones;
using test::known_problem;
using test::KnownProblem;

constexpr Index kMany = 100000;

std::string name_of(const testing::TestParamInfo<ConeMethod>& info) { return info.param.name; }

solve::ExternalResidual judge_of(const problem::ConeProblem& problem, Real tolerance = 1e-8) {
  return [&problem, tolerance](const VecX& r) { return test::natural_map(problem, r) / tolerance; };
}

/// Runs the method from zero and expects an answer within its reach whose velocities are the known
/// ones. The natural map bounds the error of u by a factor that is of the order of the condition of
/// the active part of W: hundred times the reach is asked for.
VecX expect_solved(const ConeMethod& method, const KnownProblem& known, const std::string& what) {
  VecX r = VecX::Zero(known.problem.size());
  const auto report =
      method.solve(known.problem, kMany, false, judge_of(known.problem, method.reach), {}, r);
  EXPECT_EQ(report.status, SolveStatus::converged) << what << ": " << report.detail;
  EXPECT_LE(test::natural_map(known.problem, r), method.reach) << what;
  const VecX u = known.problem.W * r + known.problem.b;
  EXPECT_LE((u - known.u).norm(), 100 * method.reach * known.u.norm()) << what;
  return u;
}

class EveryCone : public testing::TestWithParam<ConeMethod> {};
class BoundedRows : public testing::TestWithParam<ConeMethod> {};
class ComplementaryRows : public testing::TestWithParam<ConeMethod> {};

std::vector<ConeMethod> methods_for_bounds() {
  std::vector<ConeMethod> methods = test::cone_methods();
  methods.push_back(test::mprgp_method());
  return methods;
}
std::vector<ConeMethod> methods_for_complementarity() {
  std::vector<ConeMethod> methods = methods_for_bounds();
  methods.push_back(test::fischer_burmeister_method());
  return methods;
}

INSTANTIATE_TEST_SUITE_P(Solve, EveryCone, testing::ValuesIn(test::cone_methods()), name_of);
INSTANTIATE_TEST_SUITE_P(Solve, BoundedRows, testing::ValuesIn(methods_for_bounds()), name_of);
INSTANTIATE_TEST_SUITE_P(Solve, ComplementaryRows, testing::ValuesIn(methods_for_complementarity()),
                         name_of);

std::vector<Cone> rolling_cones(Random& random, Index count) {
  std::vector<Cone> cones;
  for (Index i = 0; i < count; ++i)
    cones.push_back({ConeKind::rolling, 0, 5, random.uniform(0, 1), random.uniform(0, 0.3)});
  return cones;
}

// Cone complementarity problems, W regular or not, 2-D, 3-D and rolling, and all kinds of rows
// together: every method finds the one solution that u has, so they all agree with each other.
TEST_P(EveryCone, FindsTheVelocitiesOfConeProblems) {
  Random random(3);
  for (int k = 0; k < 5; ++k) {
    expect_solved(GetParam(), known_problem(random, friction_cones(random, 10, 3, 1), 40), "3-D");
    expect_solved(GetParam(), known_problem(random, friction_cones(random, 20, 3, 1), 40),
                  "3-D, rank 40 of 60");
    expect_solved(GetParam(), known_problem(random, friction_cones(random, 20, 2, 1), 30),
                  "2-D, rank 30 of 40");
    expect_solved(GetParam(), known_problem(random, rolling_cones(random, 10), 40),
                  "rolling, rank 40 of 50");
    std::vector<Cone> mixed = friction_cones(random, 6, 3, 1);
    mixed.push_back({ConeKind::free, 0, 4, 0, 0});
    mixed.push_back({ConeKind::box, 0, 5, 0, 0});
    mixed.push_back({ConeKind::nonnegative, 0, 5, 0, 0});
    expect_solved(GetParam(), known_problem(random, mixed, 28), "all kinds, rank 28 of 32");
  }
}

// Bound-constrained quadratic programs, W regular or not.
TEST_P(BoundedRows, FindsTheVelocitiesOfBoxProblems) {
  Random random(4);
  for (int k = 0; k < 5; ++k) {
    expect_solved(GetParam(), known_problem(random, {{ConeKind::box, 0, 30, 0, 0}}, 60), "regular");
    expect_solved(GetParam(), known_problem(random, {{ConeKind::box, 0, 30, 0, 0}}, 24),
                  "rank 24 of 30");
  }
}

// Linear complementarity problems with symmetric matrices, with and without equations, W regular or
// not.
TEST_P(ComplementaryRows, FindsTheVelocitiesOfLcps) {
  Random random(5);
  for (int k = 0; k < 5; ++k) {
    expect_solved(GetParam(), known_problem(random, {{ConeKind::nonnegative, 0, 30, 0, 0}}, 60),
                  "LCP");
    expect_solved(
        GetParam(),
        known_problem(random, {{ConeKind::nonnegative, 0, 30, 0, 0}, {ConeKind::free, 0, 8, 0, 0}},
                      30),
        "mixed LCP, rank 30 of 38");
  }
}

// A method that is started at a solution leaves it bit for bit and takes no iteration, even with
// none to spare.
TEST_P(ComplementaryRows, StartedAtASolutionTakesNoIteration) {
  Random random(6);
  const KnownProblem known = known_problem(random, {{ConeKind::nonnegative, 0, 20, 0, 0}}, 15);
  VecX r = known.r;
  const auto report =
      GetParam().solve(known.problem, 0, false, judge_of(known.problem, GetParam().reach), {}, r);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(r, known.r);
}

// Other units of mass, length and time change W by one factor, b by another and (bounds and) r by
// their quotient: the iterations are the same, and r follows. All factors are powers of two, so
// that rounding is the same too, but for that of the square roots in the scaling.
TEST_P(EveryCone, TakesTheSameIterationsInAnyUnits) {
  Random random(7);
  std::vector<Cone> mixed = friction_cones(random, 6, 3, 1);
  mixed.push_back({ConeKind::box, 0, 5, 0, 0});
  const KnownProblem known = known_problem(random, mixed, 30);
  const auto solve = [&](const problem::ConeProblem& problem, VecX& r) {
    r = VecX::Zero(problem.size());
    return GetParam().solve(problem, kMany, false, judge_of(problem), {}, r);
  };
  VecX r, s;
  const auto report = solve(known.problem, r);
  for (const int power : {-20, -6, 6, 20}) {
    problem::ConeProblem other = known.problem;
    const Real w = std::ldexp(1, 2 * power), b = std::ldexp(1, power / 2);
    other.W *= w;
    other.b *= b;
    other.lower *= b / w;
    other.upper *= b / w;
    const auto other_report = solve(other, s);
    EXPECT_EQ(other_report.status, report.status);
    EXPECT_EQ(other_report.iterations, report.iterations) << power;
    EXPECT_LE((s * (w / b) - r).norm(), 1e-10 * r.norm()) << power;
  }
}

// Every scalar row may have a unit of its own, as forces beside torques: W becomes D W D, b becomes
// D b, and r follows as D⁻¹ r after the same iterations.
TEST_P(ComplementaryRows, TakesTheSameIterationsWithAUnitPerRow) {
  Random random(17);
  const KnownProblem known = known_problem(
      random, {{ConeKind::nonnegative, 0, 20, 0, 0}, {ConeKind::free, 0, 5, 0, 0}}, 22);
  problem::ConeProblem other = known.problem;
  VecX factor(other.size());
  for (Index i = 0; i < factor.size(); ++i)
    factor[i] = std::ldexp(1, static_cast<int>(random.uniform(-12, 12)));
  other.W = problem::SparseMatrix(factor.asDiagonal() * other.W * factor.asDiagonal());
  other.b = other.b.cwiseProduct(factor);
  VecX r = VecX::Zero(other.size()), s = r;
  const auto report = GetParam().solve(known.problem, kMany, false,
                                       judge_of(known.problem, GetParam().reach), {}, r);
  const auto other_report =
      GetParam().solve(other, kMany, false, judge_of(other, GetParam().reach), {}, s);
  EXPECT_EQ(other_report.status, SolveStatus::converged);
  EXPECT_EQ(other_report.iterations, report.iterations);
  EXPECT_LE((s.cwiseProduct(factor) - r).norm(), 1e-10 * r.norm());
}

// The rolling rows alone may change their unit, as from metres to millimetres: a rotation about the
// contact is then another number, and so is μ_r. Nothing else changes.
TEST_P(EveryCone, TakesTheSameIterationsInAnyUnitOfRolling) {
  Random random(8);
  const KnownProblem known = known_problem(random, rolling_cones(random, 8), 36);
  const auto solve = [&](const problem::ConeProblem& problem, VecX& r) {
    // The test's natural map has one scale per block and would not be the same: stop on iterations.
    r = VecX::Zero(problem.size());
    Real calls = 10;
    return GetParam().solve(
        problem, 15, false, [&](const VecX&) { return calls *= 0.9; }, {}, r);
  };
  VecX r, s;
  const auto report = solve(known.problem, r);
  problem::ConeProblem other = known.problem;
  VecX factor = VecX::Ones(other.size());
  const Real unit = 1024;
  for (Cone& cone : other.cones) {
    factor.segment(cone.first + 3, 2).setConstant(unit);
    cone.rolling /= unit;
  }
  other.W = problem::SparseMatrix(factor.asDiagonal() * other.W * factor.asDiagonal());
  other.b = other.b.cwiseProduct(factor);
  const auto other_report = solve(other, s);
  EXPECT_EQ(other_report.iterations, report.iterations);
  EXPECT_GT(r.norm(), 0);
  EXPECT_LE((s.cwiseProduct(factor) - r).norm(), 1e-10 * r.norm());
}

// Without friction a cone is a half-line: the normal impulses and velocities are those of the LCP
// of the normal rows, the tangential impulses zero.
TEST_P(EveryCone, WithoutFrictionSolvesTheLcp) {
  Random random(9);
  for (int k = 0; k < 5; ++k) {
    const Index m = 12;
    const KnownProblem known = known_problem(random, friction_cones(random, m, 3, 0), 50);
    problem::ConeProblem lcp;
    MatX W(m, m);
    lcp.b.resize(m);
    for (Index i = 0; i < m; ++i) {
      lcp.b[i] = known.problem.b[3 * i];
      for (Index j = 0; j < m; ++j) W(i, j) = known.problem.W.coeff(3 * i, 3 * j);
    }
    lcp.W = W.sparseView();
    lcp.cones = {{ConeKind::nonnegative, 0, m, 0, 0}};
    VecX r = VecX::Zero(3 * m), z = VecX::Zero(m);
    ASSERT_EQ(
        GetParam().solve(known.problem, kMany, false, judge_of(known.problem, 1e-10), {}, r).status,
        SolveStatus::converged);
    ASSERT_EQ(GetParam().solve(lcp, kMany, false, judge_of(lcp, 1e-10), {}, z).status,
              SolveStatus::converged);
    for (Index i = 0; i < m; ++i) {
      EXPECT_NEAR(r[3 * i], z[i], 1e-8);
      EXPECT_EQ(r[3 * i + 1], 0);
      EXPECT_EQ(r[3 * i + 2], 0);
    }
  }
}

// A stop request is honoured before the next iteration, with the status interrupted, and the best
// point so far is given back.
TEST_P(ComplementaryRows, StopsWhenAsked) {
  Random random(10);
  const KnownProblem known = known_problem(random, {{ConeKind::nonnegative, 0, 30, 0, 0}}, 24);
  VecX r = VecX::Zero(30);
  const Real at_start = test::natural_map(known.problem, r);
  int polls = 0;
  const auto report = GetParam().solve(
      known.problem, kMany, false, judge_of(known.problem, 1e-30), [&] { return ++polls > 3; }, r);
  EXPECT_EQ(report.status, SolveStatus::interrupted);
  EXPECT_EQ(polls, 4);
  EXPECT_LE(report.iterations, 4);
  EXPECT_LE(test::natural_map(known.problem, r), at_start);
}

// A judge that cannot be satisfied ends a run as max_iterations or stalled, never as converged, and
// the run is finite without a limit on iterations to speak of.
TEST_P(ComplementaryRows, NeverConvergesAgainstTheJudge) {
  Random random(11);
  const KnownProblem known = known_problem(random, {{ConeKind::nonnegative, 0, 10, 0, 0}}, 20);
  VecX r = VecX::Zero(10);
  const auto report = GetParam().solve(
      known.problem, 1000000, false,
      [&](const VecX& x) { return 1.5 + test::natural_map(known.problem, x); }, {}, r);
  EXPECT_EQ(report.status, SolveStatus::stalled);
  EXPECT_LE(test::natural_map(known.problem, r), 1e-12) << "the best point is kept all the same";
}

// Not a number in the problem ends as numerical_error and leaves the start alone.
TEST_P(ComplementaryRows, ReportsWhatIsNotANumber) {
  Random random(12);
  KnownProblem known = known_problem(random, {{ConeKind::nonnegative, 0, 6, 0, 0}}, 8);
  known.problem.b[3] = std::numeric_limits<Real>::quiet_NaN();
  VecX r = VecX::Ones(6);
  const auto report = GetParam().solve(
      known.problem, kMany, false, [](const VecX&) { return 2.0; }, {}, r);
  EXPECT_EQ(report.status, SolveStatus::numerical_error);
  EXPECT_EQ(r, VecX::Ones(6));
}

// The energy ½ rᵀWr + bᵀr of the methods that claim it never rises, and it is the energy: the last
// one is that of the answer, in the scaled problem's unit (the first is 0, at r = 0, so that ratios
// are free of it). Round-off of one evaluation is allowed, n·2⁻⁵³ of the largest.
TEST(Monotone, EnergyNeverRises) {
  Random random(13);
  for (const ConeMethod& method : methods_for_bounds()) {
    if (method.name != "pgs" && method.name != "projected_jacobi" && method.name != "apgd" &&
        method.name != "mprgp")
      continue;
    for (int k = 0; k < 5; ++k) {
      const bool is_bounded = method.name == "mprgp" || k % 2 == 1;
      const KnownProblem known = is_bounded
                                     ? known_problem(random, {{ConeKind::box, 0, 40, 0, 0}}, 30)
                                     : known_problem(random, friction_cones(random, 15, 3, 1), 35);
      VecX r = VecX::Zero(known.problem.size());
      const auto report = method.solve(known.problem, kMany, true, judge_of(known.problem), {}, r);
      ASSERT_EQ(report.status, SolveStatus::converged) << method.name;
      const std::vector<Real>& energies = report.history.energy;
      ASSERT_EQ(energies.size(), static_cast<std::size_t>(report.iterations + 1));
      ASSERT_EQ(report.history.residual.size(), energies.size());
      const Real last = energies.back();
      for (std::size_t i = 1; i < energies.size(); ++i)
        ASSERT_LE(energies[i], energies[i - 1] + 40 * 0x1p-53 * std::abs(last))
            << method.name << " iteration " << i;
      Real gamma = 0;  // ‖S b‖, from W and b alone
      const VecX diagonal = known.problem.W.diagonal();
      for (const Cone& cone : known.problem.cones) {
        const Index step = cone.kind == ConeKind::friction ? cone.size : 1;
        for (Index i = cone.first; i < cone.first + cone.size; i += step)
          gamma +=
              known.problem.b.segment(i, step).squaredNorm() / diagonal.segment(i, step).mean();
      }
      EXPECT_NEAR(test::energy(known.problem, r) / gamma, last, 1e-12 * std::abs(last))
          << method.name;
    }
  }
}

// What a method is not made for it refuses.
TEST(Unsupported, IsSaid) {
  Random random(14);
  const KnownProblem friction = known_problem(random, friction_cones(random, 2, 3, 1), 6);
  const KnownProblem box = known_problem(random, {{ConeKind::box, 0, 4, 0, 0}}, 4);
  VecX r = VecX::Zero(6), s = VecX::Zero(4);
  const solve::ExternalResidual judge = [](const VecX&) { return 2.0; };
  EXPECT_EQ(solve::mprgp(friction.problem, {}, judge, {}, r).status, SolveStatus::unsupported);
  EXPECT_EQ(solve::fischer_burmeister(friction.problem, {}, judge, {}, r).status,
            SolveStatus::unsupported);
  EXPECT_EQ(solve::fischer_burmeister(box.problem, {}, judge, {}, s).status,
            SolveStatus::unsupported);
}

// A row that nothing bounds and nothing resists, pulled for ever: MPRGP says unbounded.
TEST(Mprgp, SaysUnbounded) {
  problem::ConeProblem problem;
  MatX W = MatX::Zero(2, 2);
  W << 1, -1, -1, 1;
  problem.W = W.sparseView();
  problem.b = -VecX::Ones(2);
  problem.cones = {{ConeKind::nonnegative, 0, 2, 0, 0}};
  VecX r = VecX::Zero(2);
  const auto report = solve::mprgp(problem, {}, judge_of(problem), {}, r);
  EXPECT_EQ(report.status, SolveStatus::unbounded);
}

/// A monotone but unsymmetric problem: positive definite plus skew part, known solution.
KnownProblem unsymmetric_problem(Random& random, Index n, Index rank, Real skew) {
  KnownProblem known = known_problem(
      random, {{ConeKind::nonnegative, 0, n, 0, 0}, {ConeKind::free, 0, 4, 0, 0}}, rank);
  MatX W = known.problem.W;
  for (Index i = 0; i < n + 4; ++i)
    for (Index j = 0; j < i; ++j) {
      const Real s = skew * random.uniform(-1, 1);
      W(i, j) += s;
      W(j, i) -= s;
    }
  known.problem.W = W.sparseView();
  known.problem.b = known.u - W * known.r;
  return known;
}

// The Fischer–Burmeister method takes unsymmetric monotone matrices, skew-dominated ones too, in a
// few dozen steps.
TEST(FischerBurmeister, SolvesUnsymmetricProblems) {
  Random random(15);
  for (const Real skew : {0.01, 1.0, 30.0})
    for (int k = 0; k < 10; ++k) {
      const KnownProblem known = unsymmetric_problem(random, 40, 60, skew);
      VecX r = VecX::Zero(44);
      const auto report =
          solve::fischer_burmeister(known.problem, {}, judge_of(known.problem), {}, r);
      EXPECT_EQ(report.status, SolveStatus::converged) << skew << ' ' << report.detail;
      EXPECT_LE(report.iterations, 40) << skew;
      EXPECT_LE((r - known.r).norm(), 1e-6 * known.r.norm()) << skew;
    }
}

// Where V is singular Levenberg's step takes over: an equation that stands twice, together with
// complementary rows that touch it, and a row without any coupling.
TEST(FischerBurmeister, PassesSingularMatrices) {
  problem::ConeProblem problem;
  MatX W = MatX::Zero(5, 5);
  W.topLeftCorner(4, 4) << 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 2, 1, 1, 2, 2;
  problem.W = W.sparseView();
  problem.b.resize(5);
  problem.b << -1, 2, -3, -3, 1;
  problem.cones = {{ConeKind::nonnegative, 0, 2, 0, 0},
                   {ConeKind::free, 0, 2, 0, 0},
                   {ConeKind::nonnegative, 0, 1, 0, 0}};
  Index first = 0;
  for (Cone& cone : problem.cones) {
    cone.first = first;
    first += cone.size;
  }
  VecX r = VecX::Zero(5);
  const auto report = solve::fischer_burmeister(problem, {}, judge_of(problem), {}, r);
  EXPECT_EQ(report.status, SolveStatus::converged) << report.detail;
  EXPECT_LE(report.iterations, 20);
  // u = 0 on the equation gives x₂ + x₃ = (3 − x₀)/2, and then ū₀ = 2x₀ + (3 − x₀)/2 − 1 > 0
  EXPECT_NEAR(r[0], 0, 1e-7);
  EXPECT_NEAR(r[1], 0, 1e-7);
  EXPECT_NEAR(r[2] + r[3], 1.5, 1e-7);
  EXPECT_NEAR(r[4], 0, 1e-7);
}

// Gauss–Seidel sweeps crawl where a stack is hyperstatic; Anderson's combination of them needs far
// fewer.
TEST(Anderson, NeedsFewerSweepsThanGaussSeidel) {
  Random random(16);
  const KnownProblem known = known_problem(random, friction_cones(random, 20, 3, 1), 30);
  VecX r = VecX::Zero(60), s = r;
  const auto plain = solve::pgs(known.problem, {kMany}, judge_of(known.problem), {}, r);
  const auto fast = solve::anderson(known.problem, {kMany}, judge_of(known.problem), {}, s);
  EXPECT_EQ(plain.status, SolveStatus::converged);
  EXPECT_EQ(fast.status, SolveStatus::converged);
  EXPECT_LT(3 * fast.iterations, plain.iterations);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
