#include <talus/certify/resisting_residual.hpp>

#include <algorithm>
#include <cmath>

#include <talus/math/contact_frame.hpp>

namespace talus::certify {
namespace {

/// Contact frame with the columns (n, t1, t2).
Mat3 frame_of(const Vec3& n, const Vec3& axis) {
  if (axis == Vec3::Zero()) return contact_frame(n);
  Mat3 frame;
  frame << n, axis, n.cross(axis);
  return frame;
}

Vec6 rows_of(const Mat3& turn, const Vec3& linear, const Vec3& angular) {
  const Vec3 along = turn * linear, about = turn * angular;
  Vec6 rows;
  rows << along, about[1], about[2], about[0];
  return rows;
}

/// Nearest point of the ball of a radius ≥ 0.
template <class Vec>
Vec nearest_in_ball(const Vec& x, Real radius) {
  const Real size = x.norm();
  return size <= radius ? x : Vec(radius / size * x);
}

/// The part of the natural map that follows from (p, u) with a weight ρ.
Vec6 map_of(const Vec6& p, const Vec6& u, const Vec3& limit, Real rho) {
  const Real normal = std::max(Real(0), p[0]);
  const Vec6 q = p - rho * u;
  Vec6 error;
  error[0] = p[0] - std::max(Real(0), q[0]);
  for (const int k : {0, 1})
    error.segment<2>(1 + 2 * k) =
        p.segment<2>(1 + 2 * k) - nearest_in_ball(Vec2(q.segment<2>(1 + 2 * k)), limit[k] * normal);
  error[5] = p[5] - std::clamp(q[5], -limit[2] * normal, limit[2] * normal);
  return error;
}

}  // namespace

ResistingErrors resisting_errors(const CertifiedLaw& law, const problem::GeneralContact& contact,
                                 const problem::Resistance& resistance,
                                 const ResistingContact& seen, Real rho) {
  const Mat3 frame = frame_of(contact.normal, resistance.axis), turn = frame.transpose();
  const Real lambda = std::sqrt(seen.moment_trace / seen.block.trace());
  Vec6 p = rows_of(turn, seen.impulse, lambda * seen.moment);
  Vec6 u = rows_of(turn, seen.velocity, seen.angular_velocity / lambda);
  Vec6 b = rows_of(turn, seen.free_velocity, seen.free_angular / lambda);
  ResistingErrors errors;
  errors.impulse2 = p.squaredNorm();
  errors.velocity2 = u.squaredNorm();
  errors.free2 = b.squaredNorm();
  p[0] += resistance.cohesion;
  p.head<3>() -= turn * resistance.drag;

  // An ellipse as a disc; along an axis without friction there is no impulse at all.
  Vec2 friction(contact.friction, contact.friction);
  if (resistance.axis != Vec3::Zero()) friction[1] = resistance.friction_across;
  if (law.law == problem::FrictionLaw::frictionless) friction.setZero();
  const Real mu = friction.maxCoeff();
  Vec3 S = Vec3::Ones();
  Vec6 forbidden = Vec6::Zero();
  if (mu > 0) S.tail<2>() = friction / mu;
  for (const int k : {1, 2}) {
    if (friction[k - 1] > 0) {
      p[k] /= S[k];
    } else {
      forbidden[k] = p[k];
      p[k] = S[k] = 0;
    }
    u[k] *= S[k];
    b[k] *= S[k];
  }
  const Vec3 limit(mu, lambda * resistance.rolling, lambda * resistance.torsion);
  if (limit[1] == 0 && limit[2] == 0) {
    const Mat3 A = S.asDiagonal() * (turn * seen.block * frame) * S.asDiagonal();
    CertifiedLaw own = law;
    own.is_planar = law.is_planar || S.minCoeff() == 0;  // friction along one axis alone
    const ContactErrors plain = law_errors(own, A, p.head<3>(), u.head<3>(), b.head<3>(), mu, rho);
    forbidden.tail<3>() = p.tail<3>();
    errors.natural.head<3>() = plain.natural;
    errors.plain.head<3>() = plain.plain;
    errors.primal.head<3>() = plain.primal;
    errors.dual.head<3>() = plain.dual;
    errors.free.head<3>() = plain.free;
    errors.power = plain.power;
    errors.normal = plain.normal;
  } else {
    errors.natural = map_of(p, u, limit, rho);
    errors.plain = map_of(p, u, limit, 1);
    errors.primal = map_of(p, Vec6::Zero(), limit, 0);
    errors.dual[0] = rho * std::max(Real(0), -u[0]);
    errors.free[0] = rho * std::max(Real(0), -b[0]);
    const Real shift = limit[0] * u.segment<2>(1).norm() + limit[1] * u.segment<2>(3).norm() +
                       limit[2] * std::abs(u[5]);
    errors.power = std::abs(p.dot(u) + p[0] * shift);
  }
  for (Vec6* part : {&errors.natural, &errors.plain, &errors.primal}) *part += forbidden;
  return errors;
}

}  // namespace talus::certify
