// Bodies that joints hold, with stops, motors, springs on their axes and exact Coulomb contact: one
// problem, solved on the bodies' velocities with the joints eliminated, judged by a certificate
// that knows nothing of the elimination.
#include <gtest/gtest.h>

#include <talus/base/random.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/detail/gated_sweeps.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/solve/gauss_seidel/jointed_nsgs.hpp>

#include <support/jointed_problem.hpp>

#include <algorithm>
#include <cmath>

namespace talus::driver {
namespace {

using problem::RigidContact;
using problem::SolveStatus;

RigidContactSolution solved(const RigidContact& problem, Real tolerance = 1e-8) {
  RigidContactSolution solution;
  Options options;
  options.tolerance = tolerance;
  solve(problem, options, {}, solution);
  return solution;
}

/// The largest |w| of the constraints [m/s].
Real constraint_rate(const RigidContact& problem, const RigidContactSolution& solution) {
  Real worst = 0;
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (problem.rows.is_constraint(j))
      worst = std::max(worst, std::abs(problem::row_rate(problem, j, solution.velocity)));
  return worst;
}

class Jointed : public testing::TestWithParam<int> {};

// Whatever tree, loops, laws of axes and contacts: certified, and joints are exact, not to a
// tolerance.
TEST_P(Jointed, RandomMachinesAreSolvedAndCertified) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  for (const test::JointedKind& kind :
       {test::JointedKind{.bodies = 10, .contacts = 0},
        test::JointedKind{.bodies = 20, .contacts = 12},
        test::JointedKind{
            .bodies = 20, .contacts = 8, .loops = 3, .has_laws = true, .mass_ratio = 1e4},
        test::JointedKind{.bodies = 15, .contacts = 5, .between = 6, .loops = 1, .has_laws = true},
        test::JointedKind{.bodies = 12, .contacts = 8, .resists = true},
        test::JointedKind{.bodies = 15,
        .contacts = 5,
        .between = 6,
        .loops = 1,
        .has_laws = true,
        .resists = true}}) {
    const RigidContact problem = test::random_jointed_problem(kind, seed);
    const RigidContactSolution solution = solved(problem);
    EXPECT_EQ(solution.report.status, SolveStatus::converged)
        << "seed " << seed << ", bodies " << kind.bodies << ", contacts " << kind.contacts << ": "
        << solution.certificate.worst(1e-8).name << " " << solution.certificate.worst(1e-8).value
        << " " << solution.report.detail;
    EXPECT_LT(constraint_rate(problem, solution), 1e-10);
  }
}

// Sweeps in which a machine is one block reach certified answers too, from nothing and from an
// answer at once, whatever trees, loops, stops, motors and springs; its joints are as exact.
TEST_P(Jointed, SweepsThatTakeAMachineAsOneBlockAreCertified) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  for (const test::JointedKind& kind :
       {test::JointedKind{.bodies = 10, .contacts = 0, .has_laws = true},
        test::JointedKind{.bodies = 8, .contacts = 4, .loops = 1},
        test::JointedKind{
            .bodies = 12, .contacts = 4, .between = 3, .loops = 1, .has_laws = true}}) {
    const RigidContact problem = test::random_jointed_problem(kind, seed);
    const certify::RigidContactCertifier certify(problem);
    solve::JointedNsgs nsgs;
    RigidContactSolution solution;
    for (const Index most : {100000, 2}) {
      ASSERT_TRUE(nsgs.start(problem, solution.impulse));
      solution.report = detail::sweep_until_certified(
          1e-6, [&](Real gate) { return nsgs.run(gate, most, {}); },
          [&] {
            nsgs.impulses(solution.impulse);
            return certify(solution.impulse, {}).excess(1e-6);
          });
      EXPECT_EQ(solution.report.status, SolveStatus::converged)
          << "seed " << seed << ", bodies " << kind.bodies << ", contacts " << kind.contacts;
      solution.velocity = problem.bodies;
      problem::apply_impulses(problem, solution.impulse, solution.velocity);
      EXPECT_LT(constraint_rate(problem, solution), 1e-10);
    }
  }
}

// An answer is its own guess: given back, it is certified as it is, without a Newton step, contacts
// and laws to the last bit.
TEST_P(Jointed, AnAnswerIsItsOwnGuess) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const RigidContact problem = test::random_jointed_problem(
      {.bodies = 15, .contacts = 5, .between = 6, .loops = 1, .has_laws = true}, seed);
  const RigidContactSolution first = solved(problem);
  ASSERT_EQ(first.report.status, SolveStatus::converged);
  Options options;
  options.tolerance = 1e-8;
  RigidContactSolution again;
  solve(problem, options, first.impulse, again);
  EXPECT_EQ(again.report.status, SolveStatus::converged);
  EXPECT_EQ(again.report.iterations, 0);
  EXPECT_EQ(again.impulse.general, first.impulse.general);
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (!problem.rows.is_constraint(j)) {
      EXPECT_EQ(again.impulse.row[j], first.impulse.row[j]) << j;
    }
  EXPECT_LT(constraint_rate(problem, again), 1e-10);
}

