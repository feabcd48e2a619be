#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/LU>

#include <talus/base/error.hpp>
#include <talus/certify/bounded_friction_residual.hpp>
#include <talus/certify/cone_residual.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/lcp_residual.hpp>
#include <talus/certify/mlcp_residual.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/math/rotation.hpp>
#include <talus/problem/convert_bilateral.hpp>
#include <talus/problem/convert_bounded.hpp>
#include <talus/problem/convert_cone.hpp>
#include <talus/problem/convert_mlcp.hpp>

#include "support/class_problems.hpp"

namespace talus::problem::TALUS_TEST_FILE {
namespace {

Random draw_random() { return Random(*rc::gen::arbitrary<std::uint64_t>()); }

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_message(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "got: " << message;
}

// Eliminating x keeps the solutions: the z of a mixed LCP solves the LCP, x comes back from it.
RC_GTEST_PROP(EliminateFree, KeepsSolutions, ()) {
  Random random = draw_random();
  const Index n = random.bits() % 5, m = 1 + random.bits() % 5;
  const test::SolvedMlcp solved = test::random_mlcp(random, n, m, random.uniform() < 0.5);
  RC_PRE(solved.z.norm() > 0);
  if (n > 0) RC_PRE(linalg::PartialPivLu(solved.problem.A).reciprocal_condition() > 1e-4);
  const EliminatedMlcp reduced = eliminate_free(solved.problem);
  RC_ASSERT((reduced.free_part(solved.z) - solved.x).norm() <= 1e-9);
  RC_ASSERT(certify::certify(reduced.lcp, solved.z).natural_map <= 1e-8);
  RC_ASSERT(reduced.change.empty() == (n == 0));
}

// M and q are B − D A⁻¹ C and b − D A⁻¹ a of dense algebra, whatever the units of the equations.
TEST(EliminateFree, EqualsDenseAlgebra) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    test::SolvedMlcp solved = test::random_mlcp(random, 4, 3);
    const Mlcp& p = solved.problem;
    const MatX inverse = linalg::PartialPivLu(p.A).solve(MatX(MatX::Identity(4, 4)));
    const MatX D_A = linalg::product(p.D, inverse);
    Mlcp scaled = p;
    for (Index row = 0; row < 4; ++row) {  // each equation in a unit of its own
      const Real unit = std::pow(10, random.uniform(-8, 8));
      scaled.A.row(row) *= unit;
      scaled.C.row(row) *= unit;
      scaled.a[row] *= unit;
    }
    const EliminatedMlcp reduced = eliminate_free(scaled);
    const Real condition = p.A.norm() * inverse.norm();
    EXPECT_LT((reduced.lcp.M - (p.B - linalg::product(D_A, p.C))).norm(), 1e-13 * condition);
    EXPECT_LT((reduced.lcp.q - (p.b - D_A * p.a)).norm(), 1e-13 * condition);
    EXPECT_NE(reduced.change.find("eliminates 4 free unknowns"), std::string::npos);
  }
}

// What the equations hold altogether has no response: a direction d that is one of theirs,
// d = Σ cᵢ eᵢ, whatever the units of masses, of the equations and of d; one that is 1e-4 off has.
TEST(EliminateFree, WhatTheEquationsHoldHasNoResponse) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Index n = 3, size = 5;
    const Real mass = std::pow(10, random.uniform(-6, 6)),
               unit = std::pow(10, random.uniform(-6, 6));
    MatX E = test::random_matrix(random, n, size), d(2, size);
    d.row(0) = test::random_matrix(random, 1, n) * E;
    d.row(1) = test::random_matrix(random, 1, size);
    const VecX v = test::random_matrix(random, size, 1);
    for (Index k = 0; k < n; ++k) E.row(k) *= std::pow(10, random.uniform(-3, 3));
    const auto reduced = [&](const MatX& J) {
      Mlcp p;
      p.A = linalg::product(E, E.transpose()) / mass;
      p.C = linalg::product(E, J.transpose()) / mass;
      p.D = p.C.transpose();
      p.B = linalg::product(J, J.transpose()) / mass;
      p.a = E * v;
      p.b = J * v;
      return eliminate_free(p).lcp;
    };
    const Lcp held = reduced(unit * d);
    EXPECT_EQ(held.M(0, 0), 0);
    EXPECT_EQ(held.M(0, 1), 0);
    EXPECT_EQ(held.M(1, 0), 0);
    EXPECT_EQ(held.q[0], 0);
    EXPECT_GT(held.M(1, 1), 0);
    d.row(0) += 1e-4 * d.row(1);
    EXPECT_GT(reduced(unit * d).M(0, 0), 0);
  }
}

