#include <talus/record/surface.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include <talus/record/detail/checked_index.hpp>

namespace talus::record {
namespace {

using std::numbers::pi;

/// Ball of radius 1 whose halves are moved apart along z; half_length 0: a ball.
Surface capsule(Real radius, Real half_length, int segments) {
  Surface surface;
  const int rings = segments / 4;  // of each half
  for (int half = 0; half < 2; ++half)
    for (int ring = 0; ring <= rings; ++ring)
      for (int k = 0; k <= segments; ++k) {
        const Real latitude = pi / 2 * (half == 0 ? ring - rings : ring) / rings;
        const Real longitude = 2 * pi * k / segments;
        const Vec3 n(std::cos(latitude) * std::cos(longitude),
                     std::cos(latitude) * std::sin(longitude), std::sin(latitude));
        surface.normals.push_back(n);
        surface.vertices.push_back(radius * n + Vec3(0, 0, half == 0 ? -half_length : half_length));
      }
  const int row = segments + 1;
  for (int ring = 0; ring < 2 * rings + 1; ++ring)
    for (int k = 0; k < segments; ++k) {
      const int a = ring * row + k, b = a + row;
      if (ring > 0) surface.triangles.push_back({a, a + 1, b + 1});
      if (ring < 2 * rings) surface.triangles.push_back({a, b + 1, b});
    }
  return surface;
}

void add_fan(Surface& surface, const std::vector<Vec3>& corners, const Vec3& normal) {
  const int first = static_cast<int>(surface.vertices.size());
  for (const Vec3& corner : corners) {
    surface.vertices.push_back(corner);
    surface.normals.push_back(normal);
  }
  for (int k = 2; k < static_cast<int>(corners.size()); ++k)
    surface.triangles.push_back({first, first + k - 1, first + k});
}

/// Half edges 1.
Surface box() {
  Surface surface;
  for (int axis = 0; axis < 3; ++axis)
    for (const Real sign : {-1.0, 1.0}) {
      Vec3 n = Vec3::Zero(), u = Vec3::Zero();
      n[axis] = sign;
      u[(axis + 1) % 3] = 1;
      const Vec3 w = n.cross(u);
      add_fan(surface, {n - u - w, n + u - w, n + u + w, n - u + w}, n);
    }
  return surface;
}

/// Radius 1, half length 1 along z.
Surface cylinder(int segments, bool has_ends = true) {
  Surface surface;
  const auto rim = [&](int k, Real z) {
    return Vec3(std::cos(2 * pi * k / segments), std::sin(2 * pi * k / segments), z);
  };
  for (int k = 0; k <= segments; ++k)
    for (const Real z : {-1.0, 1.0}) {
      surface.vertices.push_back(rim(k, z));
      surface.normals.push_back(rim(k, 0));
    }
  for (int k = 0; k < segments; ++k) {
    const int a = 2 * k;
    surface.triangles.push_back({a, a + 2, a + 3});
    surface.triangles.push_back({a, a + 3, a + 1});
  }
  if (!has_ends) return surface;
  std::vector<Vec3> top, bottom;
  for (int k = 0; k < segments; ++k) {
    top.push_back(rim(k, 1));
    bottom.push_back(rim(-k, -1));
  }
  add_fan(surface, top, Vec3::UnitZ());
  add_fan(surface, bottom, -Vec3::UnitZ());
  return surface;
}

/// The wall of a cavity of radius 1 and half length 1: a cylinder that is seen from inside.
Surface pipe(int segments, bool has_ends) {
  Surface surface = cylinder(segments, has_ends);
  for (Vec3& normal : surface.normals) normal = -normal;
  for (auto& triangle : surface.triangles) std::swap(triangle[1], triangle[2]);
  return surface;
}

/// A surface of the record: each triangle with corners of its own, so that edges are sharp.
Surface recorded(const RecordReader& record, Index index) {
  const auto vertex_edge = record.rows("surfaces/vertex_offset", index, 2).values;
  const auto triangle_edge = record.rows("surfaces/triangle_offset", index, 2).values;
  const auto edge = [&](Real value) {
    constexpr std::size_t kMost = std::size_t{1} << 40;
    return static_cast<Index>(detail::checked_index(record, value, kMost, "surface offset"));
  };
  const Index first = edge(vertex_edge[0]), at = edge(triangle_edge[0]);
  const auto vertices = record.rows("surfaces/vertex", first, edge(vertex_edge[1]) - first).values;
  const auto corners = record.rows("surfaces/triangle", at, edge(triangle_edge[1]) - at).values;
  Surface surface;
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    std::vector<Vec3> p;
    for (std::size_t k = 0; k < 3; ++k)
      p.emplace_back(vertices.data() + 3 * detail::checked_index(record, corners[t + k],
                                                                 vertices.size() / 3, "vertex"));
    const Vec3 normal = (p[1] - p[0]).cross(p[2] - p[0]);
    if (normal.norm() > 0) add_fan(surface, p, normal.normalized());
  }
  return surface;
}

/// Surfaces by what they are: code, and numbers or index where they are not only scaled.
class Catalogue {
 public:
  Catalogue(const RecordReader& record, int segments, std::vector<Surface>& surfaces)
      : record_(record), segments_(segments), surfaces_(surfaces) {}

