#include <talus/dynamics/planar_bodies.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/error.hpp>

#include "unit/dynamics/machines.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using talus::Random;
using test::PlanarModel;

constexpr Real kStep = 1e-5;

Random drawn() { return Random(*rc::gen::arbitrary<std::uint32_t>()); }

/// Two free bodies with everything between them.
PlanarModel two_bodies(Random& random) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1});
  model.add(geometry::Sphere{0.1});
  test::add_everything_between(0, 1, random, *model.machine);
  return model;
}

/// A path with given position, velocity and acceleration at s = 0.
struct Path {
  VecX q, v, acceleration;
  Path(Random& random, Index size)
      : q(test::random_vector(random, size, 1)),
        v(test::random_vector(random, size, 2)),
        acceleration(test::random_vector(random, size, 3)) {}
  [[nodiscard]] VecX place(Real s) const { return q + s * v + s * s / 2 * acceleration; }
  [[nodiscard]] VecX velocity(Real s) const { return v + s * acceleration; }
};

// Along any path the rates of joints and drives are the central differences of their values, the
// accelerations those of the rates, and a row gives the change of the rate with the velocity.
RC_GTEST_PROP(PlanarBodies, ConstraintRowsAndDriftsAreDerivatives, ()) {
  Random random = drawn();
  const PlanarModel model = two_bodies(random);
  const PlanarBodies machine(model.model, model.state);
  const Path path(random, 6);
  const Real time = 0.7;
  ConstraintTerms here, left, right, other;
  machine.constraints(time, path.q, path.v, here);
  machine.constraints(time - kStep, path.place(-kStep), path.velocity(-kStep), left);
  machine.constraints(time + kStep, path.place(kStep), path.velocity(kStep), right);
  const VecX velocity = test::random_vector(random, 6, 1);
  machine.constraints(time, path.q, path.v + velocity, other);
  RC_ASSERT(machine.constraint_count() == 14);
  for (Index i = 0; i < machine.constraint_count(); ++i) {
    const JacobianRow& row = here.rows[static_cast<std::size_t>(i)];
    Real change = right.value[i] - left.value[i];
    change -= 2 * std::numbers::pi * std::round(change / (2 * std::numbers::pi));
    const auto scale = [&](Real x) { return std::max(Real(1), std::abs(x)); };
    RC_ASSERT(std::abs(change / (2 * kStep) - here.rate[i]) < 1e-6 * scale(here.drift[i]));
    const Real acceleration = row.times(path.acceleration) + here.drift[i];
    RC_ASSERT(std::abs((right.rate[i] - left.rate[i]) / (2 * kStep) - acceleration) <
              1e-5 * scale(acceleration) * scale(here.drift[i]));
    RC_ASSERT(std::abs(other.rate[i] - here.rate[i] - row.times(velocity)) < 1e-12);
  }
}

/// Checks contact i along a path; false where its feature changes or is too near a point for
/// differences.
bool check_contact(const PlanarBodies& machine, Index i, const Path& path) {
  ContactTerms here, left, right;
  machine.contact(i, path.q, path.v, here);
  machine.contact(i, path.place(-kStep), path.velocity(-kStep), left);
  machine.contact(i, path.place(kStep), path.velocity(kStep), right);
  const Vec3 bend = left.direction - 2 * here.direction + right.direction;
  const Real jump = left.normal_drift - 2 * here.normal_drift + right.normal_drift;
  if (bend.norm() > 1e-6 || std::abs(jump) > 1e-3 || std::abs(here.normal_drift) > 1e3)
    return false;
  RC_ASSERT(here.gap == machine.gap(i, path.q));
  const Real scale = std::max(Real(1), std::abs(here.normal_drift));
  const auto difference = [](Real l, Real r) { return (r - l) / (2 * kStep); };
  RC_ASSERT(std::abs(difference(left.gap, right.gap) - here.gap_rate) < 1e-6 * scale);
  RC_ASSERT(std::abs(here.normal.times(path.v) - here.gap_rate) < 1e-12 * scale);
  RC_ASSERT(std::abs(here.tangent.times(path.v) - here.slip) < 1e-12 * scale);
  RC_ASSERT(std::abs(difference(left.gap_rate, right.gap_rate) -
                     here.normal.times(path.acceleration) - here.normal_drift) <
            1e-5 * scale * scale);
  RC_ASSERT(std::abs(difference(left.slip, right.slip) - here.tangent.times(path.acceleration) -
                     here.tangent_drift) < 1e-5 * scale * scale);
  // The slip is the relative velocity of the two bodies' points that touch, along (n_y, −n_x).
  const auto velocity = [&](Index body) {
    return Vec2(path.v.segment<2>(3 * body) +
                path.v[3 * body + 2] * perp(here.position.head<2>() - path.q.segment<2>(3 * body)));
  };
  const auto [a, b] = machine.bodies_of(i);
  const Vec2 tangent(here.direction.y(), -here.direction.x());
  RC_ASSERT(std::abs(tangent.dot(velocity(b) - velocity(a)) - here.slip) < 1e-12 * scale);
  return true;
}