// A singular A is refused with its condition, empty row or dependent rows, in any units.
TEST(EliminateFree, RefusesASingularMatrix) {
  Random random(2);
  for (const bool is_empty : {true, false}) {
    Mlcp p = test::random_mlcp(random, 3, 2).problem;
    p.A.row(2) = is_empty ? VecX(VecX::Zero(3)).transpose() : VecX(1e-9 * p.A.row(0)).transpose();
    expect_message(message_of([&] { (void)eliminate_free(p, "f.hdf5"); }),
                   "f.hdf5: A: expected a non-singular matrix, got one of reciprocal condition");
  }
}

// A solution of each class is one of its cone problem where the conversion says that it changes
// nothing, with the same certificate.
RC_GTEST_PROP(ToConeProblem, KeepsSolutionsOfConvexClasses, ()) {
  Random random = draw_random();
  const MatX M = test::random_gram(random, 4, 3, 0.1);
  const VecX q = test::random_matrix(random, 4, 1), z = test::random_matrix(random, 4, 1);
  const Lcp lcp{M, q};
  const auto cones = to_cone_problem(lcp);
  RC_ASSERT(cones.change.empty());
  RC_ASSERT(std::abs(certify::certify(lcp, z).natural_map -
                     certify::certify(cones.problem, z).natural_map) <= 1e-13);

  test::SolvedMlcp mixed = test::random_mlcp(random, 3, 4, true);
  mixed.problem.D = mixed.problem.C.transpose();
  mixed.problem.b = VecX::Zero(4);
  VecX w = VecX::Zero(4);
  for (Index i = 0; i < 4; ++i) w[i] = mixed.z[i] > 0 ? 0 : 1;
  mixed.problem.b = w - mixed.problem.D * mixed.x - mixed.problem.B * mixed.z;
  const auto mixed_cones = to_cone_problem(mixed.problem);
  VecX both(7);
  both << mixed.x, mixed.z;
  RC_ASSERT(mixed_cones.change.empty());
  RC_ASSERT(certify::certify(mixed_cones.problem, both).natural_map <= 1e-12);

  const test::SolvedBounded joints = test::random_bounded(random, 1, 3);
  const auto box = to_cone_problem(joints.problem);
  RC_ASSERT(box.change.empty());
  RC_PRE(joints.r.norm() > 0.01);
  RC_ASSERT(certify::certify(box.problem, joints.r).natural_map <= 1e-11);
}

// A box QP keeps its numbers.
TEST(ToConeProblem, BoxQpKeepsItsNumbers) {
  const BoxQp qp{test::to_sparse(Vec2(1, 4).asDiagonal()), Vec2(-1, -8), Vec2(0, 0), Vec2(1, 1)};
  const auto cones = to_cone_problem(qp);
  EXPECT_EQ(cones.problem.cones.size(), 1u);
  EXPECT_EQ(cones.problem.lower, qp.lower);
  EXPECT_EQ(certify::certify(cones.problem, Vec2(1, 1)).natural_map, 0);
  EXPECT_EQ(cones.change, "");
}

