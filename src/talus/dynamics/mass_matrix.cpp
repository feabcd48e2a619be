#include <talus/dynamics/mass_matrix.hpp>

#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/linalg/dense.hpp>

namespace talus::dynamics {

MassMatrix::MassMatrix(Index body_count, Index width)
    : kind_(width == 3 ? Kind::planar : Kind::spatial),
      width_(width),
      inverse_(VecX::Zero(width * body_count)) {
  TALUS_DEMAND(width == 3 || width == 6);
  if (is_planar()) return;
  inertia_.assign(static_cast<std::size_t>(body_count), Mat3::Zero());
  inverse_inertia_ = inertia_;
}

MassMatrix MassMatrix::general(Index n) {
  TALUS_DEMAND(n >= 1);
  MassMatrix all(0, 3);
  all.kind_ = Kind::general;
  all.width_ = n;
  all.inverse_ = VecX::Zero(n);
  all.general_ = all.general_inverse_ = MatX::Zero(n, n);
  return all;
}

bool MassMatrix::set(const MatX& mass) {
  TALUS_DEMAND(is_general() && mass.rows() == width_ && mass.cols() == width_);
  linalg::Cholesky factor;
  const bool is_definite = mass.allFinite() && factor.compute(mass);
  general_ = mass;
  if (is_definite)
    general_inverse_ = factor.inverse_congruence(MatX::Identity(width_, width_));
  else
    general_inverse_.setConstant(std::numeric_limits<Real>::quiet_NaN());
  inverse_ = general_inverse_.diagonal();
  return is_definite;
}

void MassMatrix::set(Index body, Real mass, Real inertia) {
  TALUS_DEMAND(is_planar());
  inverse_.segment<3>(3 * body) << 1 / mass, 1 / mass, 1 / inertia;
}

void MassMatrix::set(Index body, Real mass, const Mat3& inertia) {
  TALUS_DEMAND(is_spatial());
  const auto i = static_cast<std::size_t>(body);
  inertia_[i] = inertia;
  inverse_inertia_[i] = inertia.inverse();
  inverse_.segment<3>(6 * body).setConstant(1 / mass);
  inverse_.segment<3>(6 * body + 3) = inverse_inertia_[i].diagonal();
}

Real MassMatrix::gyration_radius(Index body) const {
  if (is_general()) return 0;
  const Index at = width_ * body;
  const Real inertia =
      is_planar() ? 1 / inverse_[at + 2] : inertia_[static_cast<std::size_t>(body)].norm();
  return std::sqrt(inverse_[at] * inertia);
}

void MassMatrix::solve(const VecX& force, VecX& v) const {
  if (is_planar()) {
    v = inverse_.cwiseProduct(force);
    return;
  }
  if (is_general()) {
    v = general_inverse_ * force;
    return;
  }
  v.resize(size());
  for (Index i = 0; i < body_count(); ++i)
    v.segment<6>(6 * i) = solve_block(i, force.segment<6>(6 * i));
}

void MassMatrix::add_solved(const VecX& force, VecX& v) const {
  if (is_planar()) v += inverse_.cwiseProduct(force);
  if (is_general()) v += general_inverse_ * force;
  for (Index i = 0; is_spatial() && i < body_count(); ++i)
    v.segment<6>(6 * i) += solve_block(i, force.segment<6>(6 * i));
}

Real MassMatrix::inverse_form(const VecX& force) const {
  if (is_planar()) return force.dot(inverse_.cwiseProduct(force));
  if (is_general()) return force.dot(general_inverse_ * force);
  Real sum = 0;
  for (Index i = 0; i < body_count(); ++i)
    sum += force.segment<6>(6 * i).dot(solve_block(i, force.segment<6>(6 * i)));
  return sum;
}

VecX MassMatrix::solve_bound(const VecX& magnitude) const {
  if (is_general()) return general_inverse_.cwiseAbs() * magnitude;
  VecX v = inverse_.cwiseProduct(magnitude);
  for (Index i = 0; is_spatial() && i < body_count(); ++i)
    v.segment<3>(6 * i + 3) =
        inverse_inertia_[static_cast<std::size_t>(i)].cwiseAbs() * magnitude.segment<3>(6 * i + 3);
  return v;
}

VecX MassMatrix::times(const VecX& v) const {
  if (is_general()) return general_ * v;
  VecX momentum = VecX::Zero(size());
  for (Index k = 0; k < size(); ++k)
    if (inverse_[k] > 0) momentum[k] = v[k] / inverse_[k];
  for (Index i = 0; is_spatial() && i < body_count(); ++i)
    momentum.segment<3>(6 * i + 3) =
        inertia_[static_cast<std::size_t>(i)] * v.segment<3>(6 * i + 3);
  return momentum;
}

Real MassMatrix::norm(const VecX& v) const {
  Real sum = 0;
  if (is_planar()) {
    for (Index k = 0; k < size(); ++k)
      if (inverse_[k] > 0) sum += v[k] * v[k] / inverse_[k];
  } else {
    sum = v.dot(times(v));
  }
  return std::sqrt(sum);
}

}  // namespace talus::dynamics
