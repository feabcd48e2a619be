#include <cmath>
#include <numbers>

#include <talus/base/contract.hpp>
#include <talus/geometry/check_mesh.hpp>
#include <talus/geometry/compound.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/shape.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry {
namespace {

MassProperties solid(Real mass, const Vec3& moments) {
  return {mass, Vec3::Zero(), moments.asDiagonal()};
}

MassProperties of(const Sphere& s, Real density) {
  const Real mass = density * 4 / 3 * std::numbers::pi * s.radius * s.radius * s.radius;
  return solid(mass, Vec3::Constant(mass * 2 / 5 * s.radius * s.radius));
}

MassProperties of(const Box& b, Real density) {
  const Real mass = density * 8 * b.half_size.prod();
  const Vec3 squared = b.half_size.cwiseAbs2();
  return solid(mass, mass / 3 * (Vec3::Constant(squared.sum()) - squared));
}

/// A cylinder of length 2h and two half balls; a half ball's centre is 3r/8 from its flat side.
MassProperties of(const Capsule& c, Real density) {
  const Real r = c.radius, h = c.half_length;
  const Real cylinder = density * std::numbers::pi * r * r * 2 * h;
  const Real ball = density * 4 / 3 * std::numbers::pi * r * r * r;
  const Real axial = cylinder * r * r / 2 + ball * 2 / 5 * r * r;
  const Real across =
      cylinder * (h * h / 3 + r * r / 4) + ball * (r * r * 2 / 5 + h * h + h * r * 3 / 4);
  return solid(cylinder + ball, {across, across, axial});
}

MassProperties of(const Cylinder& c, Real density) {
  const Real r = c.radius, h = c.half_length;
  const Real mass = density * std::numbers::pi * r * r * 2 * h;
  const Real across = mass * (r * r / 4 + h * h / 3);
  return solid(mass, {across, across, mass * r * r / 2});
}

MassProperties of(const Pipe&, Real) {
  TALUS_DEMAND(!"a pipe has no mass");
  return {};
}

MassProperties of(const Plane&, Real) {
  TALUS_DEMAND(!"a plane has no mass");
  return {};
}

/// Signed tetrahedra from the mean of the corners: sums of their volumes, first and second moments.
/// About the mean, not the origin, so that a far origin costs no digits.
MassProperties of(const std::shared_ptr<const Polytope>& polytope, Real density) {
  const auto vertices = polytope->vertices();
  Vec3 mean = Vec3::Zero();
  for (const Vec3& v : vertices) mean += (v - vertices[0]) / static_cast<Real>(vertices.size());
  mean += vertices[0];
  Real volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Loop& loop : polytope->face_loops()) {
    const auto corners = polytope->loop_vertices().subspan(loop.first, loop.count);
    const Vec3 a = vertices[corners[0]] - mean;
    for (int k = 1; k + 1 < loop.count; ++k) {
      const Vec3 b = vertices[corners[k]] - mean, c = vertices[corners[k + 1]] - mean;
      const Real v = a.dot(b.cross(c)) / 6;
      const Vec3 sum = a + b + c;
      volume += v;
      first += v / 4 * sum;
      second += v / 20 *
                (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
  }
  const Vec3 centre = first / volume;
  const Mat3 covariance = density * (second - volume * centre * centre.transpose());
  return {density * volume, mean + centre, covariance.trace() * Mat3::Identity() - covariance};
}

MassProperties of(const std::shared_ptr<const TriangleMesh>& mesh, Real density) {
  TALUS_DEMAND(mesh->is_closed());
  return mass_properties(mesh->vertices(), mesh->triangles(), density);
}

/// The sum of the members, each turned and moved to the common centre of mass.
MassProperties of(const std::shared_ptr<const Compound>& compound, Real density) {
  MassProperties sum;
  for (const Compound::Member& member : compound->members()) {
    const MassProperties part = mass_properties(member.shape, density);
    sum.mass += part.mass;
    sum.centre += part.mass * (member.pose * part.centre);
  }
  sum.centre /= sum.mass;
  for (const Compound::Member& member : compound->members()) {
    const MassProperties part = mass_properties(member.shape, density);
    const Mat3 R = member.pose.q.toRotationMatrix();
    const Vec3 arm = member.pose * part.centre - sum.centre;
    sum.inertia += R * part.inertia * R.transpose() +
                   part.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
  }
  return sum;
}

}  // namespace

MassProperties mass_properties(const Shape& shape, Real density) {
  TALUS_DEMAND(density > 0);
  return std::visit([&](const auto& s) { return of(s, density); }, shape);
}

}  // namespace talus::geometry
