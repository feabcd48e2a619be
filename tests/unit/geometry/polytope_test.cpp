#include <talus/geometry/polytope.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <talus/base/error.hpp>

#include "poses.hpp"
#include "shapes.hpp"

namespace talus::geometry::TALUS_TEST_FILE {
namespace {

/// Cuts every face into triangles from its first corner.
shapes::Mesh triangulated(const shapes::Mesh& mesh) {
  shapes::Mesh result{mesh.vertices, {}};
  for (const auto& face : mesh.faces)
    for (std::size_t k = 1; k + 1 < face.size(); ++k)
      result.faces.push_back({face[0], face[k], face[k + 1]});
  return result;
}

// Triangles in one plane are one face: a triangulated, rotated cube of any size has 6 faces, 8
// corners and 12 edges, a triangulated 64-gon prism 66 faces.
TEST(Polytope, MergesCoplanarFaces) {
  Random random(1);
  for (const Real size : {1e-3, 1.0, 1e3}) {
    shapes::Mesh cube = triangulated(shapes::box_mesh(size * Vec3(1, 0.5, 0.01)));
    const Quat q = poses::rotation(random);
    for (Vec3& x : cube.vertices) x = q * x;
    const auto p = shapes::polytope(cube);
    EXPECT_EQ(p->face_normals().size(), 6);
    EXPECT_EQ(p->vertices().size(), 8);
    EXPECT_EQ(p->edges().size(), 12);
    EXPECT_EQ(
        shapes::polytope(triangulated(shapes::prism_mesh(64, size, size)))->face_normals().size(),
        66);
  }
}

// Corners inside a flat face or in the middle of a straight edge carry no geometry and go.
TEST(Polytope, DropsCornersThatAreNone) {
  shapes::Mesh mesh = shapes::box_mesh(Vec3::Ones());
  mesh.vertices.push_back({0, 0, 1});   // 8: inside the top face
  mesh.vertices.push_back({0, -1, 1});  // 9: middle of the top front edge
  mesh.faces = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 9, 4}, {2, 6, 7, 3}, {0, 2, 3, 1},
                {4, 9, 8},    {9, 5, 8},    {5, 7, 8},       {7, 6, 8},    {6, 4, 8}};
  const auto p = shapes::polytope(mesh);
  EXPECT_EQ(p->vertices().size(), 8);
  EXPECT_EQ(p->face_normals().size(), 6);
}

// Every edge runs along the cross product of its two outward normals and belongs to both faces.
TEST(Polytope, EdgesRunAlongTheCrossProductOfTheirNormals) {
  Random random(2);
  for (int k = 0; k < 200; ++k) {
    const auto p = shapes::polytope(shapes::random_mesh(random, 1, 10));
    for (std::size_t e = 0; e < p->edges().size(); ++e) {
      const Edge& edge = p->edges()[e];
      const Vec3 cross = p->face_normals()[edge.f0].cross(p->face_normals()[edge.f1]);
      EXPECT_GT(cross.normalized().dot(p->edge_directions()[e]), 1 - 1e-9);
      for (const int f : {edge.f0, edge.f1})
        for (const int v : {edge.v0, edge.v1})
          EXPECT_NEAR(p->face_normals()[f].dot(p->vertices()[v]), p->face_offsets()[f], 1e-14);
    }
  }
}

