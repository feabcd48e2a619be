#include <talus/dynamics/constraint_factor.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/dynamics/mobility.hpp>
#include <talus/linalg/dense.hpp>

#include "unit/dynamics/machines.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using talus::Random;
using test::PlanarModel;

/// Random rows between the bodies of a model, some of them sums of others.
struct Rows {
  std::vector<JacobianRow> rows;
  MassMatrix mass;
  MatX J;

  Rows(Random& random, Index bodies, Index independent, Index redundant) : mass(bodies, 3) {
    for (Index i = 1; i < bodies; ++i) {  // the first is fixed
      const Real inverse = std::exp(random.uniform(-1, 1));
      mass.set(i, 1 / inverse, std::exp(random.uniform(-1, 1)));
    }
    const auto add = [&](Index a, Index b, const auto& of_a, const auto& of_b) {
      rows.emplace_back(a, b, Vec3(of_a), Vec3(of_b));
    };
    for (Index i = 0; i < independent; ++i)
      add(i % (bodies - 1), i % (bodies - 1) + 1, test::random_vector(random, 3, 1),
          test::random_vector(random, 3, 1));
    for (Index i = 0; i < redundant; ++i) {
      const JacobianRow& row = rows[static_cast<std::size_t>(i)];
      add(row.body_b, row.body_a, -2 * row.b.head<3>(), -2 * row.a.head<3>());
    }
    J = MatX::Zero(static_cast<Index>(rows.size()), mass.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (Index k = 0; k < J.cols(); ++k)
        J(static_cast<Index>(i), k) = rows[i].times(VecX::Unit(J.cols(), k));
  }
  [[nodiscard]] MatX delassus() const {
    return linalg::weighted_product(J.transpose(), mass.inverse_diagonal(), J.transpose());
  }
};

// Rows that yield, J v + C λ = 0, stiff ones, weak ones and redundant ones: (J M⁻¹ Jᵀ + C) λ = r.
RC_GTEST_PROP(ConstraintFactor, RowsYieldByTheirCompliance, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const Rows rows(random, 4, 5, 3);
  std::vector<Real> compliance(rows.rows.size());
  for (std::size_t i = 0; i < compliance.size(); ++i)
    compliance[i] = i < 2 ? 0 : std::pow(Real(10), random.uniform(-4, 4));
  ConstraintFactor solver;
  solver.factorise(rows.rows, rows.mass, compliance);
  RC_ASSERT(solver.rank() == 8);
  const VecX r = test::random_vector(random, 8, 1);
  VecX found;
  solver.solve(r, found);
  MatX D = rows.delassus();
  D.diagonal() += VecX::Map(compliance.data(), 8);
  RC_ASSERT((D * found - r).norm() <= 1e-12 * (D.cwiseAbs() * found.cwiseAbs()).norm());
}

// Multipliers are those of the complete orthogonal decomposition of S D S, Sᵢᵢ = 1/√Dᵢᵢ: of those
// that solve the equations best the ones with the smallest Σ Dᵢᵢ λᵢ², redundant ones or none.
RC_GTEST_PROP(ConstraintFactor, MultipliersAreTheSmallest, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const Index redundant = *rc::gen::inRange(0, 3);
  const Rows rows(random, 4, 5, redundant);
  ConstraintFactor solver;
  solver.factorise(rows.rows, rows.mass);
  RC_ASSERT(solver.rank() == 5);
  const VecX r = test::random_vector(random, 5 + redundant, 1);
  VecX found;
  solver.solve(r, found);
  const MatX D = rows.delassus();
  linalg::CompleteOrthogonal decomposition(linalg::RankTolerance{1e-10});
  const VecX root = D.diagonal().cwiseSqrt(), inverse = root.cwiseInverse();
  decomposition.compute(inverse.asDiagonal() * D * inverse.asDiagonal());
  RC_PRE(decomposition.rank() == 5);
  const VecX expected = decomposition.solve(VecX(inverse.cwiseProduct(r)));  // S⁻¹ λ
  const VecX weighed = root.cwiseProduct(found);
  RC_ASSERT((weighed - expected).norm() < 1e-6 * expected.norm());
}

// Accelerations keep the constraints, M v̇ = Q + Jᵀ λ holds, prescribed bodies accelerate as they
// must.
RC_GTEST_PROP(ConstraintFactor, AccelerationsKeepTheConstraints, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const Rows rows(random, 4, 5, *rc::gen::inRange(0, 3));
  ConstraintFactor solver;
  solver.factorise(rows.rows, rows.mass);
  const VecX Q = test::random_vector(random, 12, 1);
  VecX drift = VecX::Zero(rows.J.rows());
  drift.head(5) = test::random_vector(random, 5, 1);
  for (Index i = 5; i < drift.size(); ++i) drift[i] = -2 * drift[i - 5];
  VecX acceleration = VecX::Zero(12), multipliers;
  acceleration.head<3>() = Vec3(1, 2, 3);
  solver.accelerate(Q, drift, acceleration, multipliers);
  const Real scale = 1 + multipliers.norm();
  RC_ASSERT((rows.J * acceleration + drift).norm() < 1e-9 * scale);
  RC_ASSERT(acceleration.head<3>() == Vec3(1, 2, 3));
  const VecX expected = rows.mass.solve(Q + rows.J.transpose() * multipliers);
  RC_ASSERT((acceleration - expected).tail(9).norm() < 1e-11 * scale);
}

// The response to a force along a row keeps the constraints, and is symmetric: what one row does to
// another the other does to the one.
RC_GTEST_PROP(ConstraintFactor, ResponsesAreSymmetric, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  const Rows rows(random, 4, 5, 2), others(random, 4, 3, 0);
  ConstraintFactor solver;
  solver.factorise(rows.rows, rows.mass);
  VecX y0, y1, multipliers;
  solver.constrained_response(others.rows[0], y0, multipliers);
  solver.constrained_response(others.rows[1], y1, multipliers);
  RC_ASSERT((rows.J * y0).norm() < 1e-9 * (1 + multipliers.norm()));
  RC_ASSERT(std::abs(others.rows[1].times(y0) - others.rows[0].times(y1)) < 1e-9);
  RC_ASSERT(others.rows[0].times(y0) >= -1e-12);
}

/// The constraints of a model in the plane where it is, and their factor.
struct Factored {
  PlanarBodies machine;
  VecX q, v, Q;
  ConstraintTerms terms;
  ConstraintFactor solver;

