#include <talus/dynamics/joint_terms.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <Eigen/SVD>

#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/planar_bodies.hpp>

#include "unit/dynamics/machines.hpp"
#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using test::derivative;
using test::drawn;
using test::joint_terms;
using test::JointTerms;
using test::kDifferenceError;
using test::TwoMotions;

// Sums of some ten products of numbers below 10.
constexpr Real kRoundOff = 1e-13;

/// Of a screw: whether the angle is far from its singular position, and the nearest turn does not
/// change within a difference.
bool is_smooth(const model::SpatialJoint& joint, const TwoMotions& motions) {
  const auto* screw = std::get_if<model::Screw>(&joint.kind);
  if (screw == nullptr) {
    const JointFrames frames(0, 1, joint.X_AJ, joint.X_BJ, motions.at_0[0], motions.at_0[1]);
    return frames.offset.norm() > test::kFarFromZero;  // the direction of a rod
  }
  const JointFrames frames(0, 1, joint.X_AJ, joint.X_BJ, motions.at_0[0], motions.at_0[1]);
  JointTerms terms;
  joint_terms(joint, motions.at_0[0], motions.at_0[1], terms);
  return frames.J_A.E.col(2).cross(frames.J_B.E.col(0)).norm() > 1 / test::kFarFromGimbal &&
         std::abs(terms.rows[4].value) < 0.45 * screw->pitch;
}

// How many freedoms each joint takes, and how many contacts it makes instead.
TEST(JointTerms, NumberOfConstraintsOfEveryKind) {
  talus::Random random(1);
  const TwoMotions motions(random);
  for (const test::NamedKind& kind : test::all_kinds()) {
    EXPECT_EQ(constraint_count(kind.kind), kind.constraints) << kind.name;
    JointTerms terms;
    joint_terms(test::joint_between(0, 1, kind.kind, random), motions.at_0[0], motions.at_0[1],
                terms);
    EXPECT_EQ(terms.count, kind.constraints) << kind.name;
  }
}

// Φ̇ = J v and Φ̈ = J v̇ + drift are the derivatives of Φ and Φ̇ along any motion of the two bodies,
// however far from the constraint.
RC_GTEST_PROP(JointTerms, RatesAndDriftsAreDerivativesAlsoOffTheConstraint, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  for (const test::NamedKind& kind : test::all_kinds()) {
    const model::SpatialJoint joint = test::joint_between(0, 1, kind.kind, random);
    if (!is_smooth(joint, motions)) continue;
    const auto terms_at = [&](Real s) {
      JointTerms terms;
      joint_terms(joint, motions.at(0, s), motions.at(1, s), terms);
      return terms;
    };
    const JointTerms here = terms_at(0);
    for (std::size_t i = 0; i < static_cast<std::size_t>(here.count); ++i) {
      const RowTerms& row = here.rows[i];
      const Real rate = derivative([&](Real s) { return terms_at(s).rows[i].value; });
      const Real change = derivative([&](Real s) { return terms_at(s).rows[i].rate; });
      RC_ASSERT(row.row.width == 6);
      RC_ASSERT(std::abs(row.rate - rate) < kDifferenceError);
      RC_ASSERT(std::abs(row.rate - row.row.times(motions.velocity())) < 10 * kRoundOff);
      RC_ASSERT(std::abs(row.row.times(motions.accelerations()) + row.drift - change) <
                kDifferenceError);
    }
  }
}

// Action and reaction: both forces of a row are opposite, and so are their moments about any point.
RC_GTEST_PROP(JointTerms, EveryRowConservesMomentum, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  for (const test::NamedKind& kind : test::all_kinds()) {
    JointTerms terms;
    joint_terms(test::joint_between(0, 1, kind.kind, random), motions.at_0[0], motions.at_0[1],
                terms);
    for (std::size_t i = 0; i < static_cast<std::size_t>(terms.count); ++i) {
      const JacobianRow& row = terms.rows[i].row;
      RC_ASSERT(test::total(row.a, row.b, motions.at_0[0], motions.at_0[1]).norm() <
                100 * kRoundOff);
    }
  }
}