// Contacts lose the De Saxcé term, and the text says so: an impulse that makes contacts slide is a
// solution of one law and not of the other; with stick alone it is one of both.
TEST(ToConeProblem, ContactsLoseTheShift) {
  const SparseMatrix I = test::to_sparse(MatX::Identity(3, 3));
  FrictionContact sliding{3, I, Vec3(-1, -2, 0), VecX::Constant(1, 0.5)};
  const auto cones = to_cone_problem(sliding);
  EXPECT_NE(cones.change.find("drops the De Saxcé term"), std::string::npos);
  const Vec3 exact(1, 0.5, 0);                // u = (0, −1.5, 0)
  const Vec3 relaxed(2 / 1.25, 1 / 1.25, 0);  // the nearest point of the cone to −b = (1, 2, 0)
  EXPECT_NEAR(certify::certify(sliding, exact).natural_map, 0, 1e-15);
  EXPECT_NEAR(certify::certify(cones.problem, relaxed).natural_map, 0, 1e-15);
  EXPECT_GT(certify::certify(cones.problem, exact).natural_map, 0.1);
  EXPECT_GT(certify::certify(sliding, relaxed).natural_map, 0.1);
  sliding.b = Vec3(-1, -0.2, 0);
  EXPECT_NEAR(certify::certify(to_cone_problem(sliding).problem, Vec3(1, 0.2, 0)).natural_map, 0,
              1e-15);

  Random random(4);
  const auto rolling = to_cone_problem(test::random_rolling(random, 2).problem);
  EXPECT_NE(rolling.change.find("μ_r‖u_R‖"), std::string::npos);
  EXPECT_EQ(rolling.problem.cones[1].first, 5);
  const auto bilateral = to_cone_problem(test::random_bilateral(random, 3, 2, 2).problem);
  EXPECT_NE(bilateral.change.find("drops the De Saxcé term"), std::string::npos);
  ASSERT_EQ(bilateral.problem.cones.size(), 3u);
  EXPECT_EQ(bilateral.problem.cones[0].kind, ConeKind::free);
  EXPECT_EQ(bilateral.problem.cones[2].first, 5);
}

// What is not the minimiser of a quadratic form is refused with the entries that show it.
TEST(ToConeProblem, RefusesWhatItCannotKeep) {
  Lcp lcp{MatX::Identity(2, 2), Vec2::Zero()};
  lcp.M(0, 1) = 0.5;
  expect_message(message_of([&] { (void)to_cone_problem(lcp); }),
                 "M: expected a symmetric matrix with a diagonal ≥ 0, got 0 at (1, 0) and 0.5 at");
  lcp.M << 1, 0, 0, -1;
  expect_message(message_of([&] { (void)to_cone_problem(lcp); }), "got -1 at (1, 1)");
  Random random(5);
  const Mlcp saddle = test::random_mlcp(random, 2, 2, true).problem;
  expect_message(message_of([&] { (void)to_cone_problem(saddle); }), "[A C; D B]: expected a sym");
  expect_message(
      message_of([&] { (void)to_cone_problem(test::random_bounded(random, 2, 1).problem); }),
      "dimension: expected joints with one direction of slip, got 2");
}

// Constraints eliminated and recovered: the contacts of a solution solve the Schur complement, and
// the way back gives the impulses of the constraints.
RC_GTEST_PROP(ContactForm, KeepsSolutions, ()) {
  Random random = draw_random();
  const Index d = 2 + random.bits() % 2, p = random.bits() % 5, m = 1 + random.bits() % 4;
  const test::SolvedBilateral solved = test::random_bilateral(random, d, p, m);
  const ContactForm form(solved.problem);
  const VecX contacts = solved.r.tail(d * m);
  RC_PRE(contacts.norm() > 0.01);
  RC_ASSERT(certify::certify(form.problem(), contacts).natural_map <= 1e-9);
  RC_ASSERT((form.impulse(contacts) - solved.r).norm() <= 1e-9 * (1 + solved.r.norm()));
  RC_ASSERT(form.change().empty() == (p == 0));
}

// Constraints that repeat others are taken: the velocities of all rows are those of the constraints
// that say it once, the impulses of least norm share the load equally.
TEST(ContactForm, TakesDependentConstraints) {
  Random random(6);
  for (int i = 0; i < 30; ++i) {
    const test::SolvedBilateral once = test::random_bilateral(random, 3, 3, 2);
    const Index n = once.problem.b.size();
    MatX repeat = MatX::Zero(n + 1, n);  // row 0 twice
    repeat(0, 0) = 1;
    repeat.bottomRows(n).setIdentity();
    BilateralContact twice = once.problem;
    twice.equality_count = 4;
    twice.W = test::congruent(repeat, once.problem.W);
    twice.b = repeat * once.problem.b;
    const ContactForm form(twice), reference(once.problem);
    EXPECT_LT((MatX(form.problem().W) - MatX(reference.problem().W)).norm(),
              1e-9 * reference.problem().W.norm());
    EXPECT_NE(form.change().find("4 constraints of rank 3"), std::string::npos) << form.change();
    const VecX r = form.impulse(once.r.tail(6));
    EXPECT_NEAR(r[0], r[1], 1e-9 * (1 + r.norm()));
    EXPECT_NEAR(r[0] + r[1], once.r[0], 1e-8 * (1 + r.norm()));
    EXPECT_LT(certify::certify(twice, r).natural_map, 1e-8);
  }
}

