#pragma once

#include <filesystem>

#include <talus/record/reader.hpp>

namespace talus::record {

/// Writes a record for ParaView: a folder NAME with files per frame, and NAME.pvd, which lists them
/// with their times. Metres, the record's frame, doubles. Three blocks per frame:
///
/// - bodies: a point per body that is there, at its centre of mass; body, kind, material, mass,
///   radius (of a sphere, otherwise of a ball around the shape; 0 of planes and pipes, whose matter
///   has no end), velocity, angular_velocity, and orientation (w, x, y, z). Spheres are drawn as
///   glyphs scaled by radius.
/// - surfaces: triangles of all bodies but spheres, as in record/surface; body, kind, material and
///   velocity per triangle. Only where there are any.
/// - contacts: a point per contact of the step that ended there; body_a, body_b, normal, gap,
///   impulse on B, and force, the impulse over the step.
///
/// @param target the .pvd file. @param every of so many frames one is taken, and the last.
/// @return files written.
/// @throws InputError if the record has no frames or a file cannot be written.
int write_vtk(const RecordReader& record, const std::filesystem::path& target, Index every);

}  // namespace talus::record
