#include <talus/dynamics/machine_terms.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/dynamics/force_elements.hpp>
#include <talus/dynamics/joint_terms.hpp>
#include <talus/dynamics/kinks.hpp>

#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using model::Freedom;
using test::derivative;
using test::drawn;
using test::kDifferenceError;

constexpr Real kTurn = 2 * std::numbers::pi;
constexpr Index kBodies = test::kMachineBodies;

/// Four bodies in motion, from two pairs.
struct Motions {
  test::TwoMotions first, second;
  explicit Motions(talus::Random& random) : first(random), second(random) {}
  [[nodiscard]] std::vector<BodyMotion> at(Real s) const {
    return {first.at(0, s), first.at(1, s), second.at(0, s), second.at(1, s)};
  }
  [[nodiscard]] VecX velocity() const { return both(first.velocity(), second.velocity()); }
  [[nodiscard]] VecX accelerations() const {
    return both(first.accelerations(), second.accelerations());
  }
  static VecX both(const VecX& a, const VecX& b) {
    VecX all(24);
    all << a, b;
    return all;
  }
};

/// Whether every angle and line that is used is far from its singular positions.
bool is_regular(const model::SpatialMachine& machine, std::span<const BodyMotion> bodies) {
  const auto motion = [&](Index body) {
    return body < 0 ? BodyMotion{} : bodies[std::size_t(body)];
  };
  const auto is_steep = [](const RowTerms& angle) {
    return angle.row.b.norm() > test::kFarFromGimbal;
  };
  for (const model::SpatialJoint& joint : machine.joints)
    for (const Freedom turn : {Freedom::turn_x, Freedom::turn_z})
      if (is_steep(axis_terms(joint, turn, motion(joint.body_a), motion(joint.body_b))))
        return false;
  const auto& line = std::get<model::LineElement>(machine.forces[0].kind);
  const BodyMotion A = motion(machine.forces[0].body_a), B = motion(machine.forces[0].body_b);
  const auto& torsion = std::get<model::TorsionElement>(machine.forces[1].kind);
  return (B.p + B.R * line.p_B - A.p - A.R * line.p_A).norm() > test::kFarFromZero &&
         !is_steep(torsion_angle(torsion, -1, 2, BodyMotion{}, motion(2)));
}

// Joints, drives, couplings: the rate is J v + Φ_t and the acceleration J v̇ + drift, derivatives
// along any motion; where nothing is driven and time stands still the rate is J v.
RC_GTEST_PROP(MachineTerms, ConstraintRatesAndDriftsAreDerivatives, ()) {
  talus::Random random = drawn();
  const model::SpatialMachine machine = test::coupled_machine(random);
  const MachineTerms terms(machine, kBodies);
  const Motions motions(random);
  const std::vector<BodyMotion> start = motions.at(0);
  RC_PRE(is_regular(machine, start));
  std::vector<Real> angles(std::size_t(terms.angle_count()));
  terms.count_angles(start, angles);
  const Real time = 0.7;
  const auto at = [&](Real s) {
    MachineConstraints result;
    const std::vector<BodyMotion> bodies = motions.at(s);
    terms.constraints(time + s, {bodies, angles}, result);
    return result;
  };
  const MachineConstraints here = at(0);
  RC_ASSERT(terms.constraint_count() == 4 + 5 + 5 + 4 + 2 + 2);
  const VecX rate = derivative([&](Real s) { return at(s).value; });
  const VecX change = derivative([&](Real s) { return at(s).rate; });
  const VecX v = motions.velocity(), a = motions.accelerations();
  for (Index i = 0; i < terms.constraint_count(); ++i) {
    const Index coupling = i - static_cast<Index>(here.rows.size());
    const auto times = [&](const VecX& x) {
      return coupling < 0 ? here.rows[std::size_t(i)].times(x)
                          : here.couplings[std::size_t(coupling)].times(x);
    };
    if (coupling < 0 && std::abs(here.value[i]) > 3.1) continue;  // half a turn off a drive
    const Real scale = coupling < 0 ? 1 : 5;                      // Σ |c|
    RC_ASSERT(std::abs(here.rate[i] - rate[i]) < scale * kDifferenceError);
    RC_ASSERT(std::abs(times(a) + here.drift[i] - change[i]) < scale * kDifferenceError);
    if (i < terms.rows_of_drive(0).first || coupling >= 0)
      RC_ASSERT(std::abs(times(v) - here.rate[i]) < 1e-11);
  }
}

