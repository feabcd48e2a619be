// What impulses of contacts do to the kinetic energy of an island, ½ Σ r·(u_free + u'), in closed
// forms: a ball that strikes a floor, and a slide whose spring, motor, limit and dry friction work
// beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <talus/certify/raised_energy.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::BoundedRows;
using problem::RigidContact;

constexpr Real kFree = BoundedRows::kFree;

/// A ball of mass 2 that falls with 3 m/s on a floor, body 0.
struct Fall {
  RigidContact problem;
  problem::ContactImpulses impulse;
  std::vector<Real> alone;
  std::vector<unsigned char> resists;

  Fall() {
    problem.bodies.resize(2);
    problem.bodies[1].inverse_mass = 0.5;
    problem.bodies[1].v = Vec3(0, 0, -3);
    problem.inverse_inertia = {Mat3::Zero(), Mat3::Identity()};
    problem.length = {1, 1};
    problem.general.push_back({Vec3::UnitZ(), 0, Vec3::Zero(), Vec3::Zero(), 0, 0, 1});
    impulse.general.push_back(Vec3::Zero());
  }
  /// A row of the ball's way up. @param own λ in the answer. @param without it alone.
  void add_row(Real bias, Real compliance, Real lower, Real upper, bool is_as_contact, Real own,
               Real without) {
    Vec6 part = Vec6::Zero();
    part[2] = 1;
    problem.rows.parts.push_back({part, 1});
    problem.rows.close(bias, compliance, lower, upper);
    impulse.row.push_back(own);
    alone.push_back(without);
    resists.push_back(is_as_contact ? 1 : 0);
  }
  void strike(Real r) { impulse.general[0] = Vec3(0, 0, r); }
  [[nodiscard]] Real raised() const { return raised_energy(problem, impulse, {alone, resists}); }
};

// r = m (1 + e) |u| raises the energy by ½ r |u| (e − 1), which is (e − 1)/(e + 1) of what it does
// to and fro: nothing up to e = 1.
TEST(RaisedEnergy, OfABallThatRebounds) {
  for (const Real e : {0.0, 0.5, 1.0, 1.5, 3.0}) {
    Fall fall;
    fall.strike(2 * (1 + e) * 3);
    EXPECT_NEAR(fall.raised(), std::max(Real(0), (e - 1) / (e + 1)), 1e-12) << e;
  }
}

// The pull of cohesion, c, is a force: the floor pulls a ball that comes at 3 m/s to it, r = −c,
// and does work without a law broken. It is taken off the impulse, r + c, and put to the velocity
// before, −3 − c/m; a rebound with e of that raises the energy beyond e = 1 as it does without.
TEST(RaisedEnergy, CohesionIsAForce) {
  constexpr Real kPull = 0.4;
  Fall fall;
  fall.problem.resistance.resize(1);
  fall.problem.resistance[0].cohesion = kPull;
  fall.impulse.moment.push_back(Vec3::Zero());
  fall.strike(-kPull);
  EXPECT_EQ(fall.raised(), 0);
  const Real speed = 3 + kPull / 2;
  for (const Real e : {0.0, 1.0, 1.5, 3.0}) {
    fall.strike(2 * (1 + e) * speed - kPull);
    EXPECT_NEAR(fall.raised(), std::max(Real(0), (e - 1) / (e + 1)), 1e-12) << e;
  }
}

// Who does the work makes no difference: half of the impulse from a limit, and the sum is the same;
// dry friction takes away what a rebound adds.
TEST(RaisedEnergy, LimitsAndFrictionAreAsContacts) {
  for (const Real e : {1.0, 1.5, 3.0}) {
    Fall fall;
    fall.strike(e * 3 + 3);
    fall.add_row(0, 0, 0, kFree, true, e * 3 + 3, 0);
    EXPECT_NEAR(fall.raised(), (e - 1) / (e + 1), 1e-12) << e;
  }
  // Up with 6 m/s: r = 18 does 18 (−3 + 6)/2 = 27 J to the ball, λ = −3 of friction on its way
  // sideways takes (4² − 2.5²) = 9.75 J from it.
  Fall fall;
  fall.strike(18);
  EXPECT_NEAR(fall.raised(), 27.0 / 81, 1e-12);
  fall.problem.bodies[1].v.x() = 4;
  fall.add_row(0, 0, -3, 3, true, -3, 0);
  fall.problem.rows.parts[0].part = Vec6::Unit(0);
  // r · u goes to and fro by 18 (‖(4, −3)‖ + ‖(2.5, 6)‖)/2 = 103.5 J.
  EXPECT_NEAR(fall.raised(), (27 - 9.75) / (103.5 + 9.75), 1e-12);
}

