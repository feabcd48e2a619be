#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <rapidcheck/gtest.h>

#include <talus/certify/coulomb_residual.hpp>
#include <talus/certify/detail/velocity_scale.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/certify/velocity_residual.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::RigidContact;

/// Contacts without friction in 3-D of given normal entries of W and b.
FrictionContact frictionless(const MatX& normal_w, const VecX& normal_b) {
  const Index m = normal_b.size();
  MatX W = MatX::Identity(3 * m, 3 * m);
  FrictionContact problem;
  problem.dimension = 3;
  problem.b = VecX::Zero(3 * m);
  for (Index i = 0; i < m; ++i) {
    problem.b[3 * i] = normal_b[i];
    for (Index j = 0; j < m; ++j) W(3 * i, 3 * j) = normal_w(i, j);
  }
  problem.W = W.sparseView();
  problem.friction = VecX::Zero(m);
  return problem;
}

VecX normal_impulses(const VecX& normal) {
  VecX r = VecX::Zero(3 * normal.size());
  for (Index i = 0; i < normal.size(); ++i) r[3 * i] = normal[i];
  return r;
}

/// A body between two supports that close on it: no impulses satisfy both.
FrictionContact squeezed() {
  return frictionless((MatX(2, 2) << 1, -1, -1, 1).finished(), Vec2(-1, -1));
}

// A velocity given beside impulses is u = W r + b or wrong, and a self-stress, for which W r = 0,
// hides none of it: its rounding, 64 ε ‖|W||r|‖ = 3e-5 m/s at 10⁹ N s, is all that is forgiven.
TEST(GivenVelocity, IsJudgedBesideAnySelfStress) {
  const FrictionContact problem = squeezed();
  for (const Real stress : {0.0, 1.0, 1e9}) {
    const VecX r = normal_impulses(Vec2(stress, stress));
    VecX u = problem.b;
    EXPECT_EQ(velocity_residual(problem, r, u), 0);
    u[4] += 1e-3;
    EXPECT_NEAR(velocity_residual(problem, r, u), 1e-3, 3e-5);
    u[4] = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_FALSE(std::isfinite(velocity_residual(problem, r, u)));
  }
}

// W = [1 −1; −1 1], b = (−1, −1): u₁ + u₂ = −2 whatever r is, so one contact closes at 1 m/s or
// more, as fast as it did without impulses. As r grows the natural map falls below any tolerance;
// the violation stays at 1 or above.
RC_GTEST_PROP(Violation, OfAnInfeasibleProblemStaysAbove1, ()) {
  const Real size = std::pow(10, *rc::gen::inRange(-3, 13));
  const Real difference = *rc::gen::inRange(-1000, 1001) / 500.0;
  const Certificate c = certify(squeezed(), normal_impulses(Vec2(size + difference, size)));
  RC_ASSERT(c.violation >= 1 - 1e-12 * (1 + size * 1e-4));
}

TEST(Violation, IsSeenWhereTheNaturalMapIsNot) {
  const Certificate c = certify(squeezed(), normal_impulses(Vec2(1e7, 1e7)));
  EXPECT_LT(c.natural_map, 1e-6);
  EXPECT_NEAR(c.violation, 1, 1e-6);
}

// A self-stress of 1e9 N·s, which moves nothing, does not hide a contact of the same island that
// closes at 1 m/s.
TEST(Violation, SelfStressHidesNothing) {
  const FrictionContact problem = frictionless(
      (MatX(3, 3) << 1, -1, 0.5, -1, 1, -0.5, 0.5, -0.5, 1).finished(), Vec3(0, 0, -1));
  const Certificate wrong = certify(problem, normal_impulses(Vec3(1e9, 1e9, 0)));
  EXPECT_LT(wrong.natural_map, 1e-8);
  EXPECT_NEAR(wrong.violation, 1, 1e-12);
  EXPECT_EQ(wrong.worst_contact, 2);
}

