#pragma once

#include <talus/geometry/contacts_of_pair.hpp>
#include <talus/geometry/triangle_mesh.hpp>

namespace talus::geometry::detail {

/// Contacts of a mesh (A) and a box, polytope, capsule or cylinder (B), triangle by triangle,
/// without the false contacts at the joints of triangles.
///
/// Every triangle in reach is made thick backwards and separated from B. Apart, the normal counts
/// where it lies in the normal cone of the triangle's face, edge or vertex that B touches: no
/// vertex of the triangles there lies beyond the support plane. Where it does not, a triangle whose
/// own plane continues there takes its face normal; else the contact is its neighbour's. In overlap
/// the sides of the thick triangle are no surface: B leaves by the largest support gap over the
/// normals in those cones, which at a convex ridge or tip are the ones that the solid has there.
/// Face contacts clip B's supporting face; what is cut at a joint within one plane is left out, so
/// that the patch is that of the whole plane. A point of B in two planes that meet in a ridge
/// counts for the one it is less deep in. Overlaps are of triangles that B cuts, since the solid
/// behind one may come out of the surface beyond a ridge; one that none of the contacts parts from
/// B adds its own way out, so that no overlap goes unseen.
///
/// A contact counts for bodies whose middle (middle_of) lies in front of its plane, so the
/// penetration may go as far as that. Of a sheet the triangles are taken from the side where the
/// middle is (find_sides), they are not made thick, and on a rim all normals count that the
/// triangle there has. The points are appended.
void mesh_convex(const TriangleMesh& mesh, const Shape& b, const Pose& b_in_mesh, Real margin,
                 PairContacts& contacts);

}  // namespace talus::geometry::detail
