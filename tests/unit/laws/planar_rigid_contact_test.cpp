#include <talus/laws/planar_rigid_contact.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "unit/dynamics/machines.hpp"

namespace talus::laws::TALUS_TEST_FILE {
namespace {

// Planar bodies in space are the same bodies: whatever impulses act at random contacts, with and
// without friction, all velocities change as M⁻¹ Wᵀ Λ says in the plane, nothing leaves the plane,
// the rates of contacts are G Λ + b with what turning rows and restitution add as biases, and
// impulses come back as they were.
RC_GTEST_PROP(PlanarRigidContact, MovesAsInThePlane, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  test::PlanarModel world;
  for (int i = 0; i < 4; ++i) {
    world.add(geometry::Sphere{random.uniform(0.1, 0.4)});
    world.model.bodies.back().mass = random.uniform(0.5, 3);
    world.model.bodies.back().inertia = random.uniform(0.1, 2) * Mat3::Identity();
  }
  world.add(geometry::Box{{0.3, 0.2, 0.1}},
            random.bits() % 2 == 0 ? model::BodyKind::fixed : model::BodyKind::dynamic);
  const dynamics::PlanarBodies machine(world.model, world.state);
  VecX q = VecX::Zero(15), v = q;
  for (Real& x : q) x = random.uniform(-1, 1);
  for (Real& x : v) x = random.uniform(-2, 2);
  if (!machine.mass().moves(4)) q.tail<3>() = v.tail<3>() = Vec3::Zero();

  std::deque<laws::FrictionElement> elements;
  std::vector<dynamics::JacobianRow> frictions;
  std::vector<Index> friction_of;
  StepProblem step;
  for (Index i = 0; i < machine.contact_count(); ++i) {
    dynamics::ContactTerms terms;
    machine.contact(i, q, v, terms);
    StepNormal& normal = step.normals.emplace_back();
    normal.law = &world.model.laws[0].normal;
    normal.shift = random.uniform(-1, 1);
    step.bodies.rows.push_back(terms.normal);
    friction_of.push_back(-1);
    if (random.bits() % 3 == 0) continue;
    friction_of.back() = std::ssize(step.frictions);
    elements.emplace_back().kinetic_friction = 0.3;
    const Real before = random.uniform(-1, 1), restitution = random.uniform(0, 1);
    step.frictions.push_back({&elements.back(), i, -1, before, restitution, false, 0});
    frictions.push_back(terms.tangent);
  }
  step.bodies.rows.insert(step.bodies.rows.end(), frictions.begin(), frictions.end());
  step.bodies.mass = &machine.mass();
  step.bodies.place = &q;
  step.bodies.free = &v;
  const auto n = std::ssize(step.bodies.rows);
  step.turn = VecX::Zero(n);
  for (Real& turn : step.turn) turn = random.uniform(-1, 1);
  step.b.resize(n);
  VecX impulse(n), end = v;
  for (Index j = 0; j < n; ++j) {
    const dynamics::JacobianRow& row = step.bodies.rows[static_cast<std::size_t>(j)];
    impulse[j] = random.uniform(-1, 1);
    step.b[j] = row.times(v);
    apply_impulse(row, impulse[j], machine.mass(), end);
  }

  const PlanarRigidContact rigid(step, friction_of);
  const problem::RigidContact& problem = rigid.problem();
  const problem::ContactImpulses contacts = rigid.impulses(impulse);
  RC_ASSERT((rigid.step_impulses(contacts) - impulse).norm() < 1e-13 * impulse.norm());
  std::vector<problem::BodyVelocity> moved = problem.bodies;
  problem::apply_impulses(problem, contacts, moved);
  const auto slack = 1e-12 * (1 + end.lpNorm<Eigen::Infinity>());
  for (std::size_t c = 0; c < step.normals.size(); ++c) {
    const problem::GeneralContact& contact = problem.general[c];
    const problem::BodyVelocity &a = moved[contact.body_a], &b = moved[contact.body_b];
    const Vec3 u = b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a);
    RC_ASSERT(std::abs(u.z()) <= slack && std::abs(a.s.x()) <= slack && std::abs(a.v.z()) <= slack);
    RC_ASSERT(std::abs(u.dot(contact.normal) - step.bodies.rows[c].times(end)) < slack);
    RC_ASSERT(contact.bias == step.normals[c].shift + step.turn[static_cast<Index>(c)]);
    if (friction_of[c] < 0) continue;
    const dynamics::JacobianRow& slip = frictions[static_cast<std::size_t>(friction_of[c])];
    const Vec3 t(slip.b[0], slip.b[1], 0);
    RC_ASSERT(std::abs(u.dot(t) - slip.times(end)) < slack);
    RC_ASSERT(contact.friction == 0.3);
    const StepFriction& friction = step.frictions[static_cast<std::size_t>(friction_of[c])];
    const Real bias = step.turn[std::ssize(step.normals) + friction_of[c]] +
                      friction.restitution * friction.before;
    RC_ASSERT((problem.resistance[c].slip_bias - bias * t).norm() < slack);
  }
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