// Joints that press against each other by 10⁶ N·s, as those of a loop do near a singular position,
// and leave a body 10⁻⁴ of its speed: √2 10⁻⁴ of the energy at stake, 10⁻¹⁰ of their impulses.
TEST(Violation, SelfStressOpensNoJoints) {
  constexpr Real kStress = 1e6, kLeft = 1e-4, mass = 2;
  RigidContact problem;
  problem.bodies.resize(1);
  problem.bodies[0].inverse_mass = 1 / mass;
  problem.bodies[0].v = Vec3(1, 0, 0);
  problem.inverse_inertia = {Mat3::Identity()};
  problem.length = {1};
  for (const Real side : {1.0, -1.0}) {
    Vec6 of = Vec6::Zero();
    of[0] = side;
    problem.rows.parts.push_back({of, 0});
    problem.rows.close(0);
  }
  problem::ContactImpulses impulse = problem::zero_impulses(problem);
  impulse.row = {kStress - mass * (1 - kLeft), kStress};
  const Certificate wrong = certify(problem, impulse, {});
  // Each δ is less by 4 round-offs of Σ|Λ|/m = 10⁶ m/s, and √2 of it is measured.
  const Real rounding = 8 * detail::kVelocityRoundOff * kStress;
  EXPECT_NEAR(wrong.natural_map, std::sqrt(2) * kLeft, rounding);
  EXPECT_FALSE(wrong.meets(1e-6));
}

/// A ball that falls onto a floor at b [m/s] with mass m, beside others of its kind.
void add_ball(RigidContact& problem, Real mass, Real b) {
  const auto floor = static_cast<std::uint32_t>(problem.bodies.size());
  problem.bodies.emplace_back();
  problem::BodyVelocity ball;
  ball.v = Vec3(0, 0, -b);
  ball.inverse_mass = 1 / mass;
  ball.inverse_inertia = 2.5 / mass;
  problem.bodies.push_back(ball);
  for (int k = 0; k < 2; ++k) {
    problem.inverse_inertia.push_back(problem.bodies[floor + k].inverse_inertia * Mat3::Identity());
    problem.length.push_back(1);
  }
  problem::GeneralContact contact;
  contact.normal = Vec3::UnitZ();
  contact.arm_b = Vec3(0, 0, -1);
  contact.body_a = floor;
  contact.body_b = floor + 1;
  problem.general.push_back(contact);
}

Certificate judged(const RigidContact& problem, const std::vector<Vec3>& impulse) {
  problem::ContactImpulses r = problem::zero_impulses(problem);
  r.general = impulse;
  return certify(problem, r, {});
}

// A grain beside a mountain: a ball of 1 g whose impulse misses a tenth, beside one of 10⁶ kg that
// is solved. Natural map, ρδ/r with ρ = 3/(3 + 5) m for a ball's contact, and violation are those
// of the grain alone.
TEST(Violation, OfAGrainBesideAMountainIsItsOwn) {
  RigidContact grain, both;
  add_ball(grain, 1e-3, 0.01);
  add_ball(both, 1e6, 0.01);
  add_ball(both, 1e-3, 0.01);
  const Vec3 missing(0, 0, 0.9e-5), mountain(0, 0, 1e4);
  const Certificate alone = judged(grain, {missing}), beside = judged(both, {mountain, missing});
  EXPECT_NEAR(alone.natural_map, 3.0 / 8 * 0.1 / 0.9, 1e-12);
  EXPECT_NEAR(beside.natural_map, alone.natural_map, 1e-15);
  EXPECT_NEAR(alone.violation, 0.1, 1e-12);
  EXPECT_NEAR(beside.violation, alone.violation, 1e-15);
  EXPECT_EQ(beside.worst_contact, 1);
}

