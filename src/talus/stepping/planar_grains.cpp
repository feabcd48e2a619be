#include <talus/stepping/planar_grains.hpp>

#include <algorithm>
#include <cmath>
#include <variant>

#include <talus/stepping/capabilities.hpp>

namespace talus::stepping {
namespace {

constexpr Index kFewBodies = 24;
// Largest radius of what moves, over the half thickness of a prism: deep in it the side is nearer.
constexpr Real kThickness = 0.25;

bool is_disc(const model::Body& body) {
  return std::holds_alternative<geometry::Sphere>(body.shape) && body.X_BS.p.isZero(0);
}

bool is_rod(const model::Body& body) {
  constexpr Real kInPlane = 1e-12;
  return std::holds_alternative<geometry::Capsule>(body.shape) && body.X_BS.p.isZero(0) &&
         std::abs((body.X_BS.q * Vec3::UnitZ()).z()) <= kInPlane;
}

bool is_wall(const model::Body& body, Real largest_radius) {
  if (std::holds_alternative<geometry::Plane>(body.shape) || is_disc(body) || is_rod(body))
    return true;
  if (!std::holds_alternative<geometry::Box>(body.shape) &&
      !std::holds_alternative<std::shared_ptr<const geometry::Polytope>>(body.shape))
    return false;
  const geometry::Aabb box = geometry::bounds(body.shape, body.X_BS);
  return largest_radius <= kThickness * std::min(box.upper.z(), -box.lower.z());
}

/// Whether planar_moreau_jean does not support what is asked for.
bool needs_space(const model::Model& model, const SchemeOptions& options) {
  return model.cell.is_periodic() || model.has_changing_population() || options.sleeping ||
         options.solver.solver != "auto" ||
         (options.law != problem::FrictionLaw::coulomb &&
          options.law != problem::FrictionLaw::frictionless);
}

}  // namespace

bool are_planar_grains(const model::Model& model, const SchemeOptions& options) {
  if (model.dimension != 2 || options.scheme != "moreau_jean" || options.solver.solver == "lemke" ||
      model.machine || model.own_system || model.has_functions())
    return false;
  Index count = 0;
  Real largest_radius = 0;
  for (const model::Body& body : model.bodies)
    if (body.kind == model::BodyKind::dynamic) {
      if (!is_disc(body)) return false;
      ++count;
      largest_radius = std::max(largest_radius, geometry::bounding_radius(body.shape));
    }
  if (count <= kFewBodies && !needs_space(model, options)) return false;
  return std::all_of(model.bodies.begin(), model.bodies.end(),
                     [&](const model::Body& body) {
                       return body.kind == model::BodyKind::dynamic ||
                              is_wall(body, largest_radius);
                     }) &&
         unsupported_in_space(model, options).empty();
}

Real return_to_plane(const model::Model& model, Real h, model::State& state) {
  Real fastest = 0, out = 0;
  for (Index i = 0; i < state.body_count(); ++i) {
    if (model.bodies[i].kind != model::BodyKind::dynamic) continue;
    Vec3 &x = state.position[i], &v = state.velocity[i], &w = state.angular_velocity[i];
    Quat& q = state.orientation[i];
    fastest = std::max(fastest, v.norm() + h * model.gravity.norm());
    const Real radius = geometry::bounding_radius(model.bodies[i].shape);
    out = std::max({out, std::abs(v.z()), radius * w.head<2>().norm(), std::abs(x.z()) / h});
    x.z() = v.z() = 0;
    w.head<2>().setZero();
    if (q.x() != 0 || q.y() != 0) q = Quat(q.w(), 0, 0, q.z()).normalized();
  }
  return out > 0 ? out / fastest : 0;
}

}  // namespace talus::stepping
