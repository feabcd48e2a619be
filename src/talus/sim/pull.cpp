#include <talus/sim/pull.hpp>

#include <fmt/format.h>

#include <numbers>

#include <talus/math/vector.hpp>

namespace talus::sim {

std::string why_not_pulled(const Simulation& simulation, Index body) {
  const model::Model& model = simulation.scene().model;
  if (body < 0 || body >= model.body_count())
    return fmt::format("there is no body {}: the scene has {}", body, model.body_count());
  const std::string name = fmt::format("body {} \"{}\"", body, model.body_name(body));
  if (model.bodies[static_cast<std::size_t>(body)].kind != model::BodyKind::dynamic)
    return name + " does not move by forces";
  return simulation.state().is_present(body) ? "" : name + " is not there now";
}

void pull(Simulation& simulation, const Pull& pull) {
  constexpr Real kFrequency = 2 * std::numbers::pi * 3;  // [rad/s]
  const model::Model& model = simulation.scene().model;
  const model::State& state = simulation.state();
  const Index i = pull.body;
  if (!why_not_pulled(simulation, i).empty()) return;
  const model::Body& body = model.bodies[static_cast<std::size_t>(i)];
  const Real h = simulation.scene().step_size;
  const Mat3 R = state.orientation[i].toRotationMatrix();
  const Vec3 arm = R * pull.point;
  const Vec3 x = state.position[i] + arm - pull.target;
  const Vec3 v = state.velocity[i] + state.angular_velocity[i].cross(arm);
  const Real k = body.mass * kFrequency * kFrequency, c = 2 * body.mass * kFrequency;
  // v⁺ = v + W r and x⁺ = x + h v⁺ in r = −h (k x⁺ + c v⁺), W the compliance of the point.
  const bool is_planar = model.dimension == 2;
  const Mat3 turning = is_planar ? Mat3(Vec3(0, 0, 1 / body.inertia(2, 2)).asDiagonal())
                                 : Mat3(R * body.inertia.ldlt().solve(Mat3(R.transpose())));
  const Mat3 W = Mat3::Identity() / body.mass - cross_matrix(arm) * turning * cross_matrix(arm);
  const Mat3 A = Mat3::Identity() + h * (c + h * k) * W;
  simulation.push(i, state.position[i] + arm, A.ldlt().solve(-h * (k * (x + h * v) + c * v)));
}

}  // namespace talus::sim
