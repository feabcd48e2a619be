#include <talus/stepping/detail/second_impacts.hpp>

namespace talus::stepping::detail {
namespace {

constexpr Real kGravitySteps = 10;  // of gravity
constexpr Real kTolerances = 10;    // of the speeds

}  // namespace

bool is_impact(Real change, Real force_speed, Real speed, Real tolerance) {
  return change > kGravitySteps * force_speed + kTolerances * tolerance * speed;
}

Index second_impacts(const problem::RigidContact& problem,
                     const driver::RigidContactSolution& solution,
                     const dynamics::RigidBodies& bodies, std::span<const collision::Pair> pairs,
                     std::span<const collision::Contact> general,
                     std::span<const ContactTurn> turns, Real tolerance) {
  Index count = 0;
  for (Index c = 0; c < problem.contact_count(); ++c) {
    const Vec3 r = problem::impulse_of(problem, solution.impulse, c);
    if (r.isZero(0)) continue;
    const collision::Pair pair = pairs[static_cast<std::size_t>(c)];
    const Index other = c - problem.central.size();
    const model::InterfaceLaw& law = other < 0
                                         ? bodies.law(pair.a, pair.b)
                                         : bodies.law(general[static_cast<std::size_t>(other)]);
    if (law.impact.restitution == 0) continue;
    const problem::ContactView contact = problem::view(problem, c);
    const Real turn = turns.empty() ? 0 : turns[static_cast<std::size_t>(c)].normal;
    if (contact.bias < turn) continue;  // gives back what came in
    const problem::BodyVelocity &a = solution.velocity[pair.a], &b = solution.velocity[pair.b];
    const Real change = contact.normal.dot(r) *
                        (problem.bodies[pair.a].inverse_mass + problem.bodies[pair.b].inverse_mass);
    count += is_impact(change, problem.force_speed, a.v.norm() + b.v.norm(), tolerance) ? 1 : 0;
  }
  return count;
}

Index second_impacts(const laws::StepProblem& problem, const laws::StepImpulses& answer,
                     Real force_speed, Real speed, Real tolerance) {
  Index count = 0;
  for (std::size_t i = 0; i < problem.normals.size(); ++i) {
    const auto j = static_cast<Index>(i);
    const laws::StepNormal& normal = problem.normals[i];
    if (normal.restitution > 0 && model::is_rigid(*normal.law) && normal.shift >= 0 &&
        is_impact(answer.impulse[j] * problem.G.coeff(j, j), force_speed, speed, tolerance))
      ++count;
  }
  return count;
}

}  // namespace talus::stepping::detail
