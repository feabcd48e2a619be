#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <talus/base/random.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/one_contact.hpp"

namespace talus::solve::TALUS_TEST_FILE {
namespace {

Vec3 any_vector(Random& random) {
  const Real x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return {x, y, random.uniform(-1, 1)};
}

/// What the contacts of a problem have beside friction.
struct Parts {
  const char* name;
  bool cohesion = false, compliance = false, ribs = false, rolling = false, torsion = false;
  problem::FrictionLaw law = problem::FrictionLaw::coulomb;
  bool is_ball = false;  // bodies are balls, with arms along the normal
};

problem::Resistance resistance_of(Random& random, const Parts& parts, const Vec3& n) {
  problem::Resistance resistance;
  resistance.slip_bias = any_vector(random).cross(n);
  if (parts.cohesion) resistance.cohesion = random.uniform(0, 0.3);
  if (parts.rolling) resistance.rolling = random.uniform(0.02, 0.5);
  if (parts.torsion) resistance.torsion = random.uniform(0.02, 0.5);
  if (parts.ribs) {
    resistance.axis = any_vector(random).cross(n).normalized();
    resistance.friction_across = std::max(Real(0), random.uniform(-0.3, 0.8));
  }
  if (parts.compliance) {
    const Mat3 tangential = Mat3::Identity() - n * n.transpose();
    resistance.compliance = random.uniform(0, 2) * tangential;
    if (!parts.cohesion) resistance.compliance += random.uniform(0, 2) * n * n.transpose();
  }
  return resistance;
}

/// Pairs of bodies, one contact each, that share nothing; every fifth body is immovable.
problem::RigidContact pairs_of(Random& random, const Parts& parts) {
  constexpr std::uint32_t kPairs = 37;
  problem::RigidContact problem;
  problem.law = parts.law;
  for (std::uint32_t i = 0; i < 2 * kPairs; ++i) {
    const Mat3 root = Mat3::NullaryExpr([&] { return random.uniform(-1, 1); });
    const bool is_movable = i % 5 != 0;
    problem.bodies.push_back(
        {any_vector(random), is_movable ? random.uniform(0.3, 2) : 0, any_vector(random), 0});
    Mat3 inertia = random.uniform(0.5, 3) * Mat3::Identity();
    if (!parts.is_ball) inertia += root * root.transpose();
    problem.inverse_inertia.push_back(is_movable ? inertia : Mat3(Mat3::Zero()));
    problem.length.push_back(random.uniform(0.5, 2));
    problem.place.push_back(any_vector(random));
  }
  for (std::uint32_t c = 0; c < kPairs; ++c) {
    const Vec3 n = any_vector(random).normalized();
    const Vec3 arm_a = parts.is_ball ? n : any_vector(random);
    const Vec3 arm_b = parts.is_ball ? Vec3(-n) : any_vector(random);
    problem.general.push_back(
        {n, random.uniform(-2, 0.5), arm_a, arm_b, random.uniform(0.05, 0.8), 2 * c, 2 * c + 1});
    problem.resistance.push_back(resistance_of(random, parts, n));
  }
  return problem;
}

/// Rows (N, T1, T2, R1, R2, S) of a force and a moment.
Vec6 in_frame(const Mat3& frame, const Vec3& force, const Vec3& moment) {
  const Vec3 f = frame.transpose() * force, m = frame.transpose() * moment;
  Vec6 rows;
  rows << f, m[1], m[2], m[0];
  return rows;
}

/// How far an answer is from that of the one-contact solver which starts from it, over its size and
/// that of an impulse that changes the free velocity.
Real distance_to_law(const problem::RigidContact& problem, std::size_t c,
                     const problem::ContactImpulses& answer) {
  const problem::GeneralContact& contact = problem.general[c];
  const problem::Resistance& resistance = problem.resistance[c];
  const Mat3 frame = problem::resistance_frame(contact, resistance);
  const Mat6 world = problem::resistance_block(problem, static_cast<Index>(c));
  Mat6 A;
  for (int k = 0; k < 6; ++k) {
    const Vec6 unit = Vec6::Unit(k);
    Vec6 pushed;
    pushed << frame * unit.head<3>(), frame * Vec3(unit[5], unit[3], unit[4]);
    const Vec6 moved = world * pushed;
    A.col(k) = in_frame(frame, moved.head<3>(), moved.tail<3>());
  }
  const problem::BodyVelocity &a = problem.bodies[contact.body_a],
                              &b = problem.bodies[contact.body_b];
  const Vec6 free =
      in_frame(frame,
               problem::contact_velocity(contact, problem.bodies) + contact.bias * contact.normal +
                   resistance.slip_bias,
               b.s / problem.length[contact.body_b] - a.s / problem.length[contact.body_a]);
  const bool has_axis = !resistance.axis.isZero(0);
  const test::ContactSurface surface{
      Vec2(contact.friction, has_axis ? resistance.friction_across : contact.friction),
      resistance.rolling, resistance.torsion, resistance.cohesion};
  LocalLaw law;
  law.law = problem.law;
  const Vec6 r = in_frame(frame, answer.general[c], answer.moment[c]);
  return (test::solve_surface(law, surface, A, free, r) - r).norm() /
         (r.norm() + free.norm() / A.trace());
}

class ResistingLanes : public testing::TestWithParam<Parts> {};

// Sweeps over contacts that share no body end where the one-contact solver leaves each of them as
// it is, whatever they resist beside slip: a contact that is not still in everything is solved for
// its force and its moment by turns, and what both leave alone is the law of both. To 1e-9 of the
// impulse after 400 sweeps, by the same bits whatever the instruction set.
TEST_P(ResistingLanes, EndAtTheLawOfOneContact) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const problem::RigidContact problem = pairs_of(random, GetParam());
    problem::ContactImpulses first;
    for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512}) {
      if (simd > best_simd()) continue;
      RigidNsgs nsgs(simd);
      nsgs.start(problem, {});
      RigidNsgsOptions options;
      options.momentum_cap = 0;
      (void)nsgs.run(0, 400, options, {});
      const problem::ContactImpulses& found = nsgs.impulse();
      if (first.empty()) first = found;
      for (std::size_t c = 0; c < problem.general.size(); ++c) {
        EXPECT_EQ(found.general[c], first.general[c]);
        EXPECT_EQ(found.moment[c], first.moment[c]);
        if (problem.bodies[2 * c].inverse_mass + problem.bodies[2 * c + 1].inverse_mass == 0)
          continue;
        EXPECT_LE(distance_to_law(problem, c, found), 1e-9)
            << "contact " << c << " of round " << round;
      }
    }
  }
}

