#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include <talus/base/random.hpp>
#include <talus/driver/registry.hpp>
#include <talus/driver/solve.hpp>
#include <talus/driver/solve_classes.hpp>
#include <talus/linalg/dense.hpp>

#include "support/lcp_families.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::Lcp;
using problem::SolveStatus;
using test::random_matrix;

Options options_of(const std::string& solver) {
  Options options;
  options.solver = solver;
  return options;
}

/// Violation of 0 ≤ z ⟂ Mz + q ≥ 0 over the sizes of what is compared; not the certificate's
/// formula.
Real violation(const Lcp& lcp, const VecX& z) {
  const VecX w = lcp.M * z + lcp.q;
  const Real z_size = std::max(z.cwiseAbs().maxCoeff(), Real(1e-300));
  const Real w_size = (lcp.M.cwiseAbs() * z.cwiseAbs() + lcp.q.cwiseAbs()).maxCoeff();
  Real worst = 0;
  for (Index i = 0; i < z.size(); ++i)
    worst = std::max({worst, -z[i] / z_size, -w[i] / w_size,
                      std::min(std::abs(z[i]) / z_size, std::abs(w[i]) / w_size)});
  return worst;
}

/// n×m with about `count` entries per column that are not 0.
MatX sparse_matrix(Random& random, Index n, Index m, Index count) {
  MatX G = MatX::Zero(n, m);
  for (Index j = 0; j < m; ++j)
    for (Index k = 0; k < count; ++k)
      G(static_cast<Index>(random.uniform() * static_cast<Real>(n)), j) = random.uniform(-1, 1);
  return G;
}

Lcp sparse_psd(Random& random, Index n) {
  const MatX G = sparse_matrix(random, n / 2, n, 2);
  const MatX M = linalg::product(G.transpose(), G);
  return {M, test::feasible_q(random, M)};
}

/// Unilateral contacts between neighbours in a row of bodies, two per pair: W of rank n/2.
Lcp contact_like(Random& random, Index n) {
  MatX J = MatX::Zero(n / 2 + 1, n);
  for (Index c = 0; c < n; ++c) {
    J(c / 2, c) = -random.uniform(0.5, 1.5);
    J(c / 2 + 1, c) = -J(c / 2, c);
  }
  const VecX v = random_matrix(random, n / 2 + 1, 1);
  return {linalg::product(J.transpose(), J), J.transpose() * v};
}

/// Unsymmetric, diagonally dominant by rows: a P-matrix.
Lcp p_matrix(Random& random, Index n) {
  MatX M = sparse_matrix(random, n, n, 3);
  for (Index i = 0; i < n; ++i) M(i, i) = 0;
  for (Index i = 0; i < n; ++i) M(i, i) = M.row(i).cwiseAbs().sum() * 1.01 + 0.01;
  return {M, random_matrix(random, n, 1)};
}

/// The KKT conditions of a quadratic programme, [H −Aᵀ; A 0]: positive semidefinite, hence
/// copositive-plus, and far from symmetric.
Lcp copositive_plus(Random& random, Index n) {
  const Index m = n / 3;
  const MatX G = sparse_matrix(random, n - m, n - m, 2), A = sparse_matrix(random, m, n - m, 3);
  MatX M = MatX::Zero(n, n);
  M.topLeftCorner(n - m, n - m) = linalg::product(G.transpose(), G);
  M.topRightCorner(n - m, m) = -A.transpose();
  M.bottomLeftCorner(m, n - m) = A;
  return {M, test::feasible_q(random, M)};
}

Lcp dense_psd(Random& random, Index n) {
  const MatX G = random_matrix(random, n, n / 2);
  const MatX M = linalg::product(G, G.transpose());
  return {M, test::feasible_q(random, M)};
}

Lcp friction(Random& random, Index n) { return test::friction_lcp(random, n / 6, 4, n / 4, 0.5); }

/// y > 0 with M y = 0 and q·y = −1: contacts in a ring that is too tight.
Lcp infeasible(Random& random, Index n) {
  MatX J = MatX::Zero(n, n);
  for (Index c = 0; c < n; ++c) {
    J(c, c) = -1;
    J((c + 1) % n, c) = 1;
  }
  VecX q = random_matrix(random, n, 1);
  q.array() -= (q.sum() + 1) / static_cast<Real>(n);
  return {linalg::product(J.transpose(), J), q};
}

struct Family {
  const char* name;
  Lcp (*make)(Random& random, Index n);
  bool is_feasible = true, is_symmetric = false;
};
const std::vector<Family>& families() {
  static const std::vector<Family> all = {
      {"sparse_psd", sparse_psd, true, true}, {"contact_like", contact_like, true, true},
      {"dense_psd", dense_psd, true, true},   {"p_matrix", p_matrix},
      {"copositive_plus", copositive_plus},   {"friction", friction},
      {"infeasible", infeasible, false, true}};
  return all;
}