  explicit Factored(const PlanarModel& model, std::span<const Real> compliance = {})
      : machine(model.model, model.state) {
    machine.load(model.state, q, v);
    machine.constraints(0, q, v, terms);
    machine.force(0, q, v, Q);
    solver.factorise(terms.rows, machine.mass(), compliance);
  }
  /// v̇ from rest, and λ.
  [[nodiscard]] std::pair<VecX, VecX> accelerate() {
    VecX acceleration = VecX::Zero(q.size()), multipliers;
    solver.accelerate(Q, terms.drift, acceleration, multipliers);
    return {acceleration, multipliers};
  }
};

/// A door of mass 1.5 kg on two hinges, the lower at the origin, which hold along the line between
/// them twice.
PlanarModel door() {
  PlanarModel model;
  model.add(geometry::Sphere{0.1}, model::BodyKind::fixed);
  const Index leaf = model.add(geometry::Box{{0.5, 1, 0.1}});
  model.state.position[leaf] = {0.5, 0.5, 0};
  for (const Real y : {0.0, 1.0})
    model.machine->joints.push_back(
        {"hinge", 0, leaf, model::RevoluteJoint{{0, y}, {-0.5, y - 0.5}, 0}, std::nullopt, false});
  return model;
}

// A door on two hinges hangs with half its weight in each; the horizontal forces turn it back.
TEST(ConstraintFactor, DoorHangsOnBothHinges) {
  const PlanarModel model = door();
  Factored door(model);
  EXPECT_EQ(door.solver.count(), 4);
  EXPECT_EQ(door.solver.rank(), 3);
  const auto [acceleration, multipliers] = door.accelerate();
  const Real weight = 1.5 * 9.81;
  EXPECT_NEAR(acceleration.norm(), 0, 1e-12);
  EXPECT_NEAR(multipliers[1], weight / 2, 1e-11);
  EXPECT_NEAR(multipliers[3], weight / 2, 1e-11);
  EXPECT_NEAR(multipliers[0], weight / 2, 1e-11);  // arm 0.5 m against a distance of 1 m
  EXPECT_NEAR(multipliers[2], -weight / 2, 1e-11);
}

/// A body of mass 1.5 kg and inertia 0.7 kg m² welded to the ground at a point a lever arm away.
PlanarModel welded_at(Real arm) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1}, model::BodyKind::fixed);
  const Index body = model.add(geometry::Sphere{0.1});
  model.machine->joints.push_back(
      {"weld", 0, body, model::WeldJoint{{arm, 0}, {arm, 0}, 0}, std::nullopt, false});
  return model;
}

