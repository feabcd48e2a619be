#include <talus/certify/raised_energy.hpp>
#include <talus/stepping/detail/bounded_restitution.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include <talus/base/random.hpp>

namespace talus::stepping::detail::TALUS_TEST_FILE {
namespace {

constexpr Real kTolerance = 1e-9;

/// A body that strikes a floor with some of its corners, each of which may be there twice (two
/// names of one point, as where a vertex meets a vertex); owns what the problem points to.
struct Strike {
  laws::StepProblem problem;
  model::NormalLaw rigid = model::RigidNormal{};
  model::FrictionModel friction;
  std::vector<laws::FrictionElement> elements;

  explicit Strike(Random& random) {
    const Real e = random.uniform(0.5, 1);
    friction.coefficient = random.uniform(0.2, 1.2);
    const Vec3 v(random.uniform(-3, 3), random.uniform(-3, 0), random.uniform(-5, 5));
    const Vec3 inverse_mass(1, 1, 1 / random.uniform(0.02, 0.5));
    std::vector<Vec2> corners;
    for (int points = 1 + static_cast<int>(random.bits() % 3); points > 0; --points) {
      const Real x = random.uniform(-1, 1), y = random.uniform(-0.5, -0.1);
      for (int names = 1 + static_cast<int>(random.bits() % 2); names > 0; --names)
        corners.emplace_back(x, y);
    }
    const auto n = static_cast<Index>(corners.size());
    MatX J(2 * n, 3);
    for (Index i = 0; i < n; ++i) {
      const Vec2 r = corners[static_cast<std::size_t>(i)];
      J.row(i) << 0, 1, r.x();
      J.row(n + i) << 1, 0, -r.y();
    }
    problem.h = 1e-3;
    problem.G = MatX(J * inverse_mass.asDiagonal() * J.transpose()).sparseView();
    problem.b = J * v;
    problem.turn = VecX::Zero(problem.b.size());
    problem.start = problem.b;
    problem.L = MatX(0, 2 * n);
    elements.resize(corners.size());
    for (Index i = 0; i < n; ++i) {
      laws::FrictionElement& element = elements[static_cast<std::size_t>(i)];
      element.law = &friction;
      element.static_friction = element.kinetic_friction = friction.coefficient;
      element.has_stick = true;
      const Real before = problem.b[i];
      const Real shift = before < 0 ? e * before : random.uniform(0, 1);
      problem.normals.push_back({&rigid, before, shift, 0, 0, e});
      laws::StepFriction rubbing;
      rubbing.element = &element;
      rubbing.normal = i;
      problem.frictions.push_back(rubbing);
    }
  }
  /// ½ Σ Λ·(u_free + u'): what the impulses do to the kinetic energy [J], and its size.
  [[nodiscard]] Real work(const laws::StepImpulses& answer) const {
    return answer.impulse.dot(problem.b + answer.rate) / 2;
  }
  [[nodiscard]] Real size(const laws::StepImpulses& answer) const {
    return answer.impulse.cwiseAbs().dot(problem.b.cwiseAbs() + answer.rate.cwiseAbs()) / 2;
  }
};

// Newton's restitution with friction may raise the kinetic energy; bounded it never does, also
// where a contact that bore nothing takes over what another one gives up. What does not raise it
// keeps every bit.
TEST(BoundedRestitution, NoStrikeRaisesTheEnergy) {
  Random random(1);
  int raised = 0;
  for (int k = 0; k < 30000; ++k) {
    Strike strike(random);
    laws::StepImpulses answer = solve(strike.problem);
    if (answer.status != problem::SolveStatus::converged) continue;
    const laws::StepImpulses asked = answer;
    const VecX share = bound_restitution(
        strike.problem, kTolerance, [&] { return solve(strike.problem); }, answer);
    ASSERT_EQ(answer.status, problem::SolveStatus::converged);
    ASSERT_LE(strike.work(answer), kTolerance * strike.size(answer)) << k;
    if (strike.work(asked) > 2 * kTolerance * strike.size(asked)) {
      ++raised;
      ASSERT_LT(share.minCoeff(), 1) << k;
    } else if (strike.work(asked) <= 0) {
      ASSERT_EQ(answer.impulse, asked.impulse) << k;
    }
  }
  EXPECT_GT(raised, 500);
}

/// A body that strikes a fixed one with some of its corners, each of which may be there twice, and
/// perhaps strikes a third body, which strikes the fixed one too; rows may turn.
struct SpatialStrike {
  problem::RigidContact problem;
  std::vector<ContactTurn> turns;
  driver::Options options;
  std::vector<Real> none;              // of rows: λ alone, rates before the step
  std::vector<unsigned char> resists;  // all rows do

