#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::geometry {

/// Triangles as a file lists them, corners counter-clockwise seen from outside.
struct MeshData {
  std::string file;                           ///< where they come from, for messages; may be empty
  std::vector<Vec3> vertices;                 ///< [m], no two equal, in order of first use
  std::vector<std::array<int, 3>> triangles;  ///< indices of vertices
  std::vector<int> lines;  ///< of each triangle, from 1; empty where the format has no lines
};

/// Reads the bytes of an STL file (ASCII or binary) or of an OBJ file, told apart by the ending of
/// the name; those of other formats by import_mesh.
///
/// Exact: numbers are read to the nearest double (binary STL holds floats, which are doubles), and
/// vertices are welded where their coordinates are equal bit for bit (−0 is 0). Normals in the file
/// are not used; polygons of OBJ are cut into fans; its other statements are skipped.
/// Errors: InputError with file:line for anything that is not as the format says, numbers that are
/// not finite, and files without a triangle. Cost O(bytes).
/// @param scale lengths in the file are multiplied by this.
[[nodiscard]] MeshData parse_mesh(std::string_view bytes, const std::string& file, Real scale = 1);

/// Equal vertices (bit for bit) made one and unused ones left out.
void weld(MeshData& mesh);

}  // namespace talus::geometry
