#include <talus/dynamics/joint_contacts.hpp>

#include <talus/base/contract.hpp>
#include <talus/math/contact_frame.hpp>

namespace talus::dynamics {
namespace {

/// How B is kept near a point of A: not farther than `limit`, with a surface of `radius` about it.
struct Play {
  Vec3 point_A;  ///< in A [m]
  bool is_line;  ///< near the axis z of J_B, not its origin
  Real limit, radius;
};

Play play(const model::SpatialJoint& joint, int i) {
  if (const auto* rope = std::get_if<model::Rope>(&joint.kind))
    return {joint.X_AJ.p, false, rope->length, 0};
  if (const auto* ball = std::get_if<model::BallClearance>(&joint.kind))
    return {joint.X_AJ.p, false, ball->clearance, ball->radius};
  const auto& bearing = std::get<model::BearingClearance>(joint.kind);
  const Vec3 end(0, 0, (i == 0 ? 0.5 : -0.5) * bearing.length);
  return {joint.X_AJ * end, true, bearing.clearance, bearing.radius};
}

/// The vector y from what B offers to the point of A.
Vec3 distance_vector(const Play& held, const FrameMotion& on_a, const FrameMotion& J_B) {
  const Vec3 between = on_a.p - J_B.p, z = J_B.E.col(2);
  return held.is_line ? Vec3(between - z * z.dot(between)) : between;
}

}  // namespace

int joint_contact_count(const model::SpatialJointKind& kind) {
  if (std::holds_alternative<model::BearingClearance>(kind)) return 2;
  return std::holds_alternative<model::Rope>(kind) ||
                 std::holds_alternative<model::BallClearance>(kind)
             ? 1
             : 0;
}

Real joint_contact_gap(const model::SpatialJoint& joint, int i, const BodyMotion& A,
                       const BodyMotion& B) {
  const Play held = play(joint, i);
  return held.limit -
         distance_vector(held, FrameMotion(A, held.point_A), FrameMotion(B, joint.X_BJ)).norm();
}

void joint_contact_terms(const model::SpatialJoint& joint, int i, const BodyMotion& A,
                         const BodyMotion& B, JointContactTerms& terms) {
  TALUS_ASSERT(i >= 0 && i < joint_contact_count(joint.kind));
  const Play held = play(joint, i);
  const FrameMotion on_a(A, held.point_A), J_B(B, joint.X_BJ);
  const Vec3 y = distance_vector(held, on_a, J_B);
  Vec3 y_rate = on_a.v - J_B.v;
  if (held.is_line) {
    const Vec3 between = on_a.p - J_B.p, z = J_B.E.col(2), z_rate = J_B.w.cross(z);
    y_rate -= z_rate * z.dot(between) + z * (z_rate.dot(between) + z.dot(on_a.v - J_B.v));
  }
  const Real distance = y.norm();
  const Vec3 n = distance > 0 ? Vec3(y / distance) : Vec3(-(A.R * (joint.X_AJ.q * Vec3::UnitX())));
  const Vec3 n_rate = distance > 0 ? Vec3((y_rate - n * n.dot(y_rate)) / distance) : Vec3::Zero();

  // The velocity of B against A at the point of contact, which moves: u, and u̇ where v̇ = 0.
  terms.position = on_a.p - y - held.radius * n;
  const Vec3 position_rate = on_a.v - y_rate - held.radius * n_rate;
  const Vec3 arm_a = terms.position - A.p, arm_b = terms.position - B.p;
  const Vec3 u = B.v + B.w.cross(arm_b) - A.v - A.w.cross(arm_a);
  const Vec3 u_rate = B.w.cross(position_rate - B.v) - A.w.cross(position_rate - A.v);
  terms.frame = contact_frame(n);
  const auto set = [&](RowTerms& terms_of, const Vec3& e, Real value, Real drift) {
    Vec6 a, b;
    a << -e, -arm_a.cross(e);
    b << e, arm_b.cross(e);
    terms_of = {{joint.body_a, joint.body_b, a, b}, value, e.dot(u), drift};
  };
  set(terms.normal, n, held.limit - distance, n_rate.dot(u) + n.dot(u_rate));
  for (int k = 0; k < 2; ++k) {
    const Vec3 t = terms.frame.col(k + 1);
    set(terms.tangent[static_cast<std::size_t>(k)], t, 0, t.dot(u_rate) - t.dot(n_rate) * n.dot(u));
  }
}

}  // namespace talus::dynamics
