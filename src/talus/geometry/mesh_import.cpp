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
        ".dae, "
        ".3mf and others");
  const aiScene* scene = importer.ReadFileFromMemory(
      bytes.data(), bytes.size(), aiProcess_Triangulate | aiProcess_PreTransformVertices,
      ending.c_str() + 1);
  if (scene == nullptr)
    import_error(mesh.file, fmt::format("not read: {}", importer.GetErrorString()),
                 "files that name other files are not followed: write one file, e.g. .glb");
  for (unsigned i = 0; i < scene->mNumMeshes; ++i) add(*scene->mMeshes[i], mesh);
}

#else

void import_mesh(std::string_view /*bytes*/, const std::string& /*ending*/, MeshData& mesh) {
  import_error(mesh.file, "expected a mesh file with the ending .stl or .obj",
               "other formats need libassimp-dev when Talus is built; or convert the file first");
}

#endif

}  // namespace talus::geometry
