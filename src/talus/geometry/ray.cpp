#include <talus/geometry/ray.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry {
namespace {

constexpr Real kNever = std::numeric_limits<Real>::infinity();

/// The part of a line in a convex solid.
struct PartInside {
  Real enters = -kNever, leaves = kNever;

  /// Cut by the half-space where value + slope t ≤ 0.
  void below(Real value, Real slope) {
    if (slope < 0)
      enters = std::max(enters, -value / slope);
    else if (slope > 0)
      leaves = std::min(leaves, -value / slope);
    else if (value > 0)
      enters = kNever;
  }
  /// Cut by the ball, or seen along an axis the cylinder, ‖x + t d‖ ≤ r.
  template <class Vector>
  void within(const Vector& x, const Vector& d, Real radius) {
    const Real a = d.squaredNorm();
    const Vector nearest = a > 0 ? Vector(x - x.dot(d) / a * d) : x;
    const Real rest = radius * radius - nearest.squaredNorm();
    if (rest < 0) {
      enters = kNever;
    } else if (a > 0) {
      const Real middle = -x.dot(d) / a, half = std::sqrt(rest / a);
      enters = std::max(enters, middle - half);
      leaves = std::min(leaves, middle + half);
    }
  }
  /// Where a ray, t ≥ 0, first is in it.
  [[nodiscard]] Real first() const {
    return enters <= leaves && leaves >= 0 ? std::max(enters, Real(0)) : kNever;
  }
};

class Cast {
 public:
  Cast(const Vec3& origin, const Vec3& direction, Real reach)
      : x_(origin), d_(direction), reach_(reach) {}

  Real operator()(const Sphere& ball) const { return to_ball(x_, ball.radius); }
  Real operator()(const Plane&) const {
    PartInside inside;
    inside.below(x_.z(), d_.z());
    return inside.first();
  }
  Real operator()(const Box& box) const {
    PartInside inside;
    for (int k = 0; k < 3; ++k) cut_slab(k, box.half_size[k], inside);
    return inside.first();
  }
  Real operator()(const Cylinder& cylinder) const {
    return in_cylinder(cylinder.radius, cylinder.half_length).first();
  }
  Real operator()(const Capsule& capsule) const {
    const Vec3 end(0, 0, capsule.half_length);
    return std::min({in_cylinder(capsule.radius, capsule.half_length).first(),
                     to_ball(x_ - end, capsule.radius), to_ball(x_ + end, capsule.radius)});
  }
  Real operator()(const std::shared_ptr<const Polytope>& polytope) const {
    PartInside inside;
    for (std::size_t f = 0; f < polytope->face_normals().size(); ++f) {
      const Vec3& n = polytope->face_normals()[f];
      inside.below(n.dot(x_) - polytope->face_offsets()[f], n.dot(d_));
    }
    return inside.first();
  }
  Real operator()(const std::shared_ptr<const TriangleMesh>& mesh) const {
    const Real reach = std::min(reach_, x_.norm() + mesh->bounding_radius());
    const Vec3 end = x_ + reach * d_;
    Real first = kNever;
    mesh->visit_near({x_.cwiseMin(end), x_.cwiseMax(end)}, [&](int t) {
      first =
          std::min(first, to_triangle(mesh->corner(t, 0), mesh->corner(t, 1), mesh->corner(t, 2)));
    });
    return first;
  }
  Real operator()(const std::shared_ptr<const Compound>& compound) const {
    Real first = kNever;
    for (const Compound::Member& member : compound->members()) {
      const Quat back = member.pose.q.conjugate();
      first = std::min(
          first, distance_along(back * (x_ - member.pose.p), back * d_, reach_, member.shape));
    }
    return first;
  }
  /// The solid is outside: the way out of the cavity.
  Real operator()(const Pipe& pipe) const {
    PartInside wall;
    wall.within<Vec2>(x_.head<2>(), d_.head<2>(), pipe.radius);
    PartInside cavity = wall;
    cut_slab(2, pipe.half_length, cavity);
    const bool is_inside = cavity.enters <= 0 && cavity.leaves >= 0;
    if (pipe.has_ends) return is_inside ? cavity.leaves : 0;
    const Real z = x_.z() + wall.leaves * d_.z();
    const bool meets = wall.enters <= wall.leaves && wall.leaves >= 0 && wall.leaves < kNever;
    return meets && std::abs(z) <= pipe.half_length ? wall.leaves : kNever;
  }

 private:
  void cut_slab(int axis, Real half, PartInside& inside) const {
    inside.below(x_[axis] - half, d_[axis]);
    inside.below(-x_[axis] - half, -d_[axis]);
  }
  [[nodiscard]] PartInside in_cylinder(Real radius, Real half_length) const {
    PartInside inside;
    inside.within<Vec2>(x_.head<2>(), d_.head<2>(), radius);
    cut_slab(2, half_length, inside);
    return inside;
  }
  [[nodiscard]] Real to_ball(const Vec3& from_centre, Real radius) const {
    PartInside inside;
    inside.within(from_centre, d_, radius);
    return inside.first();
  }
  /// Möller and Trumbore: x + t d = a + u (b − a) + v (c − a) by Cramer's rule.
  [[nodiscard]] Real to_triangle(const Vec3& a, const Vec3& b, const Vec3& c) const {
    const Vec3 e = b - a, f = c - a, s = x_ - a;
    const Vec3 across = d_.cross(f);
    const Real determinant = e.dot(across);  // −d · (e × f): positive from outside
    if (!(determinant > 0)) return kNever;
    const Vec3 q = s.cross(e);
    const Real u = s.dot(across), v = d_.dot(q), t = f.dot(q);
    return u >= 0 && v >= 0 && u + v <= determinant && t >= 0 ? t / determinant : kNever;
  }

  const Vec3& x_;
  const Vec3& d_;
  Real reach_;
};

}  // namespace

Real distance_along(const Vec3& origin, const Vec3& direction, Real reach, const Shape& shape) {
  const Real distance = std::visit(Cast(origin, direction, reach), shape);
  return distance <= reach ? distance : kNever;
}

}  // namespace talus::geometry