/// N balls of 1 kg in a row upwards, touching, between supports; the upper one closes at 1 m/s.
RigidContact squeezed_row(Index balls) {
  RigidContact row;
  for (Index i = 0; i < balls + 2; ++i) {
    problem::BodyVelocity body;
    const bool is_support = i == 0 || i == balls + 1;
    body.inverse_mass = is_support ? 0 : 1;
    body.inverse_inertia = is_support ? 0 : 2.5;
    if (i == balls + 1) body.v.z() = -1;
    row.bodies.push_back(body);
    row.inverse_inertia.push_back(body.inverse_inertia * Mat3::Identity());
    row.length.push_back(1);
    if (i == 0) continue;
    problem::GeneralContact contact;
    contact.arm_a = Vec3(0, 0, 1);
    contact.arm_b = Vec3(0, 0, -1);
    contact.body_a = static_cast<std::uint32_t>(i - 1);
    contact.body_b = static_cast<std::uint32_t>(i);
    row.general.push_back(contact);
  }
  return row;
}

// A row of N balls can share the closing speed among its N + 1 contacts: each violates by 1/(N + 1)
// alone. Impulses R that make the natural map small do the work R of 1 m/s · Σ u_i = 1 m/s, over N
// kg (m/s)²: no tolerance of theirs is met.
TEST(Violation, SharedByARowIsSeenByTheWork) {
  for (const Index balls : {3, 10, 30}) {
    const RigidContact row = squeezed_row(balls);
    const Real count = static_cast<Real>(balls + 1), large = 1e7;
    std::vector<Vec3> r(balls + 1, Vec3(0, 0, large));
    for (Index i = 1; i <= balls; ++i)  // v_i = −i/(N + 1): the differences of the impulses
      r[i].z() = r[i - 1].z() + static_cast<Real>(i) / count;
    const Certificate c = judged(row, r);
    EXPECT_LT(c.natural_map, 1e-6);
    EXPECT_NEAR(c.violation, 1 / count, 1e-14 * large);
    EXPECT_NEAR(c.work * static_cast<Real>(balls) / large, 1, 1e-4);
    for (const Real tolerance : {1.0, 1e-3, 1e-6}) EXPECT_FALSE(c.meets(tolerance));
  }
}

// Contacts of an island that do not approach are measured by those that do. Two balls one above the
// other fall with 3 m/s: the lower contact approaches at 3 m/s, the upper one at 0. Impulses that
// stop the lower ball alone let the upper contact close at 3 m/s: 1.
TEST(Violation, InsideAStackIsMeasuredByTheIsland) {
  RigidContact stack;
  add_ball(stack, 1, 3);
  add_ball(stack, 1, 3);
  stack.general[1].body_a = 1;
  stack.general[1].arm_a = Vec3(0, 0, 1);
  const Certificate c = judged(stack, {Vec3(0, 0, 3), Vec3::Zero()});
  EXPECT_EQ(c.worst_contact, 1);
  EXPECT_NEAR(c.violation, 1, 1e-12);
  EXPECT_LT(judged(stack, {Vec3(0, 0, 6), Vec3(0, 0, 3)}).violation, 1e-15);
}

enum class Kind { general, central, row };

