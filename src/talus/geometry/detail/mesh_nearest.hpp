#pragma once

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/detail/mesh_features.hpp>

namespace talus::geometry::detail {

// What of a triangle is nearest: its face, edge k (from corner k to k + 1) or corner k.
inline constexpr int kFace = 0, kEdge = 1, kCorner = 4;

/// The point of a triangle nearest to p and what it lies on (Ericson 2005, key `ericson_2005`,
/// §5.1.5).
[[nodiscard]] PairContacts::Near nearest_point(const TriangleMesh& mesh, int t, const Vec3& p);

/// The piece of plane, edge or vertex of the mesh that a nearest point lies on.
[[nodiscard]] MeshFeature mesh_feature(const TriangleMesh& mesh, const PairContacts::Near& near);

/// A vector to the outer side at a nearest point (Bærentzen & Aanæs 2005, key `baerentzen_2005`).
[[nodiscard]] Vec3 outward_at(const TriangleMesh& mesh, const PairContacts::Near& near);

/// Whether a nearest point lies on an edge or a corner of the rim.
[[nodiscard]] bool is_at_rim(const TriangleMesh& mesh, const PairContacts::Near& near);

/// Finds on which side of the triangles at hand a point lies: of each piece of the surface that
/// hangs together in them, on that of the nearest of its points. What hangs together only elsewhere
/// is two pieces here: a point may be before the one and behind the other. Where the nearest point
/// is on a rim, as that of a pencil which leans out of a cup, each triangle's plane says its side.
/// @param contacts near of the triangles; out: rising, with is_behind and, one of each piece,
/// is_nearest. Cost O(n (log n + pieces)).
void find_sides(const TriangleMesh& mesh, const Vec3& point, PairContacts& contacts);

}  // namespace talus::geometry::detail
