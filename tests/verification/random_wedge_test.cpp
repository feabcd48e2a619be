#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include <talus/problem/convert.hpp>
#include <talus/problem/scale.hpp>
#include <talus/solve/newton/fischer_burmeister.hpp>
#include <talus/solve/pivoting/lemke.hpp>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Five balls thrown into a wedge of two planes, so that they jam: redundant contacts.
struct Wedge : test::World {
  Wedge(Real friction, std::uint64_t seed) : test::World(friction, 0) {
    Random random(seed);
    for (const Real side : {-1.0, 1.0})
      add(geometry::Plane{}, model::BodyKind::fixed, Vec3::Zero(),
          rotation_between(Vec3::UnitZ(), Vec3(side, 0, 1).normalized()));
    for (int i = 0; i < 5; ++i) {
      add_sphere(0.1, {random.uniform(-0.05, 0.05), random.uniform(-0.15, 0.15), 0.4 + 0.25 * i});
      state.velocity.back() = test::random_vector(random, 1);
    }
  }
};

// 8000 steps of random balls in a wedge, μ = 0.1, 0.4, 0.8 and 1.5: every LCP is verified, none is
// left unsolved, and no impulse leaves its friction polygon.
TEST(RandomWedge, EveryLcpIsSolved) {
  laws::LcpStatistics total;
  Index steps = 0, most_contacts = 0;
  for (const Real friction : {0.1, 0.4, 0.8, 1.5})
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      Wedge world(friction, seed);
      const auto scheme = make_scheme(world.model, test::options("stewart_trinkle", 1e-10));
      for (int step = 0; step < 500; ++step) {
        const auto report = scheme->step(world.state, 0.004);
        ASSERT_TRUE(report.is_certified())
            << "μ " << friction << " seed " << seed << " step " << step << ": " << report.detail;
        total.add(report.lcp);
        most_contacts = std::max(most_contacts, report.contact_count);
        ++steps;
      }
    }
  EXPECT_EQ(steps, 8000);
  EXPECT_GE(most_contacts, 10) << "jammed, with more contacts than can be independent";
  EXPECT_LE(total.residual, 1e-10);
  EXPECT_LE(total.cone_violation, 1e-12);
}

/// Solves a polygonal friction LCP z = (β, r_N, λ) contact by contact, each by enumeration through
/// Lemke's method on its k + 2 unknowns: the Gauss–Seidel sweep that this matrix allows (its
/// diagonal has zeros).
VecX sweep_contacts(const problem::Lcp& lcp, Index k, Index sweeps, Real tolerance) {
  const Index contacts = lcp.size() / (k + 2), n = k + 2;
  const VecX scale = problem::lcp_scale(lcp);
  VecX z = VecX::Zero(lcp.size());
  for (Index sweep = 0; sweep < sweeps; ++sweep) {
    for (Index c = 0; c < contacts; ++c) {
      std::vector<Index> rows;
      for (Index j = 0; j < k; ++j) rows.push_back(k * c + j);
      rows.push_back(k * contacts + c);
      rows.push_back((k + 1) * contacts + c);
      problem::Lcp one{MatX(n, n), VecX(n)};
      VecX own(n);
      for (Index i = 0; i < n; ++i) own[i] = z[rows[i]];
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < n; ++j) one.M(i, j) = lcp.M(rows[i], rows[j]);
        one.q[i] = lcp.M.row(rows[i]).dot(z) + lcp.q[rows[i]];
      }
      one.q -= one.M * own;
      VecX answer;
      solve::LemkeOptions options;
      options.tolerance = 1e-12;
      (void)solve::lemke(one, options, answer);
      for (Index i = 0; i < n; ++i) z[rows[i]] = answer[i];
    }
    if (solve::lcp_natural_residual(lcp, scale, z) <= tolerance) break;
  }
  return z;
}

/// The LCP as a cone problem of nonnegative rows, for the Newton method.
VecX newton(const problem::Lcp& lcp, Real tolerance) {
  problem::ConeProblem cones;
  cones.W = lcp.M.sparseView();
  cones.b = lcp.q;
  cones.cones = {{problem::ConeKind::nonnegative, 0, lcp.size(), 0, 0}};
  const VecX scale = problem::lcp_scale(lcp);
  VecX z = VecX::Zero(lcp.size());
  (void)solve::fischer_burmeister(
      cones, {},
      [&](const VecX& x) { return solve::lcp_natural_residual(lcp, scale, x) / tolerance; }, {}, z);
  return z;
}

