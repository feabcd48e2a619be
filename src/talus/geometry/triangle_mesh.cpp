#include <talus/geometry/triangle_mesh.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/geometry/check_mesh.hpp>

namespace talus::geometry {
namespace {

constexpr int kLeafSize = 4;
constexpr Real kTrianglesCoplanar = 1e-10;  // of the size of the mesh

Real angle_at(const Vec3& x, const Vec3& y, const Vec3& z) {
  const Vec3 a = y - x, b = z - x;
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

void demand_sound(const MeshData& mesh, bool must_be_solid) {
  const MeshReport report = check_mesh(mesh);
  if (must_be_solid ? report.is_solid() : report.is_surface()) return;
  std::vector<Diagnostic> diagnostics;
  for (const MeshDefect& defect : report.defects) {
    if (defect.kind == MeshDefect::Kind::boundary && !must_be_solid) continue;
    Diagnostic& diagnostic = diagnostics.emplace_back();
    diagnostic.position.file = mesh.file;
    if (!mesh.lines.empty()) {
      diagnostic.position.line = mesh.lines[defect.triangle];
      diagnostic.position.column = 1;
    }
    diagnostic.message = defect.text;
    if (defect.kind == MeshDefect::Kind::boundary)
      diagnostic.hint = fmt::format(
          "{} edges have one side only; a surface that bounds no solid may be `open: true`",
          report.boundary_edge_count);
  }
  throw InputError(std::move(diagnostics));
}

}  // namespace

TriangleMesh TriangleMesh::build(MeshData mesh, Kind kind) {
  if (mesh.triangles.empty()) throw file_error(mesh.file, "the mesh has no triangles");
  demand_sound(mesh, kind == Kind::solid);
  if (kind != Kind::sheet) return prepare(std::move(mesh));
  MeshData turned = mesh;
  for (Triangle& t : turned.triangles) std::swap(t[1], t[2]);
  TriangleMesh result = prepare(std::move(mesh));
  if (!result.is_closed())
    result.back_ = std::make_shared<const TriangleMesh>(prepare(std::move(turned)));
  return result;
}

TriangleMesh TriangleMesh::prepare(MeshData mesh) {
  TriangleMesh result;
  result.vertices_ = std::move(mesh.vertices);
  result.triangles_ = std::move(mesh.triangles);
  for (const Triangle& t : result.triangles_) {
    const Vec3& a = result.vertices_[t[0]];
    const Vec3 ab = result.vertices_[t[1]] - a, ac = result.vertices_[t[2]] - a;
    result.normals_.push_back(ab.cross(ac).stableNormalized());
    for (const int v : t)
      result.bounding_radius_ = std::max(result.bounding_radius_, result.vertices_[v].norm());
  }
  result.find_neighbours();
  result.build_tree();
  result.find_facets();
  return result;
}

void TriangleMesh::find_neighbours() {
  const int count = static_cast<int>(triangles_.size());
  first_around_.assign(vertices_.size() + 1, 0);
  for (const Triangle& t : triangles_)
    for (const int v : t) ++first_around_[v + 1];
  std::partial_sum(first_around_.begin(), first_around_.end(), first_around_.begin());
  around_.resize(3 * triangles_.size());
  std::vector<int> next(first_around_.begin(), first_around_.end() - 1);
  vertex_normals_.assign(vertices_.size(), Vec3::Zero());
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const int v = triangles_[t][k];
      around_[next[v]++] = t;
      vertex_normals_[v] +=
          angle_at(corner(t, k), corner(t, (k + 1) % 3), corner(t, (k + 2) % 3)) * normals_[t];
    }
  neighbours_.assign(triangles_.size(), {-1, -1, -1});
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < 3; ++k) {
      const int v = triangles_[t][k], w = triangles_[t][(k + 1) % 3];
      for (const int other : around(v))
        for (int l = 0; l < 3; ++l)
          if (triangles_[other][l] == w && triangles_[other][(l + 1) % 3] == v)
            neighbours_[t][k] = other;
      if (neighbours_[t][k] < 0) is_closed_ = false;
    }
}

/// Grows every piece of plane from its smallest triangle, whose plane counts.
void TriangleMesh::find_facets() {
  const Real tolerance = kTrianglesCoplanar * (bounds().upper - bounds().lower).norm();
  facets_.assign(triangles_.size(), -1);
  std::vector<int> open;
  for (int seed = 0; seed < static_cast<int>(triangles_.size()); ++seed) {
    if (facets_[seed] >= 0) continue;
    const Vec3 &n = normals_[seed], &origin = corner(seed, 0);
    const auto in_plane = [&](int t) {
      if (!(n.dot(normals_[t]) > 0)) return false;
      for (int k = 0; k < 3; ++k)
        if (std::abs(n.dot(corner(t, k) - origin)) > tolerance) return false;
      return true;
    };
    facets_[seed] = seed;
    open.push_back(seed);
    while (!open.empty()) {
      const int t = open.back();
      open.pop_back();
      for (const int neighbour : neighbours_[t]) {
        if (neighbour < 0 || facets_[neighbour] >= 0 || !in_plane(neighbour)) continue;
        facets_[neighbour] = seed;
        open.push_back(neighbour);
      }
    }
  }
}

void TriangleMesh::build_tree() {
  order_.resize(triangles_.size());
  std::iota(order_.begin(), order_.end(), 0);
  nodes_.reserve(triangles_.size());
  build_node(0, static_cast<int>(order_.size()));
}

/// Halves the triangles along the longest direction of their middles.
int TriangleMesh::build_node(int first, int end) {
  const int self = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  Aabb box = box_of(order_[first]);
  const auto middle = [&](int t) -> Vec3 { return corner(t, 0) + corner(t, 1) + corner(t, 2); };
  Vec3 low = middle(order_[first]), high = low;
  for (int i = first; i < end; ++i) {
    const Aabb other = box_of(order_[i]);
    box.lower = box.lower.cwiseMin(other.lower);
    box.upper = box.upper.cwiseMax(other.upper);
    low = low.cwiseMin(middle(order_[i]));
    high = high.cwiseMax(middle(order_[i]));
  }
  nodes_[self].box = box;
  if (end - first <= kLeafSize) {
    nodes_[self].second = first;
    nodes_[self].count = end - first;
    return self;
  }
  Index axis = 0;
  (high - low).maxCoeff(&axis);
  const int half = (first + end) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + half, order_.begin() + end,
                   [&](int s, int t) {
                     const Real x = middle(s)[axis], y = middle(t)[axis];
                     return x != y ? x < y : s < t;
                   });
  build_node(first, half);
  const int second = build_node(half, end);
  nodes_[self].second = second;
  return self;
}

}  // namespace talus::geometry
