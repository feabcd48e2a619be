#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include <talus/base/random.hpp>
#include <talus/laws/contact_step.hpp>
#include <talus/laws/step_laws.hpp>

namespace talus::laws::TALUS_TEST_FILE {
namespace {

using laws::FrictionElement;

/// A step of random contacts under random laws; owns what the problem points to.
struct RandomStep {
  StepProblem problem;
  std::vector<model::NormalLaw> normals;
  std::vector<model::FrictionModel> frictions;
  std::vector<FrictionElement> elements;

  RandomStep(Random& random, Index contacts) {
    const Real h = 1e-3;
    MatX J(2 * contacts, 9);
    for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
    problem.h = h;
    problem.G = MatX(J * J.transpose()).sparseView();
    problem.b.resize(2 * contacts);
    for (Index i = 0; i < 2 * contacts; ++i) problem.b[i] = random.uniform(-1, 1);
    problem.lambda = VecX();
    problem.L = MatX(0, 2 * contacts);
    for (Index i = 0; i < contacts; ++i) {
      normals.push_back(random.bits() % 2 == 0 ? model::NormalLaw(model::RigidNormal{})
                                               : model::NormalLaw(model::HertzNormal{1e6, 1.5}));
      const Real mu = random.uniform(0.05, 0.3);
      const model::FrictionKind kinds[] = {
          model::CoulombFriction{}, model::TanhFriction{1e-3}, model::AtanFriction{1e-2},
          model::PiecewiseLinearFriction{1e-3, 1e-2}, model::DahlFriction{1e4, 1.5}};
      frictions.push_back({mu, random.uniform(0, 1), 0, kinds[random.bits() % 5]});
    }
    for (Index i = 0; i < contacts; ++i) {
      FrictionElement element;
      element.law = &frictions[static_cast<std::size_t>(i)];
      element.static_friction = element.kinetic_friction = element.law->coefficient;
      element.has_stick = model::has_stick(*element.law);
      element.dahl = std::holds_alternative<model::DahlFriction>(element.law->kind) ? 0 : -1;
      elements.push_back(element);
    }
    for (Index i = 0; i < contacts; ++i) {
      const auto at = static_cast<std::size_t>(i);
      problem.normals.push_back({&normals[at], problem.b[i], 0, random.uniform(-1e-3, 2e-3), 0});
      StepFriction friction;
      friction.element = &elements[at];
      friction.normal = i;
      friction.dahl = random.uniform(-10, 10);
      problem.frictions.push_back(friction);
    }
  }
};

// Whatever laws meet in a step, its impulses obey each of them: rates are G Λ + b, rigid contacts
// are complementary, compliant ones press as their law says at the middle of the step, friction is
// inside its cone, against the slip, or what its function says at the end of the step.
void expect_every_law_met(std::uint64_t seed) {
  Random random(seed);
  const Index n = 1 + static_cast<Index>(random.bits() % 4);
  const RandomStep step(random, n);
  const StepProblem& p = step.problem;
  const StepImpulses answer = solve(p);
  RC_ASSERT(answer.status == problem::SolveStatus::converged);
  RC_ASSERT((p.G * answer.impulse + p.b - answer.rate).norm() < 1e-12);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const Real N = answer.impulse[i], rate = answer.rate[i];
    if (model::is_rigid(step.normals[at])) {
      RC_ASSERT(N >= -1e-9 && rate >= -1e-9 && std::abs(N * rate) < 1e-8);
    } else {
      const Real depth = p.normals[at].penetration - p.h / 4 * (rate - p.b[i]);
      const Real force = model::normal_force(step.normals[at], depth, 0, 0);
      RC_ASSERT(std::abs(N - p.h * force) <= 1e-9 * (1 + N));
    }
    const model::FrictionModel& law = step.frictions[at];
    const Real T = answer.impulse[n + i], slip = answer.rate[n + i];
    if (N <= 0) {  // nothing rubs where nothing presses, but a share of what is viscous
      const Real all = -p.h * law.viscous * slip;
      RC_ASSERT(std::abs(T - std::clamp(T, std::min(all, 0.0), std::max(all, 0.0))) < 1e-9);
      RC_ASSERT(std::abs(T) < 1e-9 || !model::is_rigid(step.normals[at]) || rate < 1e-9);
    } else if (model::has_stick(law)) {
      const Real dry = T + p.h * law.viscous * slip;
      RC_ASSERT(std::abs(dry) <= law.coefficient * N + 1e-9);
      RC_ASSERT(dry * slip <= 1e-9);
      RC_ASSERT(std::abs(slip) < 1e-8 || std::abs(std::abs(dry) - law.coefficient * N) < 1e-8);
    } else if (step.elements[at].dahl < 0) {
      RC_ASSERT(std::abs(T - p.h * model::slip_force(law, slip, N / p.h)) < 1e-9);
    } else {
      const Real force =
          model::dahl_force(law, p.frictions[at].dahl, p.h * slip, std::max<Real>(N, 0) / p.h);
      RC_ASSERT(std::abs(T + p.h * (force + law.viscous * slip)) < 1e-9);
      RC_ASSERT(std::abs(answer.memory[i] - force) < 1e-6);
    }
  }
}
RC_GTEST_PROP(StepLaws, EveryLawIsMet, ()) {
  expect_every_law_met(*rc::gen::arbitrary<std::uint64_t>());
}

// Steps that Newton's method and secants through 0 went to and fro in, between the pieces of laws
// with a dead zone.
TEST(StepLaws, ThatOnceWereNotSolved) {
  for (const std::uint64_t seed : {1581, 2345, 7784, 7909, 18374, 19474})
    expect_every_law_met(seed);
}

// A step of rigid contacts with Coulomb's friction alone, some without any: solved as a frictional
// contact problem it obeys the laws of the step, and from its own answer it takes no iteration.
RC_GTEST_PROP(StepLaws, ContactProblemsObeyTheLawsOfTheStep, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index n = 1 + static_cast<Index>(random.bits() % 6);
  RandomStep step(random, n);
  StepProblem& p = step.problem;
  Index rubbing = 0;
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    step.normals[at] = model::RigidNormal{};
    step.frictions[at].kind = model::CoulombFriction{};
    step.frictions[at].viscous = 0;
    step.elements[at].has_stick = true;
    step.elements[at].dahl = -1;
    p.normals[at].shift = random.uniform(-0.5, 0.5);
    p.frictions[at].restitution = random.uniform(0, 1);
    p.frictions[at].before = random.uniform(-1, 1);
    rubbing += random.bits() % 4 != 0 ? 1 : 0;
  }
  p.frictions.resize(static_cast<std::size_t>(rubbing));
  const Index rows = n + rubbing;
  p.G = MatX(MatX(p.G).topLeftCorner(rows, rows) + 0.1 * MatX::Identity(rows, rows)).sparseView();
  p.b = p.b.head(rows).eval();
  p.L = MatX(0, rows);
  RC_ASSERT(is_contact_problem(p));
  driver::Options options;
  options.tolerance = 1e-10;
  const StepImpulses answer = solve_contacts(p, options, VecX());
  RC_ASSERT(answer.status == problem::SolveStatus::converged);
  RC_ASSERT((p.G * answer.impulse + p.b - answer.rate).norm() < 1e-12);
  for (Index i = 0; i < n; ++i) {
    const Real N = answer.impulse[i];
    const Real rate = answer.rate[i] + p.normals[static_cast<std::size_t>(i)].shift;
    RC_ASSERT(N >= 0 && rate >= -1e-8 && N * rate < 1e-8);
    if (i >= rubbing) continue;
    const StepFriction& friction = p.frictions[static_cast<std::size_t>(i)];
    const Real T = answer.impulse[n + i], mu = friction.element->kinetic_friction;
    const Real slip = answer.rate[n + i] + friction.restitution * friction.before;
    RC_ASSERT(std::abs(T) <= mu * N + 1e-9);
    RC_ASSERT(std::abs(slip) < 1e-7 || std::abs(T + std::copysign(mu * N, slip)) < 1e-7);
  }
  RC_ASSERT(solve_contacts(p, options, answer.impulse).pivots == 0);
}

