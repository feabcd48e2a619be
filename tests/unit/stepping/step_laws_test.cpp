#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/stepping/detail/step_laws.hpp>

namespace talus::stepping::detail {
namespace {

using machine::FrictionElement;

/// A step of random contacts under random laws; owns what the problem points to.
struct RandomStep {
  StepProblem problem;
  std::vector<model::NormalLaw> normals;
  std::vector<model::FrictionLaw> frictions;
  std::vector<FrictionElement> elements;

  RandomStep(Random& random, Index contacts) {
    const Real h = 1e-3;
    MatX J(2 * contacts, 9);
    for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
    problem.h = h;
    problem.G = J * J.transpose();
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
      element.static_friction = element.kinetic_friction = element.law->friction;
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
RC_GTEST_PROP(StepLaws, EveryLawIsMet, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
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
    const model::FrictionLaw& law = step.frictions[at];
    const Real T = answer.impulse[n + i], slip = answer.rate[n + i];
    if (model::has_stick(law)) {
      const Real dry = T + p.h * law.viscous * slip;
      RC_ASSERT(std::abs(dry) <= law.friction * N + 1e-9);
      RC_ASSERT(dry * slip <= 1e-9);
      RC_ASSERT(std::abs(slip) < 1e-8 || std::abs(std::abs(dry) - law.friction * N) < 1e-8);
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

}  // namespace
}  // namespace talus::stepping::detail
