#pragma once

#include <rapidcheck/gtest.h>

#include <array>
#include <numbers>
#include <string>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/dynamics/joint_terms.hpp>
#include <talus/math/rotation.hpp>
#include <talus/model/spatial_machine.hpp>

#include "support/random_blocks.hpp"

// Joints of every kind in space, bodies in random motion, and derivatives along it.

namespace talus::test {

/// Numbers from a seed that RapidCheck draws.
inline Random drawn() { return Random(*rc::gen::arbitrary<std::uint32_t>()); }

inline Quat random_rotation(Random& random) {
  return rotation_exp(std::numbers::pi * random_vector<3>(random));
}
inline Pose random_pose(Random& random) {
  return {random_vector<3>(random), random_rotation(random)};
}

/// The constraints Φ = 0 of a joint, at most six.
struct JointTerms {
  std::array<dynamics::RowTerms, 6> rows;  ///< the first `count` of them
  int count = 0;
};
inline void joint_terms(const model::SpatialJoint& joint, const dynamics::BodyMotion& A,
                        const dynamics::BodyMotion& B, JointTerms& terms) {
  terms.count = 0;
  dynamics::for_each_constraint(joint, A, B, [&](const dynamics::RowTerms& row) {
    terms.rows.at(static_cast<std::size_t>(terms.count++)) = row;
  });
}

/// Two bodies with accelerations, all numbers at most 1.
struct TwoMotions {
  std::array<dynamics::BodyMotion, 2> at_0;
  std::array<Vec6, 2> acceleration;  ///< (v̇, ω̇)