// A weld holds its body whatever the lever arm from its point: three constraints are independent
// and no acceleration is left of gravity. In the metric of the masses the rows of an arm L are
// √(J/m)/L of their length apart: its square c is the least pivot of D, which leaves D no digit
// from L = 1e7 m on. What is left along y is round-off of g, of g/c as long as D itself has half
// the digits, c ≥ 1e-8; of turns that of the moment m g L that cancels.
TEST(ConstraintFactor, LeverArmsOfAnyLengthHold) {
  constexpr Real kRounding = 1e-15, kMass = 1.5, kInertia = 0.7;
  for (const Real arm : {0.1, 10.0, 1e3, 1e5, 1e6, 1e7, 1e8}) {
    const PlanarModel model = welded_at(arm);
    Factored weld(model);
    EXPECT_EQ(weld.solver.rank(), 3) << arm;
    const VecX acceleration = weld.accelerate().first;
    const Real condition = std::max(kMass * arm * arm / kInertia, Real(1));
    EXPECT_LE(std::abs(acceleration[4]), kRounding * 9.81 * (condition < 1e8 ? condition : 1))
        << arm;
    EXPECT_LE(std::abs(acceleration[5]), kRounding * (9.81 + 9.81 * kMass * arm / kInertia)) << arm;
  }
}

// A pin a lever arm L away whose body is kept from turning by a row that yields, α + c λ = 0: that
// row holds the moment of the weight,
//   α = m g L / (J + m L² + 1/c),  a = −L α,
// by half for 1/c = m L², whatever L is, though in the metric of the masses the row of the turn and
// that of the pin are √(J/m)/L apart; and so where a second pin, which is redundant, lies on the
// first. Turns are round-off of the moment m g L that cancels to J α, and where D itself has half
// the digits, J/(m L²) ≥ 1e-8, the body's way too.
TEST(ConstraintFactor, RowsOfLongLeversYield) {
  constexpr Real kRounding = 1e-15, kMass = 1.5, kInertia = 0.7;
  for (const Real arm : {0.1, 10.0, 1e3, 1e5, 1e7})
    for (const bool has_second_pin : {false, true}) {
      PlanarModel model = welded_at(arm);
      std::vector<Real> compliance = {0, 0, 1 / (kMass * arm * arm)};
      if (has_second_pin) {
        model.machine->joints.push_back(
            {"pin", 0, 1, model::RevoluteJoint{{arm, 0}, {arm, 0}, 0}, std::nullopt, false});
        compliance.resize(5, 0);
      }
      Factored weld(model, compliance);
      EXPECT_EQ(weld.solver.rank(), 3) << arm;
      const VecX acceleration = weld.accelerate().first;
      const Real turn = kMass * 9.81 * arm / (kInertia + 2 * kMass * arm * arm);
      const Real condition = std::max(kMass * arm * arm / kInertia, Real(1));
      EXPECT_LE(std::abs(acceleration[4] + arm * turn),
                kRounding * 9.81 * (condition < 1e8 ? condition : 1))
          << arm << has_second_pin;
      EXPECT_LE(std::abs(acceleration[5] - turn),
                kRounding * (9.81 + 9.81 * kMass * arm / kInertia))
          << arm << has_second_pin;
    }
}

