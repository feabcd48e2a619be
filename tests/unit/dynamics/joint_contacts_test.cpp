#include <talus/dynamics/joint_contacts.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using test::derivative;
using test::drawn;
using test::kDifferenceError;
using test::TwoMotions;

std::vector<test::NamedKind> unilateral_kinds() {
  std::vector<test::NamedKind> kinds = test::all_kinds();
  std::erase_if(kinds, [](const test::NamedKind& kind) { return kind.contacts == 0; });
  return kinds;
}

TEST(JointContacts, NumberOfContactsOfEveryKind) {
  for (const test::NamedKind& kind : test::all_kinds())
    EXPECT_EQ(joint_contact_count(kind.kind), kind.contacts) << kind.name;
}

// ġ and g̈ are the derivatives of the gap; the slip is the velocity of B's point that touches
// against A's, and its drift is the derivative along tangents that do not turn about the normal.
RC_GTEST_PROP(JointContacts, RatesAndDriftsAreDerivatives, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const auto [A, B] = motions.at_0;
  for (const test::NamedKind& kind : unilateral_kinds()) {
    const model::SpatialJoint joint = test::joint_between(0, 1, kind.kind, random);
    for (int i = 0; i < kind.contacts; ++i) {
      const auto at = [&](Real s) {
        JointContactTerms terms;
        joint_contact_terms(joint, i, motions.at(0, s), motions.at(1, s), terms);
        return terms;
      };
      const JointContactTerms here = at(0);
      RC_ASSERT(std::abs(joint_contact_gap(joint, i, A, B) - here.normal.value) < 1e-14);
      const auto* rope = std::get_if<model::Rope>(&kind.kind);
      const Real distance = (rope ? rope->length : 0.1) - here.normal.value;
      if (distance < test::kFarFromZero) continue;  // in the middle there is no normal
      const Vec3 n = here.frame.col(0);
      const Vec3 slip = B.v + B.w.cross(here.position - B.p) - A.v - A.w.cross(here.position - A.p);
      RC_ASSERT(std::abs(here.normal.rate - derivative([&](Real s) {
                           return at(s).normal.value;
                         })) < kDifferenceError);
      RC_ASSERT(std::abs(here.normal.rate - n.dot(slip)) < 1e-12);
      RC_ASSERT(std::abs(here.normal.rate - here.normal.row.times(motions.velocity())) < 1e-12);
      const Real change = derivative([&](Real s) { return at(s).normal.rate; });
      RC_ASSERT(std::abs(here.normal.row.times(motions.accelerations()) + here.normal.drift -
                         change) < kDifferenceError);
      const Vec3 slip_change = derivative([&](Real s) {
        const JointContactTerms terms = at(s);
        return Vec3(terms.frame.col(1) * terms.tangent[0].rate +
                    terms.frame.col(2) * terms.tangent[1].rate);
      });
      for (std::size_t k = 0; k < 2; ++k) {
        const RowTerms& tangent = here.tangent[k];
        const Vec3 t = here.frame.col(static_cast<Index>(k) + 1);
        RC_ASSERT(std::abs(tangent.rate - t.dot(slip)) < 1e-12);
        RC_ASSERT(std::abs(tangent.rate - tangent.row.times(motions.velocity())) < 1e-12);
        RC_ASSERT(std::abs(tangent.row.times(motions.accelerations()) + tangent.drift -
                           t.dot(slip_change)) < kDifferenceError);
      }
      for (const RowTerms* row : {&here.normal, &here.tangent[0], &here.tangent[1]})
        RC_ASSERT(test::total(row->row.a, row->row.b, A, B).norm() < 1e-12);
    }
  }
}

// A ball that lies in its socket under gravity: it touches below, where the normal points up.
TEST(JointContacts, BallLiesInItsSocket) {
  const model::SpatialJoint joint{"ball", 0,    1, {}, {}, model::BallClearance{0.1, 0.3, {}},
                                  {},     false};
  BodyMotion A, B;
  B.p = {0, 0, -0.1};
  JointContactTerms terms;
  joint_contact_terms(joint, 0, A, B, terms);
  EXPECT_NEAR(terms.normal.value, 0, 1e-15);
  EXPECT_LT((terms.frame.col(0) - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_LT((terms.position - Vec3(0, 0, -0.4)).norm(), 1e-15);
}

// A pin that is tilted in its bearing touches above at one end and below at the other.
TEST(JointContacts, TiltedPinTouchesBothEnds) {
  const Real clearance = 0.1, length = 0.8, tilt = std::asin(2 * clearance / length);
  const model::SpatialJoint joint{
      "pin", 0, 1, {}, {}, model::BearingClearance{clearance, 0.3, length, {}}, {}, false};
  BodyMotion A, B;
  B.R = rotation_exp(tilt * Vec3::UnitX()).toRotationMatrix();  // z towards −y
  B.p = B.R * Vec3(0, 0, 5);  // the pin is long: where its origin is along it does not matter
  const Real round_off = 10 * 1.1e-16 * 5;  // of a difference of vectors of 5 m
  JointContactTerms end;
  joint_contact_terms(joint, 0, A, B, end);
  EXPECT_NEAR(end.normal.value, 0, round_off);
  EXPECT_NEAR(end.frame.col(0).y(), std::cos(tilt), round_off / clearance);
  EXPECT_LT(end.position.y(), 0);
  joint_contact_terms(joint, 1, A, B, end);
  EXPECT_NEAR(end.normal.value, 0, round_off);
  EXPECT_NEAR(end.frame.col(0).y(), -std::cos(tilt), round_off / clearance);
}

// A rope that hangs down is taut where its end is at its length.
TEST(JointContacts, RopeComesTaut) {
  const model::SpatialJoint joint{"rope", 0, 1, {}, {}, model::Rope{2, 0}, {}, false};
  BodyMotion A, B;
  B.p = {0, 0, -1.5};
  B.v = {1, 0, -0.5};
  JointContactTerms terms;
  joint_contact_terms(joint, 0, A, B, terms);
  EXPECT_DOUBLE_EQ(terms.normal.value, 0.5);
  EXPECT_DOUBLE_EQ(terms.normal.rate, -0.5);
  EXPECT_DOUBLE_EQ(terms.normal.drift, -1 / 1.5);  // it swings: v²/r
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
