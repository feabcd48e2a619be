#include <talus/dynamics/free_motion.hpp>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#include <talus/math/rotation.hpp>

namespace talus::dynamics {
namespace {

constexpr Real kStopped = 1e-6;  // of the energy of turning: a body that contacts have stopped
constexpr Real kAcross = 1e-24;  // of ω²: where ω is along the spin, but for rounding

/// One step of the mid-point rule for W in the body's frame; returns S = W + W'.
Vec3 midpoint_sum(const Mat3& J, const Vec3& W, Real h) {
  Vec3 S = 2 * W;
  Real last = INFINITY;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Vec3 JS = J * S;
    const Vec3 residual = JS - 2 * (J * W) + (h / 4) * S.cross(JS);
    const Real size = residual.norm();
    if (size == 0 || size >= last) break;  // at round-off: Newton no longer improves
    last = size;
    const Mat3 slope = J + (h / 4) * (cross_matrix(S) * J - cross_matrix(JS));
    S -= slope.inverse() * residual;
  }
  return S;
}

}  // namespace

bool is_isotropic(const Mat3& inertia) { return inertia == inertia(0, 0) * Mat3::Identity(); }

void rotate_freely(const Mat3& inertia, Quat& q, Vec3& angular_velocity, Real duration) {
  if (angular_velocity.isZero(0)) return;
  if (is_isotropic(inertia)) {
    q = integrate_rotation(q, angular_velocity, duration);
    return;
  }
  const Vec3 momentum = q * (inertia * (q.conjugate() * angular_velocity));
  const Mat3 inverse = inertia.inverse();
  const Real turn = std::abs(duration) * angular_velocity.norm();
  const int parts = static_cast<int>(std::clamp(std::ceil(turn / 0.5), Real(1), Real(10000)));
  const Real h = duration / parts;
  Vec3 W = q.conjugate() * angular_velocity;
  for (int part = 0; part < parts; ++part) {
    const Vec3 half = (h / 4) * midpoint_sum(inertia, W, h);  // Θ/2 with Θ = h (W + W')/2
    q = (q * Quat(1, half.x(), half.y(), half.z())).normalized();
    W = inverse * (q.conjugate() * momentum);
  }
  angular_velocity = q * W;
}

void rotate_by_theta(const Mat3& inertia, Real theta, const Vec3& before, const Vec3& struck,
                     Quat& q, Vec3& angular_velocity, Real duration) {
  const Real early = (1 - theta) * duration;
  if (is_isotropic(inertia)) {
    q = integrate_rotation(q, before, early);
    q = integrate_rotation(q, angular_velocity, theta * duration);
    return;
  }
  Vec3 w = before + struck;
  const auto spin = [&](const Vec3& turning) -> Vec3 {
    return q * (inertia * (q.conjugate() * turning));
  };
  const Vec3 added = spin(angular_velocity - w);
  if (struck.isZero(0)) {
    rotate_freely(inertia, q, w, early);
  } else {
    const Vec3 axis = spin(w).normalized(), way = early * before;
    const bool is_stopped = w.dot(spin(w)) <= kStopped * before.dot(spin(before));
    const Vec3 across = w - axis.dot(w) * axis;
    const Real square = across.squaredNorm();
    const bool is_free = !is_stopped && square > kAcross * w.squaredNorm();
    const Real time = is_free ? std::clamp(way.dot(across) / square, -early, early) : Real(0);
    const Vec3 rest = way - time * w;
    rotate_freely(inertia, q, w, time);
    const Quat turn = rotation_exp(is_stopped ? rest : Vec3(axis.dot(rest) * axis));
    q = (turn * q).normalized();
    w = turn * w;
  }
  w += q * (inertia.inverse() * (q.conjugate() * added));
  rotate_freely(inertia, q, w, theta * duration);
  angular_velocity = w;
}

}  // namespace talus::dynamics
