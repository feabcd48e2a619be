#include <talus/dynamics/force_elements.hpp>

#include <cmath>

#include <talus/dynamics/line_rows.hpp>

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

/// A force along e on B at P_B, and its opposite on A at P_A, whatever is between the two points.
JacobianRow between_points(const JointFrames& joint, const Vec3& e) {
  return {joint.body_a, joint.body_b, -joined(e, (joint.J_A.p - joint.A.p).cross(e)),
          joined(e, (joint.J_B.p - joint.B.p).cross(e))};
}

Wrenches along_row(const JacobianRow& row, Real effort) { return {effort * row.a, effort * row.b}; }

/// A force element between two bodies in motion.
struct Between {
  const model::SpatialForce& element;
  const BodyMotion& A;
  const BodyMotion& B;
  Real near;

  [[nodiscard]] JointFrames frames(const Pose& X_AJ, const Pose& X_BJ) const {
    return {element.body_a, element.body_b, X_AJ, X_BJ, A, B};
  }
  [[nodiscard]] JointFrames frames(const model::LineElement& line) const {
    return frames({line.p_A, Quat::Identity()}, {line.p_B, Quat::Identity()});
  }
  [[nodiscard]] RowTerms angle(const model::TorsionElement& torsion) const {
    return torsion_angle(torsion, element.body_a, element.body_b, A, B, near);
  }
};

/// Its springs and dampers.
struct Elastic : Between {
  ElasticTerms operator()(const model::LineElement& line) const {
    ElasticTerms terms;
    const JointFrames joint = frames(line);
    for_each_line_row(joint.offset, line.stiffness, line.rest_length, line.damping,
                      [&](const Vec3& e, Real stretch, Real stiffness, Real damping) {
                        const Index k = terms.count++;
                        terms.rows[static_cast<std::size_t>(k)] = between_points(joint, e);
                        terms.stretch[k] = stretch;
                        terms.stiffness(k, k) = stiffness;
                        terms.damping(k, k) = damping;
                      });
    if (terms.count == 0) {  // of its energy
      terms.stretch[0] = -line.rest_length;
      terms.stiffness(0, 0) = line.stiffness;
    }
    return terms;
  }
  ElasticTerms operator()(const model::TorsionElement& torsion) const {
    ElasticTerms terms;
    const RowTerms own = angle(torsion);
    terms.count = 1;
    terms.rows[0] = own.row;
    terms.stretch[0] = own.value - torsion.rest_angle;
    terms.stiffness(0, 0) = torsion.stiffness;
    terms.damping(0, 0) = torsion.damping;
    return terms;
  }
  /// ṡ = (E_Aᵀ u, Jₗ⁻¹ E_Aᵀ (ω_B − ω_A)); D acts on the velocities that G = diag(1, Jₗ⁻¹)
  /// multiplies: along the rows of ṡ it is G⁻ᵀ D G⁻¹.
  ElasticTerms operator()(const model::Bushing& bushing) const {
    ElasticTerms terms;
    const JointFrames joint = frames(bushing.X_AJ, bushing.X_BJ);
    const BushingCoordinates s = bushing_coordinates(joint);
    const Mat3 turns = joint.J_A.E * s.by_spin.transpose();
    terms.count = 6;
    terms.stretch = s.value;
    terms.stiffness = bushing.stiffness;
    Mat6 to_velocity = Mat6::Identity();
    to_velocity.bottomRightCorner<3, 3>() = s.by_spin.inverse();  // ‖φ‖ ≤ π: det Jₗ⁻¹ ≥ 1
    terms.damping = to_velocity.transpose() * bushing.damping * to_velocity;
    for (std::size_t k = 0; k < 3; ++k) {
      terms.rows[k] = along(joint, joint.J_A.E.col(static_cast<Index>(k))).row;
      Vec6 turn = Vec6::Zero();
      turn.tail<3>() = turns.col(static_cast<Index>(k));
      terms.rows[3 + k] = JacobianRow(element.body_a, element.body_b, -turn, turn);
    }
    return terms;
  }
  template <class Load>
  ElasticTerms operator()(const Load& /*load*/) const {
    return {};
  }
};