// The same of ropes, pins with play and blocks with play: gap, its rate, the slip.
RC_GTEST_PROP(PlanarBodies, JointContactsAreDerivatives, ()) {
  Random random = drawn();
  const PlanarModel model = two_bodies(random);
  const PlanarBodies machine(model.model, model.state);
  RC_ASSERT(machine.contact_count() == 7);
  const Path path(random, 6);
  Index checked = 0;
  for (Index i = 0; i < machine.contact_count(); ++i) checked += check_contact(machine, i, path);
  RC_ASSERT(checked >= 4);  // the block's corners are against walls
}

/// Shapes of every kind, free ones and a prescribed half-plane.
PlanarModel shapes() {
  PlanarModel model;
  model.add(geometry::Sphere{0.3});
  model.add(geometry::Sphere{0.2});
  model.add(geometry::Box{{0.4, 0.3, 0.1}});
  model.add(geometry::Box{{0.2, 0.3, 0.1}});
  model.add(geometry::Capsule{0.1, 0.4}, model::BodyKind::dynamic, test::rod_pose());
  model.add(geometry::Capsule{0.2, 0.3}, model::BodyKind::dynamic, test::rod_pose());
  model.add(test::triangle());
  const Index belt = model.add(geometry::Plane{}, model::BodyKind::kinematic);
  model.state.orientation[belt] = rotation_between(Vec3::UnitZ(), Vec3(0.6, 0.8, 0));
  return model;
}

// The same of contacts between shapes of every kind.
RC_GTEST_PROP(PlanarBodies, ShapeContactsAreDerivatives, ()) {
  Random random = drawn();
  const PlanarModel model = shapes();
  const PlanarBodies machine(model.model, model.state);
  const Path path(random, machine.coordinate_count());
  Index checked = 0;
  for (Index i = 0; i < machine.contact_count(); ++i) checked += check_contact(machine, i, path);
  RC_ASSERT(2 * checked > machine.contact_count());
}

// No gap is below its bound, wherever bodies are, and that of two discs is its bound; ropes and
// pins with play have none.
RC_GTEST_PROP(PlanarBodies, GapsAreAboveTheirBounds, ()) {
  Random random = drawn();
  const PlanarModel model = shapes();
  const PlanarBodies machine(model.model, model.state);
  const VecX q = test::random_vector(random, machine.coordinate_count(), 3);
  Index bounded = 0;
  for (Index i = 0; i < machine.contact_count(); ++i) {
    const Real bound = machine.gap_bound(i, q), gap = machine.gap(i, q);
    RC_ASSERT(bound <= gap + 1e-14);
    bounded += std::isfinite(bound) ? 1 : 0;
    const auto [a, b] = machine.bodies_of(i);
    if (a == 0 && b == 1) RC_ASSERT(std::abs(bound - gap) < 1e-14);
  }
  RC_ASSERT(2 * bounded > machine.contact_count());
  const PlanarModel jointed = two_bodies(random);
  const PlanarBodies pair(jointed.model, jointed.state);
  for (Index i = 0; i < pair.contact_count(); ++i)
    RC_ASSERT(pair.gap_bound(i, q.head(6)) == -std::numeric_limits<Real>::infinity());
}