/// Four balls of 1 kg one above the other over a floor that fall with 1, 4, 6 and 5 m/s: from below
/// their contacts approach with d = 1, 3, 2 m/s, and the uppermost opens with 1 m/s. Of these
/// ρ = 3/8 kg where the floor is, 3/16 kg elsewhere. @param kind of what joins the two lower balls,
/// and of the other contacts too unless it is a row: that has ρ = 1/(C + 2/kg) = 3/16 kg as well.
/// @param friction of central contacts.
RigidContact falling_stack(Kind kind, Real friction = 0) {
  RigidContact stack;
  for (const Real fall : {0.0, 1.0, 4.0, 6.0, 5.0}) {
    problem::BodyVelocity body;
    body.v.z() = -fall;
    body.inverse_mass = fall > 0 ? 1 : 0;
    body.inverse_inertia = fall > 0 ? 2.5 : 0;
    stack.bodies.push_back(body);
    stack.inverse_inertia.push_back(body.inverse_inertia * Mat3::Identity());
    stack.length.push_back(1);
  }
  if (kind == Kind::central) {
    const std::vector<problem::ScheduledPair> pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    std::vector<Vec3> place;
    for (int i = 0; i < 5; ++i) place.emplace_back(0, 0, 2 * i);
    problem::ContactColouring schedule;
    schedule.build(pairs, place, std::vector<unsigned char>{0, 1, 1, 1, 1});
    stack.lay_out_central(schedule, pairs, std::vector<Real>(pairs.size(), friction));
    for (Index c = 0; c < 4; ++c) stack.central.set(c, Vec3::UnitZ(), 0);
    return stack;
  }
  for (std::uint32_t lower = 0; lower < 4; ++lower) {
    if (kind == Kind::row && lower == 1) continue;
    problem::GeneralContact contact;
    contact.arm_a = Vec3(0, 0, 1);
    contact.arm_b = Vec3(0, 0, -1);
    contact.body_a = lower;
    contact.body_b = lower + 1;
    stack.general.push_back(contact);
  }
  if (kind == Kind::row) {
    stack.rows.parts = {{-Vec6::Unit(2), 1}, {Vec6::Unit(2), 2}};
    stack.rows.close(0, 16.0 / 3 - 2, 0);
  }
  return stack;
}

// V of a body is the largest of its contacts', which are max(d, d̄), d̄² = (2 · 1 + 9 + 4)/(2 + 1 +
// 1) = 15/4 m²/s² in the stack: 3, 3, 2 and √15/2 m/s from below, so that Σ m V² = 25.75 J. An
// impulse of 2 N s from the floor alone lets the lowest ball leave with 1 m/s: 2 J of work.
TEST(Violation, AtStakeIsTheLargestApproachOfEveryBody) {
  for (const Kind kind : {Kind::general, Kind::central, Kind::row}) {
    const RigidContact stack = falling_stack(kind);
    problem::ContactImpulses impulse = problem::zero_impulses(stack);
    problem::set_impulse(stack, 0, Vec3(0, 0, 2), impulse);
    EXPECT_NEAR(certify(stack, impulse, {}).work, 2 / 25.75, 1e-14) << static_cast<int>(kind);
  }
}

