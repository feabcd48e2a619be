#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <talus/linalg/dense.hpp>
#include <talus/solve/gauss_seidel/nsgs.hpp>
#include <talus/solve/gauss_seidel/rolling_nsgs.hpp>
#include <talus/solve/interior_point/ipm.hpp>
#include <talus/solve/newton/proximal_newton.hpp>
#include <talus/solve/pivoting/lemke.hpp>

#include "support/cone_problems.hpp"
#include "support/contact_problems.hpp"
#include "support/lcp_families.hpp"
#include "unit/solve/cone_solvers.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::ConeKind;
using problem::SolveCounts;
using problem::SolveReport;
using problem::SolveStatus;

void expect_counts(const SolveCounts& counts, Index products, Index projections,
                   Index factorisations, const std::string& name) {
  EXPECT_EQ(counts.products, products) << name;
  EXPECT_EQ(counts.projections, projections) << name;
  EXPECT_EQ(counts.factorisations, factorisations) << name;
}

/// A judge that is never content and likes every point better than the last.
solve::ExternalResidual never_content() {
  return [merit = Real(1e9)](const VecX&) mutable { return merit *= 0.99; };
}

/// A small LCP as a cone problem, W symmetric positive definite.
problem::ConeProblem small_lcp() {
  Random random(3);
  problem::ConeProblem problem =
      test::known_problem(random, {{ConeKind::nonnegative, 0, 12, 0, 0}}, 20).problem;
  return problem;
}

// What a method counts is what its description says that an iteration costs, plus the product that
// its start needs: seven iterations each.
TEST(Counts, AreTheKnownOnesOfConeMethods) {
  const problem::ConeProblem problem = small_lcp();
  const auto counts_of = [&](const test::ConeMethod& method) {
    VecX r = VecX::Zero(12);
    const SolveReport report = method.solve(problem, 7, false, never_content(), {}, r);
    EXPECT_EQ(report.iterations, 7) << method.name;
    return report.counts;
  };
  for (const test::ConeMethod& method : test::cone_methods()) {
    if (method.name == "pgs") expect_counts(counts_of(method), 8, 7, 0, method.name);
    if (method.name == "anderson") expect_counts(counts_of(method), 8, 14, 0, method.name);
    if (method.name == "spg") expect_counts(counts_of(method), 8, 14, 0, method.name);
  }
  solve::AdmmOptions options;
  options.max_iterations = 7;
  options.max_factorisations = 1;
  VecX r = VecX::Zero(12);
  expect_counts(solve::admm(problem, options, never_content(), {}, r).counts, 8, 14, 1, "admm");
}

// A Newton run on contacts takes no more block products than allowed: it ends before the
// factorisation that would exceed them, and says so. With as many as it needs it goes as without a
// limit.
TEST(Counts, NewtonKeepsToItsBudget) {
  Random random(5);
  const problem::FrictionContact contacts = test::random_local(random, 3, 30, 60, 0.6);
  const auto run = [&](double most, solve::ProximalNewton& newton, VecX& r) {
    newton.start(contacts);
    r = VecX::Zero(contacts.b.size());
    solve::ProximalNewtonOptions options;
    options.max_factorisations = 6;
    options.most_products = most;
    return newton.run(options, never_content(), {}, r);
  };
  solve::ProximalNewton free, bounded;
  VecX answer, same;
  const SolveReport without = run(std::numeric_limits<double>::infinity(), free, answer);
  EXPECT_EQ(without.iterations, 6);
  EXPECT_FALSE(free.was_too_dear());
  EXPECT_GT(free.products(), 0);
  const SolveReport with = run(free.products(), bounded, same);
  EXPECT_EQ(with.iterations, 6);
  EXPECT_EQ(same, answer);
  const SolveReport less = run(free.products() - 1, bounded, same);
  EXPECT_EQ(less.status, SolveStatus::max_iterations);
  EXPECT_TRUE(bounded.was_too_dear());
  EXPECT_EQ(less.iterations, 5);
  EXPECT_EQ(less.counts.factorisations, 5);
  EXPECT_LT(bounded.products(), free.products());
  EXPECT_EQ(run(1, bounded, same).iterations, 0);
}