// What is more than that is no contact problem: each law that step_laws alone knows.
TEST(StepLaws, OtherLawsAreNoContactProblem) {
  Random random(1);
  const auto changed = [&](const auto& change) {
    RandomStep step(random, 1);
    step.normals[0] = model::RigidNormal{};
    step.frictions[0] = {};
    step.elements[0] = {};
    step.elements[0].law = &step.frictions[0];
    step.elements[0].has_stick = true;
    change(step);
    return is_contact_problem(step.problem);
  };
  EXPECT_TRUE(changed([](RandomStep&) {}));
  EXPECT_FALSE(changed([](RandomStep& s) { s.normals[0] = model::HertzNormal{1e6, 1.5}; }));
  EXPECT_FALSE(changed([](RandomStep& s) { s.elements[0].static_friction = 0.1; }));
  EXPECT_FALSE(changed([](RandomStep& s) { s.elements[0].has_stick = false; }));
  EXPECT_FALSE(changed([](RandomStep& s) { s.frictions[0].viscous = 1; }));
  EXPECT_FALSE(changed([](RandomStep& s) { s.elements[0].kind = FrictionElement::Kind::rolling; }));
  EXPECT_FALSE(changed([](RandomStep& s) { s.problem.frictions[0].normal = -1; }));
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