// A link of mass m at φ to the vertical, whose centre is at its middle, holds a load M on a pin:
// the load, whose own turn nothing asks for, goes as a pendulum of length l,
//   (M + m/4 + J/l²) l φ̈ = −(M + m/2) g sin φ,
// for every ratio of the masses: pins are independent however light the link is. A force along the
// row of a pin moves the link M/m times as much as the load, so that turns of the link are
// round-off of M/m, and where D itself has half the digits, M/m ≤ 1e8, the load's way too.
TEST(ConstraintFactor, LightLinksHoldHeavyLoads) {
  constexpr Real kLength = 2, kLoad = 1e3, kAngle = 0.5, kRounding = 1e-14;
  for (const Real ratio : {1.0, 1e4, 1e8, 1e10, 1e12}) {
    const Real mass = kLoad / ratio, inertia = 0.1 * mass * kLength * kLength;
    PlanarModel model;
    model.add(geometry::Sphere{0.1}, model::BodyKind::fixed);
    const Index link = model.add(geometry::Sphere{0.1}), load = model.add(geometry::Sphere{0.1});
    model.model.bodies[link].mass = mass;
    model.model.bodies[link].inertia = inertia * Mat3::Identity();
    model.model.bodies[load].mass = kLoad;
    const Vec3 down(std::sin(kAngle), -std::cos(kAngle), 0);
    model.state.position[link] = kLength / 2 * down;
    model.state.position[load] = kLength * down;
    const Vec2 half = kLength / 2 * down.head<2>();
    model.machine->joints.push_back(
        {"pivot", 0, link, model::RevoluteJoint{Vec2::Zero(), -half, 0}, std::nullopt, false});
    model.machine->joints.push_back(
        {"hook", link, load, model::RevoluteJoint{half, Vec2::Zero(), 0}, std::nullopt, false});
    Factored pins(model);
    EXPECT_EQ(pins.solver.rank(), 4) << ratio;
    const VecX acceleration = pins.accelerate().first;
    const Real turn = -(kLoad + mass / 2) * 9.81 * std::sin(kAngle) /
                      ((kLoad + mass / 4 + inertia / (kLength * kLength)) * kLength);
    const Vec2 expected = turn * kLength * Vec2(std::cos(kAngle), std::sin(kAngle));
    EXPECT_LE((acceleration.segment<2>(6) - expected).norm(),
              kRounding * 9.81 * (ratio <= 1e8 ? ratio : 1))
        << ratio;
    EXPECT_LE(std::abs(acceleration[5] - turn), kRounding * ratio * 9.81 / kLength + 1e-14)
        << ratio;
  }
}

// Constraints that depend on each other do so wherever the body is: a leaf on two pins 1 m apart
// hangs on them at any distance, one of the four being redundant, and so it does on two pins in one
// place, where two are.
TEST(ConstraintFactor, RedundantConstraintsAreSoAtAnyDistance) {
  for (const Real arm : {1.0, 1e3, 1e5}) {
    PlanarModel model = welded_at(arm);
    model.machine->joints.clear();
    const auto add_pin = [&](Real y) {
      model.machine->joints.push_back(
          {"pin", 0, 1, model::RevoluteJoint{{arm, y}, {arm, y}, 0}, std::nullopt, false});
    };
    const auto rank = [&] { return Factored(model).solver.rank(); };
    add_pin(0);
    add_pin(0);
    EXPECT_EQ(rank(), 2) << arm;
    add_pin(1);
    EXPECT_EQ(rank(), 3) << arm;
  }
}

