#include <talus/geometry/polytope.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

namespace talus::geometry {
namespace {

using Faces = std::vector<std::vector<int>>;
using EdgeFaces = std::map<std::pair<int, int>, int>;  // directed edge -> the face it belongs to

// Relative to the size of the polytope.
constexpr Real kFacesCoplanar = 1e-10;  // neighbouring faces in one plane to this are merged
constexpr Real kConvex = 1e-9;          // no corner may be farther in front of a face than this
constexpr Real kLeastVolume = 1e-9;     // least volume over size³
constexpr Real kLeastFaceArea = 1e-12;  // least area of a face over its length²

[[noreturn]] void polytope_error(std::string message, std::string hint = "") {
  Diagnostic diagnostic;
  diagnostic.message = "polytope: " + std::move(message);
  diagnostic.hint = std::move(hint);
  throw InputError(std::move(diagnostic));
}

/// Twice the area vector of a loop (Newell's rule), in long double about its first corner.
Vec3 area_vector(std::span<const Vec3> vertices, std::span<const int> loop, Real& longest) {
  Eigen::Matrix<long double, 3, 1> sum = Eigen::Matrix<long double, 3, 1>::Zero();
  const auto at = [&](std::size_t k) {
    return (vertices[loop[k]].cast<long double>() - vertices[loop[0]].cast<long double>()).eval();
  };
  longest = 0;
  for (std::size_t k = 0; k + 1 < loop.size(); ++k) {
    sum += at(k).cross(at(k + 1));
    longest = std::max(longest, (vertices[loop[k + 1]] - vertices[loop[0]]).norm());
  }
  return sum.cast<Real>();
}

void check_input(std::span<const Vec3> vertices, std::span<const std::vector<int>> faces) {
  const int vertex_count = static_cast<int>(vertices.size());
  if (vertex_count < 4 || faces.size() < 4)
    polytope_error(fmt::format("expected at least 4 vertices and 4 faces, got {} and {}",
                               vertex_count, faces.size()));
  for (int i = 0; i < vertex_count; ++i)
    if (!vertices[i].allFinite())
      polytope_error(fmt::format("vertex {} is not finite: [{}, {}, {}]", i, vertices[i].x(),
                                 vertices[i].y(), vertices[i].z()));
  for (std::size_t f = 0; f < faces.size(); ++f) {
    if (faces[f].size() < 3)
      polytope_error(
          fmt::format("face {} has {} vertices, expected at least 3", f, faces[f].size()));
    for (const int i : faces[f])
      if (i < 0 || i >= vertex_count)
        polytope_error(
            fmt::format("face {} names vertex {}, expected 0 to {}", f, i, vertex_count - 1),
            "vertices count from 0");
  }
}

/// Every directed edge once, each with its opposite: a closed surface with one orientation.
EdgeFaces closed_surface(const Faces& faces) {
  EdgeFaces edges;
  for (int f = 0; f < static_cast<int>(faces.size()); ++f)
    for (std::size_t k = 0; k < faces[f].size(); ++k) {
      const int i = faces[f][k], j = faces[f][(k + 1) % faces[f].size()];
      if (i == j) polytope_error(fmt::format("face {} names vertex {} twice in a row", f, i));
      const auto [other, is_new] = edges.emplace(std::pair(i, j), f);
      if (!is_new)
        polytope_error(fmt::format("faces {} and {} both run from vertex {} to vertex {}",
                                   other->second, f, i, j),
                       "list the vertices of every face counter-clockwise seen from outside");
    }
  for (const auto& [edge, f] : edges)
    if (!edges.contains({edge.second, edge.first}))
      polytope_error(
          fmt::format("the surface is not closed at the edge from vertex {} to {} of face {}",
                      edge.first, edge.second, f));
  return edges;
}

void check_volume(std::span<const Vec3> vertices, const Faces& faces, Real size) {
  Real volume = 0, longest = 0;
  for (const auto& face : faces)
    volume += area_vector(vertices, face, longest).dot(vertices[face[0]] - vertices[0]) / 6;
  if (!(std::abs(volume) > kLeastVolume * size * size * size)) polytope_error("the body is flat");
  if (volume < 0)
    polytope_error("the faces look inwards",
                   "list the vertices of every face counter-clockwise seen from outside");
}

/// The group of every face: neighbours that lie in one plane share a group, named by its largest
/// face, whose plane is the best known.
std::vector<int> coplanar_groups(std::span<const Vec3> vertices, const Faces& faces,
                                 const EdgeFaces& edges, Real size) {
  std::vector<Vec3> areas(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    Real longest = 0;
    areas[f] = area_vector(vertices, faces[f], longest);
    if (!(areas[f].norm() > kLeastFaceArea * longest * longest))
      polytope_error(fmt::format("face {} has no area", f));
  }
  std::vector<int> order(faces.size()), group(faces.size(), -1);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int f, int g) {
    const Real area_f = areas[f].squaredNorm(), area_g = areas[g].squaredNorm();
    return area_f != area_g ? area_f > area_g : f < g;
  });
  for (const int seed : order) {
    if (group[seed] >= 0) continue;
    const Vec3 n = areas[seed].normalized();
    const Vec3& origin = vertices[faces[seed][0]];
    const auto in_plane = [&](int f) {
      return areas[f].dot(n) > 0 && std::all_of(faces[f].begin(), faces[f].end(), [&](int i) {
               return std::abs(n.dot(vertices[i] - origin)) <= kFacesCoplanar * size;
             });
    };
    std::vector<int> open = {seed};
    group[seed] = seed;
    while (!open.empty()) {
      const int f = open.back();
      open.pop_back();
      for (std::size_t k = 0; k < faces[f].size(); ++k) {
        const int i = faces[f][k], j = faces[f][(k + 1) % faces[f].size()];
        const int neighbour = edges.at({j, i});
        if (group[neighbour] >= 0 || !in_plane(neighbour)) continue;
        group[neighbour] = seed;
        open.push_back(neighbour);
      }
    }
  }
  return group;
}

