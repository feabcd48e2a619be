#include <talus/dynamics/force_elements.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "unit/dynamics/spatial_joints.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

using test::derivative;
using test::drawn;
using test::kDifferenceError;
using test::TwoMotions;

/// Springs, dampers and loads of every kind; what is not asked for is 0.
std::vector<model::SpatialForce> elements(talus::Random& random, bool springs, bool dampers,
                                          bool loads) {
  const Real k = springs ? 1 : 0, c = dampers ? 1 : 0;
  const model::TimeLaw law = model::ConstantLaw{loads ? 0.7 : 0.0};
  const Pose X_AJ = test::random_pose(random), X_BJ = test::random_pose(random);
  const Vec3 p_A = test::random_vector<3>(random), p_B = test::random_vector<3>(random);
  const Vec3 direction = test::random_vector<3>(random).normalized();
  std::vector<model::SpatialForceKind> kinds = {
      model::LineElement{p_A, p_B, k * 2, 0.4, c * 0.5, law},
      model::TorsionElement{X_AJ, X_BJ, k * 2, 0.3, c * 0.5, law},
      model::Bushing{X_AJ, X_BJ, k * test::random_spd<6>(random, 0.1),
                     c * test::random_spd<6>(random, 0.1)}};
  if (loads)
    for (const auto frame : {model::LoadFrame::of_a, model::LoadFrame::following}) {
      kinds.emplace_back(model::AppliedForce{p_B, direction, frame, law});
      kinds.emplace_back(model::AppliedTorque{direction, frame, law});
    }
  std::vector<model::SpatialForce> forces;
  for (const model::SpatialForceKind& kind : kinds) forces.push_back({"force", 0, 1, kind});
  return forces;
}

/// The power of a force on both bodies.
Real power(const Wrenches& on, const TwoMotions& motions) {
  const VecX v = motions.velocity();
  return on.a.dot(v.head<6>()) + on.b.dot(v.tail<6>());
}

/// Whether no difference goes over a singular position: a line without length, a turned axis of
/// torsion, half a turn.
bool is_smooth(const model::SpatialForce& element, const TwoMotions& motions) {
  const auto& [A, B] = motions.at_0;
  if (const auto* line = std::get_if<model::LineElement>(&element.kind))
    return (B.p + B.R * line->p_B - A.p - A.R * line->p_A).norm() > test::kFarFromZero;
  if (const auto* torsion = std::get_if<model::TorsionElement>(&element.kind)) {
    const RowTerms angle = torsion_angle(*torsion, 0, 1, A, B);
    return angle.row.b.norm() < test::kFarFromGimbal && std::abs(angle.value) < 3.1;
  }
  const auto& bushing = std::get<model::Bushing>(element.kind);
  return bushing_coordinates(JointFrames(0, 1, bushing.X_AJ, bushing.X_BJ, A, B))
             .value.tail<3>()
             .norm() < 3.1;
}

// Springs conserve energy: along any motion their power is −V̇.
RC_GTEST_PROP(ForceElements, SpringsAreGradientsOfTheirPotential, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  for (const model::SpatialForce& element : elements(random, true, false, false)) {
    if (!is_smooth(element, motions)) continue;
    const Real rate = derivative(
        [&](Real s) { return potential_energy(element, motions.at(0, s), motions.at(1, s)); });
    const Wrenches on = force_of(element, 0, motions.at_0[0], motions.at_0[1]);
    RC_ASSERT(std::abs(power(on, motions) + rate) < 10 * kDifferenceError);
  }
}

// Dampers take energy, never give any.
RC_GTEST_PROP(ForceElements, DampersDissipate, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  for (const model::SpatialForce& element : elements(random, false, true, false)) {
    const Wrenches on = force_of(element, 0, motions.at_0[0], motions.at_0[1]);
    RC_ASSERT(power(on, motions) <= 0);
    RC_ASSERT(power(on, motions) < -1e-9 || on.b.norm() < 1e-3);
  }
}

// Action and reaction: no element exerts a total force, nor a total moment about any point.
RC_GTEST_PROP(ForceElements, ConserveMomentum, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const auto& [A, B] = motions.at_0;
  for (const model::SpatialForce& element : elements(random, true, true, true)) {
    const Wrenches on = force_of(element, 0, A, B);
    RC_ASSERT(on.b.norm() > 0);
    RC_ASSERT(test::total(on.a, on.b, A, B).norm() < 1e-12 * (1 + on.b.norm()));
  }
}

// The twist about z: rate and drift are derivatives along any motion, and it does not depend on
// where x and y of the frames point, a scene that is turned as a whole moves as before.
RC_GTEST_PROP(ForceElements, TwistIsOfTheAxisAlone, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const Pose X_AJ = test::random_pose(random), X_BJ = test::random_pose(random);
  const Pose turned{Vec3::Zero(),
                    Quat(Eigen::AngleAxis<Real>(random.uniform(-3, 3), Vec3::UnitZ()))};
  const auto at = [&](Real s, const Pose& by) {
    return twist_angle(JointFrames(0, 1, X_AJ * by, X_BJ * by, motions.at(0, s), motions.at(1, s)));
  };
  const RowTerms twist = at(0, {});
  if (twist.row.b.norm() > test::kFarFromGimbal) return;
  const auto value = [&](Real s) { return nearest_turn(at(s, {}).value, twist.value); };
  RC_ASSERT(std::abs(twist.rate - derivative(value)) < 10 * kDifferenceError);
  RC_ASSERT(std::abs(twist.row.times(motions.velocity()) - twist.rate) < 1e-12);
  const Real change = derivative([&](Real s) { return at(s, {}).rate; });
  RC_ASSERT(std::abs(twist.row.times(motions.accelerations()) + twist.drift - change) <
            10 * kDifferenceError);
  RC_ASSERT((at(0, turned).row.b - twist.row.b).norm() < 1e-12);
  RC_ASSERT(std::abs(nearest_turn(at(0, turned).value, twist.value) - twist.value) < 1e-12);
}