// A door does not move, and one of its four constraints is redundant; on one hinge alone it turns.
// Constraints that contradict each other leave nothing to count.
TEST(Mobility, CountsWhatTheConstraintsLeaveFree) {
  PlanarModel model = door();
  const Mobility on_two = mobility(model.model, model.state);
  EXPECT_TRUE(on_two.is_consistent);
  EXPECT_EQ(on_two.constraints, 4);
  EXPECT_EQ(on_two.redundant, 1);
  EXPECT_EQ(on_two.loops, 1);
  ASSERT_EQ(on_two.redundant_in.size(), 1U);
  EXPECT_EQ(on_two.redundant_in[0].of, "joint " + model.model.machine->joints.back().name);
  EXPECT_EQ(on_two.redundant_in[0].count, 1);
  EXPECT_EQ(on_two.degrees_of_freedom, 0);
  const model::Joint hinge = model.machine->joints.back();
  model.machine->joints.pop_back();
  const Mobility on_one = mobility(model.model, model.state);
  EXPECT_EQ(on_one.redundant, 0);
  EXPECT_EQ(on_one.loops, 0);
  EXPECT_EQ(on_one.degrees_of_freedom, 1);
  model.machine->joints.push_back(hinge);
  std::get<model::RevoluteJoint>(model.machine->joints.back().kind).p_A.y() += 0.1;
  EXPECT_FALSE(mobility(model.model, model.state).is_consistent);
}

// ConstraintProjection takes a machine that is a little off back to its constraints, redundant or
// not.
RC_GTEST_PROP(ConstraintProjection, MeetsTheConstraints, ()) {
  Random random(*rc::gen::arbitrary<std::uint32_t>());
  PlanarModel model = door();
  const Index arm = model.add(geometry::Sphere{0.1});
  model.state.position[arm] = {1, 2, 0};
  model.machine->joints.push_back(
      {"rod", 1, arm, model::DistanceJoint{{0, 0.5}, {0.2, 0.1}, 1.2}, std::nullopt, false});
  model.machine->drives.push_back({"motor",
                                   1,
                                   arm,
                                   model::Drive::Quantity::angle,
                                   {},
                                   {},
                                   {},
                                   model::RampLaw{0.1, 2},
                                   false,
                                   0});
  const PlanarBodies machine(model.model, model.state);
  VecX q, v;
  machine.load(model.state, q, v);
  q.tail(6) += test::random_vector(random, 6, 0.1);
  v.tail(6) += test::random_vector(random, 6, 1);
  const VecX v_before = v;
  ConstraintProjection projection;
  const ProjectionReport at_position = projection.position(machine, 0.2, q);
  RC_ASSERT(at_position.is_converged);
  RC_ASSERT(at_position.rank == 5);
  RC_ASSERT(at_position.iterations <= 12);
  const ProjectionReport at_velocity = projection.velocity(machine, 0.2, q, v);
  RC_ASSERT(at_velocity.is_converged);
  ConstraintTerms terms;
  machine.constraints(0.2, q, v, terms);
  RC_ASSERT(terms.value.cwiseAbs().maxCoeff() < 1e-12);
  RC_ASSERT(terms.rate.cwiseAbs().maxCoeff() < 1e-11);
  // The change is orthogonal, in M, to every velocity that keeps the constraints.
  const VecX change = v - v_before;
  VecX y, multipliers;
  ConstraintFactor solver;
  solver.factorise(terms.rows, machine.mass());
  solver.constrained_response({2, -1, Vec3(1, 2, 3), Vec3::Zero()}, y, multipliers);
  Real work = 0;
  for (Index i = 3; i < 9; ++i) work += change[i] * y[i] / machine.mass().inverse_diagonal()[i];
  RC_ASSERT(std::abs(work) < 1e-9);
}

// Two drives that contradict each other cannot both be met, and the projection says so.
TEST(ConstraintProjection, ContradictionIsReported) {
  PlanarModel model;
  model.add(geometry::Sphere{0.1}, model::BodyKind::fixed);
  model.add(geometry::Sphere{0.1});
  for (const Real speed : {1.0, 2.0})
    model.machine->drives.push_back({"motor",
                                     0,
                                     1,
                                     model::Drive::Quantity::angle,
                                     {},
                                     {},
                                     {},
                                     model::RampLaw{0, speed},
                                     false,
                                     0});
  const PlanarBodies machine(model.model, model.state);
  VecX q, v;
  machine.load(model.state, q, v);
  ConstraintProjection projection;
  EXPECT_TRUE(projection.position(machine, 0, q).is_converged);
  EXPECT_FALSE(projection.position(machine, 0.5, q).is_converged);
  EXPECT_FALSE(projection.velocity(machine, 0, q, v).is_converged);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
