#include <gtest/gtest.h>

#include <algorithm>

#include <talus/certify/friction_contact_residual.hpp>
#include <talus/driver/solve.hpp>

#include "support/contact_problems.hpp"

namespace talus::driver::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::Lcp;
using problem::SolveStatus;

Options tight() {
  Options options;
  options.tolerance = 1e-11;
  options.max_iterations = 100000;
  return options;
}

// Contacts in another order: the same relative velocities to the tolerance (W regular, small μ: one
// solution).
TEST(Property, OrderOfContactsDoesNotMatter) {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    const Index m = 6, d = 2 + i % 2;
    const FrictionContact problem = test::random_local(random, d, 6, m, 0.4);
    const std::vector<Index> order = test::random_order(random, m);
    const auto a = solve(problem, tight());
    const auto b = solve(test::permuted(problem, order), tight());
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    for (std::size_t k = 0; k < order.size(); ++k)
      EXPECT_LT(
          (b.velocity.segment(d * static_cast<Index>(k), d) - a.velocity.segment(d * order[k], d))
              .norm(),
          1e-7 * (1 + a.velocity.norm()))
          << "i = " << i;
  }
}

// Tangent axes turned by any angle, another one at each contact: the impulses turn with them.
TEST(Property, TangentsMayBeTurned) {
  Random random(2);
  for (int i = 0; i < 40; ++i) {
    const Index m = 5;
    const FrictionContact problem = test::random_local(random, 3, 5, m, 0.4);
    const MatX R = test::tangent_rotation(random, 3, m);
    const auto a = solve(problem, tight()), b = solve(test::transformed(problem, R), tight());
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    EXPECT_LE((b.impulse - R * a.impulse).norm(), 1e-7 * a.impulse.norm()) << "i = " << i;
  }
}

// Without friction the normal impulses solve the LCP of the normal rows.
TEST(Property, FrictionlessEqualsTheLcp) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const Index d = 2 + i % 2, m = 1 + i % 6;
    const FrictionContact problem = test::random_local(random, d, 6, m, 0);
    const auto contacts = solve(problem, tight());
    const MatX W = problem.W;
    Lcp lcp{MatX(m, m), VecX(m)};
    for (Index a = 0; a < m; ++a) {
      lcp.q[a] = problem.b[d * a];
      for (Index b = 0; b < m; ++b) lcp.M(a, b) = W(d * a, d * b);
    }
    Options lemke = tight();
    lemke.solver = "lemke";
    const auto normal = solve(lcp, lemke);
    ASSERT_EQ(contacts.report.status, SolveStatus::converged);
    ASSERT_EQ(normal.report.status, SolveStatus::converged);
    for (Index c = 0; c < m; ++c) {
      EXPECT_NEAR(contacts.impulse[d * c], normal.z[c], 1e-8 * (1 + normal.z.norm()));
      EXPECT_EQ(contacts.impulse.segment(d * c + 1, d - 1).norm(), 0);
    }
  }
}

// A 3-D problem without anything along t2 is the 2-D problem.
TEST(Property, PlaneEqualsSpaceRestricted) {
  Random random(4);
  for (int i = 0; i < 60; ++i) {
    const Index m = 1 + i % 6;
    const FrictionContact plane = test::random_local(random, 2, 6, m, 0.5);
    MatX P = MatX::Zero(3 * m, 2 * m);
    MatX across = MatX::Zero(3 * m, 3 * m);
    for (Index c = 0; c < m; ++c) {
      P(3 * c, 2 * c) = P(3 * c + 1, 2 * c + 1) = 1;
      across(3 * c + 2, 3 * c + 2) = 1;
    }
    FrictionContact space{3, test::congruent(P, plane.W) + test::to_sparse(across), P * plane.b,
                          plane.friction};
    const auto a = solve(plane, tight()), b = solve(space, tight());
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    EXPECT_LT((b.impulse - P * a.impulse).norm(), 1e-7 * (1e-3 + a.impulse.norm())) << "i = " << i;
  }
}

// Two solvers, one answer: in the plane, NSGS and Lemke find the same velocities.
TEST(Property, NsgsEqualsLemkeInThePlane) {
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const FrictionContact problem = test::random_local(random, 2, 6, 1 + i % 6, 0.4);
    Options lemke = tight();
    lemke.solver = "lemke";
    const auto a = solve(problem, tight()), b = solve(problem, lemke);
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-7 * (1 + a.velocity.norm())) << "i = " << i;
  }
}

// Global and local form give the same impulses, and the global one the velocities that belong to
// them.
TEST(Property, GlobalEqualsLocal) {
  Random random(6);
  for (int i = 0; i < 60; ++i) {
    const auto global = test::random_global(random, 2 + i % 2, 5, 5, 0.4);
    const auto a = solve(global, tight());
    const auto b = solve(test::dense_local(global), tight());
    ASSERT_EQ(a.report.status, SolveStatus::converged);
    ASSERT_EQ(b.report.status, SolveStatus::converged);
    EXPECT_LT((a.impulse - b.impulse).norm(), 1e-7 * (1e-3 + a.impulse.norm())) << "i = " << i;
    EXPECT_LT((a.velocity - b.velocity).norm(), 1e-7 * (1 + a.velocity.norm()));
    EXPECT_LT(a.certificate.equation_of_motion, 1e-14);
  }
}

// Mass, length and time in other units: the same sweeps, the same verdict, rescaled impulses.
// Powers of two, so that rescaling is exact.
TEST(Property, UnitsDoNotMatter) {
  Random random(7);
  for (int i = 0; i < 60; ++i) {
    const FrictionContact problem = test::random_local(random, 2 + i % 2, 4, 4 + i % 3, 0.8);
    const Real mass = std::exp2(std::round(random.uniform(-30, 30)));
    const Real speed = std::exp2(std::round(random.uniform(-30, 30)));
    FrictionContact other = problem;
    other.W = problem.W / mass;
    other.b = problem.b * speed;
    const auto a = solve(problem, tight()), b = solve(other, tight());
    EXPECT_EQ(a.report.status, b.report.status);
    EXPECT_EQ(a.report.iterations, b.report.iterations);
    EXPECT_LE((b.impulse / (mass * speed) - a.impulse).norm(), 1e-12 * a.impulse.norm());
  }
}

// The same call twice gives the same bits.
TEST(Property, IsDeterministic) {
  Random random(8);
  const FrictionContact problem = test::random_local(random, 3, 4, 7, 1);
  Options options = tight();
  options.max_iterations = 200;
  EXPECT_EQ(solve(problem, options).impulse, solve(problem, options).impulse);
}

}  // namespace
}  // namespace talus::driver::TALUS_TEST_FILE