// Springs are the negative gradient of their energy.
RC_GTEST_PROP(PlanarBodies, SpringForcesAreTheGradientOfTheirEnergy, ()) {
  Random random = drawn();
  PlanarModel model = two_bodies(random);
  model.machine->forces.pop_back();  // a force with a law of time has no energy
  for (model::ForceElement& element : model.machine->forces) {
    if (auto* line = std::get_if<model::LineForce>(&element.kind)) line->force = {};
    if (auto* torque = std::get_if<model::Torque>(&element.kind)) torque->moment = {};
  }
  const PlanarBodies machine(model.model, model.state);
  const VecX q = test::random_vector(random, 6, 1);
  VecX Q;
  machine.force(0.3, q, VecX::Zero(6), Q);
  for (Index i = 0; i < 6; ++i) {
    const VecX step = kStep * VecX::Unit(6, i);
    const Real slope =
        (machine.potential_energy(0.3, q + step) - machine.potential_energy(0.3, q - step)) /
        (2 * kStep);
    RC_ASSERT(std::abs(slope + Q[i]) < 1e-5);
  }
}

/// Force and moment about the origin that generalized forces of bodies add up to.
Vec3 total(const VecX& Q, const VecX& q) {
  Vec3 sum = Vec3::Zero();
  for (Index at = 0; at < Q.size(); at += 3)
    sum += Vec3(Q[at], Q[at + 1], Q[at + 2] + cross(q.segment<2>(at), Q.segment<2>(at)));
  return sum;
}

// What is between two bodies pushes them with opposite forces at one place: force elements, and
// the rows of joints, drives and contacts as forces. Not so gears, whose bearings take a moment.
RC_GTEST_PROP(PlanarBodies, InternalForcesBalance, ()) {
  Random random = drawn();
  PlanarModel model = two_bodies(random);
  model.model.gravity.setZero();
  model.machine->joints.erase(model.machine->joints.begin() + 4);  // the gear
  const PlanarBodies machine(model.model, model.state);
  const Path path(random, 6);
  VecX Q;
  machine.force(0.3, path.q, path.v, Q);
  RC_ASSERT(Q.norm() > 1e-3);
  RC_ASSERT(total(Q, path.q).norm() < 1e-12 * (1 + Q.norm()));
  ConstraintTerms constraints;
  machine.constraints(0.3, path.q, path.v, constraints);
  for (std::size_t i = 0; i < constraints.rows.size(); ++i) {
    const auto index = static_cast<Index>(i);
    // A pin's force acts at each body's own point: they balance where the two are one.
    const auto is_of = [&](Index joint) {
      const auto range = machine.rows_of_joint(joint);
      return index >= range.first && index < range.first + 2;
    };
    if (is_of(0) || is_of(2)) continue;
    VecX force = VecX::Zero(6);
    constraints.rows[i].add_to(force, 1);
    RC_ASSERT(total(force, path.q).norm() < 1e-12);
  }
  for (Index i = 0; i < machine.contact_count(); ++i) {
    ContactTerms contact;
    machine.contact(i, path.q, path.v, contact);
    for (const JacobianRow* row : {&contact.normal, &contact.tangent}) {
      VecX force = VecX::Zero(6);
      row->add_to(force, 1);
      RC_ASSERT(total(force, path.q).norm() < 1e-12);
    }
  }
}

// Joint friction: the slip's rate is its central difference; a pin slips with r times the relative
// turning, a guide along its axis.
RC_GTEST_PROP(PlanarBodies, JointSlipsAreDerivatives, ()) {
  Random random = drawn();
  const PlanarModel model = two_bodies(random);
  const PlanarBodies machine(model.model, model.state);
  const Path path(random, 6);
  RC_ASSERT(machine.joint_friction_count() == 2);
  for (Index i = 0; i < 2; ++i) {
    dynamics::JointSlip here, left, right;
    machine.joint_slip(i, 0, path.q, path.v, here);
    machine.joint_slip(i, 0, path.place(-kStep), path.velocity(-kStep), left);
    machine.joint_slip(i, 0, path.place(kStep), path.velocity(kStep), right);
    RC_ASSERT(std::abs(here.row.times(path.v) - here.slip) < 1e-12);
    RC_ASSERT(std::abs((right.slip - left.slip) / (2 * kStep) - here.drift -
                       here.row.times(path.acceleration)) < 1e-6 * (1 + std::abs(here.drift)));
  }
}

