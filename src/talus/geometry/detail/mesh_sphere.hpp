#pragma once

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry::detail {

/// Contacts of a mesh (A) and a ball at a centre [m] in the mesh's frame: the local minima of the
/// distance from its centre to the surface.
///
/// A closest point on an edge or a vertex counts only if every triangle there has it as its closest
/// point too: no angle threshold, real edges and valleys stay, joints between triangles of one
/// plane disappear. The nearest point of all always counts. A centre behind the surface, by the
/// normals of the nearest feature, gives that point alone, pushed out. A centre deeper than
/// radius + margin is not seen. No centre is behind a sheet: its side is the outer one
/// (find_sides). The points are appended.
void mesh_sphere(const TriangleMesh& mesh, Real radius, const Vec3& centre, Real margin,
                 PairContacts& contacts);

}  // namespace talus::geometry::detail