// The mean of an island is that of its approaching contacts, weighted with ρ: of 3 m/s with 1 kg,
// 1 m/s with 3 kg and one that opens, √((9 + 3)/4) = √3. Where none approaches it is that of ‖b‖,
// and no other island enters.
TEST(Violation, IsOverTheMeanOfTheIsland) {
  const std::vector<Real> V = detail::velocity_scales(
      2, std::vector<detail::Demand>{{0, 3, 3, 1}, {0, 1, 5, 3}, {0, 0, 100, 50}, {1, 0, 2, 7}});
  EXPECT_EQ(V[0], 3);
  EXPECT_DOUBLE_EQ(V[1], std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(V[2], std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(V[3], 2);
}

// What forces add to velocities in the step is the least that errors are measured by: a ball that
// rests and creeps down with 1e-6 m/s under h g = 0.01 m/s misses by 1e-4, not by 1.
TEST(Violation, IsOverWhatForcesAddAtLeast) {
  RigidContact problem;
  add_ball(problem, 1, 1e-6);
  EXPECT_NEAR(judged(problem, {Vec3::Zero()}).violation, 1, 1e-12);
  problem.force_speed = 0.01;
  EXPECT_NEAR(judged(problem, {Vec3::Zero()}).violation, 1e-4, 1e-12);
}

// Two problems side by side meet a tolerance exactly if each does: no island changes the verdict on
// another one, whatever their masses, speeds and impulses.
RC_GTEST_PROP(Violation, IslandsAreJudgedOneByOne, ()) {
  const auto decades = [](int low, int high) {
    return std::pow(10.0, *rc::gen::inRange(100 * low, 100 * high) / 100.0);
  };
  RigidContact parts[2], both;
  std::vector<Vec3> impulses[2], all;
  for (int k = 0; k < 2; ++k) {
    const Real mass = decades(-6, 6), speed = decades(-4, 3), miss = decades(-9, 0);
    add_ball(parts[k], mass, speed);
    add_ball(both, mass, speed);
    impulses[k].emplace_back(0, 0, mass * speed * (1 - miss));
    all.push_back(impulses[k].front());
  }
  const Real tolerance = decades(-9, 0);
  const Certificate a = judged(parts[0], impulses[0]), b = judged(parts[1], impulses[1]),
                    together = judged(both, all);
  RC_ASSERT(together.meets(tolerance) == (a.meets(tolerance) && b.meets(tolerance)));
  RC_ASSERT(together.excess(tolerance) == std::max(a.excess(tolerance), b.excess(tolerance)));
  std::vector<Certificate> own;
  const Certificate whole = RigidContactCertifier(both)({{}, all, {}, {}}, {}, own);
  RC_ASSERT(whole.excess(tolerance) == together.excess(tolerance));
  RC_ASSERT(own.size() == 2U);
  RC_ASSERT(own[0].excess(tolerance) == a.excess(tolerance));
  RC_ASSERT(own[1].excess(tolerance) == b.excess(tolerance));
}

// Bodies that part have nothing to answer, and an impulse between them is measured by the speed at
// which they part: of their own island, whoever else parts.
TEST(Violation, IslandsThatPartAreJudgedOneByOne) {
  const Real mass[] = {1, 1e4}, speed[] = {-3, -0.2};  // negative: away from the floor
  RigidContact both;
  std::vector<Vec3> all;
  Real alone[2];
  for (int k = 0; k < 2; ++k) {
    RigidContact part;
    add_ball(part, mass[k], speed[k]);
    add_ball(both, mass[k], speed[k]);
    all.emplace_back(0, 0, -0.1 * mass[k] * speed[k]);
    alone[k] = judged(part, {all.back()}).violation;
    EXPECT_GT(alone[k], 0);
  }
  std::vector<Certificate> own;
  (void)RigidContactCertifier(both)({{}, all, {}, {}}, {}, own);
  ASSERT_EQ(own.size(), 2U);
  for (int k = 0; k < 2; ++k) EXPECT_EQ(own[k].violation, alone[k]);
}

// One contact of a million that is wrong is named, and no number of right ones makes it small.
TEST(Violation, OneOfAMillionIsNamed) {
  constexpr Index kCount = 1'000'000, kBad = 654'321;
  CoulombResidual residual(1);
  for (Index i = 0; i < kCount; ++i) {
    const Vec3 b(-1, 0, 0), r(i == kBad ? 0.8 : 1, 0, 0), u = b + r;
    residual.add(coulomb_errors(r, u, b, 0.5, 1), r, u, b, 1, {1, 0});
  }
  const Certificate c = residual.finish();
  EXPECT_EQ(c.worst_contact, kBad);
  EXPECT_NEAR(c.violation, 0.2, 1e-12);
  EXPECT_LT(c.natural_map, 2.1e-4);
  EXPECT_FALSE(c.meets(1));
}

// Other units, with powers of 2, change no bit of it.
TEST(Violation, HasNoUnits) {
  const auto in_units = [](Real mass, Real speed) {
    RigidContact problem;
    add_ball(problem, 0.7 * mass, 0.3 * speed);
    add_ball(problem, 2.1 * mass, 1.1 * speed);
    problem.general[1].body_a = 1;
    problem.general[1].arm_a = Vec3(0, 0, 1);
    for (problem::GeneralContact& contact : problem.general) contact.friction = 0.4;
    problem.bodies[3].v.x() = 0.9 * speed;
    const Real impulse = mass * speed;
    return judged(problem, {Vec3(0.1, 0, 2) * impulse, Vec3(0, 0.2, 1.3) * impulse});
  };
  const Real own = in_units(1, 1).violation;
  EXPECT_GT(own, 0.01);
  for (const Real mass : {0x1p-40, 0x1p+30})
    for (const Real speed : {0x1p-20, 0x1p+20}) EXPECT_EQ(in_units(mass, speed).violation, own);
}

// All bodies boosted alike, supports too: the same violation but for rounding of the velocities.
TEST(Violation, IsTheSameInAMovingFrame) {
  RigidContact problem;
  add_ball(problem, 1, 0.5);
  const Certificate rest = judged(problem, {Vec3(0, 0, 0.4)});
  for (problem::BodyVelocity& body : problem.bodies) body.v += Vec3(100, -200, 300);
  EXPECT_NEAR(judged(problem, {Vec3(0, 0, 0.4)}).violation, rest.violation, 1e-10);
}

// A sliding speed is no measure of an approach: a ball on a belt of 10 m/s that sinks with 1 % of
// its fall violates by about that, though it is 1e-5 of the belt's speed.
TEST(Violation, IsNotHiddenByABelt) {
  RigidContact problem;
  add_ball(problem, 1, 0.01);
  problem.general[0].friction = 0.5;
  problem.bodies[0].v.x() = 10;
  const Real normal = 0.0099;
  EXPECT_GE(judged(problem, {Vec3(0.5 * normal, 0, normal)}).violation, 0.005);
  EXPECT_LT(judged(problem, {Vec3(0.5 * 0.01, 0, 0.01)}).violation, 1e-12);
}

/// One contact, W the unit matrix, that closes at 1 m/s and slips at 0.2 m/s.
FrictionContact slipping(Real friction, problem::FrictionLaw law) {
  FrictionContact problem;
  problem.W = MatX::Identity(3, 3).sparseView();
  problem.b = Vec3(-1, 0.2, 0);
  problem.friction = VecX::Constant(1, friction);
  problem.law = law;
  problem.directions = 8;
  return problem;
}

// With large friction the cone is nearly a half-space, and û no farther than |u_N|/√(1 + μ²) from
// its dual. A contact that closes as fast without an impulse as it did before misses all of
// Signorini's law whatever μ is; so does one that opens under an impulse.
TEST(Violation, OfAContactThatClosesIsAllOfItUnderAnyFriction) {
  using problem::FrictionLaw;
  for (const Real mu : {0.0, 0.5, 10.0, 1e3, 1e6, 1e12}) {
    for (const FrictionLaw law :
         {FrictionLaw::coulomb, FrictionLaw::maximum_dissipation, FrictionLaw::polyhedral}) {
      const FrictionContact contact = slipping(mu, law);
      EXPECT_GE(certify(contact, VecX::Zero(3)).violation, 1 - 1e-12) << mu;
      EXPECT_GE(certify(contact, Vec3(1.3, -std::min(1.3 * mu, 0.2), 0)).violation, 0.3 - 1e-12);
      EXPECT_LE(certify(contact, Vec3(1, -std::min(mu, 0.2), 0)).violation, 1e-14) << mu;
    }
    RigidContact stack = falling_stack(Kind::central, mu), ball;
    for (problem::BodyVelocity& body : stack.bodies) body.v.x() = body.inverse_mass;
    add_ball(ball, 1, 1);
    ball.general[0].friction = mu;
    ball.bodies[1].v.x() = 1;
    const problem::ContactImpulses none = problem::zero_impulses(stack);
    EXPECT_NEAR(certify(stack, none, {}).violation, 1, 1e-12) << mu;
    EXPECT_NEAR(judged(ball, {Vec3::Zero()}).violation, 1, 1e-12) << mu;
  }
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
