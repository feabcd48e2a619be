#include <talus/geometry/detail/core.hpp>

#include <talus/base/contract.hpp>

namespace talus::geometry::detail {
namespace {

// Corner i of a box has the signs of the bits of i (x first). Faces −x +x −y +y −z +z.
constexpr int kBoxLoops[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                               2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
constexpr Loop kBoxFaces[6] = {{0, 4}, {4, 4}, {8, 4}, {12, 4}, {16, 4}, {20, 4}};
// Each edge runs along n_f0 × n_f1, here always in the positive direction of its axis.
constexpr Edge kBoxEdges[12] = {{0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5},
                                {0, 2, 4, 0}, {1, 3, 1, 4}, {4, 6, 0, 5}, {5, 7, 5, 1},
                                {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}};
const std::array<Vec3, 6> kBoxNormals = {-Vec3::UnitX(), Vec3::UnitX(),  -Vec3::UnitY(),
                                         Vec3::UnitY(),  -Vec3::UnitZ(), Vec3::UnitZ()};
const std::array<Vec3, 12> kBoxDirections = {
    Vec3::UnitX(), Vec3::UnitX(), Vec3::UnitX(), Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitY(),
    Vec3::UnitY(), Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitZ(), Vec3::UnitZ(), Vec3::UnitZ()};
constexpr Edge kSegmentEdge[1] = {{0, 1, -1, -1}};
const std::array<Vec3, 1> kSegmentDirection = {Vec3::UnitZ()};

}  // namespace

Vec3 middle_of(const Shape& shape) {
  const auto* polytope = std::get_if<std::shared_ptr<const Polytope>>(&shape);
  return polytope != nullptr ? (*polytope)->middle() : Vec3(Vec3::Zero());
}

ShapeCore::ShapeCore(const Shape& shape) {
  core_.size = talus::geometry::bounding_radius(shape);
  core_.middle = middle_of(shape);
  if (const auto* box = std::get_if<Box>(&shape)) {
    const Vec3& h = box->half_size;
    for (int i = 0; i < 8; ++i)
      vertices_[i] = {i & 1 ? h.x() : -h.x(), i & 2 ? h.y() : -h.y(), i & 4 ? h.z() : -h.z()};
    for (int f = 0; f < 6; ++f) offsets_[f] = h[f / 2];
    core_.vertices = vertices_;
    core_.face_normals = kBoxNormals;
    core_.face_offsets = offsets_;
    core_.face_loops = kBoxFaces;
    core_.loop_vertices = kBoxLoops;
    core_.edges = kBoxEdges;
    core_.edge_directions = kBoxDirections;
    core_.is_box = true;
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    vertices_[0] = {0, 0, -capsule->half_length};
    vertices_[1] = {0, 0, capsule->half_length};
    core_.vertices = std::span(vertices_).first(capsule->half_length > 0 ? 2 : 1);
    if (capsule->half_length > 0) {
      core_.edges = kSegmentEdge;
      core_.edge_directions = kSegmentDirection;
    }
    core_.radius = capsule->radius;
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    vertices_[0] = Vec3::Zero();
    core_.vertices = std::span(vertices_).first(1);
    core_.radius = sphere->radius;
  } else {
    const auto* polytope = std::get_if<std::shared_ptr<const Polytope>>(&shape);
    TALUS_DEMAND(polytope && *polytope);
    core_.vertices = (*polytope)->vertices();
    core_.face_normals = (*polytope)->face_normals();
    core_.face_offsets = (*polytope)->face_offsets();
    core_.face_loops = (*polytope)->face_loops();
    core_.loop_vertices = (*polytope)->loop_vertices();
    core_.edges = (*polytope)->edges();
    core_.edge_directions = (*polytope)->edge_directions();
  }
}

}  // namespace talus::geometry::detail