// A gear keeps θ_B = c − i θ_A however often the wheels turn.
TEST(PlanarBodies, GearCountsWholeTurns) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1});
  model.add(geometry::Sphere{0.1});
  model.machine->joints.push_back({"gear", 0, 1, model::GearJoint{2.5, 0.1}, std::nullopt, false});
  const PlanarBodies machine(model.model, model.state);
  VecX q = VecX::Zero(6);
  q[2] = 100;
  q[5] = 0.1 - 250;
  ConstraintTerms terms;
  machine.constraints(0, q, VecX::Zero(6), terms);
  EXPECT_NEAR(terms.value[0], 0, 1e-13);
  EXPECT_EQ(machine.contact_count(), 0);  // wheels in a gear do not collide
}

// A taut rope: the gap is what is left of its length, the force along its row pulls together.
TEST(PlanarBodies, RopePullsOnly) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1});
  model.add(geometry::Sphere{0.1});
  model.machine->joints.push_back(
      {"rope", 0, 1, model::RopeJoint{Vec2::Zero(), Vec2::Zero(), 2, 0.3}, std::nullopt, true});
  const PlanarBodies machine(model.model, model.state);
  ASSERT_EQ(machine.contact_count(), 2);  // the discs collide, as the rope lets them
  VecX q = VecX::Zero(6), v = VecX::Zero(6);
  q[3] = 1.5;
  v[3] = 0.25;
  ContactTerms rope;
  machine.contact(1, q, v, rope);
  EXPECT_DOUBLE_EQ(rope.gap, 0.5);
  EXPECT_DOUBLE_EQ(rope.gap_rate, -0.25);
  EXPECT_EQ(rope.normal.a.x(), 1);
  EXPECT_EQ(rope.normal.b.x(), -1);
  EXPECT_EQ(machine.law(1).impact.restitution, 0.3);
}

// A disc on a belt that runs at 2 m/s to the right slips with −2 m/s − v: the surface moves.
TEST(PlanarBodies, BeltHasASurfaceVelocity) {
  PlanarModel model;
  const Index belt = model.add(geometry::Plane{}, model::BodyKind::kinematic);
  model.state.orientation[belt] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
  model.model.motions.push_back(
      {belt, model.state.pose(belt), {model::ConstantTwist{Vec3(2, 0, 0), Vec3::Zero()}}});
  const Index disc = model.add(geometry::Sphere{0.1});
  model.state.position[disc] = {0, 0.1, 0};
  const PlanarBodies machine(model.model, model.state);
  VecX q, v, acceleration = VecX::Zero(6);
  machine.load(model.state, q, v);
  machine.prescribe(3, q, v, acceleration);
  EXPECT_DOUBLE_EQ(q[3 * belt], 6);
  EXPECT_DOUBLE_EQ(v[3 * belt], 2);
  ContactTerms terms;
  machine.contact(0, q, v, terms);
  EXPECT_NEAR(terms.gap, 0, 1e-15);
  EXPECT_NEAR(terms.direction.y(), 1, 1e-15);
  EXPECT_DOUBLE_EQ(terms.slip, -2);  // along (n_y, −n_x) = x
  EXPECT_TRUE(machine.can_roll(0));
  EXPECT_EQ(machine.law(0).friction.coefficient, 0.3);
  EXPECT_EQ(machine.law(0).impact.restitution, 0.5);
}

