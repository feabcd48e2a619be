#include <talus/reproduce/rotation_measures.hpp>

#include <algorithm>
#include <cmath>

namespace talus::reproduce {
namespace {

using Vec4 = Eigen::Matrix<Real, 4, 1>;
using Mat4 = Eigen::Matrix<Real, 4, 4>;

Vec4 components(const Quat& q) { return {q.w(), q.x(), q.y(), q.z()}; }

Mat34 matrix(const Quat& q, Real sign) {
  const Vec3 v = q.vec();
  Mat34 result;
  result << -v, sign * cross_matrix(v) + q.w() * Mat3::Identity();
  return result;
}

/// The largest of a number of each orientation and spin of the run.
template <class Get>
Real over_states(const History& run, const Get& get) {
  Real worst = 0;
  for (const model::State& state : run.states)
    for (Index i = 0; i < state.body_count(); ++i) {
      if (run.scene.model.bodies[i].kind == model::BodyKind::fixed) continue;
      const Real value = get(state.orientation[i], state.angular_velocity[i]);
      worst = std::isnan(value) ? value : std::max(worst, value);
      if (std::isnan(worst)) return worst;
    }
  return worst;
}

Real units(const History& run) {
  return over_states(run, [](const Quat& q, const Vec3&) {
    const Mat34 e = matrix_e(q), g = matrix_g(q);
    const Vec4 c = components(q);
    return std::max(
        {(e * e.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff(),
         (g * g.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff(),
         (e.transpose() * e - (Mat4::Identity() - c * c.transpose())).cwiseAbs().maxCoeff()});
  });
}

Real product(const History& run) {
  return over_states(run, [](const Quat& q, const Vec3&) {
    const Mat3 rotation = q.toRotationMatrix();
    return (matrix_e(q) * matrix_g(q).transpose() - rotation).cwiseAbs().maxCoeff();
  });
}

Real r33(const History& run) {
  return over_states(run, [](const Quat& q, const Vec3&) {
    const Vec4 e = components(q).cwiseAbs2();
    return std::abs(q.toRotationMatrix()(2, 2) - (e[0] - e[1] - e[2] + e[3]));
  });
}

Real rate(const History& run) {
  return over_states(run, [](const Quat& q, const Vec3& spin) {
    const Real speed = spin.norm();
    if (speed == 0) return Real(0);
    const Real h = 1e-5 / speed;
    const Vec4 difference =
        components(integrate_rotation(q, spin, h)) - components(integrate_rotation(q, spin, -h));
    const Vec4 velocity = difference / (2 * h);
    const Vec3 body_spin = q.conjugate() * spin;
    return std::max((velocity - matrix_e(q).transpose() * spin / 2).norm(),
                    (velocity - matrix_g(q).transpose() * body_spin / 2).norm()) /
           speed;
  });
}

}  // namespace

Mat34 matrix_e(const Quat& q) { return matrix(q, 1); }
Mat34 matrix_g(const Quat& q) { return matrix(q, -1); }

const std::vector<std::pair<std::string, RotationMeasure>>& rotation_measures() {
  static const std::vector<std::pair<std::string, RotationMeasure>> table = {
      {"rotation_units", units},
      {"rotation_product", product},
      {"rotation_r33", r33},
      {"rotation_rate", rate}};
  return table;
}

}  // namespace talus::reproduce