// A lower pair takes exactly the freedoms that it holds: where the free coordinates are anything
// and the held ones 0, Φ = 0 and the rows have full rank. Those along held displacements push B
// along the axes of J_A; a held turn has a row without force.
RC_GTEST_PROP(JointTerms, LowerPairsTakeExactlyTheirFreedoms, ()) {
  talus::Random random = drawn();
  for (const test::NamedKind& kind : test::all_kinds()) {
    const auto* pair = std::get_if<model::LowerPair>(&kind.kind);
    if (pair == nullptr) continue;
    TwoMotions motions(random);
    const model::SpatialJoint joint = test::joint_between(0, 1, kind.kind, random);
    const Vec6 q = test::random_coordinates(pair->held, random);
    auto& [A, B] = motions.at_0;
    test::place(joint, test::pose_of(pair->held, q), A, B);
    JointTerms terms;
    joint_terms(joint, A, B, terms);
    MatX J(terms.count, 12);
    const Mat3 axes = JointFrames(0, 1, joint.X_AJ, joint.X_BJ, A, B).J_A.E;
    for (Index i = 0; i < terms.count; ++i) {
      const RowTerms& row = terms.rows[static_cast<std::size_t>(i)];
      RC_ASSERT(std::abs(row.value) < 10 * kRoundOff);
      J.row(i) << row.row.a.transpose(), row.row.b.transpose();
    }
    Index next = 0;
    for (int k = 0; k < 6; ++k) {
      if (!pair->held.has(static_cast<model::Freedom>(k))) continue;
      const Vec6& of_b = terms.rows[static_cast<std::size_t>(next++)].row.b;
      if (k < 3) RC_ASSERT((of_b.head<3>() - axes.col(k)).norm() < 10 * kRoundOff);
      if (k >= 3) RC_ASSERT(of_b.head<3>().isZero(0));
      if (k >= 3 && pair->held.turns() >= 2)  // about that axis of A
        RC_ASSERT((of_b.tail<3>() - axes.col(k - 3)).norm() < 10 * kRoundOff);
    }
    const VecX singular = J.bdcSvd().singularValues();
    // Of B alone the rows are some of (1, −[r]; 0, 1), r ≤ √3, whose inverse has a norm ≤ 1 + r.
    RC_ASSERT(singular[terms.count - 1] > 1 / (1 + std::sqrt(3.0)));
  }
}

// A revolute joint takes five freedoms: of the six of B against a fixed A the turn about z is left.
TEST(JointTerms, RevoluteLeavesTheTurnAboutItsAxis) {
  talus::Random random(5);
  TwoMotions motions(random);
  const model::SpatialJoint joint = test::joint_between(0, 1, model::revolute_joint(), random);
  auto& [A, B] = motions.at_0;
  test::place(joint, {Vec3::Zero(), rotation_exp(0.7 * Vec3::UnitZ())}, A, B);
  JointTerms terms;
  joint_terms(joint, A, B, terms);
  const JointFrames frames(0, 1, joint.X_AJ, joint.X_BJ, A, B);
  const Vec3 z = frames.J_A.E.col(2);
  Vec6 turn;
  turn << z.cross(B.p - frames.J_A.p), z;
  Eigen::Matrix<Real, 5, 6> of_b;
  for (Index i = 0; i < 5; ++i) {
    of_b.row(i) = terms.rows[static_cast<std::size_t>(i)].row.b.transpose();
    EXPECT_NEAR(of_b.row(i).dot(turn), 0, kRoundOff);
  }
  EXPECT_EQ(of_b.fullPivLu().rank(), 5);
}

// A screw advances by its pitch in each turn, through any number of turns.
TEST(JointTerms, ScrewAdvancesByItsPitch) {
  talus::Random random(7);
  TwoMotions motions(random);
  const Real pitch = -0.4;
  const model::SpatialJoint joint = test::joint_between(0, 1, model::Screw{pitch}, random);
  auto& [A, B] = motions.at_0;
  for (const Real turns : {-2.7, -0.5, 0.0, 0.3, 5.9}) {
    test::place(joint,
                {Vec3(0, 0, pitch * turns),
                 Quat(Eigen::AngleAxis<Real>(2 * std::numbers::pi * turns, Vec3::UnitZ()))},
                A, B);
    JointTerms terms;
    joint_terms(joint, A, B, terms);
    for (const RowTerms& row : std::span(terms.rows).first(5)) EXPECT_NEAR(row.value, 0, 1e-13);
  }
}