  explicit TwoMotions(Random& random) {
    for (std::size_t i = 0; i < 2; ++i) {
      at_0[i] = {random_vector<3>(random), random_rotation(random).toRotationMatrix(),
                 random_vector<3>(random), random_vector<3>(random)};
      acceleration[i] = random_vector<6>(random);
    }
  }
  /// After a time s. R = exp(s ω + s² ω̇/2) R₀ has the angular velocity ω + s ω̇ but for even powers
  /// of s and s³, which fourth-order central differences do not see.
  [[nodiscard]] dynamics::BodyMotion at(std::size_t i, Real s) const {
    const dynamics::BodyMotion& body = at_0[i];
    const Vec3 a = acceleration[i].head<3>(), alpha = acceleration[i].tail<3>();
    return {body.p + s * body.v + s * s / 2 * a,
            rotation_exp(s * body.w + s * s / 2 * alpha).toRotationMatrix() * body.R,
            body.v + s * a, body.w + s * alpha};
  }
  [[nodiscard]] VecX velocity() const {
    VecX v(12);
    v << at_0[0].v, at_0[0].w, at_0[1].v, at_0[1].w;
    return v;
  }
  [[nodiscard]] VecX accelerations() const {
    VecX a(12);
    a << acceleration[0], acceleration[1];
    return a;
  }
};

/// The derivative at 0 of f(s): central differences of fourth order, whose error is h⁴ f⁽⁵⁾/30, and
/// by rounding 1.5 eps |f|/h times the operations in f. Of a function that is singular a time T
/// away f⁽⁶⁾ is about 5! |f|/T⁶. Here points move at most at 2 (√3 + 3) m/s and frames turn at most
/// at 2√3 rad/s against each other, so that T > 0.1 s where lengths are above kFarFromZero and
/// angles as far from their singular positions as kFarFromGimbal says: 3e-18 · 1.2e8 = 4e-10. By
/// rounding: some ten operations on numbers about 10, 1e-14/h = 1e-10.
constexpr Real kStep = 1e-4, kDifferenceError = 1e-9;
constexpr Real kFarFromZero = 1;    ///< of a length [m]
constexpr Real kFarFromGimbal = 2;  ///< most gradient of an angle; its inverse is the least sine
template <class F>
auto derivative(F&& f) {
  using Value = std::decay_t<decltype(f(Real(0)))>;
  return Value((8 * (f(kStep) - f(-kStep)) - (f(2 * kStep) - f(-2 * kStep))) / (12 * kStep));
}

/// A kind of joint, how many constraints and contacts it makes.
struct NamedKind {
  std::string name;
  model::SpatialJointKind kind;
  int constraints = 0, contacts = 0;
};

inline std::vector<NamedKind> all_kinds() {
  return {{"revolute", model::revolute_joint(), 5},
          {"prismatic", model::prismatic_joint(), 5},
          {"cylindrical", model::cylindrical_joint(), 4},
          {"universal", model::universal_joint(), 4},
          {"ball", model::ball_joint(), 3},
          {"planar", model::planar_joint(), 3},
          {"weld", model::weld_joint(), 6},
          {"point on line", model::point_on_line_joint(), 2},
          {"screw", model::Screw{0.4}, 5},
          {"distance", model::Distance{0.8}, 1},
          {"rope", model::Rope{1.3, 0.2}, 0, 1},
          {"line", model::Line{}},
          {"rotation", model::Rotation{}},
          {"ball with play", model::BallClearance{0.1, 0.3, {}}, 0, 1},
          {"bearing with play", model::BearingClearance{0.1, 0.3, 0.8, {}}, 0, 2}};
}

inline model::SpatialJoint joint_between(Index a, Index b, const model::SpatialJointKind& kind,
                                         Random& random) {
  return {"joint", a, b, random_pose(random), random_pose(random), kind, {}, false};
}

/// Coordinates of the free axes of a lower pair, the turns in the order that the pair defines; held
/// ones are 0. A middle or last turn is within ±1.2, short of the singular ±π/2 of Cardan's angles.
inline Vec6 random_coordinates(model::FreedomSet held, Random& random) {
  Vec6 q;
  for (int k = 0; k < 6; ++k) {
    const Real range = k < 3 ? 1 : k == 4 && held.turns() == 0 ? 1.2 : 3;
    q[k] = held.has(static_cast<model::Freedom>(k)) ? 0 : random.uniform(-range, range);
  }
  return q;
}

/// The pose of J_B in J_A with these coordinates.
inline Pose pose_of(model::FreedomSet held, const Vec6& q) {
  const auto turn = [&](int k) { return rotation_exp(q[3 + k] * Vec3::Unit(k)); };
  int first = 0;  // of the cyclic order: the one after the held turn
  if (held.turns() == 1)
    for (int k = 0; k < 3; ++k)
      if (held.has(model::turn_about(k))) first = (k + 1) % 3;
  return {q.head<3>(), turn(first) * turn((first + 1) % 3) * turn((first + 2) % 3)};
}

/// The motion of B that puts J_B at a pose in J_A, with velocities of its own.
inline void place(const model::SpatialJoint& joint, const Pose& X_JJ, const dynamics::BodyMotion& A,
                  dynamics::BodyMotion& B) {
  const Pose in_world = Pose{A.p, Quat(A.R)} * joint.X_AJ * X_JJ * joint.X_BJ.inverse();
  B.p = in_world.p;
  B.R = in_world.q.toRotationMatrix();
}

/// Hinges and guides between four bodies and the world, coupled, driven, with laws and forces.
inline constexpr Index kMachineBodies = 4;
inline model::SpatialMachine coupled_machine(Random& random) {
  model::SpatialMachine machine;
  const auto add = [&](Index a, Index b, const model::SpatialJointKind& kind) {
    machine.joints.push_back(joint_between(a, b, kind, random));
  };
  add(model::kWorld, 0, model::cylindrical_joint());
  add(0, 1, model::revolute_joint());
  add(1, 2, model::prismatic_joint());
  add(2, 3, model::universal_joint());
  add(3, 0, model::Rope{1.3, 0.2});
  add(0, 2, model::BearingClearance{0.1, 0.3, 0.8, {}});
  model::AxisLaw spring;
  spring.stiffness = 2;
  spring.rest = 0.4;
  spring.damping = 0.3;
  machine.joints[1].axes = {spring};
  spring.axis = model::Freedom::z;
  machine.joints[2].axes = {spring};
  machine.couplings.push_back(
      {"gear", {{0, model::Freedom::turn_z, 1}, {1, model::Freedom::turn_z, -2.5}}, 0.3});
  machine.couplings.push_back({"differential",
                               {{0, model::Freedom::z, 3},
                                {1, model::Freedom::turn_z, 1},
                                {2, model::Freedom::z, -1},
                                {3, model::Freedom::turn_x, 0.5}},
                               -0.1});
  const model::TimeLaw law = model::HarmonicLaw{0.2, 0.5, 0.4, 0.1};
  machine.drives.push_back({"lift", 0, model::Freedom::z, law, false, 0});
  machine.drives.push_back({"shaft", 0, model::Freedom::turn_z, law, true, 0.3});
  machine.forces.push_back({"line", 0, 3,
                            model::LineElement{random_vector<3>(random), random_vector<3>(random),
                                               2, 0.4, 0.5, model::ConstantLaw{0}}});
  machine.forces.push_back({"torsion", model::kWorld, 2,
                            model::TorsionElement{random_pose(random), random_pose(random), 2, 0.3,
                                                  0.5, model::ConstantLaw{0}}});
  return machine;
}

/// What both forces of a row of two bodies sum up to: force, and moment about the world's origin.
inline Vec6 total(const Vec6& a, const Vec6& b, const dynamics::BodyMotion& A,
                  const dynamics::BodyMotion& B) {
  Vec6 sum = a + b;
  sum.tail<3>() += A.p.cross(a.head<3>()) + B.p.cross(b.head<3>());
  return sum;
}

}  // namespace talus::test
