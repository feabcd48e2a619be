#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "poses.hpp"
#include "shapes.hpp"

// Band P1: mass properties against closed forms, also for bodies far from the origin.
namespace talus::geometry::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;

/// Relative difference of two mass properties in units of mass, length and their products.
Real difference(const MassProperties& x, const MassProperties& y, Real length) {
  return std::max({std::abs(x.mass - y.mass) / y.mass, (x.centre - y.centre).norm() / length,
                   (x.inertia - y.inertia).norm() / y.inertia.norm()});
}

shapes::Mesh moved(shapes::Mesh mesh, const Pose& pose) {
  for (Vec3& x : mesh.vertices) x = pose * x;
  return mesh;
}

MassProperties rotated(const MassProperties& m, const Pose& pose) {
  const Mat3 R = pose.q.toRotationMatrix();
  return {m.mass, pose * m.centre, R * m.inertia * R.transpose()};
}

// A ball has m = 4/3 π ρ r³ and I = 2/5 m r²; a box m = 8 ρ abc and I_x = m (b² + c²)/3.
TEST(MassProperties, OfBallAndBoxAreTheClosedForms) {
  const MassProperties ball = mass_properties(Sphere{0.3}, 2500);
  EXPECT_NEAR(ball.mass, 2500 * 4.0 / 3 * kPi * 0.027, 1e-12);
  EXPECT_NEAR(ball.inertia(0, 0), 0.4 * ball.mass * 0.09, 1e-13);
  EXPECT_EQ(ball.inertia(0, 1), 0);
  const MassProperties box = mass_properties(Box{Vec3(1, 2, 3)}, 10);
  EXPECT_DOUBLE_EQ(box.mass, 480);
  EXPECT_DOUBLE_EQ(box.inertia(0, 0), 480 * 13.0 / 3);
  EXPECT_DOUBLE_EQ(box.inertia(1, 1), 480 * 10.0 / 3);
  EXPECT_DOUBLE_EQ(box.inertia(2, 2), 480 * 5.0 / 3);
}

// A capsule is a solid of revolution: m = ρ π ∫ y² dz, I_z = ρ π/2 ∫ y⁴ dz and
// I_x = ρ π ∫ (y⁴/4 + y² z²) dz over its profile y(z), exact by Gauss–Legendre (degree 9).
TEST(MassProperties, OfACapsuleAreTheIntegralsOfItsProfile) {
  const Real r = 0.7, h = 1.3, density = 3;
  const Real nodes[5] = {0, 0.5384693101056831, -0.5384693101056831, 0.9061798459386640,
                         -0.9061798459386640};
  const Real weights[5] = {0.5688888888888889, 0.4786286704993665, 0.4786286704993665,
                           0.2369268850561891, 0.2369268850561891};
  Real mass = 0, axial = 0, across = 0;
  const auto add = [&](Real low, Real high, auto profile_squared) {
    for (int k = 0; k < 5; ++k) {
      const Real z = (low + high) / 2 + nodes[k] * (high - low) / 2;
      const Real y2 = profile_squared(z), w = weights[k] * (high - low) / 2 * density * kPi;
      mass += w * y2;
      axial += w * y2 * y2 / 2;
      across += w * (y2 * y2 / 4 + y2 * z * z);
    }
  };
  add(-h - r, -h, [&](Real z) { return r * r - (z + h) * (z + h); });
  add(-h, h, [&](Real) { return r * r; });
  add(h, h + r, [&](Real z) { return r * r - (z - h) * (z - h); });
  const MassProperties m = mass_properties(Capsule{r, h}, density);
  EXPECT_NEAR(m.mass, mass, 1e-13 * mass);
  EXPECT_NEAR(m.inertia(2, 2), axial, 1e-13 * axial);
  EXPECT_NEAR(m.inertia(0, 0), across, 1e-13 * across);
  EXPECT_EQ(m.inertia(0, 0), m.inertia(1, 1));
}

// A capsule without length is a ball.
TEST(MassProperties, OfACapsuleWithoutLengthAreThoseOfABall) {
  const MassProperties a = mass_properties(Capsule{0.7, 0}, 2), b = mass_properties(Sphere{0.7}, 2);
  EXPECT_LT(difference(a, b, 0.7), 1e-15);
}

// A polytope's signed tetrahedra give a box, a regular tetrahedron (edge a = √8: V = a³/√72,
// I = m a²/20), a hexagonal prism (area 3√3/2 r², I_z = m 5/12 r²) and a square bipyramid, in any
// orientation and up to 10⁶ sizes away. There each coordinate of a corner is rounded by ε/2 of the
// distance, the corner by up to √3 of it, and what is cubic in the size by thrice as much: 3ε.
TEST(MassProperties, OfAPolytopeAreTheClosedFormsAnywhere) {
  struct Case {
    shapes::Mesh mesh;
    MassProperties expected;
  };
  const Real r = 0.8, h = 0.3, hexagon_mass = 3 * std::sqrt(3.0) / 2 * r * r * 2 * h;
  const Real across = hexagon_mass * (5 * r * r / 24 + h * h / 3);
  const Case cases[] = {
      {shapes::box_mesh(Vec3(0.5, 1, 2)), mass_properties(Box{Vec3(0.5, 1, 2)}, 1)},
      {shapes::tetrahedron_mesh(),
       {8.0 / 3, Vec3::Zero(), Mat3(8.0 / 3 * 8 / 20 * Mat3::Identity())}},
      {shapes::prism_mesh(6, r, h),
       {hexagon_mass, Vec3::Zero(),
        Mat3(Vec3(across, across, hexagon_mass * 5 / 12 * r * r).asDiagonal())}},
      {shapes::octahedron_mesh(), {4.0 / 3, Vec3::Zero(), Mat3(4.0 / 3 / 5 * Mat3::Identity())}},
  };
  Random random(3);
  for (const Case& c : cases)
    for (const Real distance : {0.0, 1.0, 1e2, 1e4, 1e6}) {
      const Pose pose{distance * poses::unit_vector(random), poses::rotation(random)};
      const MassProperties m = mass_properties(shapes::polytope(moved(c.mesh, pose)), 1);
      const Real rounding = 3 * std::numeric_limits<Real>::epsilon() * distance;
      EXPECT_LT(difference(m, rotated(c.expected, pose), 1 + distance), 1e-13 + rounding)
          << "at " << distance;
    }
}

}  // namespace
}  // namespace talus::geometry::TALUS_TEST_FILE