// What Newton's method answers is far closer than the tolerance, which costs it one step and spares
// the next solve some: to a tenth of it at most.
TEST_P(Jointed, AnswersAreRefined) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  const RigidContact problem =
      test::random_jointed_problem({.bodies = 20, .contacts = 12, .loops = 2}, seed);
  const RigidContactSolution solution = solved(problem, 1e-6);
  ASSERT_EQ(solution.report.status, SolveStatus::converged);
  EXPECT_LT(solution.certificate.excess(1e-6), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Jointed, testing::Range(1, 26));

// A pendulum's pin bears what its closed form says: a bob of m at rest under an impulse h m g, held
// by a ball joint at its own centre: λ = h m g.
TEST(Jointed, APinBearsTheWeight) {
  RigidContact problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 0.5;
  problem.bodies[1].v = Vec3(0, 0, -0.01);
  problem.inverse_inertia = {Mat3::Zero(), Mat3::Identity()};
  problem.length = {1, 1};
  for (int k = 0; k < 3; ++k) {
    Vec6 of = Vec6::Zero();
    of[k] = 1;
    problem.rows.parts.push_back({-of, 0});
    problem.rows.parts.push_back({of, 1});
    problem.rows.close(0);
  }
  const RigidContactSolution solution = solved(problem);
  ASSERT_EQ(solution.report.status, SolveStatus::converged);
  EXPECT_NEAR(solution.impulse.row[2], 0.02, 1e-16);
  EXPECT_EQ(solution.report.iterations, 0);
}

// λ = clamp(demand): a motor with bounds gives what it takes up to its limit, a stop only pushes, a
// compliance shares.
TEST(Jointed, LawsOfAxesFollowTheirClosedForms) {
  constexpr Real kFree = problem::BoundedRows::kFree;
  struct Law {
    Real free, bias, compliance, lower, upper, expected;
  };
  const Real mass = 2;
  for (const Law& law :
       {Law{1, -3, 0, -kFree, kFree, 4}, Law{1, -3, 0, -3, 3, 3}, Law{-1, 0, 0, 0, kFree, 2},
        Law{1, 0, 0, 0, kFree, 0}, Law{1, 0, 0.5, -kFree, kFree, -1}, Law{1, 0, 0, -0.5, 0.5, -0.5},
        Law{0.1, 0, 0, -0.5, 0.5, -0.2}}) {
    RigidContact problem;
    problem.bodies.resize(1);
    problem.bodies[0].inverse_mass = 1 / mass;
    problem.bodies[0].v = Vec3(law.free, 0, 0);
    problem.inverse_inertia = {Mat3::Identity()};
    problem.length = {1};
    Vec6 of = Vec6::Zero();
    of[0] = 1;
    problem.rows.parts.push_back({of, 0});
    problem.rows.close(law.bias, law.compliance, law.lower, law.upper);
    const RigidContactSolution solution = solved(problem, 1e-12);
    EXPECT_EQ(solution.report.status, SolveStatus::converged) << law.expected;
    EXPECT_NEAR(solution.impulse.row[0], law.expected, 1e-11);
  }
}

// Impulses that cancel hide no velocity behind their rounding: a body that is squeezed by 10¹³ N s
// and all the same approaches the floor by 1 mm/s is refused, in a problem with joints too.
TEST(Jointed, ASelfStressHidesNothing) {
  RigidContact problem;
  problem.force_speed = 0.01;
  problem.bodies.resize(3);  // a floor and lid, a body between them, a body that a pin holds
  problem.bodies[1].inverse_mass = problem.bodies[2].inverse_mass = 1;
  problem.bodies[1].v = Vec3(0, 0, -0.01);
  problem.inverse_inertia = {Mat3::Zero(), Mat3::Identity(), Mat3::Identity()};
  problem.length = {1, 1, 1};
  problem.general.resize(2);
  for (const int c : {0, 1}) {
    problem.general[c].normal = Vec3(0, 0, c == 0 ? 1 : -1);
    problem.general[c].body_b = 1;
  }
  Vec6 of = Vec6::Zero();
  of[2] = 1;
  problem.rows.parts.push_back({of, 2});
  problem.rows.close(0);
  problem::ContactImpulses impulse = problem::zero_impulses(problem);
  const auto excess = [&](Real stress, Real support) {
    impulse.general = {Vec3(0, 0, stress + support), Vec3(0, 0, -stress)};
    return certify::certify(problem, impulse, {}).excess(1e-4);
  };
  EXPECT_LE(excess(0, 0.01), 1);
  EXPECT_LE(excess(16, 0.01), 1);
  EXPECT_GT(excess(0, 0.0078125), 1);
  EXPECT_GT(excess(0x1p43, 0.0078125), 1);
}