class LcpFamilies : public testing::TestWithParam<Family> {};
INSTANTIATE_TEST_SUITE_P(Driver, LcpFamilies, testing::ValuesIn(families()),
                         [](const auto& the) { return the.param.name; });

// Whatever the size and structure, auto ends certified where there is a solution, and with a ray
// that proves it where there is none; its stages add up.
TEST_P(LcpFamilies, AutoIsCertifiedOrProvesThatNothingIs) {
  Random random(3);
  for (const Index n : {6, 30, 100, 180, 300, 600, 1000}) {
    const Lcp lcp = GetParam().make(random, n);
    const auto start = std::chrono::steady_clock::now();
    const LcpSolution s = solve(lcp, options_of("auto"));
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    RecordProperty("ms_" + std::to_string(n), std::to_string(time.count()) + " " + s.report.detail);
    if (GetParam().is_feasible) {
      ASSERT_EQ(s.report.status, SolveStatus::converged) << n << ' ' << s.report.detail;
      EXPECT_LE(violation(lcp, s.z), 1e-7) << n;
      EXPECT_TRUE(is_within(s.certificate, Options{})) << n;
    } else {
      ASSERT_EQ(s.report.status, SolveStatus::ray_termination) << n << ' ' << s.report.detail;
      ASSERT_NE(s.report.ray, nullptr);
      EXPECT_TRUE(s.report.ray->proves_infeasible) << n;
    }
    Index iterations = 0;
    for (const auto& stage : s.report.stages) iterations += stage.iterations;
    EXPECT_EQ(iterations, s.report.iterations);
  }
}

// Every solver by name: what it calls converged is certified and solves the problem, Lemke and
// Fischer–Burmeister always answer, and those that minimise an energy say that they need a
// symmetric matrix where they do not get one, and find the w of Lemke (unique for positive
// semidefinite M) where they do.
TEST_P(LcpFamilies, SolversByNameAgreeOrSayWhyNot) {
  Random random(4);
  const Lcp lcp = GetParam().make(random, 60);
  const LcpSolution exact = solve(lcp, options_of("lemke"));
  int answers = 0;
  for (const std::string_view name : lcp_solver_names()) {
    Options options = options_of(std::string(name));
    options.max_iterations = 20000;
    const LcpSolution s = solve(lcp, options);
    const bool takes_any = name == "auto" || name == "lemke" || name == "fischer_burmeister";
    if (!takes_any && !GetParam().is_symmetric) {
      EXPECT_EQ(s.report.status, SolveStatus::unsupported) << name;
      EXPECT_NE(s.report.detail.find("symmetric matrix"), std::string::npos) << s.report.detail;
      continue;
    }
    EXPECT_EQ(s.report.status == SolveStatus::converged, is_within(s.certificate, Options{}))
        << name;
    if (!GetParam().is_feasible) {
      EXPECT_NE(s.report.status, SolveStatus::converged) << name;
      continue;
    }
    if (takes_any) {
      EXPECT_EQ(s.report.status, SolveStatus::converged) << name;
    }
    if (s.report.status != SolveStatus::converged) continue;
    ++answers;
    EXPECT_LE(violation(lcp, s.z), 1e-6) << name;
    if (GetParam().is_symmetric) {
      EXPECT_LE((s.w - exact.w).norm(), 1e-4 * lcp.q.norm()) << name;
    }
  }
  if (GetParam().is_symmetric && GetParam().is_feasible) {
    EXPECT_GE(answers, 7);
  }
}

// On small problems auto is Lemke's method: the same pivots to the same answer. Where that ends on
// a ray that proves nothing, auto goes on, so that it solves more.
TEST(LcpAuto, IsNeverWorseThanLemkeOnSmallProblems) {
  Random random(5);
  int solved_by_lemke = 0, solved_by_auto = 0;
  for (int i = 0; i < 2000; ++i) {
    const Index n = 1 + i % 8;
    MatX M = random_matrix(random, n, n);
    if (i % 2 == 0) M = (2 * M).array().round();
    const Lcp lcp{M, random_matrix(random, n, 1)};
    const LcpSolution lemke = solve(lcp, options_of("lemke")), s = solve(lcp, options_of("auto"));
    solved_by_lemke += lemke.report.status == SolveStatus::converged;
    solved_by_auto += s.report.status == SolveStatus::converged;
    if (lemke.report.status == SolveStatus::converged) {
      ASSERT_EQ(s.z, lemke.z);
      ASSERT_EQ(s.report.iterations, lemke.report.iterations);
    } else if (s.report.status == SolveStatus::converged) {
      ASSERT_FALSE(lemke.report.ray && lemke.report.ray->proves_infeasible) << i;
      ASSERT_LT(violation(lcp, s.z), 1e-6) << i;
    } else {
      ASSERT_EQ(s.report.status, SolveStatus::ray_termination) << i << ' ' << s.report.detail;
      ASSERT_NE(s.report.ray, nullptr);
    }
  }
  EXPECT_GT(solved_by_auto, solved_by_lemke);
  RecordProperty("solved_by_lemke", solved_by_lemke);
  RecordProperty("solved_by_auto", solved_by_auto);
}

