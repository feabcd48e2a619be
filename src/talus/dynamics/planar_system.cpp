#include <talus/dynamics/planar_system.hpp>

#include <cmath>

#include <talus/base/contract.hpp>

namespace talus::dynamics {
namespace {

Real cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

Mat2 turned(Real angle) {
  const Real c = std::cos(angle), s = std::sin(angle);
  return (Mat2() << c, -s, s, c).finished();
}

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
  for (Index a = 0; a < model.body_count(); ++a)
    for (Index b = a + 1; b < model.body_count(); ++b)
      if (first_of(a) >= 0 || first_of(b) >= 0) {
        add_candidates(a, b);
        add_candidates(b, a);
      }
}

/// The corners of b against a. Against a single point only another point is needed: the distance of
/// a corner from a point is found from the point's side.
void PlanarSystem::add_candidates(Index a, Index b) {
  const geometry::PlanarShape& target = shapes_[static_cast<std::size_t>(a)];
  const geometry::PlanarShape& shape = shapes_[static_cast<std::size_t>(b)];
  if (shape.is_half_plane) return;
  const bool is_point = !target.is_half_plane && target.corners.size() == 1;
  if (is_point && (shape.corners.size() > 1 || shape.is_half_plane || a > b)) return;
  for (std::size_t corner = 0; corner < shape.corners.size(); ++corner)
    candidates_.push_back({a, b, corner});
}

PlanarSystem::Place PlanarSystem::meet(Index i, const VecX& q) const {
  const Candidate& candidate = candidates_[static_cast<std::size_t>(i)];
  const geometry::PlanarShape& target = shapes_[static_cast<std::size_t>(candidate.body_a)];
  const geometry::PlanarShape& shape = shapes_[static_cast<std::size_t>(candidate.body_b)];
  const Index at_a = first_of(candidate.body_a), at_b = first_of(candidate.body_b);

  Vec2 corner = shape.corners[candidate.corner];
  if (at_b >= 0) corner = q.segment<2>(at_b) + turned(q[at_b + 2]) * corner;
  geometry::CoreDistance core;
  if (at_a < 0) {
    core = distance_from_core(target, corner);
  } else {
    const Mat2 R = turned(q[at_a + 2]);
    core = distance_from_core(target, R.transpose() * (corner - q.segment<2>(at_a)));
    core.normal = R * core.normal;
    core.nearest = q.segment<2>(at_a) + R * core.nearest;
  }
  Place place;
  place.gap = core.distance - shape.radius - target.radius;
  place.normal = core.normal;
  place.tangent = {core.normal.y(), -core.normal.x()};
  const Vec2 on_b = corner - shape.radius * core.normal;
  const Vec2 on_a = core.nearest + target.radius * core.normal;
  place.position = at_a < 0 ? on_b : at_b < 0 ? on_a : Vec2((on_a + on_b) / 2);
  place.body_a = candidate.body_a;
  place.body_b = candidate.body_b;
  return place;
}

model::LagrangianContact PlanarSystem::contact(Index i, const VecX& q) const {
  const Place place = meet(i, q);
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
        sign * Vec3(place.tangent.x(), place.tangent.y(), cross(arm, place.tangent));
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