// Newton's method on the identity with one positive row: one step, one factorisation; a product at
// the start, one for the line search and one for the new point.
TEST(Counts, AreTheKnownOnesOfNewton) {
  problem::ConeProblem lcp;
  lcp.W = test::to_sparse(MatX::Identity(1, 1));
  lcp.b = VecX::Constant(1, -1);
  lcp.cones = {{ConeKind::free, 0, 1, 0, 0}};
  VecX r = VecX::Zero(1);
  const solve::ExternalResidual judge = [](const VecX& x) { return std::abs(x[0] - 1) / 1e-12; };
  solve::FischerBurmeisterOptions options;
  SolveReport report = solve::fischer_burmeister(lcp, options, judge, {}, r);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 1);
  expect_counts(report.counts, 3, 1, 1, "fischer_burmeister");

  // One contact that sticks: the equation is evaluated at the start, linearised, evaluated again.
  problem::FrictionContact contact;
  contact.W = test::to_sparse(MatX::Identity(3, 3));
  contact.b = -Vec3::UnitX();
  contact.friction = VecX::Constant(1, 0.5);
  const solve::ExternalResidual stick = [](const VecX& x) {
    return (x - Vec3::UnitX()).norm() / 1e-9;
  };
  solve::ProximalNewton newton;
  newton.start(contact);
  r = VecX::Zero(3);
  solve::ProximalNewtonOptions newton_options;
  newton_options.regularisation = 1e-12;
  report = newton.run(newton_options, stick, {}, r);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 1);
  expect_counts(report.counts, 2, 3, 1, "proximal_newton");
}

// The circulant problem takes Lemke four pivots and one factorisation of the final basis; products
// are those that judge z = 0, the tableau's z and the recomputed one. z₀ starts at max(−q) = 1 and
// ends at 0.
TEST(Counts, AreTheKnownOnesOfLemke) {
  problem::Lcp lcp{MatX(3, 3), VecX::Constant(3, -1)};
  lcp.M << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  solve::LemkeOptions options;
  options.keep_history = true;
  VecX z;
  const SolveReport report = solve::lemke(lcp, options, z);
  EXPECT_EQ(report.iterations, 4);
  expect_counts(report.counts, 3, 0, 1, "lemke");
  ASSERT_EQ(report.history.residual.size(), 5u);
  EXPECT_EQ(report.history.residual.front(), 1);
  EXPECT_EQ(report.history.residual.back(), 0);
}