// ---- the plane as a restriction of space
// ---------------------------------------------------------

/// (ẋ, ẏ, θ̇) of (v, ω).
Vec3 planar_columns(const Vec6& part) { return {part[0], part[1], part[5]}; }

/// A frame in the plane whose x, y or z axis is along a direction.
Pose frame_in_plane(const Vec2& p, const Vec2& z) {
  Mat3 R;  // x: left of z, y: out of the plane
  R.col(2) = Vec3(z.x(), z.y(), 0);
  R.col(0) = Vec3(-z.y(), z.x(), 0);
  R.col(1) = R.col(2).cross(R.col(0));
  return {{p.x(), p.y(), 0}, Quat(R)};
}
Pose upright(const Vec2& p, Real angle) {
  return {{p.x(), p.y(), 0}, rotation_exp(angle * Vec3::UnitZ())};
}

/// Two planar bodies in motion, the terms of one joint in the plane, and of one in space.
struct Pair {
  ConstraintTerms plane;
  JointTerms space;
  VecX q, v;

  Pair(talus::Random& random, const model::JointKind& planar, const model::SpatialJointKind& kind,
       const Pose& X_AJ, const Pose& X_BJ, Real angle) {
    test::PlanarModel model;
    model.add(geometry::Sphere{0.1});
    model.add(geometry::Sphere{0.1});
    model.machine->joints.push_back({"joint", 0, 1, planar, std::nullopt, false});
    const PlanarBodies bodies(model.model, model.state);
    q = test::random_vector(random, 6, 1);
    q[5] = q[2] + angle;
    v = test::random_vector(random, 6, 1);
    bodies.constraints(0, q, v, plane);
    const auto motion = [&](Index i) {
      return BodyMotion{{q[3 * i], q[3 * i + 1], 0},
                        rotation_exp(q[3 * i + 2] * Vec3::UnitZ()).toRotationMatrix(),
                        {v[3 * i], v[3 * i + 1], 0},
                        {0, 0, v[3 * i + 2]}};
    };
    joint_terms({"joint", 0, 1, X_AJ, X_BJ, kind, {}, false}, motion(0), motion(1), space);
  }
  /// Rows of the plane out of space: those that do not vanish on the three columns.
  [[nodiscard]] std::vector<RowTerms> restricted() const {
    std::vector<RowTerms> rows;
    for (const RowTerms& row : std::span(space.rows).first(static_cast<std::size_t>(space.count)))
      if (planar_columns(row.row.a).norm() + planar_columns(row.row.b).norm() > 1e-12)
        rows.push_back(row);
      else
        EXPECT_LT(std::abs(row.value) + std::abs(row.rate) + std::abs(row.drift), 1e-12);
    return rows;
  }
};

void expect_same(const RowTerms& space, const JacobianRow& row, Real value, Real rate, Real drift,
                 Real tolerance = 1e-12) {
  EXPECT_LT((planar_columns(space.row.a) - row.a.head<3>()).norm(), tolerance);
  EXPECT_LT((planar_columns(space.row.b) - row.b.head<3>()).norm(), tolerance);
  EXPECT_NEAR(space.value, value, tolerance);
  EXPECT_NEAR(space.rate, rate, tolerance);
  EXPECT_NEAR(space.drift, drift, tolerance);
}

/// Row i of the plane.
void expect_same(const RowTerms& space, const ConstraintTerms& plane, Index i) {
  expect_same(space, plane.rows[static_cast<std::size_t>(i)], plane.value[i], plane.rate[i],
              plane.drift[i]);
}