  SpatialStrike(Random& random, bool has_turns) {
    options.tolerance = kTolerance;
    const Real e = has_turns && random.uniform() < 0.5 ? 0 : random.uniform(0.5, 1);
    const auto vector = [&](Real size) {
      return Vec3(random.uniform(-size, size), random.uniform(-size, size),
                  random.uniform(-size, size));
    };
    const bool has_third = random.uniform() < 0.5;
    problem.bodies.resize(has_third ? 3 : 2);
    problem.length.assign(problem.bodies.size(), 1);
    problem.inverse_inertia.assign(problem.bodies.size(), Mat3::Zero());
    for (std::size_t i = 1; i < problem.bodies.size(); ++i) {
      problem.bodies[i].inverse_mass = random.uniform(0.3, 3);
      problem.bodies[i].v = vector(3);
      problem.bodies[i].s = vector(5);
      const Vec3 inertia(random.uniform(2, 50), random.uniform(2, 50), random.uniform(2, 50));
      problem.inverse_inertia[i] = inertia.asDiagonal();
    }
    const Real friction = random.uniform(0.2, 1.2);
    const auto meet = [&](std::uint32_t a, std::uint32_t b, const Vec3& normal) {
      const Vec3 arm_a = a == 0 ? Vec3(Vec3::Zero()) : vector(0.3), arm_b = vector(0.3);
      for (int names = 1 + static_cast<int>(random.bits() % 2); names > 0; --names)
        problem.general.push_back({normal, 0, arm_a, arm_b, friction, a, b});
    };
    for (int points = 1 + static_cast<int>(random.bits() % 3); points > 0; --points)
      meet(0, 1, Vec3::UnitZ());
    if (has_third) meet(1, 2, vector(1).normalized());
    if (has_third) meet(0, 2, vector(1).normalized());
    if (has_turns) turns.resize(problem.general.size());
    for (std::size_t c = 0; c < problem.general.size(); ++c) {
      problem::GeneralContact& contact = problem.general[c];
      const Vec3 free = relative(contact, problem.bodies);
      const Real before = contact.normal.dot(free);
      contact.bias = before < 0 ? e * before : random.uniform(0, 1);
      if (!has_turns) continue;
      turns[c].before = free;  // no forces
      turns[c].normal = random.uniform(-0.5, 0.5);
      contact.bias += turns[c].normal;
    }
  }
  /// What holds a body in one direction, as an axis that slides askew would: a limit with
  /// restitution that it strikes, or that is far, and dry friction.
  void add_rows(Random& random) {
    for (std::uint32_t body = 1; body < problem.bodies.size(); ++body)
      for (const bool is_limit : {true, false}) {
        Vec6 part;
        for (Index i = 0; i < 6; ++i) part[i] = random.uniform(-1, 1);
        problem.rows.parts.push_back({part, body});
        problem.rows.close(0, 0, is_limit ? 0 : -0.5, is_limit ? problem::BoundedRows::kFree : 0.5);
        const Real before = problem::row_rate(problem, problem.rows.size() - 1, problem.bodies);
        if (is_limit)
          problem.rows.bias.back() =
              before < 0 ? random.uniform(0.5, 1) * before : random.uniform(0, 1);
      }
    none.assign(static_cast<std::size_t>(problem.rows.size()), 0);
    resists.assign(none.size(), 1);
  }
  [[nodiscard]] AloneMotion alone() const { return {problem.bodies, none, resists, none, {}}; }
  [[nodiscard]] certify::MachineAlone alone_rows() const { return {none, resists}; }
  static Vec3 relative(const problem::GeneralContact& contact,
                       std::span<const problem::BodyVelocity> velocity) {
    const problem::BodyVelocity &a = velocity[contact.body_a], &b = velocity[contact.body_b];
    return b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a);
  }
  [[nodiscard]] driver::RigidContactSolution answer() const {
    driver::RigidContactSolution solution;
    driver::solve(problem, options, {}, solution);
    return solution;
  }
  /// ½ Σ r·(u_free + u'): what the impulses do to the kinetic energy [J], and its size.
  [[nodiscard]] std::pair<Real, Real> work(const driver::RigidContactSolution& solution) const {
    Real work = 0, size = 0;
    for (std::size_t c = 0; c < problem.general.size(); ++c) {
      const Vec3& r = solution.impulse.general[c];
      const Vec3 before = relative(problem.general[c], problem.bodies);
      const Vec3 after = relative(problem.general[c], solution.velocity);
      work += r.dot(before + after) / 2;
      size += r.norm() * (before.norm() + after.norm()) / 2;
    }
    for (Index j = 0; j < problem.rows.size(); ++j) {
      const Real impulse = solution.impulse.row[j], bias = problem.rows.bias[j];
      const Real before = problem::row_rate(problem, j, problem.bodies) - bias;
      const Real after = problem::row_rate(problem, j, solution.velocity) - bias;
      work += impulse * (before + after) / 2;
      size += std::abs(impulse) * (std::abs(before) + std::abs(after)) / 2;
    }
    return {work, size};
  }
};

void expect_no_strike_raises_the_energy(bool has_turns, bool has_rows, int strikes) {
  Random random(1);
  int raised = 0;
  for (int k = 0; k < strikes; ++k) {
    SpatialStrike strike(random, has_turns);
    if (has_rows) strike.add_rows(random);
    driver::RigidContactSolution answer = strike.answer();
    if (answer.report.status != problem::SolveStatus::converged) continue;
    const driver::RigidContactSolution asked = answer;
    bound_restitution(
        strike.problem, strike.options.tolerance,
        [&] { driver::solve_again(strike.problem, strike.options, answer); },
        [&] { return strike.alone(); }, strike.turns, answer);
    if (answer.report.status != problem::SolveStatus::converged) continue;
    const auto [asked_work, asked_size] = strike.work(asked);
    const auto [work, size] = strike.work(answer);
    ASSERT_LE(work, 1.01 * kTolerance * size) << k;
    // The verdict is of velocities that it forms itself, island by island.
    EXPECT_LE(certify::raised_energy(strike.problem, answer.impulse, strike.alone_rows()),
              2 * kTolerance)
        << k;
    if (strike.problem.bodies.size() == 2 && asked_size > 0) {
      EXPECT_NEAR(certify::raised_energy(strike.problem, asked.impulse, strike.alone_rows()),
                  std::max(asked_work / asked_size, Real(0)), 10 * kTolerance)
          << k;
    }
    raised += asked_work > 2 * kTolerance * asked_size ? 1 : 0;
    if (asked_work <= 0 && strike.problem.bodies.size() == 2) {
      ASSERT_EQ(answer.impulse.general, asked.impulse.general) << k;
    }
  }
  EXPECT_GT(raised, 60);
}

// The same in space, with a third body that is struck in turn.
TEST(BoundedRestitution, NoStrikeInSpaceRaisesTheEnergy) {
  expect_no_strike_raises_the_energy(false, false, 30000);
}

// Limits with restitution and dry friction of axes are as contacts: with them neither.
TEST(BoundedRestitution, NoLimitRaisesTheEnergy) {
  expect_no_strike_raises_the_energy(false, true, 10000);
}

// Nor do rows that turn within the step.
TEST(BoundedRestitution, NoTurningRowRaisesTheEnergy) {
  expect_no_strike_raises_the_energy(true, false, 30000);
}

}  // namespace
}  // namespace talus::stepping::detail::TALUS_TEST_FILE