  /// False for a shape without a look of its own.
  bool find(ShapeCode code, const Vec3& size, Index surface, Look& look) {
    switch (code) {
      case ShapeCode::sphere:
        look.scale = Vec3::Constant(size[0]);
        look.surface = get({0, 0, 0, 0}, [&] { return capsule(1, 0, segments_); });
        return true;
      case ShapeCode::box:
        look.scale = size;
        look.surface = get({1, 0, 0, 0}, [] { return box(); });
        return true;
      case ShapeCode::cylinder:
        look.scale = {size[0], size[0], size[1]};
        look.surface = get({2, 0, 0, 0}, [&] { return cylinder(segments_); });
        return true;
      case ShapeCode::capsule:
        look.surface =
            get({3, size[0], size[1], 0}, [&] { return capsule(size[0], size[1], segments_); });
        return true;
      case ShapeCode::polytope:
      case ShapeCode::mesh:
        look.surface = get({4, 0, 0, surface}, [&] { return recorded(record_, surface); });
        return true;
      case ShapeCode::pipe:
        look.scale = {size[0], size[0], size[1]};
        look.surface =
            get({5, size[2], 0, 0}, [&] { return pipe(segments_, /*has_ends=*/size[2] > 0); });
        return true;
      case ShapeCode::plane:     // add_planes
      case ShapeCode::compound:  // its parts
        return false;
    }
    return false;
  }

 private:
  using Key = std::tuple<int, Real, Real, Index>;
  template <class Make>
  std::size_t get(const Key& key, const Make& make) {
    const auto [entry, is_new] = known_.emplace(key, surfaces_.size());
    if (is_new) surfaces_.push_back(make());
    return entry->second;
  }

  const RecordReader& record_;
  int segments_;
  std::vector<Surface>& surfaces_;
  std::map<Key, std::size_t> known_;
};

/// A plane has no end: a square shows where it is, below where the bodies are at the start.
void add_planes(const RecordReader& record, Looks& looks) {
  if (record.frame_count() == 0) return;
  const std::vector<Real> code = record.array("bodies/shape").values;
  const std::vector<Real> kind = record.array("bodies/kind").values;
  const auto p = record.array("bodies/shape_position").values;
  const auto q = record.array("bodies/shape_orientation").values;
  const model::State start = record.frame(0);
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (kind[i] == 0) {
      low = low.cwiseMin(start.position[i]);
      high = high.cwiseMax(start.position[i]);
    }
  const bool has_bodies = std::isfinite(low.x());
  const Real reach = has_bodies ? std::max((high - low).norm(), Real(1e-3)) : 1;
  bool has_planes = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (static_cast<ShapeCode>(code[i]) != ShapeCode::plane) continue;
    Look look{looks.surfaces.size(), Vec3(reach, reach, 1), {}};
    look.X_BS = {Vec3(p.data() + 3 * i), Quat(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3])};
    // Moved in the plane to the middle of the bodies.
    const Pose X_WS = start.pose(static_cast<Index>(i)) * look.X_BS;
    if (has_bodies) {
      Vec3 middle = X_WS.q.conjugate() * (0.5 * (low + high) - X_WS.p);
      middle.z() = 0;
      look.X_BS.p += look.X_BS.q * middle;
    }
    looks.of_body[i].push_back(look);
    has_planes = true;
  }
  if (has_planes)
    add_fan(looks.surfaces.emplace_back(), {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
            Vec3::UnitZ());
}

}  // namespace

Looks read_looks(const RecordReader& record, int segments) {
  Looks looks;
  looks.of_body.resize(static_cast<std::size_t>(record.body_count()));
  Catalogue catalogue(record, segments, looks.surfaces);
  for (const std::string group : {"bodies", "parts"}) {
    if (!record.has(group + "/shape")) continue;
    const auto code = record.array(group + "/shape").values;
    const auto size = record.array(group + "/shape_size").values;
    const auto p = record.array(group + "/shape_position").values;
    const auto q = record.array(group + "/shape_orientation").values;
    const auto surface = record.has(group + "/surface") ? record.array(group + "/surface").values
                                                        : std::vector<Real>(code.size(), -1);
    const auto owner = group == "parts" ? record.array("parts/body").values : std::vector<Real>();
    for (std::size_t i = 0; i < code.size(); ++i) {
      Look look;
      look.X_BS = {Vec3(p.data() + 3 * i),
                   Quat(q[4 * i], q[4 * i + 1], q[4 * i + 2], q[4 * i + 3])};
      if (catalogue.find(static_cast<ShapeCode>(code[i]), Vec3(size.data() + 3 * i),
                         static_cast<Index>(surface[i]), look))
        looks
            .of_body[owner.empty() ? i
                                   : detail::checked_index(record, owner[i], looks.of_body.size(),
                                                           "part of body")]
            .push_back(look);
    }
  }
  add_planes(record, looks);
  return looks;
}

}  // namespace talus::record