// A certificate catches each law broken: any impulse changed by a hundredth is refused.
TEST(Jointed, TheCertificateCatchesEveryImpulseThatIsWrong) {
  const RigidContact problem = test::random_jointed_problem(
      {.bodies = 12, .contacts = 6, .loops = 1, .has_laws = true, .resists = true}, 3);
  const RigidContactSolution solution = solved(problem);
  ASSERT_EQ(solution.report.status, SolveStatus::converged);
  ASSERT_LT(certify::certify(problem, solution.impulse, {}).excess(1e-8), 1);
  for (std::size_t j = 0; j < solution.impulse.row.size(); ++j) {
    problem::ContactImpulses wrong = solution.impulse;
    wrong.row[j] += 0.01;
    EXPECT_GT(certify::certify(problem, wrong, {}).excess(1e-4), 1) << "row " << j;
  }
  for (std::size_t c = 0; c < solution.impulse.moment.size(); ++c) {
    problem::ContactImpulses wrong = solution.impulse;
    wrong.moment[c] += Vec3(0.01, 0.01, 0.01);
    EXPECT_GT(certify::certify(problem, wrong, {}).excess(1e-5), 1) << "moment " << c;
  }
  for (std::size_t c = 0; c < solution.impulse.general.size(); ++c) {
    problem::ContactImpulses wrong = solution.impulse;
    wrong.general[c] += Vec3(0.01, 0, 0.01);
    EXPECT_GT(certify::certify(problem, wrong, {}).excess(1e-5), 1) << "contact " << c;
  }
}

// A drive that presses a body into a fixed stop has no answer: nothing may be called converged.
TEST(Jointed, ContradictionsAreNotCertified) {
  RigidContact problem;
  problem.bodies.resize(2);
  problem.bodies[1].inverse_mass = 1;
  problem.inverse_inertia = {Mat3::Zero(), Mat3::Identity()};
  problem.length = {1, 1};
  Vec6 of = Vec6::Zero();
  of[2] = 1;
  problem.rows.parts.push_back({of, 1});
  problem.rows.close(1);  // v_z = −1
  problem::GeneralContact floor;
  floor.body_b = 1;
  problem.general.push_back(floor);  // v_z ≥ 0
  const RigidContactSolution solution = solved(problem, 1e-4);
  EXPECT_NE(solution.report.status, SolveStatus::converged);
  EXPECT_GT(solution.certificate.excess(1e-4), 1);
}

// The same rows twice: said, not averaged.
TEST(Jointed, DependentConstraintsAreSaid) {
  RigidContact problem;
  problem.bodies.resize(1);
  problem.bodies[0].inverse_mass = 1;
  problem.inverse_inertia = {Mat3::Identity()};
  problem.length = {1};
  Vec6 of = Vec6::Zero();
  of[0] = 1;
  for (int k = 0; k < 2; ++k) {
    problem.rows.parts.push_back({of, 0});
    problem.rows.close(k);
  }
  const RigidContactSolution solution = solved(problem);
  EXPECT_EQ(solution.report.status, SolveStatus::numerical_error);
  EXPECT_EQ(solution.report.detail, "constraints depend on each other");
}

// Another island changes no bit of an answer.
TEST(Jointed, IslandsDoNotFeelEachOther) {
  const test::JointedKind kind{.bodies = 8, .contacts = 5, .has_laws = true};
  const RigidContact one = test::random_jointed_problem(kind, 11),
                     other = test::random_jointed_problem(kind, 12);
  RigidContact both = one;
  const auto shift = static_cast<std::uint32_t>(one.bodies.size());
  both.bodies.insert(both.bodies.end(), other.bodies.begin(), other.bodies.end());
  both.inverse_inertia.insert(both.inverse_inertia.end(), other.inverse_inertia.begin(),
                              other.inverse_inertia.end());
  both.length.insert(both.length.end(), other.length.begin(), other.length.end());
  for (problem::GeneralContact contact : other.general) {
    contact.body_a += shift;
    contact.body_b += shift;
    both.general.push_back(contact);
  }
  for (Index j = 0; j < other.rows.size(); ++j) {
    other.rows.for_each_part(j, [&](const problem::RowPart& of) {
      both.rows.parts.push_back({of.part, of.body + shift});
    });
    both.rows.close(other.rows.bias[j], other.rows.compliance[j], other.rows.lower[j],
                    other.rows.upper[j]);
  }
  const RigidContactSolution alone = solved(one), together = solved(both);
  for (std::size_t i = 0; i < one.bodies.size(); ++i) {
    EXPECT_EQ(alone.velocity[i].v, together.velocity[i].v);
    EXPECT_EQ(alone.velocity[i].s, together.velocity[i].s);
  }
}

}  // namespace
}  // namespace talus::driver