// The broad phase leaves out no pair whose circles meet: what is farther apart than the margins say
// and no other is missing, of bodies anywhere, half-planes among them.
RC_GTEST_PROP(PlanarBodies, NearPairsAreAllThatMayMeet, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  PlanarModel model;
  const Index count = *rc::gen::inRange(12, 30);
  for (Index i = 0; i < count; ++i) model.add(geometry::Sphere{random.uniform(0.05, 0.5)});
  const Index floor = model.add(geometry::Plane{}, model::BodyKind::fixed);
  model.state.orientation[floor] = rotation_between(Vec3::UnitZ(), Vec3::UnitY());
  model.add(geometry::Box{{0.3, 0.1, 0.1}});
  for (Index i = 0; i < model.model.body_count(); ++i)
    model.state.position[i] = {random.uniform(-3, 3), random.uniform(-3, 3), 0};
  const PlanarBodies machine(model.model, model.state);
  VecX q, v, margin(machine.body_count());
  machine.load(model.state, q, v);
  for (Real& m : margin) m = random.bits() % 2 == 0 ? 0 : random.uniform(0, 0.3);
  std::vector<ShapePair> near;
  machine.near_pairs(q, margin, near);
  const auto is_before = [](const ShapePair& one, const ShapePair& other) {
    return one.first < other.first;
  };
  RC_ASSERT(std::is_sorted(near.begin(), near.end(), is_before));
  std::size_t apart = 0;
  for (Index a = 0; a < machine.body_count(); ++a)
    for (Index b = a + 1; b < machine.body_count(); ++b) {
      const ShapePair pair = machine.shape_pair(a, b);
      RC_ASSERT(pair.count > 0);
      const bool is_near = std::binary_search(near.begin(), near.end(), pair, is_before);
      const Real bound = machine.gap_bound(pair.first, q);
      if (bound <= margin[a] + margin[b]) RC_ASSERT(is_near);
      apart += is_near ? 0 : 1;
    }
  RC_ASSERT(apart > 0);
}

// A body whose place is no number is near every other one: nothing is dropped silently.
TEST(PlanarBodies, WhatIsNowhereIsNearAll) {
  PlanarModel model;
  for (Index i = 0; i < 15; ++i) {
    model.add(geometry::Sphere{0.1});
    model.state.position[i] = {static_cast<Real>(i), 0, 0};
  }
  const PlanarBodies machine(model.model, model.state);
  VecX q, v;
  machine.load(model.state, q, v);
  std::vector<ShapePair> near;
  machine.near_pairs(q, VecX::Zero(15), near);
  EXPECT_TRUE(near.empty());
  q[3] = std::numeric_limits<Real>::quiet_NaN();
  machine.near_pairs(q, VecX::Zero(15), near);
  EXPECT_EQ(near.size(), 14U);
  for (const ShapePair& pair : near) EXPECT_TRUE(pair.body_a == 1 || pair.body_b == 1);
}

// What is stored is loaded again, also an angle of several turns; without State::internal the turns
// are lost.
TEST(PlanarBodies, StatesAreLoadedAsStored) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1});
  const PlanarBodies machine(model.model, model.state);
  const VecX q = Vec3(1, 2, 23.5), v = Vec3(3, 4, 5);
  machine.store(q, v, model.state);
  VecX q_read, v_read;
  machine.load(model.state, q_read, v_read);
  EXPECT_NEAR((q - q_read).norm(), 0, 1e-14);
  EXPECT_EQ(v, v_read);
  model.state.internal.clear();
  machine.load(model.state, q_read, v_read);
  EXPECT_LE(std::abs(q_read[2]), 2 * std::numbers::pi);
  EXPECT_NEAR(std::remainder(q[2] - q_read[2], 2 * std::numbers::pi), 0, 1e-14);
}

// Angles of another number of bodies, of a file of another model, are an error of the input.
TEST(PlanarBodies, AnglesOfAnotherModelAreRefused) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1});
  const PlanarBodies machine(model.model, model.state);
  model.state.internal.add(talus::model::kAngles, {1, 2});
  VecX q, v;
  EXPECT_THROW(machine.load(model.state, q, v), InputError);
}

// The pressure of a pin is |λ|; a guide that carries a moment presses at both ends.
TEST(PlanarBodies, PressureOfPinsAndGuides) {
  Random random(3);
  const PlanarModel model = two_bodies(random);
  model.machine->joints[0].friction->preload = 7;
  const PlanarBodies machine(model.model, model.state);
  VecX multipliers = VecX::Zero(machine.constraint_count());
  multipliers.head<4>() << 3, -4, 10, 4;  // the guide's length is 0.5 m
  EXPECT_DOUBLE_EQ(machine.joint_normal_force(0, multipliers), 12);
  EXPECT_DOUBLE_EQ(machine.joint_normal_force(1, multipliers), 13 + 3);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