/// One loop around every group, each from its smallest vertex, in the order of the first face of
/// the group.
Faces merged_loops(const Faces& faces, const EdgeFaces& edges, const std::vector<int>& group) {
  std::map<int, std::map<int, int>> next;  // group -> vertex -> the vertex after it
  std::vector<int> groups;
  for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
    if (std::find(groups.begin(), groups.end(), group[f]) == groups.end())
      groups.push_back(group[f]);
    for (std::size_t k = 0; k < faces[f].size(); ++k) {
      const int i = faces[f][k], j = faces[f][(k + 1) % faces[f].size()];
      if (group[edges.at({j, i})] == group[f]) continue;
      if (!next[group[f]].emplace(i, j).second)
        polytope_error(fmt::format("the faces around vertex {} do not make one convex face", i));
    }
  }
  Faces loops;
  for (const int g : groups) {
    const std::map<int, int>& after = next[g];
    if (after.empty()) polytope_error("the surface is not closed around a volume");
    std::vector<int> loop = {after.begin()->first};
    for (int i = after.begin()->second; i != loop[0]; i = after.at(i)) loop.push_back(i);
    if (loop.size() != after.size())
      polytope_error(fmt::format("the face around vertex {} has a hole", loop[0]));
    loops.push_back(std::move(loop));
  }
  return loops;
}

/// Drops the vertices between two edges in one line (they belong to two faces only) and numbers the
/// rest anew, in their old order.
std::vector<Vec3> kept_vertices(std::span<const Vec3> vertices, Faces& loops) {
  std::vector<int> use_count(vertices.size(), 0), new_index(vertices.size(), -1);
  for (const auto& loop : loops)
    for (const int i : loop) ++use_count[i];
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (use_count[i] < 3) continue;
    new_index[i] = static_cast<int>(kept.size());
    kept.push_back(vertices[i]);
  }
  for (auto& loop : loops) {
    std::erase_if(loop, [&](int i) { return new_index[i] < 0; });
    for (int& i : loop) i = new_index[i];
    if (loop.size() < 3)
      polytope_error("a face has fewer than three corners that are not in one line");
  }
  return kept;
}

}  // namespace

