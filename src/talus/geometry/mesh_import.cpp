#include <talus/geometry/mesh_import.hpp>

#include <fmt/format.h>

#include <talus/base/error.hpp>

#ifdef TALUS_HAS_ASSIMP
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <assimp/Importer.hpp>
#endif

namespace talus::geometry {
namespace {

[[noreturn]] void import_error(const std::string& file, std::string message, std::string hint) {
  throw InputError(Diagnostic{{file, 0, 0}, "", std::move(message), "", std::move(hint)});
}

#ifdef TALUS_HAS_ASSIMP
/// What the library says of a file, in words that fit it: it has read from memory, under a name of
/// its own.
[[noreturn]] void refuse(const std::string& file, const std::string& ending,
                         const std::string& error) {
  const auto says = [&](const char* words) { return error.find(words) != std::string::npos; };
  if (says("bad_alloc"))
    import_error(file, "the file announces more than fits into memory", "it is probably damaged");
  if (says("No suitable reader") || says("Failed to open file $$$"))
    import_error(file, fmt::format("the contents are not those of a {} file", ending),
                 "it is damaged, or its name has a wrong ending");
  import_error(file, "not read: " + error,
               says("referenced file")
                   ? "files that name other files are not followed: write one file, e.g. .glb"
                   : "it is probably damaged; .stl and .obj are the simplest formats");
}

void add(const aiMesh& part, MeshData& mesh) {
  const auto first = static_cast<int>(mesh.vertices.size());
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    const aiVector3D& x = part.mVertices[i];
    mesh.vertices.emplace_back(x.x, x.y, x.z);
  }
  for (unsigned i = 0; i < part.mNumFaces; ++i) {
    const aiFace& face = part.mFaces[i];
    if (face.mNumIndices != 3)
      import_error(mesh.file, "the file has points or lines beside its triangles",
                   "leave them out when the file is written");
    std::array<int, 3> corners{};
    for (unsigned k = 0; k < 3; ++k) corners[k] = first + static_cast<int>(face.mIndices[k]);
    mesh.triangles.push_back(corners);
  }
}
#endif

}  // namespace

#ifdef TALUS_HAS_ASSIMP

void import_mesh(std::string_view bytes, const std::string& ending, MeshData& mesh) {
  Assimp::Importer importer;
  if (ending.empty() || !importer.IsExtensionSupported(ending))
    import_error(
        mesh.file, fmt::format("meshes with the ending \"{}\" are not known", ending),
        "allowed: .stl, .obj, and what the Open Asset Import Library reads: .ply, .off, .glb, "
        ".dae, .3mf and others");
  if (bytes.empty()) import_error(mesh.file, "the file is empty", "");
  const aiScene* scene = importer.ReadFileFromMemory(
      bytes.data(), bytes.size(), aiProcess_Triangulate | aiProcess_PreTransformVertices,
      ending.c_str() + 1);
  if (scene == nullptr) refuse(mesh.file, ending, importer.GetErrorString());
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) add(*scene->mMeshes[i], mesh);
}

#else

void import_mesh(std::string_view /*bytes*/, const std::string& /*ending*/, MeshData& mesh) {
  import_error(mesh.file, "expected a mesh file with the ending .stl or .obj",
               "other formats need libassimp-dev when Talus is built; or convert the file first");
}

#endif

}  // namespace talus::geometry
