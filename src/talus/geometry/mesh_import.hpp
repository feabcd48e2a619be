#pragma once

#include <string>
#include <string_view>

#include <talus/geometry/mesh_file.hpp>

namespace talus::geometry {

/// Reads the bytes of a mesh file of another format than STL and OBJ (PLY, OFF, glTF binary,
/// COLLADA, 3MF, …) through the Open Asset Import Library, all its meshes in one, moved by their
/// nodes.
///
/// Coordinates come as floats; polygons as triangles; points and lines of the file are an error,
/// since they would be dropped. Files that name other files are not followed. Errors: InputError
/// naming the file where the format is unknown, or the library is not built in, or finds a mistake,
/// or there is no triangle.
/// @param ending of the name, lower case, with its dot. @param mesh out: vertices not welded, not
/// scaled.
void import_mesh(std::string_view bytes, const std::string& ending, MeshData& mesh);

}  // namespace talus::geometry