// The constraints of a joint, drive and coupling are where their ranges say.
TEST(MachineTerms, RangesOfRows) {
  talus::Random random(2);
  const model::SpatialMachine machine = test::coupled_machine(random);
  const MachineTerms terms(machine, kBodies);
  const Motions motions(random);
  const std::vector<BodyMotion> bodies = motions.at(0);
  MachineConstraints all;
  terms.constraints(0, {bodies, {}}, all);
  VecX alone;
  terms.violations(0, {bodies, {}}, alone);
  EXPECT_EQ(alone, all.value);
  MachineConstraints first_order;
  terms.constraint_rates(0, {bodies, {}}, first_order);
  EXPECT_EQ(first_order.value, all.value);
  EXPECT_EQ(first_order.rate, all.rate);
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    EXPECT_EQ(first_order.rows[i].a, all.rows[i].a);
    EXPECT_EQ(first_order.rows[i].b, all.rows[i].b);
  }
  Index next = 0;
  for (Index i = 0; i < 6; ++i) {
    const model::SpatialJoint& joint = machine.joints[std::size_t(i)];
    const RowRange range = terms.rows_of_joint(i);
    EXPECT_EQ(range.first, next);
    EXPECT_EQ(range.count, constraint_count(joint.kind));
    next += range.count;
    if (joint.body_a < 0) continue;
    test::JointTerms own;
    test::joint_terms(joint, bodies[std::size_t(joint.body_a)], bodies[std::size_t(joint.body_b)],
                      own);
    for (Index k = 0; k < range.count; ++k)
      EXPECT_EQ(all.value[range.first + k], own.rows[std::size_t(k)].value);
  }
  EXPECT_EQ(terms.rows_of_drive(1).first, next + 1);
  EXPECT_EQ(terms.rows_of_coupling(0).first, next + 2);
  EXPECT_EQ(terms.contact_count(), 3);
  EXPECT_EQ(terms.joint_of_contact(0), 4);
  EXPECT_EQ(terms.joint_of_contact(2), 5);
  JointContactTerms contact;
  terms.contact(2, {bodies, {}}, contact);
  EXPECT_EQ(contact.normal.value, terms.gap(2, {bodies, {}}));
}

// Springs of elements and axes conserve energy, dampers take it: the power of Q is −V̇ − (≥ 0).
RC_GTEST_PROP(MachineTerms, ForcesAreGradientsAndDissipate, ()) {
  talus::Random random = drawn();
  model::SpatialMachine machine = test::coupled_machine(random);
  const Motions motions(random);
  const std::vector<BodyMotion> start = motions.at(0);
  VecX Q, damped;
  {
    const MachineTerms terms(machine, kBodies);
    RC_PRE(is_regular(machine, start));
    terms.force(0, {start, {}}, damped);
  }
  for (model::SpatialJoint& joint : machine.joints)
    for (model::AxisLaw& law : joint.axes) law.damping = 0;
  std::get<model::LineElement>(machine.forces[0].kind).damping = 0;
  std::get<model::TorsionElement>(machine.forces[1].kind).damping = 0;
  const MachineTerms terms(machine, kBodies);
  std::vector<Real> angles(std::size_t(terms.angle_count()));
  terms.count_angles(start, angles);
  const Real rate = derivative([&](Real s) {
    const std::vector<BodyMotion> bodies = motions.at(s);
    return terms.potential_energy({bodies, angles});
  });
  terms.force(0, {start, angles}, Q);
  const VecX v = motions.velocity();
  RC_ASSERT(std::abs(Q.dot(v) + rate) < 100 * kDifferenceError);
  RC_ASSERT(damped.dot(v) < Q.dot(v));
  // Q is the sum of its parts: laws of time, springs as rows, laws along axes.
  VecX parts = VecX::Zero(6 * kBodies);
  terms.add_given_forces(0, {start, angles}, parts);
  for (Index i = 0; i < terms.element_count(); ++i) {
    const ElasticTerms elastic = terms.elastic(i, {start, angles});
    const Vec6 effort = -elastic.stiffness * elastic.stretch;
    for (Index k = 0; k < elastic.count; ++k)
      elastic.rows[std::size_t(k)].add_to(
          parts, effort[k] - elastic.damping.row(k).head(elastic.count) *
                                 VecX::NullaryExpr(elastic.count, [&](Index j) {
                                   return elastic.rows[std::size_t(j)].times(v);
                                 }));
  }
  for (Index i = 0; i < terms.axis_count(); ++i) {
    const RowTerms axis = terms.axis(i, {start, angles});
    axis.row.add_to(parts, axis_effort(terms.axis_law(i), 0, axis.value, axis.rate));
  }
  RC_ASSERT((parts - Q).norm() < 1e-12 * (1 + Q.norm()));
}

