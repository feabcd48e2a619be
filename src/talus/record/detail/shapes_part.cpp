#include <talus/record/detail/shapes_part.hpp>

#include <array>
#include <map>
#include <type_traits>
#include <vector>

#include <talus/geometry/compound.hpp>
#include <talus/geometry/polytope.hpp>
#include <talus/geometry/triangle_mesh.hpp>
#include <talus/record/shape_code.hpp>

namespace talus::record::detail {
namespace {

using hdf5::write_array;

/// Columns of /bodies, or of /parts: what a shape is and where.
struct ShapeColumns {
  std::vector<std::uint8_t> code;
  std::vector<double> size, position, orientation;
  std::vector<std::int32_t> surface;

  void add(ShapeCode shape, const Vec3& numbers, std::int32_t of_surface, const Pose& X) {
    code.push_back(static_cast<std::uint8_t>(shape));
    for (const double s : {numbers.x(), numbers.y(), numbers.z()}) size.push_back(s);
    for (const double p : {X.p.x(), X.p.y(), X.p.z()}) position.push_back(p);
    for (const double q : {X.q.w(), X.q.x(), X.q.y(), X.q.z()}) orientation.push_back(q);
    surface.push_back(of_surface);
  }

  void write(hid_t file, const std::string& group) const {
    const hsize_t n = code.size();
    write_array(file, group + "/shape", H5T_STD_U8LE, {n}, code.data(), "1",
                "0 sphere, 1 plane, 2 box, 3 capsule, 4 polytope, 5 mesh, 6 compound, 7 cylinder, "
                "8 pipe");
    write_array(file, group + "/shape_size", H5T_IEEE_F64LE, {n, 3}, size.data(), "m",
                "sphere: radius; box: half edge lengths; capsule: radius, half length of its "
                "segment along z; cylinder: radius, half length; pipe: radius, half length, 1 if "
                "it has ends; all others: zeros (a plane is z = 0 with outward +z)");
    write_array(file, group + "/shape_position", H5T_IEEE_F64LE, {n, 3}, position.data(), "m",
                "origin of the shape's frame in the body's frame");
    write_array(file, group + "/shape_orientation", H5T_IEEE_F64LE, {n, 4}, orientation.data(), "1",
                "unit quaternion w, x, y, z: shape frame to body frame");
  }
};

/// Triangles of polytopes and meshes, one after the other.
class Surfaces {
 public:
  std::int32_t add(const geometry::Polytope& polytope) {
    return add(&polytope, polytope.vertices(), [&] {
      const auto corners = polytope.loop_vertices();
      for (const geometry::Loop& loop : polytope.face_loops())  // fans
        for (int k = 2; k < loop.count; ++k)
          add_triangle(corners[loop.first], corners[loop.first + k - 1], corners[loop.first + k]);
    });
  }
  std::int32_t add(const geometry::TriangleMesh& mesh) {
    return add(&mesh, mesh.vertices(), [&] {
      for (const auto& [a, b, c] : mesh.triangles()) add_triangle(a, b, c);
    });
  }
  [[nodiscard]] bool is_empty() const { return triangles_.empty(); }

  void write(hid_t file) const {
    const hsize_t n = first_vertex_.size();
    write_array(file, "surfaces/vertex_offset", H5T_STD_I64LE, {n}, first_vertex_.data(), "1",
                "vertices of surface k are rows offset[k] to offset[k+1]-1 of surfaces/vertex");
    write_array(file, "surfaces/triangle_offset", H5T_STD_I64LE, {n}, first_triangle_.data(), "1",
                "triangles of surface k are rows offset[k] to offset[k+1]-1 of surfaces/triangle");
    write_array(file, "surfaces/vertex", H5T_IEEE_F64LE, {vertices_.size() / 3, 3},
                vertices_.data(), "m", "corners, in the shape's frame");
    write_array(file, "surfaces/triangle", H5T_STD_I32LE, {triangles_.size() / 3, 3},
                triangles_.data(), "1",
                "three of the surface's own vertices, counted from 0, counter-clockwise seen from "
                "outside");
  }