/// Its law of time.
struct Given : Between {
  model::TimeSpan time;

  [[nodiscard]] Vec3 direction(model::LoadFrame frame, const Vec3& in_frame) const {
    return (frame == model::LoadFrame::following ? B.R : A.R) * in_frame;
  }
  Wrenches operator()(const model::LineElement& line) const {
    const RowTerms l = distance(frames(line));
    if (l.value == 0) return {};
    return along_row(l.row, -mean(line.force, time).value);
  }
  Wrenches operator()(const model::TorsionElement& torsion) const {
    return along_row(angle(torsion).row, mean(torsion.moment, time).value);
  }
  Wrenches operator()(const model::Bushing& /*bushing*/) const { return {}; }
  Wrenches operator()(const model::AppliedForce& load) const {
    return at_point(mean(load.force, time).value * direction(load.frame, load.direction),
                    B.p + B.R * load.p_B, Vec3::Zero());
  }
  Wrenches operator()(const model::AppliedTorque& load) const {
    return at_point(Vec3::Zero(), B.p,
                    mean(load.moment, time).value * direction(load.frame, load.direction));
  }
  /// A force on B at a point and a moment, and their reverse on A.
  [[nodiscard]] Wrenches at_point(const Vec3& force, const Vec3& point, const Vec3& moment) const {
    Wrenches on;
    on.a << -force, -(point - A.p).cross(force) - moment;
    on.b << force, (point - B.p).cross(force) + moment;
    return on;
  }
};

/// Rate of a row.
Real rate_of(const JacobianRow& row, const BodyMotion& A, const BodyMotion& B) {
  return row.a.head<3>().dot(A.v) + row.a.tail<3>().dot(A.w) + row.b.head<3>().dot(B.v) +
         row.b.tail<3>().dot(B.w);
}

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
  RowTerms angle = twist_angle(JointFrames(body_a, body_b, torsion.X_AJ, torsion.X_BJ, A, B));
  angle.value = nearest_turn(angle.value, near);
  return angle;
}

ElasticTerms elastic_terms(const model::SpatialForce& element, const BodyMotion& A,
                           const BodyMotion& B, Real near) {
  return std::visit(Elastic{{element, A, B, near}}, element.kind);
}

Wrenches given_force(const model::SpatialForce& element, const model::TimeSpan& time,
                     const BodyMotion& A, const BodyMotion& B, Real near) {
  return std::visit(Given{{element, A, B, near}, time}, element.kind);
}

Wrenches force_of(const model::SpatialForce& element, const model::TimeSpan& time,
                  const BodyMotion& A, const BodyMotion& B, Real near) {
  Wrenches on = given_force(element, time, A, B, near);
  const ElasticTerms terms = elastic_terms(element, A, B, near);
  Vec6 rate = Vec6::Zero();
  for (Index k = 0; k < terms.count; ++k)
    rate[k] = rate_of(terms.rows[static_cast<std::size_t>(k)], A, B);
  const Vec6 effort = terms.stiffness * terms.stretch + terms.damping * rate;
  for (Index k = 0; k < terms.count; ++k) {
    const JacobianRow& row = terms.rows[static_cast<std::size_t>(k)];
    on.a -= effort[k] * row.a;
    on.b -= effort[k] * row.b;
  }
  return on;
}

Real potential_energy(const model::SpatialForce& element, const BodyMotion& A, const BodyMotion& B,
                      Real near) {
  const ElasticTerms terms = elastic_terms(element, A, B, near);
  return terms.stretch.dot(terms.stiffness * terms.stretch) / 2;
}

}  // namespace talus::dynamics
