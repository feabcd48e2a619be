#pragma once

#include <array>
#include <string>
#include <vector>

#include <talus/record/reader.hpp>
#include <talus/record/shape_code.hpp>

namespace talus::record {

/// A surface of triangles, counter-clockwise seen from outside.
struct Surface {
  std::vector<Vec3> vertices, normals;  ///< [m]; unit, one per vertex
  std::vector<std::array<int, 3>> triangles;
};

/// What a body of a record looks like: one shape, or the parts of a compound, in its frame. Shapes
/// of one look share a surface: sphere, box, cylinder, pipe and plane are scaled.
struct Look {
  std::size_t surface = 0;    ///< index in Looks::surfaces
  Vec3 scale = Vec3::Ones();  ///< of the surface along its axes
  Pose X_BS;
};

/// The looks of all bodies. Of those whose matter has no end: a pipe is the wall around its cavity,
/// seen from inside; a plane is a square below where the bodies are at the start.
struct Looks {
  std::vector<Surface> surfaces;
  std::vector<std::vector<Look>> of_body;
};

/// @param segments around a circle. Cost: one surface per kind of shape; capsules, polytopes and
/// meshes one each.
[[nodiscard]] Looks read_looks(const RecordReader& record, int segments = 24);

}  // namespace talus::record
