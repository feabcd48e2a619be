#include <talus/dynamics/planar_system.hpp>

#include <cmath>

#include <talus/base/contract.hpp>

namespace talus::dynamics {
namespace {

/// Angle about z of an orientation that turns about z only, in (−2π, 2π].
Real angle_of(const Quat& q) { return 2 * std::atan2(q.z(), q.w()); }

}  // namespace

PlanarSystem::PlanarSystem(const model::Model& model, const model::State& state) : model_(model) {
  TALUS_DEMAND(model.dimension == 2 && state.body_count() == model.body_count());
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    TALUS_DEMAND(body.kind != model::BodyKind::kinematic);
    const bool is_dynamic = body.kind == model::BodyKind::dynamic;
    first_.push_back(is_dynamic ? 3 * static_cast<Index>(dynamic_.size()) : -1);
    if (is_dynamic) dynamic_.push_back(i);
    shapes_.push_back(
        geometry::shadow(body.shape, is_dynamic ? body.X_BS : state.pose(i) * body.X_BS));
  }
  candidates_ = corner_candidates(model, shapes_);
}

PlanarTouch PlanarSystem::meet(Index i, const VecX& q) const {
  const CornerCandidate& candidate = candidates_[static_cast<std::size_t>(i)];
  const Index at_a = first_of(candidate.body_a), at_b = first_of(candidate.body_b);
  const auto pose = [&](Index at) {
    return at < 0 ? PlanarPose() : PlanarPose{q.segment<2>(at), turned(q[at + 2])};
  };
  return dynamics::meet(candidate, shapes_, pose(at_a), pose(at_b), at_a >= 0, at_b >= 0);
}

model::LagrangianContact PlanarSystem::contact(Index i, const VecX& q) const {
  const PlanarTouch place = meet(i, q);
  const Vec2 tangent = -left_of(place.normal);
  model::LagrangianContact contact;
  contact.gap = place.gap;
  contact.normal = VecX::Zero(q.size());
  contact.tangents = MatX::Zero(q.size(), 1);
  const auto add = [&](Index body, Real sign) {
    const Index at = first_of(body);
    if (at < 0) return;
    const Vec2 arm = place.position - q.segment<2>(at);
    contact.normal.segment<3>(at) =
        sign * Vec3(place.normal.x(), place.normal.y(), cross(arm, place.normal));
    contact.tangents.col(0).segment<3>(at) =
        sign * Vec3(tangent.x(), tangent.y(), cross(arm, tangent));
  };
  add(place.body_a, -1);
  add(place.body_b, 1);
  contact.friction =
      model_.law(model_.bodies[place.body_a].material, model_.bodies[place.body_b].material)
          .friction;
  return contact;
}

MatX PlanarSystem::mass(const VecX& q) const {
  VecX diagonal(q.size());
  for (const Index body : dynamic_) {
    const model::Body& b = model_.bodies[body];
    diagonal.segment<3>(first_of(body)) << b.mass, b.mass, b.inertia(2, 2);
  }
  return diagonal.asDiagonal();
}

VecX PlanarSystem::force(const VecX& q, const VecX& v, Real /*time*/) const {
  VecX k(q.size());
  for (const Index body : dynamic_) {
    const model::Body& b = model_.bodies[body];
    const Index at = first_of(body);
    k.segment<2>(at) =
        b.mass * (model_.gravity.head<2>() - model_.linear_damping * v.segment<2>(at));
    k[at + 2] = -b.inertia(2, 2) * model_.angular_damping * v[at + 2];
  }
  return k;
}

Real PlanarSystem::potential(const VecX& q) const {
  Real sum = 0;
  for (const Index body : dynamic_)
    sum -= model_.bodies[body].mass * model_.gravity.head<2>().dot(q.segment<2>(first_of(body)));
  return sum;
}

VecX PlanarSystem::coordinates(const model::State& state) const {
  VecX q(coordinate_count());
  for (const Index body : dynamic_)
    q.segment<3>(first_of(body)) << state.position[body].x(), state.position[body].y(),
        angle_of(state.orientation[body]);
  return q;
}

VecX PlanarSystem::velocities(const model::State& state) const {
  VecX v(coordinate_count());
  for (const Index body : dynamic_)
    v.segment<3>(first_of(body)) << state.velocity[body].x(), state.velocity[body].y(),
        state.angular_velocity[body].z();
  return v;
}

void PlanarSystem::store(const VecX& q, const VecX& v, model::State& state) const {
  for (const Index body : dynamic_) {
    const Index at = first_of(body);
    state.position[body] = {q[at], q[at + 1], 0};
    state.orientation[body] = Quat(std::cos(q[at + 2] / 2), 0, 0, std::sin(q[at + 2] / 2));
    state.velocity[body] = {v[at], v[at + 1], 0};
    state.angular_velocity[body] = {0, 0, v[at + 2]};
  }
}

}  // namespace talus::dynamics
