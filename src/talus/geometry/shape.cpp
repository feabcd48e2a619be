#include <talus/geometry/shape.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

Aabb plane_bounds(const Pose& X_WS) {
  Aabb box{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
  const Vec3 normal = X_WS.q * Vec3::UnitZ();
  for (int i = 0; i < 3; ++i) {
    if (normal[i] == 1) box.upper[i] = X_WS.p[i];
    if (normal[i] == -1) box.lower[i] = X_WS.p[i];
  }
  return box;
}

bool is_positive(Real x) { return std::isfinite(x) && x > 0; }

std::string mistake_in(Real radius, Real half_length) {
  return is_positive(radius) && is_positive(half_length)
             ? ""
             : "the radius and the length must be positive and finite";
}

/// Along every axis: the end's disc and the axis.
Vec3 cylinder_half_size(const Pose& X_WS, Real radius, Real half_length) {
  const Vec3 axis = X_WS.q * Vec3::UnitZ();
  const Vec3 across = (1 - axis.array().square()).max(0).sqrt();
  return radius * across + half_length * axis.cwiseAbs();
}

}  // namespace

Aabb bounds(const Shape& shape, const Pose& X_WS) {
  const auto about = [&](const Vec3& half) { return Aabb{X_WS.p - half, X_WS.p + half}; };
  return std::visit(
      Overload{
          [&](const Sphere& s) { return about(Vec3::Constant(s.radius)); },
          [&](const Plane&) { return plane_bounds(X_WS); },
          [&](const Box& b) { return about(X_WS.q.toRotationMatrix().cwiseAbs() * b.half_size); },
          [&](const Capsule& c) {
            const Vec3 axis = X_WS.q * Vec3(0, 0, c.half_length);
            return about(axis.cwiseAbs() + Vec3::Constant(c.radius));
          },
          [&](const std::shared_ptr<const Polytope>& polytope) {
            const Mat3 R = X_WS.q.toRotationMatrix();
            Aabb box{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
            for (const Vec3& x : polytope->vertices()) {
              const Vec3 p = X_WS.p + R * x;
              box.lower = box.lower.cwiseMin(p);
              box.upper = box.upper.cwiseMax(p);
            }
            return box;
          },
          [&](const Cylinder& c) {
            return about(cylinder_half_size(X_WS, c.radius, c.half_length));
          },
          [&](const Pipe& p) {
            if (p.has_ends) return Aabb{Vec3::Constant(-kInfinity), Vec3::Constant(kInfinity)};
            return about(cylinder_half_size(X_WS, p.radius, p.half_length));
          },
          [&](const std::shared_ptr<const TriangleMesh>& mesh) {
            const Aabb& own = mesh->bounds();
            const Vec3 middle = X_WS * Vec3((own.lower + own.upper) / 2);
            const Vec3 half = X_WS.q.toRotationMatrix().cwiseAbs() * ((own.upper - own.lower) / 2);
            return Aabb{middle - half, middle + half};
          },
          [&](const std::shared_ptr<const Compound>& compound) {
            Aabb box{Vec3::Constant(kInfinity), Vec3::Constant(-kInfinity)};
            for (const Compound::Member& member : compound->members()) {
              const Aabb part = bounds(member.shape, X_WS * member.pose);
              box.lower = box.lower.cwiseMin(part.lower);
              box.upper = box.upper.cwiseMax(part.upper);
            }
            return box;
          }},
      shape);
}

Real bounding_radius(const Shape& shape) {
  return std::visit(
      Overload{[](const Sphere& s) { return s.radius; }, [](const Plane&) { return kInfinity; },
               [](const Box& b) { return b.half_size.norm(); },
               [](const Capsule& c) { return c.radius + c.half_length; },
               [](const std::shared_ptr<const Polytope>& p) { return p->bounding_radius(); },
               [](const Cylinder& c) { return std::hypot(c.radius, c.half_length); },
               [](const Pipe& p) {
                 return p.has_ends ? kInfinity : std::hypot(p.radius, p.half_length);
               },
               [](const std::shared_ptr<const TriangleMesh>& m) { return m->bounding_radius(); },
               [](const std::shared_ptr<const Compound>& compound) {
                 Real radius = 0;
                 for (const Compound::Member& member : compound->members())
                   radius = std::max(radius, member.pose.p.norm() + member.radius);
                 return radius;
               }},
      shape);
}

std::string validate(const Shape& shape) {
  return std::visit(
      Overload{[](const Sphere& s) -> std::string {
                 return is_positive(s.radius) ? "" : "the radius must be positive and finite";
               },
               [](const Plane&) -> std::string { return ""; },
               [](const Box& b) -> std::string {
                 for (int i = 0; i < 3; ++i)
                   if (!is_positive(b.half_size[i]))
                     return "the three sizes must be positive and finite";
                 return "";
               },
               [](const Capsule& c) -> std::string {
                 if (!is_positive(c.radius)) return "the radius must be positive and finite";
                 if (!std::isfinite(c.half_length) || c.half_length < 0)
                   return "the length must be finite and not negative";
                 return "";
               },
               [](const std::shared_ptr<const Polytope>& p) -> std::string {
                 return p ? "" : "the polytope is missing";
               },
               [](const Cylinder& c) { return mistake_in(c.radius, c.half_length); },
               [](const Pipe& p) { return mistake_in(p.radius, p.half_length); },
               [](const std::shared_ptr<const TriangleMesh>& m) -> std::string {
                 return m ? "" : "the mesh is missing";
               },
               [](const std::shared_ptr<const Compound>& c) -> std::string {
                 return c ? "" : "the compound is missing";
               }},
      shape);
}

}  // namespace talus::geometry