// A guide along a tangent of a contact holds it there: what elimination leaves of that row is
// rounding of either sign, and is none.
RC_GTEST_PROP(ContactForm, TakesContactsHeldAlongATangent, ()) {
  Random random = draw_random();
  const auto number = [&] { return random.uniform(-3, 3); };
  const Mat3 J = rotation_exp(Vec3(number(), number(), number())).toRotationMatrix();
  MatX rows(3, 4);  // the guide, then n, t₁, t₂
  rows << J.col(1), J;
  const Vec3 mass(random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2));
  const MatX W = rows.transpose() * mass.cwiseInverse().asDiagonal() * rows;
  const BilateralContact p{3, 1, test::to_sparse(W), VecX{{1.7, -1, 1.7, 0.2}}, VecX::Ones(1)};
  const ContactForm form(p);
  const MatX left = form.problem().W;
  RC_ASSERT(left.row(1).isZero(0) && left.col(1).isZero(0));
  RC_ASSERT(left(0, 0) > 0 && left(2, 2) > 0);
}

// Constraints that contradict each other, and contacts that they hold, are refused.
TEST(ContactForm, RefusesContradictionsAndHeldContacts) {
  BilateralContact p{2, 2, {}, VecX::Zero(4), VecX::Ones(1)};
  MatX W = MatX::Identity(4, 4);
  W(0, 1) = W(1, 0) = 1;
  p.W = test::to_sparse(W);
  p.b[0] = 1;
  expect_message(message_of([&] { const ContactForm form(p, "f"); }),
                 "f: b: the 2 constraints (of rank 1) contradict each other");
  W.setIdentity();
  W(0, 2) = W(2, 0) = 1;  // the contact's normal is constraint 0
  p.W = test::to_sparse(W);
  expect_message(message_of([&] { const ContactForm form(p, "f"); }),
                 "f: W: contact 0 cannot move along its normal: the constraints hold it");
}

// Joints with one direction of slip are exactly their LCP: a solution r gives β = r±, λ = the slip
// speed against the push, and comes back from it.
RC_GTEST_PROP(BoundedToLcp, KeepsSolutionsOfOneDirection, ()) {
  Random random = draw_random();
  const Index m = 1 + random.bits() % 4;
  const test::SolvedBounded solved = test::random_bounded(random, 1, m);
  RC_PRE(solved.r.norm() > 0.01);
  const PolyhedralLcp form = to_lcp(solved.problem, 4);
  RC_ASSERT(form.lcp.size() == 3 * m);
  const VecX u = solved.problem.W * solved.r + solved.problem.b;
  VecX z = VecX::Zero(3 * m);
  for (Index i = 0; i < m; ++i) {
    z[2 * i] = std::max(solved.r[i], Real(0));
    z[2 * i + 1] = std::max(-solved.r[i], Real(0));
    z[2 * m + i] = std::abs(u[i]);
  }
  RC_ASSERT((form.impulse * z - solved.r).norm() <= 1e-15);
  RC_ASSERT(certify::certify(form.lcp, z).natural_map <= 1e-10);
}

// In the plane the polygon of k directions lies inside the disc, and a free slip is opposed by an
// impulse at most π/k off its direction.
TEST(BoundedToLcp, PolygonsOfPlanarJoints) {
  const BoundedFriction joint{2, test::to_sparse(MatX::Identity(2, 2)), Vec2(3, 1), VecX::Ones(1)};
  const PolyhedralLcp form = to_lcp(joint, 6);
  ASSERT_EQ(form.lcp.size(), 7);
  // The direction of the six nearest to −(3, 1) is 180°: r = −(1, 0), u = (2, 1), λ = 2.
  VecX z = VecX::Zero(7);
  z[3] = 1;
  z[6] = 2;
  EXPECT_NEAR(certify::certify(form.lcp, z).natural_map, 0, 1e-15);
  const VecX r = form.impulse * z;
  EXPECT_NEAR((r - Vec2(-1, 0)).norm(), 0, 1e-15);
  EXPECT_GT(certify::certify(joint, r).natural_map, 0.1);  // the relaxation is seen
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