// Beside a z that runs away any residual looks small: M = [1 −1; −1 1], q = (−1, −1) has no
// solution, t (1, 1) leaves w = q for every t, and is not certified however large t is.
TEST(LcpAuto, DoesNotCallInfinityASolution) {
  Lcp lcp{MatX(2, 2), VecX::Constant(2, -1)};
  lcp.M << 1, -1, -1, 1;
  for (const Real t : {1e6, 1e12, 1e15}) {
    const LcpSolution s = solve(lcp, options_of("auto"), VecX::Constant(2, t));
    EXPECT_EQ(s.report.status, SolveStatus::ray_termination) << t;
    EXPECT_FALSE(is_within(s.certificate, Options{})) << t;
  }
}

// A limit of iterations ends the cascade with its own status, a stop condition with that of an
// interrupt; a certified guess takes no iteration.
TEST(LcpAuto, StopsWhenAsked) {
  Random random(6);
  const Lcp lcp = contact_like(random, 400);
  Options options = options_of("auto");
  options.max_iterations = 5;
  LcpSolution s = solve(lcp, options);
  EXPECT_EQ(s.report.status, SolveStatus::max_iterations) << s.report.detail;
  EXPECT_EQ(s.report.iterations, 5);
  options = options_of("auto");
  options.should_stop = [] { return true; };
  EXPECT_EQ(solve(lcp, options).report.status, SolveStatus::interrupted);
  s = solve(lcp, options_of("auto"));
  ASSERT_EQ(s.report.status, SolveStatus::converged);
  EXPECT_EQ(s.report.stages.front().solver, "mprgp");
  const LcpSolution again = solve(lcp, options_of("auto"), s.z);
  EXPECT_EQ(again.report.iterations, 0);
  EXPECT_EQ(again.z, s.z);
}

// Where there is no answer none is certified, at any tolerance and by no solver, also where z grows
// without end on the way.
TEST(Lcp, NoSolverCertifiesWhatHasNoAnswer) {
  Random random(11);
  for (const Index n : {2, 5, 12, 40}) {
    const Lcp lcp = infeasible(random, n);
    for (const auto& solver : lcp_solvers()) {
      Options options = options_of(std::string(solver.name));
      options.tolerance = 1e-4;
      const LcpSolution s = solve(lcp, options);
      EXPECT_NE(s.report.status, SolveStatus::converged) << n << ' ' << solver.name;
      EXPECT_FALSE(s.certificate.meets(options.tolerance)) << n << ' ' << solver.name;
    }
  }
}

// A clamped beam on an obstacle, M = K²: of terms of 10⁷ times what the rows have to answer the
// rates are rounding, whose work says nothing.
TEST(Lcp, AnswersAtTheLimitOfRoundingAreCertified) {
  const Index n = 300;
  MatX K = 2 * MatX::Identity(n, n);
  for (Index i = 0; i + 1 < n; ++i) K(i, i + 1) = K(i + 1, i) = -1;
  const LcpSolution s = solve(Lcp{K * K, VecX::Constant(n, -1)}, options_of("lemke"));
  EXPECT_EQ(s.report.status, SolveStatus::converged) << s.report.detail;
}

// The iterations of all islands together are no more than are allowed.
TEST(Lcp, IslandsShareTheIterations) {
  const Lcp lcp{2 * MatX::Identity(100, 100), VecX::Constant(100, -1)};
  for (const char* solver : {"pgs", "lemke"}) {
    Options options = options_of(solver);
    options.max_iterations = 3;
    const LcpSolution s = solve(lcp, options);
    EXPECT_LE(s.report.iterations, 3) << solver;
    EXPECT_EQ(s.report.status, SolveStatus::max_iterations) << solver;
  }
}

// An interruption is told, also where an island before has no answer.
TEST(Lcp, AnInterruptionIsToldBesideAnIslandWithoutAnswer) {
  Random random(3);
  const Lcp regular = p_matrix(random, 40);
  Lcp both{MatX::Zero(41, 41), VecX::Constant(41, -1)};  // w₀ = −1, whatever z₀ is
  both.M.bottomRightCorner(40, 40) = regular.M;
  both.q.tail(40) = regular.q;
  Options options = options_of("lemke");
  int polls = 0;
  options.should_stop = [&polls] { return ++polls > 20; };
  const LcpSolution s = solve(both, options);
  EXPECT_EQ(s.report.status, SolveStatus::interrupted);
  EXPECT_EQ(s.report.ray, nullptr);
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