Polytope Polytope::from_faces(std::span<const Vec3> vertices,
                              std::span<const std::vector<int>> faces) {
  check_input(vertices, faces);
  const Faces given(faces.begin(), faces.end());
  const EdgeFaces given_edges = closed_surface(given);
  Vec3 lower = vertices[0], upper = vertices[0];
  for (const Vec3& x : vertices) lower = lower.cwiseMin(x), upper = upper.cwiseMax(x);
  const Real size = (upper - lower).norm();
  check_volume(vertices, given, size);
  Faces loops =
      merged_loops(given, given_edges, coplanar_groups(vertices, given, given_edges, size));

  Polytope polytope;
  polytope.vertices_ = kept_vertices(vertices, loops);
  const auto& corners = polytope.vertices_;
  if (static_cast<int>(corners.size()) > kMaxVertices)
    polytope_error(fmt::format("{} corners, at most {} are allowed", corners.size(), kMaxVertices));
  for (const auto& loop : loops) {
    if (static_cast<int>(loop.size()) > kMaxFaceVertices)
      polytope_error(fmt::format("a face has {} corners, at most {} are allowed", loop.size(),
                                 kMaxFaceVertices));
    Real longest = 0;
    const Vec3 area = area_vector(corners, loop, longest);
    polytope.face_normals_.push_back(area.normalized());
    polytope.face_loops_.push_back(
        {static_cast<int>(polytope.loop_vertices_.size()), static_cast<int>(loop.size())});
    polytope.loop_vertices_.insert(polytope.loop_vertices_.end(), loop.begin(), loop.end());
  }
  for (std::size_t f = 0; f < loops.size(); ++f) {
    const Vec3& n = polytope.face_normals_[f];
    const Vec3& origin = corners[loops[f][0]];
    Real highest = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
      const Real height = n.dot(corners[i] - origin);
      if (height > kConvex * size)
        polytope_error(
            fmt::format("not convex: corner {} lies {:.3g} m in front of the face of corners {}, "
                        "{}, {}; allowed are {:.3g} m",
                        i, height, loops[f][0], loops[f][1], loops[f][2], kConvex * size),
            "split the body into convex pieces or take its convex hull");
      highest = std::max(highest, height);
    }
    polytope.face_offsets_.push_back(n.dot(origin) + highest);
  }
  // A counter-clockwise side of f0 runs along n_f0 × n_f1, since the neighbour f1 bends away.
  const EdgeFaces sides = closed_surface(loops);
  for (const auto& [side, f0] : sides) {
    const auto [v0, v1] = side;
    if (v0 > v1) continue;
    polytope.edges_.push_back({v0, v1, f0, sides.at({v1, v0})});
    polytope.edge_directions_.push_back((corners[v1] - corners[v0]).normalized());
  }
  if (corners.size() + loops.size() != polytope.edges_.size() + 2)
    polytope_error("the surface is not that of one convex body");
  polytope.measure_corners();
  return polytope;
}

void Polytope::measure_corners() {
  bounding_radius_ = 0;
  middle_.setZero();
  for (const Vec3& x : vertices_) {
    bounding_radius_ = std::max(bounding_radius_, x.norm());
    middle_ += x / static_cast<Real>(vertices_.size());
  }
}

Polytope Polytope::moved(Real scale, const Vec3& shift) const {
  TALUS_DEMAND(scale > 0);
  Polytope result = *this;
  for (Vec3& x : result.vertices_) x = scale * x + shift;
  result.measure_corners();
  for (std::size_t f = 0; f < face_normals_.size(); ++f) {
    Real highest = -std::numeric_limits<Real>::infinity();
    for (const Vec3& x : result.vertices_) highest = std::max(highest, face_normals_[f].dot(x));
    result.face_offsets_[f] = highest;
  }
  return result;
}

}  // namespace talus::geometry