/// Two rows of the plane along the world's axes are those of space along the axes E of J_A, which
/// turn: Φ = Eᵀ Φ_w, so that Φ̇ = Eᵀ Φ̇_w − ω L Eᵀ Φ_w with L the turn by 90°, and
/// Φ̈ = Eᵀ Φ̈_w − 2 ω L Eᵀ Φ̇_w − ω² Eᵀ Φ_w.
void expect_same_pin(const std::vector<RowTerms>& space, const Pair& pair, Real turn) {
  const Real angle = pair.q[2] + turn, w = pair.v[2];
  Mat2 E, L;
  E << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  L << 0, -1, 1, 0;
  const Vec2 d = E.transpose() * pair.plane.value.head<2>();
  const Vec2 d_rate = E.transpose() * pair.plane.rate.head<2>();
  const Vec2 value = d, rate = d_rate - w * L * d;
  const Vec2 drift = E.transpose() * pair.plane.drift.head<2>() - 2 * w * L * d_rate - w * w * d;
  const Vec2 by_angle = -L * d;  // of θ_A, which turns E
  for (Index i = 0; i < 2; ++i) {
    JacobianRow row = pair.plane.rows[0];
    row.a = E(0, i) * pair.plane.rows[0].a + E(1, i) * pair.plane.rows[1].a;
    row.b = E(0, i) * pair.plane.rows[0].b + E(1, i) * pair.plane.rows[1].b;
    row.a[2] += by_angle[i];
    expect_same(space[static_cast<std::size_t>(i)], row, value[i], rate[i], drift[i]);
  }
}

// A machine lying in the plane z = 0: the columns (v_x, v_y, ω_z) of a joint in space are the rows
// of the joint of the plane, and every other row vanishes, with value, rate and drift.
TEST(JointTerms, PlanarJointsAreTheRestriction) {
  talus::Random random(11);
  for (int round = 0; round < 50; ++round) {
    const Vec2 p_A = test::point(random), p_B = test::point(random);
    const Vec2 axis = test::direction(random);
    const Real angle = random.uniform(-3, 3), turn = random.uniform(-3, 3);
    {
      const Pair pair(random, model::RevoluteJoint{p_A, p_B, 0}, model::revolute_joint(),
                      upright(p_A, turn), upright(p_B, angle), random.uniform(-3, 3));
      const auto rows = pair.restricted();
      ASSERT_EQ(rows.size(), 2U);
      expect_same_pin(rows, pair, turn);
    }
    {
      const Pair pair(random, model::DistanceJoint{p_A, p_B, 0.8}, model::Distance{0.8},
                      upright(p_A, 0), upright(p_B, 0), angle);
      const auto rows = pair.restricted();
      ASSERT_EQ(rows.size(), 1U);
      expect_same(rows[0], pair.plane, 0);
    }
    {
      const Pair pair(random, model::SlotJoint{p_A, axis, p_B}, model::point_on_line_joint(),
                      frame_in_plane(p_A, axis), upright(p_B, turn), angle);
      const auto rows = pair.restricted();
      ASSERT_EQ(rows.size(), 1U);
      expect_same(rows[0], pair.plane, 0);
    }
    // The angle of a guide or weld is its sine in space: the same to second order. With ε the error
    // of the angle, value, row and rate differ by ε³/6, ε²/2 and ε² |Ω|/2, the drift by ε Ω².
    for (const Real error : {0.0, 1e-4}) {
      const Pose X_AJ = frame_in_plane(p_A, axis);
      const Pose X_BJ = {{p_B.x(), p_B.y(), 0}, rotation_exp(-angle * Vec3::UnitZ()) * X_AJ.q};
      const Pair guide(random, model::PrismaticJoint{p_A, axis, p_B, angle, 0.1},
                       model::prismatic_joint(), X_AJ, X_BJ, angle + error);
      auto rows = guide.restricted();
      ASSERT_EQ(rows.size(), 2U);
      expect_same(rows[0], guide.plane, 0);
      const auto expect_same_angle = [&](const RowTerms& row, const ConstraintTerms& plane,
                                         Index i) {
        const Real spin = plane.rate[i], sign = row.row.b[5] > 0 ? 1 : -1;
        expect_same(scaled(row, sign), plane.rows[static_cast<std::size_t>(i)], plane.value[i],
                    spin, plane.drift[i] - error * spin * spin, 2e-12 + 2 * error * error);
      };
      expect_same_angle(rows[1], guide.plane, 1);
      const Pair weld(random, model::WeldJoint{p_A, p_B, angle}, model::weld_joint(),
                      upright(p_A, turn), upright(p_B, turn - angle), angle + error);
      rows = weld.restricted();
      ASSERT_EQ(rows.size(), 3U);
      expect_same_pin(rows, weld, turn);
      expect_same_angle(rows[2], weld.plane, 2);
    }
  }
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
