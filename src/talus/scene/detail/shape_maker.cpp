#include <talus/scene/detail/shape_maker.hpp>

#include <fmt/format.h>

#include <talus/base/hash.hpp>
#include <talus/base/text.hpp>
#include <talus/geometry/compound.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/triangle_mesh.hpp>
#include <talus/scene/detail/planar.hpp>

namespace talus::scene::detail {
namespace {

using geometry::Compound;
using geometry::Polytope;
using geometry::Shape;

constexpr std::size_t kLargestMesh = std::size_t{4} << 30U;

/// Spheres, boxes, capsules and cylinders, alone or in a clump.
template <class S>
std::optional<Shape> simple_shape(const S& spec, Real scale) {
  if (spec.sphere) return geometry::Sphere{spec.sphere->radius * scale};
  if (spec.box) return geometry::Box{spec.box->size * (scale / 2)};
  if (spec.capsule)
    return geometry::Capsule{spec.capsule->radius * scale, spec.capsule->length * (scale / 2)};
  if (spec.cylinder)
    return geometry::Cylinder{spec.cylinder->radius * scale, spec.cylinder->length * (scale / 2)};
  return std::nullopt;
}

Shape scaled(const Shape& shape, Real scale) {
  if (scale == 1) return shape;
  if (const auto* s = std::get_if<geometry::Sphere>(&shape))
    return geometry::Sphere{s->radius * scale};
  if (const auto* b = std::get_if<geometry::Box>(&shape))
    return geometry::Box{b->half_size * scale};
  if (const auto* c = std::get_if<geometry::Capsule>(&shape))
    return geometry::Capsule{c->radius * scale, c->half_length * scale};
  if (const auto* c = std::get_if<geometry::Cylinder>(&shape))
    return geometry::Cylinder{c->radius * scale, c->half_length * scale};
  if (const auto* p = std::get_if<std::shared_ptr<const Polytope>>(&shape))
    return std::make_shared<const Polytope>((*p)->moved(scale, Vec3::Zero()));
  const auto& compound = *std::get<std::shared_ptr<const Compound>>(shape);
  std::vector<Compound::Member> members(compound.members().begin(), compound.members().end());
  for (Compound::Member& member : members) {
    member.shape = scaled(member.shape, scale);
    member.pose.p *= scale;
  }
  return std::make_shared<const Compound>(Compound::build(std::move(members)));
}

}  // namespace

bool has_direction(const Eigen::Ref<const VecX>& vector) { return vector.stableNorm() > 1e-150; }

std::optional<Quat> rotation_of(const std::optional<OrientationSpec>& spec, Problems& problems) {
  if (!spec) return Quat::Identity();
  if (spec->quaternion) {
    const auto& q = *spec->quaternion;
    if (has_direction(q)) {
      const Eigen::Matrix<Real, 4, 1> unit = q.stableNormalized();
      return Quat(unit[0], unit[1], unit[2], unit[3]);
    }
    problems.add(spec->place.at("quaternion"), "expected a quaternion that is not zero");
  } else if (spec->turn) {
    return Quat(Eigen::AngleAxis<Real>(*spec->turn, Vec3::UnitZ()));
  } else if (spec->axis && spec->angle) {
    if (has_direction(*spec->axis))
      return Quat(Eigen::AngleAxis<Real>(*spec->angle, spec->axis->stableNormalized()));
    problems.add(spec->place.at("axis"), "expected a direction, got a zero vector");
  }
  return std::nullopt;
}

std::optional<Shape> ShapeMaker::make(const ShapeSpec& spec, Real scale) {
  if (auto shape = simple_shape(spec, scale)) return shape;
  if (spec.disc) return geometry::Sphere{spec.disc->radius * scale};
  if (spec.rod) return geometry::Capsule{spec.rod->radius * scale, spec.rod->length * (scale / 2)};
  if (spec.polygon) return prism(spec.polygon->corners);
  if (spec.pipe) return geometry::Pipe{spec.pipe->radius, spec.pipe->length / 2, spec.pipe->ends};
  if (!spec.hull && !spec.mesh && !spec.clump) return geometry::Plane{};
  const auto [entry, is_new] = loaded_.try_emplace(&spec);
  if (is_new) entry->second = load(spec);
  if (!entry->second) return std::nullopt;
  return scaled(*entry->second, scale);
}

std::optional<Shape> ShapeMaker::load(const ShapeSpec& spec) {
  if (spec.hull) return hull(*spec.hull);
  if (spec.mesh) return mesh(*spec.mesh);
  return clump(*spec.clump, std::nullopt, spec.place.at("clump"));
}

std::optional<Shape> ShapeMaker::clump_about(const ShapeSpec& spec, const Vec3& origin) {
  return clump(*spec.clump, origin, spec.place.at("clump"));
}

std::optional<Shape> ShapeMaker::hull(const HullSpec& spec) {
  try {
    std::vector<Vec3> points;
    if (spec.points) {
      points = *spec.points;
    } else if (spec.file) {
      std::filesystem::path path;
      const std::string bytes = read(spec, *spec.file, path);
      points = geometry::parse_mesh(bytes, path.string()).vertices;
    }
    if (spec.scale.cwiseAbs().minCoeff() == 0) {
      problems_.add(spec.place.at("scale"), "expected factors other than 0");
      return std::nullopt;
    }
    for (Vec3& x : points) x = x.cwiseProduct(spec.scale);
    const Polytope polytope = geometry::convex_hull(points);
    if (!spec.centred) return std::make_shared<const Polytope>(polytope);
    const Vec3 centre =
        geometry::mass_properties(std::make_shared<const Polytope>(polytope), 1).centre;
    return std::make_shared<const Polytope>(polytope.moved(1, -centre));
  } catch (const InputError& error) {
    note(error, spec.place.at(spec.points ? "points" : "file"));
    return std::nullopt;
  }
}

std::optional<Shape> ShapeMaker::mesh(const MeshSpec& spec) {
  try {
    if (spec.heights) return ground(spec);
    using Kind = geometry::TriangleMesh::Kind;
    std::filesystem::path path;
    const std::string bytes = read(spec, *spec.file, path);
    return std::make_shared<const geometry::TriangleMesh>(
        geometry::TriangleMesh::build(geometry::parse_mesh(bytes, path.string(), spec.scale),
                                      spec.open ? Kind::sheet : Kind::solid));
  } catch (const InputError& error) {
    note(error, spec.place.at(spec.heights ? "heights" : "file"));
    return std::nullopt;
  }
}

/// Two triangles for each cell of the grid, cut from its lowest to its highest corner in x and y.
std::optional<Shape> ShapeMaker::ground(const MeshSpec& spec) {
  const auto& rows = *spec.heights;
  const std::size_t n = rows.front().size();
  if (!(spec.size.minCoeff() > 0)) {
    problems_.add(spec.place.at("size"), "expected two positive lengths");
    return std::nullopt;
  }
  geometry::MeshData mesh;
  for (std::size_t j = 0; j < rows.size(); ++j) {
    if (rows[j].size() != n) {
      problems_.add(spec.place.at("heights"),
                    fmt::format("expected rows of {} numbers as the first, got {} in row {}", n,
                                rows[j].size(), j + 1));
      return std::nullopt;
    }
    for (std::size_t i = 0; i < n; ++i)
      mesh.vertices.emplace_back(spec.size.x() * (Real(i) / Real(n - 1) - Real(0.5)),
                                 spec.size.y() * (Real(j) / Real(rows.size() - 1) - Real(0.5)),
                                 rows[j][i]);
  }
  for (std::size_t j = 0; j + 1 < rows.size(); ++j)
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const int a = static_cast<int>(j * n + i), b = a + 1, c = a + static_cast<int>(n), d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  return std::make_shared<const geometry::TriangleMesh>(
      geometry::TriangleMesh::build(std::move(mesh), geometry::TriangleMesh::Kind::ground));
}

std::optional<Shape> ShapeMaker::clump(const std::vector<ClumpMemberSpec>& specs,
                                       const std::optional<Vec3>& origin, const Place& place) {
  std::vector<Compound::Member> members;
  for (const ClumpMemberSpec& spec : specs) {
    const auto rotation = rotation_of(spec.orientation, problems_);
    const auto shape = spec.hull ? hull(*spec.hull) : simple_shape(spec, 1);
    if (!rotation || !shape) return std::nullopt;
    members.push_back({*shape, {spec.position, rotation->normalized()}, 0});
  }
  try {
    const auto compound = std::make_shared<const Compound>(Compound::build(std::move(members)));
    const Vec3 centre = origin ? *origin : geometry::mass_properties(compound, 1).centre;
    return std::make_shared<const Compound>(compound->moved(-centre));
  } catch (const InputError& error) {
    note(error, place);
    return std::nullopt;
  }
}

/// Reads a file that a shape names. Of a file that is no text, provenance keeps the hash.
std::string ShapeMaker::read(const Spec& spec, const std::string& file,
                             std::filesystem::path& path) {
  path = spec.place.document->path.parent_path() / file;
  std::string bytes = read_bytes(path, kLargestMesh);
  StateHash hash;
  hash.add(bytes);
  scene_.sources.push_back({path, is_text(bytes) ? bytes
                                                 : fmt::format("{} bytes, FNV-1a {:016x}\n",
                                                               bytes.size(), hash.value())});
  return bytes;
}

void ShapeMaker::note(const InputError& error, const Place& place) {
  for (const Diagnostic& mistake : error.diagnostics()) {
    if (mistake.position.line > 0) {
      Diagnostic with_place = mistake;
      append(with_place.hint, "{}{}:{} names this file", mistake.hint.empty() ? "" : "; ",
             place.document->path.string(), place.node->line);
      problems_.add(std::move(with_place));
    } else if (!mistake.position.file.empty())
      problems_.add(place, fmt::format("\"{}\": {}", mistake.position.file, mistake.message),
                    mistake.hint);
    else
      problems_.add(place, mistake.message, mistake.hint);
  }
}

}  // namespace talus::scene::detail