// Every way of being no convex polytope is refused with a message that names it.
TEST(Polytope, RefusesWhatIsNoConvexPolytope) {
  const auto cube = [] { return shapes::box_mesh(Vec3::Ones()); };
  struct Case {
    const char* message;
    std::function<void(shapes::Mesh&)> spoil;
  };
  const Case cases[] = {
      {"at least 4 vertices and 4 faces", [](auto& m) { m.faces.resize(3); }},
      {"vertex 2 is not finite",
       [](auto& m) { m.vertices[2].x() = std::numeric_limits<Real>::quiet_NaN(); }},
      {"vertex 0 is not finite",
       [](auto& m) { m.vertices[0].y() = std::numeric_limits<Real>::infinity(); }},
      {"face 0 names vertex 8, expected 0 to 7", [](auto& m) { m.faces[0][0] = 8; }},
      {"face 1 names vertex -1", [](auto& m) { m.faces[1][0] = -1; }},
      {"face 5 has 2 vertices", [](auto& m) { m.faces[5].resize(2); }},
      {"the surface is not closed", [](auto& m) { m.faces.pop_back(); }},
      {"both run from vertex", [](auto& m) { std::swap(m.faces[0][1], m.faces[0][3]); }},
      {"the faces look inwards",
       [](auto& m) {
         for (auto& face : m.faces) std::reverse(face.begin(), face.end());
       }},
      {"the body is flat",
       [](auto& m) {
         m = shapes::tetrahedron_mesh();
         for (auto& x : m.vertices) x.z() *= 1e-13;
       }},
      {"not convex", [](auto& m) { m.vertices[7] = Vec3(0.2, 0.2, 0.2); }},
      {"names vertex 4 twice in a row",
       [](auto& m) { m.faces[0].insert(m.faces[0].begin() + 1, 4); }},
      {"face 6 has no area",
       [](auto& m) {
         m.vertices.push_back({0, -1, 1});  // in the middle of the edge from 4 to 5
         m.faces[5] = {4, 8, 5, 7, 6};
         m.faces.push_back({4, 5, 8});
       }},
      {"at most 64 are allowed", [](auto& m) { m = shapes::prism_mesh(65, 1, 1); }},
  };
  for (const Case& c : cases) {
    shapes::Mesh mesh = cube();
    c.spoil(mesh);
    try {
      static_cast<void>(shapes::polytope(mesh));
      ADD_FAILURE() << "accepted: " << c.message;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(c.message), std::string::npos) << error.what();
    }
  }
}

// The dimensions of a shape are checked by name before anything is computed with them.
TEST(ValidateShape, NamesWhatIsWrong) {
  constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  for (const Real bad : {0.0, -1.0, kNan, kInfinity}) {
    EXPECT_EQ(validate(Sphere{bad}), "the radius must be positive and finite");
    EXPECT_EQ(validate(Capsule{bad, 1}), "the radius must be positive and finite");
    EXPECT_EQ(validate(Box{Vec3(1, bad, 1)}), "the three sizes must be positive and finite");
  }
  for (const Real bad : {-1.0, kNan, kInfinity})
    EXPECT_EQ(validate(Capsule{1, bad}), "the length must be finite and not negative");
  EXPECT_EQ(validate(std::shared_ptr<const Polytope>()), "the polytope is missing");
  const Shape good[] = {Sphere{1}, Plane{}, Box{Vec3::Ones()}, Capsule{1, 0},
                        shapes::polytope(shapes::tetrahedron_mesh())};
  for (const Shape& shape : good) EXPECT_EQ(validate(shape), "");
}

// The axis-aligned box holds the shape and touches it on every side: its sides are the support
// values along the axes.
TEST(Bounds, AreTheSupportValuesAlongTheAxes) {
  Random random(4);
  for (int k = 0; k < 300; ++k) {
    const Pose pose{10 * poses::unit_vector(random), poses::rotation(random)};
    const Vec3 h = poses::box(random).half_size;
    const Aabb as_box = bounds(Box{h}, pose);
    const Aabb as_hull = bounds(shapes::polytope(shapes::box_mesh(h)), pose);
    EXPECT_LT((as_box.lower - as_hull.lower).norm(), 1e-14 * (10 + h.norm()));
    EXPECT_LT((as_box.upper - as_hull.upper).norm(), 1e-14 * (10 + h.norm()));
    const Capsule c = poses::capsule(random);
    const Vec3 end = pose.q * Vec3(0, 0, c.half_length);
    const Aabb capsule = bounds(c, pose);
    const Vec3 low = (pose.p + end).cwiseMin(pose.p - end) - Vec3::Constant(c.radius);
    EXPECT_LT((capsule.lower - low).norm(), 1e-14 * (10 + c.half_length));
    EXPECT_EQ(bounds(Sphere{2}, pose).upper, Vec3(pose.p + Vec3::Constant(2)));
  }
}

// A plane is unbounded, except above itself where its normal is an axis.
TEST(Bounds, OfAPlaneEndAtItsSurfaceOnly) {
  const Aabb flat = bounds(Plane{}, {Vec3(1, 2, 3), Quat::Identity()});
  EXPECT_EQ(flat.upper.z(), 3);
  EXPECT_TRUE(std::isinf(flat.upper.x()) && std::isinf(flat.lower.z()));
  const Aabb tilted =
      bounds(Plane{}, {Vec3(1, 2, 3), Quat(Eigen::AngleAxis<Real>(0.1, Vec3::UnitX()))});
  EXPECT_TRUE(std::isinf(tilted.upper.z()));
  EXPECT_TRUE(std::isinf(bounding_radius(Plane{})));
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
