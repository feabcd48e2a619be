#include "support/contact_blocks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

namespace talus::test {

Mat3 symmetric_block(Real a, Real b, Real c, Real d, Real e, Real f) {
  Mat3 m;
  m << a, b, c, b, d, e, c, e, f;
  return m;
}

Real contact_energy(const Mat3& A, const Vec3& b, const Vec3& r) {
  return r.dot(A * r) / 2 + b.dot(r);
}

ContactBlock case_nu1() {  // a box corner on a plane; three Coulomb solutions, one sticks
  return {symmetric_block(4.0278121188063, 0.40564358671772, 2.9403056419751, 4.1040345936977,
                          0.19615108224415, 3.8681532874959),
          {-0.1, 1.8, 1.0},
          1.55};
}

ContactBlock case_nu4() {  // three Coulomb solutions, all slide
  return {symmetric_block(1.36, -0.46, -0.56, 0.62, -0.5, 1.5), {-0.02, 0.12, -1.76}, 1.9};
}

ContactBlock case_fig4() {  // hyperbola; E has two minima over the angle
  return {symmetric_block(1.4501754192701, 0.55589512440758, -1.3243356385218, 5.6318041628624,
                          -1.3403168438974, 4.9180204178675),
          {-0.1, 1.8, -0.7},
          1.05};
}

ContactBlock case_parabola() { return {symmetric_block(1, 0.6, 0.8, 2, 0.3, 3), {-0.5, 1, -2}, 1}; }

ContactBlock case_sphere() { return {symmetric_block(1, 0, 0, 3.5, 0, 3.5), {-1, 2, 0.5}, 0.3}; }

ContactBlock random_box_contact(Random& random, Real aspect, Real largest_friction) {
  Vec3 half, inertia, corner;
  for (Index i = 0; i < 3; ++i) half[i] = std::pow(aspect, -random.uniform());
  for (Index i = 0; i < 3; ++i) {
    const Real y = half[(i + 1) % 3], z = half[(i + 2) % 3];
    inertia[i] = (y * y + z * z) / 3;
    corner[i] = random.uniform() < 0.5 ? half[i] : -half[i];
  }
  Eigen::Quaternion<Real> q(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                            random.uniform(-1, 1));
  const Mat3 R = q.normalized().toRotationMatrix();
  const Mat3 arm = cross_matrix(R * corner);
  const Mat3 inverse_inertia = R * inertia.cwiseInverse().asDiagonal() * R.transpose();
  ContactBlock contact;
  contact.A = Mat3::Identity() + arm * inverse_inertia * arm.transpose();
  contact.A = (contact.A + contact.A.transpose()).eval() / 2;
  contact.b =
      Vec3(-std::pow(10, random.uniform(-3, 0.5)), random.uniform(-2, 2), random.uniform(-2, 2));
  contact.friction = largest_friction * random.uniform();
  return contact;
}

void set_eccentricity(ContactBlock& contact, Real eccentricity) {
  const Real c = std::hypot(contact.A(0, 1), contact.A(0, 2));
  if (c > 0) contact.friction = eccentricity * contact.A(0, 0) / c;
}

Real scanned_energy(const ContactBlock& contact, int samples) {
  using Long = long double;
  const Mat3& A = contact.A;
  const auto energy = [&](Long phi) -> Long {
    const Long C = std::cos(phi), S = std::sin(phi), mu = contact.friction;
    const Long slope = A(0, 0) + mu * (A(0, 1) * C + A(0, 2) * S);
    if (!(slope > 0)) return HUGE_VALL;
    const Long n = -contact.b[0] / slope, x = n * mu * C, y = n * mu * S;
    const Long un = A(0, 0) * n + A(0, 1) * x + A(0, 2) * y;
    const Long u1 = A(1, 0) * n + A(1, 1) * x + A(1, 2) * y;
    const Long u2 = A(2, 0) * n + A(2, 1) * x + A(2, 2) * y;
    return (n * un + x * u1 + y * u2) / 2 + contact.b[0] * n + contact.b[1] * x + contact.b[2] * y;
  };
  constexpr Long kTurn = 6.283185307179586476925L, kGolden = 0.618033988749894848205L;
  std::vector<Long> values;
  for (int k = 0; k < samples; ++k) values.push_back(energy(kTurn * k / samples));
  Long best = HUGE_VALL;
  for (int k = 0; k < samples; ++k) {
    const auto at = [&](int i) {
      return values[static_cast<std::size_t>((i + samples) % samples)];
    };
    if (!(at(k) <= at(k - 1) && at(k) <= at(k + 1))) continue;
    Long low = kTurn * (k - 1) / samples, high = kTurn * (k + 1) / samples;
    Long inner = high - kGolden * (high - low), outer = low + kGolden * (high - low);
    Long f_inner = energy(inner), f_outer = energy(outer);
    for (int i = 0; i < 45; ++i) {
      if (f_inner < f_outer) {
        high = outer;
        outer = inner;
        f_outer = f_inner;
        inner = high - kGolden * (high - low);
        f_inner = energy(inner);
      } else {
        low = inner;
        inner = outer;
        f_inner = f_outer;
        outer = low + kGolden * (high - low);
        f_outer = energy(outer);
      }
    }
    best = std::min({best, f_inner, f_outer, at(k)});
  }
  return static_cast<Real>(best);
}

Real kkt_residual(const ContactBlock& contact, const Vec3& r) {
  const Mat3& A = contact.A;
  const Vec3 u = A * r + contact.b;
  const Real size = (A.cwiseAbs() * r.cwiseAbs()).norm() + contact.b.norm();
  const Vec2 x(r[1], r[2]), force(u[1], u[2]);
  const Real norm = x.norm(), limit = contact.friction * r[0];
  const Real normal_error = std::abs(u[0]) / size, cone_error = (norm - limit) / r.norm();
  Real slip_error = force.norm() / size;  // stick
  if (cone_error > -1e-9 && norm > 0) {
    Vec2 outward = x / norm + contact.friction / A(0, 0) * Vec2(A(0, 1), A(0, 2));
    outward.normalize();
    const Real pull = std::max(Real(0), -force.dot(outward));
    slip_error = (force + pull * outward).norm() / size;
  }
  return std::max({normal_error, cone_error, slip_error});
}

}  // namespace talus::test