// A spring, λ = −(w + b)/C, that pushes the ball to the floor alone leads to v = (−3 − b/(2 C))/(1
// + 1/(2 C)); from there, not from free flight, r brings it to rest and raises nothing. Without
// that velocity it would seem to fly off at 1 m/s while the floor pushes it: "raised".
TEST(RaisedEnergy, IsCountedFromWhatTheMachineDoesAlone) {
  constexpr Real kBias = 8, kCompliance = 1;
  const auto at_rest = [&](Real alone) {
    Fall fall;
    fall.problem.bodies[1].v.z() = 1;
    const Real spring = -kBias / kCompliance;  // w = 0
    fall.strike(-spring - 2);                  // m v = 2 is taken too
    fall.add_row(kBias, kCompliance, -kFree, kFree, false, spring, alone);
    return fall.raised();
  };
  // w = 1 + λ/2, λ = −(w + 8): w = −2, λ = −6.
  EXPECT_EQ(at_rest(-6), 0);
  // Other impulses do not hold the row: no verdict is drawn from them.
  EXPECT_TRUE(std::isinf(at_rest(0)));
  EXPECT_TRUE(std::isinf(at_rest(-6.1)));
}

// A motor at its bound, or where rounding has left it of that, pushes as it does in the answer:
// nothing else of it is taken.
TEST(RaisedEnergy, AMotorAtItsBoundPushesAsInTheAnswer) {
  const auto pressed = [&](Real own, Real alone, Real bias) {
    Fall fall;
    fall.problem.bodies[1].v.z() = 1;
    fall.strike(-own - 2);
    fall.add_row(bias, 0, -8, 8, false, own, alone);
    return fall.raised();
  };
  EXPECT_EQ(pressed(-8, -8, 100), 0);
  const Real near = std::nextafter(-8, 0);
  EXPECT_EQ(pressed(near, near, 100), 0);
  EXPECT_TRUE(std::isinf(pressed(-8, 0, 100)));
  EXPECT_TRUE(std::isinf(pressed(-8, 8, 100))) << "the other bound";
  // w = 1 + λ/2 = −2 at λ = −6: inside its bounds it holds its speed alone.
  EXPECT_EQ(pressed(-8, -6, 2), 0);
}

// What resists does nothing alone.
TEST(RaisedEnergy, WhatResistsDoesNotActAlone) {
  Fall fall;
  fall.strike(3);
  fall.add_row(0, 0, 0, kFree, true, 3, 3);
  EXPECT_TRUE(std::isinf(fall.raised()));
}

// Islands are judged one by one: what one loses does not cover what another gains; a row makes one
// of them.
TEST(RaisedEnergy, IslandsDoNotPayForEachOther) {
  Fall fall;
  fall.problem.bodies.push_back(fall.problem.bodies[1]);
  fall.problem.inverse_inertia.push_back(Mat3::Identity());
  fall.problem.length.push_back(1);
  fall.problem.general.push_back({Vec3::UnitZ(), 0, Vec3::Zero(), Vec3::Zero(), 0, 0, 2});
  fall.strike(2 * 2.5 * 3);                       // e = 1.5: 15 (−3 + 4.5)/2 = 11.25 J
  fall.impulse.general.push_back(Vec3(0, 0, 6));  // e = 0: −9 J
  EXPECT_NEAR(fall.raised(), 0.2, 1e-12);
  fall.problem.rows.parts = {{Vec6::Unit(0), 1}, {Vec6::Unit(0), 2}};
  fall.problem.rows.close(0);
  fall.impulse.row = fall.alone = {0};
  fall.resists = {0};
  EXPECT_NEAR(fall.raised(), (11.25 - 9) / (56.25 + 9), 1e-12);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
