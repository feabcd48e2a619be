#include <talus/geometry/mesh_file.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include <fmt/format.h>

#include <talus/base/error.hpp>

#include "meshes.hpp"
#include "support/sanitized.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

std::string obj_of(const MeshData& mesh) {
  std::string text = "# made by a test\nmtllib none.mtl\n";
  for (const Vec3& x : mesh.vertices)
    text += fmt::format("v {:.17g} {:.17g} {:.17g}\n", x.x(), x.y(), x.z());
  for (const auto& t : mesh.triangles)
    text += fmt::format("f {}//1 {} {}/2\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

std::string ascii_stl_of(const MeshData& mesh) {
  std::string text = "solid test\n";
  for (const auto& t : mesh.triangles) {
    text += "  facet normal 0 0 0\r\n outer loop\n";
    for (const int v : t) {
      const Vec3& x = mesh.vertices[v];
      text += fmt::format("   vertex {:.17g} {:.17e} {:.17g}\n", x.x(), x.y(), x.z());
    }
    text += " endloop\n  endfacet\n";
  }
  return text + "endsolid test\n";
}

std::string binary_stl_of(const MeshData& mesh) {
  std::string bytes(80, ' ');
  bytes.replace(0, 5, "solid");  // as some programs do
  const auto add = [&](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  };
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  add(&count, 4);
  for (const auto& t : mesh.triangles) {
    const float normal[3] = {0, 0, 0};
    add(normal, sizeof normal);
    for (const int v : t)
      for (int i = 0; i < 3; ++i) {
        const auto x = static_cast<float>(mesh.vertices[v][i]);
        add(&x, 4);
      }
    bytes.append(2, '\0');
  }
  return bytes;
}

/// GCC 12 leaves the rounding out at the end of a vectorised loop unless the float is stored.
Real rounded_to_float(Real x) {
  volatile float rounded = static_cast<float>(x);
  return rounded;
}

/// Corner positions of every triangle.
std::vector<Vec3> corners_of(const MeshData& mesh) {
  std::vector<Vec3> corners;
  for (const auto& t : mesh.triangles)
    for (const int v : t) corners.push_back(mesh.vertices[v]);
  return corners;
}

Real volume(const MeshData& mesh) {
  Real sum = 0;
  for (const auto& [a, b, c] : mesh.triangles)
    sum += mesh.vertices[a].dot(mesh.vertices[b].cross(mesh.vertices[c])) / 6;
  return sum;
}

std::string refusal(const std::string& bytes, const std::string& file) {
  try {
    (void)parse_mesh(bytes, file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A written mesh comes back bit for bit, its vertices welded: from OBJ and ASCII STL as doubles,
// from binary STL as the floats it holds.
TEST(MeshFile, ComesBackBitForBit) {
  const MeshData mesh = meshes::icosphere(2);
  for (const auto& [bytes, file] :
       {std::pair(obj_of(mesh), "a.obj"), std::pair(ascii_stl_of(mesh), "a.STL")}) {
    const MeshData read = parse_mesh(bytes, file);
    EXPECT_EQ(read.vertices.size(), mesh.vertices.size()) << file;
    EXPECT_EQ(corners_of(read), corners_of(mesh)) << file;
    EXPECT_EQ(read.lines.size(), mesh.triangles.size());
  }
  MeshData floats = mesh;
  for (Vec3& x : floats.vertices)
    for (Real& coordinate : x) coordinate = rounded_to_float(coordinate);
  const MeshData read = parse_mesh(binary_stl_of(mesh), "a.stl");
  EXPECT_EQ(read.vertices.size(), mesh.vertices.size());
  EXPECT_EQ(corners_of(read), corners_of(floats));
  EXPECT_TRUE(read.lines.empty());
}

// Polygons become fans, negative numbers count from the end, lengths are scaled, and −0 and 0 are
// one vertex.
TEST(MeshFile, ReadsPolygonsAndRelativeNumbers) {
  const MeshData mesh =
      parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 -0\nv 0 1 0\nv -0 0 0\nf 5 2 3 -2\n", "b.obj", 0.001);
  ASSERT_EQ(mesh.triangles.size(), 2U);
  EXPECT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.triangles[1], (std::array{0, 2, 3}));
  EXPECT_EQ(mesh.vertices[2], Vec3(0.001, 0.001, 0));
  EXPECT_EQ(mesh.lines, (std::vector{6, 6}));
}

// Whatever is not as the format says is refused with file and line.
TEST(MeshFile, NamesTheLineOfAMistake) {
  const std::string start = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n";
  EXPECT_NE(refusal(start + "vertex 1 zero 0\n", "c.stl").find("c.stl:5"), std::string::npos);
  EXPECT_NE(refusal(start + "vertex 1 nan 0\n", "c.stl").find("a finite number"),
            std::string::npos);
  EXPECT_NE(refusal(start + "vertex 1 0\n", "c.stl").find("the end of the line"),
            std::string::npos);
  EXPECT_NE(refusal(start + "endloop\nendfacet\n", "c.stl").find("c.stl:6"), std::string::npos);
  EXPECT_NE(refusal(start, "c.stl").find("ends inside a facet"), std::string::npos);
  EXPECT_NE(refusal("not a mesh", "c.stl").find("neither ASCII STL"), std::string::npos);
  std::string cut = binary_stl_of(meshes::box(Vec3::Ones()));
  cut.pop_back();
  cut.replace(0, 5, "bytes");
  EXPECT_NE(refusal(cut, "c.stl").find("should have 684 bytes, it has 683"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nf 1 2 3\n", "d.obj").find("d.obj:2"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nf 1 1\n", "d.obj").find("at least 3 corners"), std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\nf a b c\n", "d.obj").find("the number of a vertex"),
            std::string::npos);
  EXPECT_NE(refusal("v 0 0 0\n", "d.obj").find("no triangles"), std::string::npos);
  EXPECT_NE(refusal("mesh", "e.mesh!").find(".stl"), std::string::npos);
}

// Formats without a reader of our own come through a library, or are refused by name where it is
// not built in: here a tetrahedron in PLY and, with a polygon, a cube in OFF.
TEST(MeshFile, OtherFormats) {
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
  const std::string off =
      "OFF\n8 6 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n4 0 3 2 1\n4 4 5 6 7\n"
      "4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
  if (const std::string message = refusal(ply, "t.ply"); !message.empty()) {
    ASSERT_NE(message.find("libassimp-dev"), std::string::npos) << message;
    GTEST_SKIP() << "built without assimp";
  }
  const MeshData tetrahedron = parse_mesh(ply, "t.ply", 2);
  EXPECT_EQ(tetrahedron.vertices.size(), 4u);
  EXPECT_EQ(tetrahedron.triangles.size(), 4u);
  EXPECT_NEAR(volume(tetrahedron), 8 * 1.0, 1e-12);
  const MeshData cube = parse_mesh(off, "c.off");
  EXPECT_EQ(cube.vertices.size(), 8u);
  EXPECT_EQ(cube.triangles.size(), 12u);
  EXPECT_NEAR(volume(cube), 1, 1e-12);
  EXPECT_NE(refusal("ply\nformat nonsense", "t.ply").find("t.ply"), std::string::npos);
}

// What the library says of a broken file is told in words about that file: its own name, no name
// of the library's, and a hint about other files only where there are some.
TEST(MeshFile, BrokenFilesOfOtherFormats) {
  if (refusal("", "t.ply").find("libassimp-dev") != std::string::npos)
    GTEST_SKIP() << "built without assimp";
  const std::vector<std::array<std::string, 3>> broken = {
      {"", "t.ply", "t.ply: the file is empty"},
      {"junk", "t.glb",
       "t.glb: the contents are not those of a .glb file\nhint: it is damaged, or its name has a "
       "wrong ending"},
      {"xx", "t.3mf", "t.3mf: the contents are not those of a .3mf file"},
      {"<COLLADA", "t.dae", "hint: it is probably damaged; .stl and .obj are the simplest formats"},
      {R"({"asset":{"version":"2.0"},"buffers":[{"uri":"x.bin","byteLength":36}],
"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
"bufferViews":[{"buffer":0,"byteLength":36}],"nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}],"scene":0})",
       "t.gltf", "hint: files that name other files are not followed"},
      {"v 0 0 0", "t.xyz", "meshes with the ending \".xyz\" are not known"}};
  for (const auto& [bytes, file, message] : broken) {
    const std::string said = refusal(bytes, file);
    EXPECT_NE(said.find(message), std::string::npos) << said;
    EXPECT_EQ(said.find("$$$"), std::string::npos) << said;
  }
}

// A count that no memory holds is an error about the file.
TEST(MeshFile, MoreThanFitsIntoMemory) {
  if (TALUS_IS_SANITIZED) GTEST_SKIP() << "operator new of sanitizers does not throw";
  const std::string said = refusal("OFF\n4000000000 1 0\n", "t.off");
  if (said.find("libassimp-dev") != std::string::npos) GTEST_SKIP() << "built without assimp";
  EXPECT_NE(said.find("t.off: the file announces more than fits into memory\nhint: it is "
                      "probably damaged"),
            std::string::npos)
      << said;
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
