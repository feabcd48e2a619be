#include <talus/geometry/check_mesh.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/geometry/convex_hull.hpp>

#include "meshes.hpp"
#include "poses.hpp"
#include "shapes.hpp"

// Bands P1 to P3: mass properties and the checks of meshes.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

using Kind = MeshDefect::Kind;

MeshData box_from_file() {
  MeshData mesh = meshes::box({1, 2, 3});
  mesh.file = "box.obj";
  for (int t = 0; t < 12; ++t) mesh.lines.push_back(100 + t);
  return mesh;
}

void append(MeshData& mesh, const MeshData& more, Real scale, bool turned) {
  const int first = static_cast<int>(mesh.vertices.size());
  for (const Vec3& x : more.vertices) mesh.vertices.push_back(scale * x);
  for (auto t : more.triangles) {
    for (int& v : t) v += first;
    if (turned) std::swap(t[1], t[2]);
    mesh.triangles.push_back(t);
    if (!mesh.lines.empty()) mesh.lines.push_back(200 + static_cast<int>(mesh.triangles.size()));
  }
}

// A box and a finely cut sphere are solids: closed, one part, their volume positive.
TEST(CheckMesh, FindsNothingWrongWithASolid) {
  for (const MeshData& mesh : {meshes::box({1, 2, 3}), meshes::icosphere(3)}) {
    const MeshReport report = check_mesh(mesh);
    EXPECT_TRUE(report.is_solid());
    EXPECT_TRUE(report.defects.empty());
    EXPECT_EQ(report.component_count, 1);
    EXPECT_GT(report.volume, 0);
  }
}

// Every one of eight broken meshes is named for what it is and for nothing else, with the line of
// the file.
TEST(CheckMesh, NamesEveryDefect) {
  const auto expect = [](const char* name, const MeshData& mesh, std::array<int, 7> counts) {
    const MeshReport r = check_mesh(mesh);
    const std::array<int, 7> found = {
        r.boundary_edge_count, r.nonmanifold_edge_count, r.flipped_edge_count, r.degenerate_count,
        r.duplicate_count,     r.inside_out_count,       r.nested_count};
    EXPECT_EQ(found, counts) << name;
    EXPECT_FALSE(r.is_solid()) << name;
    for (const MeshDefect& defect : r.defects)
      EXPECT_NE(defect.text.find("box.obj:"), std::string::npos) << defect.text;
    try {
      (void)TriangleMesh::build(mesh, TriangleMesh::Kind::solid);
      ADD_FAILURE() << name << " was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("box.obj:"), std::string::npos) << error.what();
    }
  };
  MeshData missing = box_from_file();
  missing.triangles.pop_back();
  missing.lines.pop_back();
  expect("missing triangle", missing, {3, 0, 0, 0, 0, 0, 0});

  MeshData flipped = box_from_file();
  std::swap(flipped.triangles[4][0], flipped.triangles[4][1]);
  expect("flipped triangle", flipped, {0, 0, 3, 0, 0, 0, 0});

  MeshData twice = box_from_file();
  twice.triangles.push_back({twice.triangles[3][1], twice.triangles[3][2], twice.triangles[3][0]});
  twice.lines.push_back(300);
  expect("duplicate triangle", twice, {0, 0, 0, 0, 1, 0, 0});

  MeshData inside_out = box_from_file();
  for (auto& t : inside_out.triangles) std::swap(t[0], t[1]);
  expect("inside out", inside_out, {0, 0, 0, 0, 0, 1, 0});

  MeshData nested = box_from_file();
  append(nested, meshes::box({1, 2, 3}), 0.5, false);
  expect("nested shell of the same orientation", nested, {0, 0, 0, 0, 0, 0, 1});

  MeshData soup = box_from_file();
  soup.vertices.clear();
  for (auto& t : soup.triangles)
    for (int& v : t) {
      soup.vertices.push_back(meshes::box({1, 2, 3}).vertices[v]);
      v = static_cast<int>(soup.vertices.size()) - 1;
    }
  expect("soup", soup, {36, 0, 0, 0, 0, 0, 0});
  weld(soup);
  EXPECT_TRUE(check_mesh(soup).is_solid());

  MeshData sliver = box_from_file();
  sliver.triangles.push_back({0, 4, 0});
  sliver.lines.push_back(300);
  expect("triangle without area", sliver, {0, 0, 0, 1, 0, 0, 0});

  MeshData fin = box_from_file();
  fin.vertices.emplace_back(9, 9, 9);
  fin.triangles.push_back({0, 4, 8});
  fin.lines.push_back(300);
  expect("fin on an edge", fin, {2, 1, 0, 0, 0, 0, 0});
}