// A guess that is an answer stays one: cut back to what the law allows and added to the bodies it
// is the same, and the first sweep from it changes it by round-off.
TEST_P(ResistingLanes, StayAtTheirAnswer) {
  Random random(6);
  const problem::RigidContact problem = pairs_of(random, GetParam());
  RigidNsgs nsgs;
  RigidNsgsOptions options;
  options.momentum_cap = 0;
  nsgs.start(problem, {});
  (void)nsgs.run(0, 400, options, {});
  const problem::ContactImpulses answer = nsgs.impulse();
  nsgs.start(problem, answer);
  EXPECT_LE(nsgs.run(0, 1, options, {}).residual, 1e-9);
}

// A drag is a force, whatever its contact bears: the same answer as with the velocities that it
// leads to, d more, by sweeps and in the assembled form.
TEST(Drag, IsAForceThatNoPressureBounds) {
  Random random(7);
  problem::RigidContact dragged =
      pairs_of(random, {.name = "dragged", .cohesion = true, .compliance = true});
  problem::RigidContact moved = dragged;
  problem::ContactImpulses drag = problem::zero_impulses(dragged);
  for (std::size_t c = 0; c < dragged.general.size(); ++c)
    drag.general[c] = dragged.resistance[c].drag =
        any_vector(random).cross(dragged.general[c].normal);
  problem::apply_impulses(dragged, drag, moved.bodies);
  const auto answer = [](const problem::RigidContact& problem) {
    RigidNsgs nsgs;
    nsgs.start(problem, {});
    (void)nsgs.run(0, 400, {}, {});
    return nsgs.impulse().general;
  };
  const std::vector<Vec3> one = answer(dragged), other = answer(moved);
  for (std::size_t c = 0; c < one.size(); ++c)
    EXPECT_LT((one[c] - drag.general[c] - other[c]).norm(), 1e-9) << c;
  // C p is of what presses, in which the drag is not.
  const VecX b = problem::to_local(dragged).b, expected = problem::to_local(moved).b;
  EXPECT_LT((b - expected).norm(), 1e-12 * b.norm());
}

INSTANTIATE_TEST_SUITE_P(
    Parts, ResistingLanes,
    testing::Values(Parts{.name = "cohesion", .cohesion = true},
                    Parts{.name = "compliance", .compliance = true},
                    Parts{.name = "ribs", .ribs = true}, Parts{.name = "rolling", .rolling = true},
                    Parts{.name = "torsion", .torsion = true},
                    Parts{.name = "balls", .rolling = true, .torsion = true, .is_ball = true},
                    Parts{.name = "everything",
                          .cohesion = true,
                          .compliance = true,
                          .ribs = true,
                          .rolling = true,
                          .torsion = true},
                    Parts{.name = "maximum_dissipation",
                          .cohesion = true,
                          .compliance = true,
                          .ribs = true,
                          .law = problem::FrictionLaw::maximum_dissipation},
                    Parts{.name = "cones",
                          .cohesion = true,
                          .compliance = true,
                          .law = problem::FrictionLaw::cone_complementarity}),
    [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