// On the LCPs of balls that jam in a wedge (redundant contacts), Lemke's method, Gauss–Seidel by
// contacts and Newton's method on the Fischer–Burmeister function agree by residual: solutions are
// not unique, so residuals are compared. Lemke solves every one; the iterative methods do not
// always get there, and say so by their residual.
TEST(RandomWedge, MethodsAgreeByResidual) {
  constexpr Index kDirections = 8;
  constexpr Real kTolerance = 1e-8;
  int problems = 0, swept = 0, newton_solved = 0;
  for (const Real friction : {0.1, 0.4, 0.8}) {
    Wedge world(friction, 1);
    const auto scheme = make_scheme(world.model, test::options("stewart_trinkle", 1e-10));
    for (int step = 0; step < 400; ++step) {
      ASSERT_TRUE(scheme->step(world.state, 0.004).is_certified());
      if (step % 20 != 0 || scheme->contacts().size() < 4) continue;
      const problem::LocalForm local(*scheme->last_problem());
      const problem::Lcp lcp = problem::to_lcp(local.problem(), kDirections).lcp;
      const VecX scale = problem::lcp_scale(lcp);
      const auto residual = [&](const VecX& z) {
        return solve::lcp_natural_residual(lcp, scale, z);
      };
      VecX z;
      solve::LemkeOptions options;
      options.tolerance = kTolerance;
      (void)solve::lemke(lcp, options, z);
      EXPECT_LE(residual(z), kTolerance);
      swept += residual(sweep_contacts(lcp, kDirections, 3000, kTolerance)) <= kTolerance ? 1 : 0;
      newton_solved += residual(newton(lcp, kTolerance)) <= kTolerance ? 1 : 0;
      ++problems;
    }
  }
  RecordProperty("problems", problems);
  RecordProperty("swept", swept);
  RecordProperty("newton", newton_solved);
  EXPECT_GE(problems, 20);
  EXPECT_EQ(swept, problems);
  EXPECT_EQ(newton_solved, problems);
}

/// Balls of random sizes and masses thrown at a table and at each other, with any friction.
struct ThrownBalls : test::World {
  ThrownBalls(std::uint64_t seed, int count) : test::World(0, 0) {
    Random random(seed);
    model.laws[0].friction.coefficient = random.uniform(0, 1.5);
    add_floor();
    for (int i = 0; i < count; ++i) {
      const Index ball = add_sphere(random.uniform(0.05, 0.15), {0.31 * i, 0, 0.15});
      const Real factor = random.uniform(0.2, 5);
      model.bodies[ball].mass *= factor;
      model.bodies[ball].inertia *= factor;
      state.velocity[ball] = test::random_vector(random, 2);
      state.angular_velocity[ball] = test::random_vector(random, 5);
    }
  }
};

// The same code on other parameters: 2 to 6 balls of random sizes and masses, any friction,
// k = 4 … 64: every step is certified, every LCP solved to round-off.
RC_GTEST_PROP(RandomBalls, AreSteppedWhateverTheParameters, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1U << 30U);
  ThrownBalls world(seed, *rc::gen::inRange(2, 7));
  auto options = test::options("stewart_trinkle", 1e-10);
  options.directions = *rc::gen::element<Index>(4, 6, 8, 16, 32, 64);
  const auto scheme = make_scheme(world.model, options);
  for (int step = 0; step < 60; ++step) {
    const auto report = scheme->step(world.state, 0.005);
    RC_ASSERT(report.is_certified());
    RC_ASSERT(report.lcp.residual <= 1e-10);
    RC_ASSERT(report.lcp.cone_violation <= 1e-12);
  }
}

// Where the normal turns during the step the energy inequality (24) no longer holds exactly: balls
// that graze each other may gain energy in a step, of second order in h (three parts in 10⁵ of the
// whole at h = 0.005).
TEST(RandomBalls, GrazingGainsEnergyToSecondOrder) {
  std::vector<Real> rises;
  for (const Real h : {0.01, 0.005, 0.0025, 0.00125, 0.000625}) {
    ThrownBalls world(148335178, 2);
    auto options = test::options("stewart_trinkle", 1e-10);
    options.directions = 32;
    const auto scheme = make_scheme(world.model, options);
    Real rise = 0;
    for (int step = 0; step < std::lround(0.3 / h); ++step) {
      const Real energy = world.energy();
      ASSERT_TRUE(scheme->step(world.state, h).is_certified());
      rise = std::max(rise, world.energy() - energy);
    }
    rises.push_back(rise);
  }
  const Real order = std::log2(rises.front() / rises.back()) / 4;
  EXPECT_GT(order, 1.8);
  EXPECT_LT(order, 2.2);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