// A cavity, a shell inside that looks inwards, is no defect: its volume counts negative, and a
// solid in the cavity is one more part.
TEST(CheckMesh, AcceptsCavities) {
  MeshData hollow = meshes::box({1, 2, 3});
  append(hollow, meshes::box({1, 2, 3}), 0.5, true);
  append(hollow, meshes::box({1, 2, 3}), 0.25, false);
  const MeshReport report = check_mesh(hollow);
  EXPECT_TRUE(report.is_solid());
  EXPECT_EQ(report.component_count, 3);
  EXPECT_NEAR(report.volume, 48 * (1 - 1 / 8.0 + 1 / 64.0), 1e-12);
}

// Moments of a box, a tetrahedron and a prism as hulls and as meshes have their closed forms to
// 1e-13, and lose no more than the digits of the distance when moved by up to 1e6 sizes.
TEST(MeshMass, HasTheClosedForms) {
  Random random(7);
  const Vec3 h(1, 2, 3);
  const Vec3 box_moments = 48 / 3.0 * Vec3(13, 10, 5);
  for (const Real distance : {0.0, 1.0, 1e3, 1e6}) {
    const Vec3 shift = distance * poses::unit_vector(random);
    const Real band = 1e-13 + 4e-16 * distance;
    MeshData mesh = meshes::box(h);
    for (Vec3& x : mesh.vertices) x += shift;
    const Shape shapes_of_it[] = {
        std::make_shared<const TriangleMesh>(TriangleMesh::build(mesh, TriangleMesh::Kind::solid)),
        std::make_shared<const Polytope>(convex_hull(mesh.vertices))};
    for (const Shape& shape : shapes_of_it) {
      const MassProperties m = mass_properties(shape, 1);
      EXPECT_NEAR(m.mass / 48, 1, band);
      EXPECT_LE((m.centre - shift).norm(), band * 4);
      EXPECT_LE((m.inertia - Mat3(box_moments.asDiagonal())).norm() / box_moments.norm(), band);
    }
    // A regular tetrahedron in the cube of half edge 1: volume 8/3, every moment (2/5) m.
    auto corners = shapes::tetrahedron_mesh().vertices;
    for (Vec3& x : corners) x += shift;
    const MassProperties m =
        mass_properties(std::make_shared<const Polytope>(convex_hull(corners)), 1);
    EXPECT_NEAR(m.mass / (8 / 3.0), 1, band);
    EXPECT_LE((m.inertia / m.mass - 0.4 * Mat3::Identity()).norm(), band * 4);
  }
}

// The volume of a sphere cut into triangles is short by an amount that falls fourfold with every
// refinement.
TEST(MeshMass, OfASphereConvergesWithOrderTwo) {
  const Real exact = 4 * std::numbers::pi / 3;
  Real last = 0;
  for (int levels = 1; levels <= 5; ++levels) {
    const MeshData mesh = meshes::icosphere(levels);
    const Real error = exact - mass_properties(mesh.vertices, mesh.triangles, 1).mass;
    if (levels > 2) {
      EXPECT_NEAR(last / error, 4, 0.1);
    }
    last = error;
  }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