 private:
  template <class Triangles>
  std::int32_t add(const void* shape, std::span<const Vec3> vertices, const Triangles& triangles) {
    const auto [entry, is_new] =
        known_.emplace(shape, static_cast<std::int32_t>(first_vertex_.size()) - 1);
    if (!is_new) return entry->second;
    for (const Vec3& v : vertices) vertices_.insert(vertices_.end(), {v.x(), v.y(), v.z()});
    triangles();
    first_vertex_.push_back(static_cast<std::int64_t>(vertices_.size() / 3));
    first_triangle_.push_back(static_cast<std::int64_t>(triangles_.size() / 3));
    return entry->second;
  }
  void add_triangle(int a, int b, int c) { triangles_.insert(triangles_.end(), {a, b, c}); }

  std::map<const void*, std::int32_t> known_;  // only looked up: its order shows nowhere
  std::vector<std::int64_t> first_vertex_{0}, first_triangle_{0};
  std::vector<double> vertices_;
  std::vector<std::int32_t> triangles_;
};

void describe(const geometry::Shape& shape, const Pose& X, ShapeColumns& columns,
              Surfaces& surfaces) {
  const Vec3 zero = Vec3::Zero();
  std::visit(
      [&](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, geometry::Sphere>)
          columns.add(ShapeCode::sphere, {s.radius, 0, 0}, -1, X);
        else if constexpr (std::is_same_v<S, geometry::Plane>)
          columns.add(ShapeCode::plane, zero, -1, X);
        else if constexpr (std::is_same_v<S, geometry::Box>)
          columns.add(ShapeCode::box, s.half_size, -1, X);
        else if constexpr (std::is_same_v<S, geometry::Capsule>)
          columns.add(ShapeCode::capsule, {s.radius, s.half_length, 0}, -1, X);
        else if constexpr (std::is_same_v<S, geometry::Cylinder>)
          columns.add(ShapeCode::cylinder, {s.radius, s.half_length, 0}, -1, X);
        else if constexpr (std::is_same_v<S, geometry::Pipe>)
          columns.add(ShapeCode::pipe, {s.radius, s.half_length, s.has_ends ? 1.0 : 0.0}, -1, X);
        else if constexpr (std::is_same_v<S, std::shared_ptr<const geometry::TriangleMesh>>)
          columns.add(ShapeCode::mesh, zero, surfaces.add(*s), X);
        else if constexpr (std::is_same_v<S, std::shared_ptr<const geometry::Compound>>)
          columns.add(ShapeCode::compound, zero, -1, X);
        else
          columns.add(ShapeCode::polytope, zero, surfaces.add(*s), X);
      },
      shape);
}

}  // namespace

void write_shapes(hid_t file, const model::Model& model) {
  ShapeColumns bodies, parts;
  Surfaces surfaces;
  std::vector<std::int32_t> owners;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const model::Body& body = model.bodies[i];
    describe(body.shape, body.X_BS, bodies, surfaces);
    const auto* compound = std::get_if<std::shared_ptr<const geometry::Compound>>(&body.shape);
    if (compound == nullptr) continue;
    for (const geometry::Compound::Member& member : (*compound)->members()) {
      owners.push_back(static_cast<std::int32_t>(i));
      describe(member.shape, body.X_BS * member.pose, parts, surfaces);
    }
  }
  bodies.write(file, "bodies");
  if (!owners.empty()) {
    write_array(file, "parts/body", H5T_STD_I32LE, {owners.size()}, owners.data(), "1",
                "index in /bodies of the compound that the part belongs to");
    parts.write(file, "parts");
  }
  if (surfaces.is_empty()) return;
  surfaces.write(file);
  const char* meaning = "index of its surface in /surfaces, -1: none";
  write_array(file, "bodies/surface", H5T_STD_I32LE, {bodies.surface.size()}, bodies.surface.data(),
              "1", meaning);
  if (!owners.empty())
    write_array(file, "parts/surface", H5T_STD_I32LE, {parts.surface.size()}, parts.surface.data(),
                "1", meaning);
}

}  // namespace talus::record::detail