// A spring on a hinge winds up: after two whole turns it pulls back with k · 4π.
TEST(MachineTerms, CountedAnglesFollowWholeTurns) {
  talus::Random random(4);
  model::SpatialMachine machine;
  machine.joints.push_back(test::joint_between(model::kWorld, 0, model::revolute_joint(), random));
  model::AxisLaw spring;
  spring.stiffness = 3;
  machine.joints[0].axes = {spring};
  machine.forces.push_back({"torsion", model::kWorld, 0,
                            model::TorsionElement{machine.joints[0].X_AJ, machine.joints[0].X_BJ, 2,
                                                  0, 0, model::ConstantLaw{0}}});
  const MachineTerms terms(machine, 1);
  ASSERT_EQ(terms.angle_count(), 2);
  std::vector<Real> angles(2, 0.0);
  std::vector<BodyMotion> bodies(1);
  for (int step = 1; step <= 20; ++step) {
    Vec6 q = Vec6::Zero();
    q[5] = step * kTurn / 10;
    test::place(machine.joints[0], test::pose_of(model::revolute_joint().held, q), {}, bodies[0]);
    terms.count_angles(bodies, angles);
  }
  EXPECT_NEAR(angles[0], 2 * kTurn, 1e-13);
  EXPECT_NEAR(angles[1], 2 * kTurn, 1e-13);
  const RowTerms axis = terms.axis(0, {bodies, angles});
  EXPECT_NEAR(axis.value, 2 * kTurn, 1e-13);
  EXPECT_NEAR(terms.potential_energy({bodies, angles}), 5 * 4 * kTurn * kTurn / 2, 1e-10);
  VecX Q;
  terms.force(0, {bodies, angles}, Q);
  EXPECT_LT((Q + 5 * 2 * kTurn * axis.row.b).norm(), 1e-10);
}

// A drive turns its joint as its law says, through whole turns without counting.
TEST(MachineTerms, DriveOfARateIsItsIntegral) {
  talus::Random random(5);
  model::SpatialMachine machine;
  machine.joints.push_back(test::joint_between(model::kWorld, 0, model::revolute_joint(), random));
  machine.drives.push_back({"motor", 0, Freedom::turn_z, model::ConstantLaw{3}, true, 0.2});
  const MachineTerms terms(machine, 1);
  std::vector<BodyMotion> bodies(1);
  Vec6 q = Vec6::Zero();
  q[5] = 0.2 + 3 * 10;
  test::place(machine.joints[0], test::pose_of(model::revolute_joint().held, q), {}, bodies[0]);
  MachineConstraints constraints;
  terms.constraints(10, {bodies, {}}, constraints);
  EXPECT_LT(constraints.value.norm(), 1e-13);
  EXPECT_DOUBLE_EQ(constraints.rate[5], -3);  // the body is at rest
}

// Integrators stop at the corners of all laws of time.
TEST(NextKink, IsTheFirstOfAllLaws) {
  talus::Random random(6);
  const auto corner = [](Real time) { return model::make_table({0, time, 9}, {0, 1, 0}, false); };
  model::SpatialMachine machine = test::coupled_machine(random);
  machine.drives[0].law = corner(3);
  machine.joints[1].axes[0].motor = model::Motor{};
  machine.joints[1].axes[0].motor->target = corner(2);
  machine.forces.push_back(
      {"push", 0, 1, model::AppliedTorque{Vec3::UnitX(), model::LoadFrame::of_a, corner(1)}});
  EXPECT_EQ(next_kink(machine, 0), 1);
  EXPECT_EQ(next_kink(machine, 1), 2);
  EXPECT_EQ(next_kink(machine, 2), 3);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
