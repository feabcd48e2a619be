#include <talus/dynamics/force_elements.hpp>

#include <cmath>

namespace talus::dynamics {
namespace {

/// The rotation vector of a rotation, ‖φ‖ ≤ π.
Vec3 rotation_vector(const Mat3& R) {
  Quat q(R);
  if (q.w() < 0) q.coeffs() = -q.coeffs();
  const Real sine = q.vec().norm();  // of half the angle
  return sine > 0 ? Vec3(2 * std::atan2(sine, q.w()) / sine * q.vec()) : Vec3::Zero();
}

/// Jₗ⁻¹(φ) = 1 − [φ]/2 + (1 − (θ/2) cot(θ/2)) [φ]²/θ², θ = ‖φ‖.
Mat3 inverse_left_jacobian(const Vec3& phi) {
  const Real square = phi.squaredNorm(), half = std::sqrt(square) / 2;
  // Below 1e-3 rad the next term of the series, θ⁴/30240, is below round-off.
  const Real factor = square < 1e-6 ? 1. / 12 + square / 720 : (1 - half / std::tan(half)) / square;
  const Mat3 cross = cross_matrix(phi);
  return Mat3::Identity() - cross / 2 + factor * cross * cross;
}

Wrenches along_row(const JacobianRow& row, Real effort) { return {effort * row.a, effort * row.b}; }

struct Exert {
  const model::SpatialForce& element;
  Real time;
  const BodyMotion& A;
  const BodyMotion& B;
  Real near;

  [[nodiscard]] JointFrames frames(const Pose& X_AJ, const Pose& X_BJ) const {
    return {element.body_a, element.body_b, X_AJ, X_BJ, A, B};
  }
  [[nodiscard]] Vec3 direction(model::LoadFrame frame, const Vec3& in_frame) const {
    return (frame == model::LoadFrame::following ? B.R : A.R) * in_frame;
  }

  Wrenches operator()(const model::LineElement& line) const {
    const RowTerms l = distance(frames({line.p_A, Quat::Identity()}, {line.p_B, Quat::Identity()}));
    if (l.value == 0) return {};  // no line, no direction
    return along_row(l.row, -line.stiffness * (l.value - line.rest_length) - line.damping * l.rate -
                                evaluate(line.force, time).value);
  }
  Wrenches operator()(const model::TorsionElement& torsion) const {
    const RowTerms angle = torsion_angle(torsion, element.body_a, element.body_b, A, B, near);
    return along_row(angle.row, -torsion.stiffness * (angle.value - torsion.rest_angle) -
                                    torsion.damping * angle.rate +
                                    evaluate(torsion.moment, time).value);
  }
  /// (f, m) = −K s − D ṡ in A does work on ṡ: the force E f at P_B, the moment E Jₗ⁻ᵀ m.
  Wrenches operator()(const model::Bushing& bushing) const {
    const JointFrames joint = frames(bushing.X_AJ, bushing.X_BJ);
    const BushingCoordinates s = bushing_coordinates(joint);
    const Vec6 effort = -bushing.stiffness * s.value - bushing.damping * s.rate;
    return at_point(joint.J_A.E * effort.head<3>(), joint.J_B.p,
                    joint.J_A.E * (s.by_spin.transpose() * effort.tail<3>()));
  }
  Wrenches operator()(const model::AppliedForce& load) const {
    return at_point(evaluate(load.force, time).value * direction(load.frame, load.direction),
                    B.p + B.R * load.p_B, Vec3::Zero());
  }
  Wrenches operator()(const model::AppliedTorque& load) const {
    return at_point(Vec3::Zero(), B.p,
                    evaluate(load.moment, time).value * direction(load.frame, load.direction));
  }
  /// A force on B at a point and a moment, and their reverse on A.
  [[nodiscard]] Wrenches at_point(const Vec3& force, const Vec3& point, const Vec3& moment) const {
    Wrenches on;
    on.a << -force, -(point - A.p).cross(force) - moment;
    on.b << force, (point - B.p).cross(force) + moment;
    return on;
  }
};

}  // namespace

BushingCoordinates bushing_coordinates(const JointFrames& frames) {
  BushingCoordinates s;
  const Mat3 to_a = frames.J_A.E.transpose();
  const Vec3 phi = rotation_vector(to_a * frames.J_B.E);
  s.by_spin = inverse_left_jacobian(phi);
  s.value << to_a * frames.offset, phi;
  s.rate << to_a * frames.velocity, s.by_spin * (to_a * (frames.B.w - frames.A.w));
  return s;
}

RowTerms torsion_angle(const model::TorsionElement& torsion, Index body_a, Index body_b,
                       const BodyMotion& A, const BodyMotion& B, Real near) {
  const JointFrames frames(body_a, body_b, torsion.X_AJ, torsion.X_BJ, A, B);
  RowTerms angle =
      angle_from_a(frames, frames.J_B.E.col(0), frames.J_A.E.col(0), frames.J_A.E.col(1));
  angle.value = nearest_turn(angle.value, near);
  return angle;
}

Wrenches force_of(const model::SpatialForce& element, Real time, const BodyMotion& A,
                  const BodyMotion& B, Real near) {
  return std::visit(Exert{element, time, A, B, near}, element.kind);
}

Real potential_energy(const model::SpatialForce& element, const BodyMotion& A, const BodyMotion& B,
                      Real near) {
  if (const auto* line = std::get_if<model::LineElement>(&element.kind)) {
    const Real length = (B.p + B.R * line->p_B - A.p - A.R * line->p_A).norm();
    const Real stretch = length - line->rest_length;
    return line->stiffness * stretch * stretch / 2;
  }
  if (const auto* torsion = std::get_if<model::TorsionElement>(&element.kind)) {
    const Real twist = torsion_angle(*torsion, element.body_a, element.body_b, A, B, near).value -
                       torsion->rest_angle;
    return torsion->stiffness * twist * twist / 2;
  }
  if (const auto* bushing = std::get_if<model::Bushing>(&element.kind)) {
    const Vec6 s = bushing_coordinates(JointFrames(element.body_a, element.body_b, bushing->X_AJ,
                                                   bushing->X_BJ, A, B))
                       .value;
    return s.dot(bushing->stiffness * s) / 2;
  }
  return 0;
}

}  // namespace talus::dynamics