// Every method keeps its residual at the start and after every iteration if asked, also where it is
// cut off, and nothing if not asked; the last entry is the residual of the report. What it counts
// and where it ends do not depend on being watched.
TEST(History, HasOneEntryMoreThanIterations) {
  Random random(5);
  const problem::ConeProblem cones = small_lcp();
  const problem::FrictionContact contacts = test::random_local(random, 3, 6, 8, 0.5);
  problem::RollingFrictionContact rolling;
  const MatX J = test::random_matrix(random, 20, 15);
  rolling.W = test::to_sparse(linalg::product(J.transpose(), J));
  rolling.b = test::random_matrix(random, 15, 1);
  rolling.friction = VecX::Constant(3, 0.5);
  rolling.rolling = VecX::Constant(3, 0.1);

  struct Run {
    std::string name;
    std::function<SolveReport(Index most, bool keep_history)> run;
    bool has_own_residual = true;  // the last entry is the report's residual
  };
  std::vector<Run> runs;
  std::vector<test::ConeMethod> methods = test::cone_methods();
  methods.push_back(test::mprgp_method());
  methods.push_back(test::fischer_burmeister_method());
  for (const test::ConeMethod& method : methods)
    runs.push_back({method.name, [&cones, method](Index most, bool keep_history) {
                      VecX r = VecX::Zero(cones.size());
                      return method.solve(cones, most, keep_history, never_content(), {}, r);
                    }});
  runs.push_back({"desaxce", [&](Index most, bool keep_history) {
                    solve::DesaxceOptions options;
                    options.max_iterations = most;
                    options.keep_history = keep_history;
                    const auto inner = [](const problem::ConeProblem& problem,
                                          const solve::ExternalResidual& judge,
                                          const solve::StopRequest& should_stop, VecX& r) {
                      return solve::pgs(problem, {}, judge, should_stop, r);
                    };
                    VecX r = VecX::Zero(contacts.b.size());
                    return solve::desaxce(contacts, options, inner, never_content(), {}, r);
                  }});
  runs.push_back({"nsgs", [&](Index most, bool keep_history) {
                    solve::Nsgs nsgs;
                    nsgs.start(contacts, {}, keep_history ? most + 1 : 0);
                    (void)nsgs.run(0, most / 2, 1, {});  // goes on: all sweeps since the start
                    return nsgs.run(0, most, 1, {});
                  }});
  runs.push_back(
      {"rolling_nsgs", [&](Index most, bool keep_history) {
         VecX r = VecX::Zero(rolling.b.size());
         return solve::rolling_nsgs(rolling, {most, 1e-300, keep_history}, never_content(), {}, r);
       }});
  runs.push_back({"proximal_newton",
                  [&](Index most, bool keep_history) {
                    solve::ProximalNewtonOptions options;
                    options.max_factorisations = most;
                    options.keep_history = keep_history;
                    solve::ProximalNewton newton;
                    newton.start(contacts);
                    VecX r = VecX::Zero(contacts.b.size());
                    return newton.run(options, never_content(), {}, r);
                  },
                  false});
  runs.push_back({"ipm", [&](Index most, bool keep_history) {
                    solve::IpmOptions options;
                    options.max_factorisations = most;
                    options.keep_history = keep_history;
                    VecX r = VecX::Zero(contacts.b.size());
                    return solve::ipm(contacts, options, never_content(), {}, r);
                  }});
  runs.push_back({"lemke",
                  [&](Index most, bool keep_history) {
                    const problem::Lcp lcp{MatX(cones.W), cones.b};
                    solve::LemkeOptions options;
                    options.max_pivots = most;
                    options.keep_history = keep_history;
                    VecX z;
                    return solve::lemke(lcp, options, z);
                  },
                  false});
  for (const Run& run : runs)
    for (const Index most : {1, 2, 7, 300}) {
      const SolveReport plain = run.run(most, false), report = run.run(most, true);
      EXPECT_EQ(plain.iterations, report.iterations) << run.name;
      EXPECT_EQ(plain.residual, report.residual) << run.name;
      expect_counts(plain.counts, report.counts.products, report.counts.projections,
                    report.counts.factorisations, run.name);
      EXPECT_GT(plain.counts.products, 0) << run.name;
      EXPECT_TRUE(plain.history.residual.empty()) << run.name;
      const std::vector<Real>& residuals = report.history.residual;
      ASSERT_EQ(residuals.size(), static_cast<std::size_t>(report.iterations + 1))
          << run.name << ' ' << most;
      if (run.has_own_residual) {
        EXPECT_EQ(residuals.back(), report.residual) << run.name << ' ' << most;
      }
      const std::vector<Real>& energies = report.history.energy;
      EXPECT_TRUE(energies.empty() || energies.size() == residuals.size() ||
                  report.status == SolveStatus::stalled)
          << run.name;
    }
}

// Of a Gauss–Seidel run the first entry is the residual of the guess, the others are what the
// sweeps found. By hand, W = I, b = (−1, 2, 0), μ = ½: at r = 0 the law's shift makes û = (0, 2,
// 0), so F = −P_K(−û) with ‖F‖² = 0.8; the size there is ‖P_K(−b)‖ = √3.2, after a sweep ‖(1, −½,
// 0)‖.
TEST(History, BeginsWithTheGuess) {
  problem::FrictionContact contact;
  contact.W = test::to_sparse(MatX::Identity(3, 3));
  contact.b = Vec3(-1, 2, 0);
  contact.friction = VecX::Constant(1, 0.5);
  solve::Nsgs nsgs;
  nsgs.start(contact, {}, 10);
  const SolveReport report = nsgs.run(1e-12, 10, 1, {});
  ASSERT_EQ(report.history.residual.size(), 3u);
  EXPECT_NEAR(report.history.residual[0], 0.5, 1e-15);
  EXPECT_NEAR(report.history.residual[1], 0.8, 1e-15);
  EXPECT_NEAR(report.history.residual[2], 0, 1e-15);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