// The coordinates of a bushing: ṡ is their derivative, and a small rotation is its vector.
RC_GTEST_PROP(ForceElements, BushingRatesAreDerivatives, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const Pose X_AJ = test::random_pose(random), X_BJ = test::random_pose(random);
  const auto at = [&](Real s) {
    return bushing_coordinates(JointFrames(0, 1, X_AJ, X_BJ, motions.at(0, s), motions.at(1, s)));
  };
  if (at(0).value.tail<3>().norm() > 3.1) return;
  const Vec6 rate = derivative([&](Real s) { return at(s).value; });
  RC_ASSERT((at(0).rate - rate).norm() < 10 * kDifferenceError);
}
TEST(ForceElements, BushingOfASmallTurn) {
  BodyMotion A, B;
  for (const Real angle : {0.0, 1e-9, 9e-4, 1.1e-3, 2.0}) {
    const Vec3 phi = angle * Vec3(0.6, 0, 0.8);
    B.R = rotation_exp(phi).toRotationMatrix();
    B.w = {0.3, -0.7, 0.2};
    const BushingCoordinates s = bushing_coordinates(JointFrames(0, 1, {}, {}, A, B));
    EXPECT_LT((s.value.tail<3>() - phi).norm(), 1e-15 + 1e-15 * angle);
    if (angle > 1e-2) continue;
    // Jₗ⁻¹ ω = ω − φ × ω/2 + φ × (φ × ω)/12 + O(θ⁴)
    const Vec3 expected = B.w - phi.cross(B.w) / 2 + phi.cross(phi.cross(B.w)) / 12;
    EXPECT_LT((s.rate.tail<3>() - expected).norm(), 1e-14);
  }
}

// A bushing damps relative velocities: without stiffness, and with D = c 1 of its turns, the moment
// is −c (ω_B − ω_A), however far the frames are turned.
RC_GTEST_PROP(ForceElements, BushingsDampVelocities, ()) {
  talus::Random random = drawn();
  const TwoMotions motions(random);
  const auto& [A, B] = motions.at_0;
  model::Bushing bushing{test::random_pose(random), test::random_pose(random), Mat6::Zero(),
                         Mat6::Zero()};
  bushing.damping.bottomRightCorner<3, 3>() = 0.7 * Mat3::Identity();
  const Wrenches on = force_of({"force", 0, 1, bushing}, 0, A, B);
  RC_ASSERT((on.b.tail<3>() + 0.7 * (B.w - A.w)).norm() < 1e-12 * (1 + B.w.norm()));
  RC_ASSERT((on.a.tail<3>() - 0.7 * (B.w - A.w)).norm() < 1e-12 * (1 + B.w.norm()));
}

// A stretched line pulls both ends together; a twisted torsion spring turns back.
TEST(ForceElements, SignsOfSprings) {
  BodyMotion A, B;
  B.p = {0, 2, 0};
  const model::SpatialForce line{
      "line", 0, 1,
      model::LineElement{Vec3::Zero(), Vec3::Zero(), 3, 0.5, 0, model::ConstantLaw{1}}};
  EXPECT_LT((force_of(line, 0, A, B).b.head<3>() - Vec3(0, -5.5, 0)).norm(), 1e-14);
  B.R = rotation_exp(0.5 * Vec3::UnitZ()).toRotationMatrix();
  const model::SpatialForce torsion{
      "torsion", 0, 1, model::TorsionElement{{}, {}, 4, 0.25, 0, model::ConstantLaw{0}}};
  EXPECT_LT((force_of(torsion, 0, A, B).b.tail<3>() - Vec3(0, 0, -1)).norm(), 1e-14);
  EXPECT_NEAR(force_of(torsion, 0, A, B, 4 * std::numbers::pi).b[5], -1 - 16 * std::numbers::pi,
              1e-13);
}

// A load is fixed in space, or follows the body that it acts on.
TEST(ForceElements, LoadsInTheWorldOrFollowing) {
  BodyMotion A, B;
  B.R = rotation_exp(std::numbers::pi / 2 * Vec3::UnitZ()).toRotationMatrix();
  const Vec3 p = {1, 0, 0}, x = Vec3::UnitX();
  const model::TimeLaw law = model::RampLaw{0, 2};
  const auto exert = [&](const model::SpatialForceKind& kind) {
    return force_of({"load", model::kWorld, 1, kind}, 1.5, A, B).b;
  };
  using enum model::LoadFrame;
  Vec6 expected;
  expected << 3, 0, 0, 0, 0, -3;  // at (0, 1, 0)
  EXPECT_LT((exert(model::AppliedForce{p, x, of_a, law}) - expected).norm(), 1e-14);
  expected << 0, 3, 0, 0, 0, 0;
  EXPECT_LT((exert(model::AppliedForce{p, x, following, law}) - expected).norm(), 1e-14);
  expected << 0, 0, 0, 3, 0, 0;
  EXPECT_LT((exert(model::AppliedTorque{x, of_a, law}) - expected).norm(), 1e-14);
  expected << 0, 0, 0, 0, 3, 0;
  EXPECT_LT((exert(model::AppliedTorque{x, following, law}) - expected).norm(), 1e-14);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
