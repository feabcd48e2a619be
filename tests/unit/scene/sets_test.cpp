#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include <talus/base/hash.hpp>
#include <talus/geometry/shape.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

Real radius_of(const Scene& scene, Index body) {
  return std::get<geometry::Sphere>(scene.model.bodies[body].shape).radius;
}

// A CSV file gives one ball per row; columns in any order, comments and blanks allowed.
TEST(Spheres, ReadsACsvFile) {
  const SceneFolder folder;
  folder.write(
      "bed.csv",
      "# a comment\nr, x,y,z,id,wz\r\n0.5,1,2,3,7,4\r\n\n# another\n+0.25, -1e1 ,0,0,x,0\n");
  const Scene scene = folder.load(R"(
materials: {glass: {density: 2500}}
bodies:
  - {name: one, fixed: true, shape: {sphere: 1}, position: [50, 0, 0]}
  - {name: grains, spheres: bed.csv, material: glass}
)");
  ASSERT_EQ(scene.model.body_count(), 3);
  EXPECT_EQ(scene.model.body_name(2), "grains[1]");
  EXPECT_EQ(scene.model.find_body("grains[0]"), 1);
  EXPECT_EQ(scene.initial.position[1], Vec3(1, 2, 3));
  EXPECT_EQ(scene.initial.angular_velocity[1], Vec3(0, 0, 4));
  EXPECT_EQ(scene.initial.position[2], Vec3(-10, 0, 0));
  EXPECT_EQ(radius_of(scene, 2), 0.25);
  const Real mass = 2500 * 4.0 / 3 * std::numbers::pi / 64;
  EXPECT_NEAR(scene.model.bodies[2].mass, mass, 1e-12 * mass);
  EXPECT_NEAR(scene.model.bodies[2].inertia(1, 1), 0.4 * mass / 16, 1e-12 * mass);
  ASSERT_EQ(scene.sources.size(), 2U);
  EXPECT_EQ(scene.sources[1].path, folder.path() / "bed.csv");
  EXPECT_EQ(scene.sources[1].text.substr(0, 11), "# a comment");
}

// Mistakes in a CSV file are reported with their line and column, several at once.
TEST(Spheres, ReportsMistakesOfTheCsvFile) {
  const SceneFolder folder;
  const auto mistakes = [&](const char* csv) {
    folder.write("bed.csv", csv);
    return folder.mistakes("bodies: [{name: grains, spheres: bed.csv, density: 1}]");
  };
  EXPECT_TRUE(contains(mistakes("x,y,z,r,q\n"), "bed.csv:1:9: unknown column \"q\""));
  EXPECT_TRUE(contains(mistakes("x,y,x,r\n"), "bed.csv:1:5: the column \"x\" is there twice"));
  EXPECT_TRUE(contains(mistakes("x,y,z\n"), "bed.csv:1:1: the column \"r\" is missing"));
  EXPECT_TRUE(contains(mistakes("# x\n"), "bed.csv: the file has no line that names the columns"));
  EXPECT_TRUE(contains(mistakes(""), "bed.csv: the file has no line that names the columns"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n"), "bed.csv: the file has no rows"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n1,2,3,4,5\n"), "bed.csv:2:1: expected 4 columns"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n1,2,,4\n"), "bed.csv:2:5: expected a finite number"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n1,2,3 m,4\n"), "bed.csv:2:5: expected a finite number"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n1,2,1e999,4\n"), "bed.csv:2:5: expected a finite"));
  EXPECT_TRUE(contains(mistakes("x,y,z,r\n1,2,+-3,4\n"), "bed.csv:2:5: expected a finite number"));
  const std::string huge = mistakes("x,y,z,r,vx\n1,2,1e300,4,0\n1,2,3,4,-1e200\n1,2,3,1e200,0\n");
  EXPECT_TRUE(contains(huge, "bed.csv:2:5: expected a finite number in column z, got \"1e300\""));
  EXPECT_TRUE(contains(huge, "hint: the largest length is 1e+12 m"));
  EXPECT_TRUE(contains(huge, "bed.csv:3:9: expected a finite number in column vx"));
  EXPECT_TRUE(contains(huge, "bed.csv:4:7: expected a positive length [m] in column r"));
  const std::string two = mistakes("x,y,z,r\n1,2,3,0\n\n1,inf,3,1\n");
  EXPECT_TRUE(contains(two, "bed.csv:2:7: expected a positive length [m] in column r, got \"0\""));
  EXPECT_TRUE(contains(two, "bed.csv:4:3: expected a finite number in column y, got \"inf\""));
}

// A million rows are read in a few seconds, here in an unoptimised build too.
TEST(Spheres, ReadsAMillionRows) {
  const SceneFolder folder;
  std::string csv = "id,x,y,z,r,vx,vy,vz,wx,wy,wz\n";
  constexpr int kRows = 1'000'000;
  for (int i = 0; i < kRows; ++i)
    csv += fmt::format("{},{},{},{},0.0101,0.1,0.2,-0.3,0.4,0.5,0.6\n", i, 0.02 * (i % 100),
                       0.02 * (i / 100 % 100), 0.02 * (i / 10000));
  folder.write("bed.csv", csv);
  const auto start = std::chrono::steady_clock::now();
  const Scene scene = folder.load("bodies: [{name: grains, spheres: bed.csv, density: 2500}]");
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(scene.model.body_count(), kRows);
  RecordProperty("seconds", std::to_string(seconds.count()));
  EXPECT_LT(seconds.count(), 60);
}

// Lattice members stand in rows, x counted first.
TEST(Lattice, PlacesMembers) {
  const Scene scene = SceneFolder().load(R"(
bodies:
  - name: pile
    lattice: {shape: {box: 1 cm}, count: [2, 3, 4], spacing: [1, 2, 3], origin: [10, 20, 30]}
    mass: 2
    velocity: [0, 0, -1]
)");
  ASSERT_EQ(scene.model.body_count(), 24);
  EXPECT_EQ(scene.initial.position[0], Vec3(10, 20, 30));
  EXPECT_EQ(scene.initial.position[1], Vec3(11, 20, 30));
  EXPECT_EQ(scene.initial.position[2], Vec3(10, 22, 30));
  EXPECT_EQ(scene.initial.position[23], Vec3(11, 24, 39));
  EXPECT_EQ(scene.initial.velocity[23], Vec3(0, 0, -1));
  EXPECT_EQ(scene.model.bodies[23].mass, 2);
}

// Spread, jitter and random orientations stay within their bounds and depend on the seed alone; one
// option does not change what another draws.
TEST(Lattice, DrawsSeededVariations) {
  const SceneFolder folder;
  const auto load = [&](const std::string& options) {
    return folder.load(
        "bodies: [{name: pile, density: 1000, lattice: {shape: {sphere: 1 cm}, "
        "count: 5, spacing: 3 cm" +
        options + "}}]");
  };
  const Scene plain = load("");
  const Scene varied = load(", size_spread: 10 %, jitter: 1 mm, random_orientation: true, seed: 3");
  const Scene only_spread = load(", size_spread: 10 %, seed: 3");
  const Scene other_seed = load(", size_spread: 10 %, seed: 4");
  Real smallest = 1;
  Real largest = 0;
  for (Index i = 0; i < plain.model.body_count(); ++i) {
    const Real scale = radius_of(varied, i) / radius_of(plain, i);
    smallest = std::min(smallest, scale);
    largest = std::max(largest, scale);
    EXPECT_LE((varied.initial.position[i] - plain.initial.position[i]).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_NEAR(varied.initial.orientation[i].norm(), 1, 1e-15);
    EXPECT_EQ(radius_of(varied, i), radius_of(only_spread, i));
    EXPECT_NEAR(varied.model.bodies[i].mass / plain.model.bodies[i].mass, std::pow(scale, 3),
                1e-12);
  }
  EXPECT_GE(smallest, 0.9);
  EXPECT_LT(smallest, 0.93);
  EXPECT_LE(largest, 1.1);
  EXPECT_GT(largest, 1.07);
  EXPECT_NE(radius_of(only_spread, 0), radius_of(other_seed, 0));
  const Scene again = load(", size_spread: 10 %, jitter: 1 mm, random_orientation: true, seed: 3");
  EXPECT_EQ(varied.initial.hash(), again.initial.hash());
}

// Random members lie whole within the region, keep the gap to each other, and depend on the seed
// alone.
TEST(RandomSet, KeepsTheGap) {
  const SceneFolder folder;
  const auto load = [&](const std::string& options) {
    return folder.load(
        "bodies: [{name: cloud, density: 1000, random: {shape: {box: [2 cm, 1 cm, 1 cm]}, count: "
        "300, region: {min: [0, 0, 0], max: [30 cm, 20 cm, 40 cm]}, gap: 2 mm, size_spread: 30 %, "
        "random_orientation: true" +
        options + "}}]");
  };
  const Scene scene = load("");
  ASSERT_EQ(scene.model.body_count(), 300);
  for (Index i = 0; i < 300; ++i) {
    const Real radius = geometry::bounding_radius(scene.model.bodies[i].shape);
    const Vec3& p = scene.initial.position[i];
    EXPECT_GE((p.array() - radius).minCoeff(), -1e-15);
    EXPECT_LE((p.array() + radius - Vec3(0.3, 0.2, 0.4).array()).maxCoeff(), 1e-15);
    for (Index j = 0; j < i; ++j)
      EXPECT_GE((p - scene.initial.position[j]).norm(),
                radius + geometry::bounding_radius(scene.model.bodies[j].shape) + 2e-3 - 1e-15);
  }
  EXPECT_EQ(scene.initial.hash(), load(", seed: 1").initial.hash());
  EXPECT_NE(scene.initial.hash(), load(", seed: 2").initial.hash());
}

// Random rotations are spread evenly: the mean of the turned axes vanishes like 1/√N.
TEST(RandomSet, TurnsEvenly) {
  const Scene scene = SceneFolder().load(
      "bodies: [{name: pile, mass: 1, lattice: {shape: {box: 1 cm}, count: [20, 20, 25], spacing: "
      "3 cm, random_orientation: true}}]");
  Mat3 mean = Mat3::Zero();
  Mat3 mean_square = Mat3::Zero();
  for (const Quat& q : scene.initial.orientation) {
    const Mat3 rotation = q.toRotationMatrix();
    mean += rotation / 1e4;
    mean_square += rotation.cwiseAbs2() / 1e4;
  }
  // every entry of a uniform rotation has variance 1/3: five standard deviations of the mean
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), 5 * std::sqrt(1.0 / 3 / 1e4));
  EXPECT_LT((mean_square.array() - 1.0 / 3).abs().maxCoeff(), 5 * 0.3 / 100);
}

// Too many bodies for the region: the message says how many found a place.
TEST(RandomSet, SaysHowManyFit) {
  const std::string mistakes = SceneFolder().mistakes(
      "bodies: [{name: cloud, mass: 1, random: {shape: {sphere: 1}, count: 1e6, region: {min: 0, "
      "max: 1}}}]");
  EXPECT_TRUE(contains(mistakes, "expected 3 lengths [m]"));
  EXPECT_TRUE(contains(
      SceneFolder().mistakes("bodies: [{name: cloud, mass: 1, random: {shape: {sphere: 1}, count: "
                             "5, region: {min: [0, 0, 0], max: [2.1, 2.1, 2.1]}}}]"),
      "only 1 of 5 bodies fit into the region"));
  EXPECT_TRUE(contains(
      SceneFolder().mistakes("bodies: [{name: cloud, mass: 1, random: {shape: {sphere: 1}, count: "
                             "5, region: {min: [0, 0, 0], max: [1, 1, 1]}}}]"),
      "only 0 of 5 bodies fit into the region"));
}

// The bed that other helpers measured with is read as it is, when it is there.
TEST(Spheres, ReadsTheSharedBeds) {
  const char* from_environment = std::getenv("TALUS_SHARED_DATA");
  const std::filesystem::path data =
      from_environment != nullptr
          ? std::filesystem::path(from_environment)
          : std::filesystem::path(TALUS_SOURCE_DIR).parent_path() / "shared" / "data";
  const std::filesystem::path bed = data / "scenes" / "bed_1000_settled.csv";
  if (!std::filesystem::exists(bed)) GTEST_SKIP() << "no shared data beside the repository";
  const Scene scene =
      SceneFolder().load("bodies: [{name: grains, spheres: " + bed.string() + ", density: 2500}]");
  ASSERT_EQ(scene.model.body_count(), 1000);
  EXPECT_EQ(scene.initial.position[0],
            Vec3(-0.055958454451480108, -0.057547828697572592, 0.0094479906316122051));
  EXPECT_EQ(scene.initial.velocity[0].x(), 0.00017677237591985347);
}

/// Radii of a lattice of 20 000 balls of radius 2 with a distribution of sizes, sorted.
std::vector<Real> radii_of(const std::string& sizes) {
  const Scene scene = SceneFolder().load(
      "bodies: [{name: g, mass: 1, lattice: {shape: {sphere: 2}, count: [200, 100, 1], spacing: "
      "50, "
      "sizes: " +
      sizes + "}}]");
  std::vector<Real> radii;
  for (Index i = 0; i < scene.model.body_count(); ++i) radii.push_back(radius_of(scene, i));
  std::sort(radii.begin(), radii.end());
  return radii;
}

/// The largest distance of the sample's distribution function from F (Kolmogorov and Smirnov): with
/// n samples it exceeds 1.63/√n once in a hundred times.
template <class F>
Real distance_from(const std::vector<Real>& sorted, F distribution) {
  Real largest = 0;
  const auto n = static_cast<Real>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Real value = distribution(sorted[i]);
    largest = std::max({largest, std::abs(value - static_cast<Real>(i) / n),
                        std::abs(value - static_cast<Real>(i + 1) / n)});
  }
  return largest;
}

// Sizes follow the distribution that is asked for, and never leave its window.
TEST(Sizes, FollowTheirDistribution) {
  const Real limit = 1.63 / std::sqrt(20000.0);
  const auto phi = [](Real z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  const auto uniform = radii_of("{uniform: {min: 0.5, max: 2}}");
  EXPECT_LE(distance_from(uniform, [](Real r) { return (r / 2 - 0.5) / 1.5; }), limit);
  const auto normal = radii_of("{normal: {deviation: 0.2, min: 0.7, max: 1.6}}");
  const Real low = phi(-1.5), high = phi(3);
  EXPECT_LE(
      distance_from(normal, [&](Real r) { return (phi((r / 2 - 1) / 0.2) - low) / (high - low); }),
      limit);
  EXPECT_GE(normal.front(), 1.4);
  EXPECT_LE(normal.back(), 3.2);
  const auto log = radii_of("{log_normal: {median: 1.5, deviation: 0.4, min: 0.75, max: 3}}");
  const Real edge = phi(std::log(2) / 0.4);
  EXPECT_LE(
      distance_from(
          log, [&](Real r) { return (phi(std::log(r / 3) / 0.4) - 1 + edge) / (2 * edge - 1); }),
      limit);
}

// Shares by number are those of the count; shares by mass are those of the mass, so that of two
// sizes with equal mass the one of half the radius is eight times as frequent.
TEST(Sizes, TablesByNumberAndByMass) {
  const auto share_of_small = [](const std::vector<Real>& radii) {
    return static_cast<Real>(std::count(radii.begin(), radii.end(), 2.0)) /
           static_cast<Real>(radii.size());
  };
  const Real four_sigma = 4 * 0.5 / std::sqrt(20000.0);
  EXPECT_NEAR(share_of_small(radii_of("{table: {sizes: [1, 2], shares: [1, 3]}}")), 0.25,
              four_sigma);
  EXPECT_NEAR(share_of_small(radii_of("{table: {sizes: [2, 1], shares: [5, 5], by: mass}}")),
              8.0 / 9, four_sigma);
}

// What a distribution cannot be is said: bounds out of order, shares missing, an empty window.
TEST(Sizes, ReportsMistakes) {
  const auto mistakes = [](const std::string& sizes) {
    return SceneFolder().mistakes(
        "bodies: [{name: g, mass: 1, random: {shape: {sphere: 1}, count: 2, region: {min: [0, 0, "
        "0], "
        "max: [9, 9, 9]}, sizes: " +
        sizes + "}}]");
  };
  EXPECT_TRUE(contains(mistakes("{uniform: {min: 2, max: 1}}"), "expected max ≥ min, got 1 and 2"));
  EXPECT_TRUE(contains(mistakes("{table: {sizes: [1, 2], shares: [1]}}"),
                       "expected a share for each of the 2 sizes, got 1"));
  EXPECT_TRUE(contains(mistakes("{normal: {deviation: 0.01, min: 2, max: 3}}"),
                       "next to nothing between min and max"));
  EXPECT_TRUE(contains(mistakes("{uniform: {min: 1, max: 2}, table: {sizes: [1], shares: [1]}}"),
                       "contradict each other"));
  EXPECT_EQ(mistakes("{log_normal: {deviation: 0.3, min: 0.5, max: 2}}"), "");
}

// In the plane a set takes up the place of its shadows: a polygon of 5 cm fits into a place of 10
// cm, whatever the thickness that it has across the plane.
TEST(Random, TakesUpThePlaceOfItsShadowInThePlane) {
  const SceneFolder folder;
  const Scene scene = folder.load(R"(
dimension: 2
bodies:
  - name: stone
    density: 1000
    random:
      shape: {polygon: {corners: [[0, 0], [5 cm, 0], [3 cm, 4 cm]]}}
      count: 1
      region: {min: [0, 0], max: [10 cm, 10 cm]}
)");
  EXPECT_EQ(scene.model.body_count(), 1);
}

// A random set in a region that fills a periodic cell goes on across its faces: bodies stick out of
// it, and all images keep the gap; along other directions, and where the region is shorter than the
// cell, it holds the whole bodies.
TEST(Random, GoesOnAcrossPeriodicFaces) {
  const SceneFolder folder;
  const Scene scene = folder.load(R"(
periodic: {x: [-1, 1], y: [0, 2]}
bodies:
  - name: balls
    mass: 1
    random:
      shape: {sphere: 0.1}
      count: 300
      region: {min: [-1, 0.05, 0], max: [1, 1.85, 3]}
      size_spread: 20 %
      gap: 2 mm
)");
  int sticking_out = 0, near = 0;
  for (Index i = 0; i < 300; ++i) {
    const Vec3& p = scene.initial.position[i];
    const Real r = radius_of(scene, i);
    EXPECT_GE(p.y() - r, 0.05);
    EXPECT_LE(p.y() + r, 1.85);
    EXPECT_GE(p.z() - r, 0);
    sticking_out += p.x() - r < -1 || p.x() + r > 1;
    for (Index j = 0; j < i; ++j) {
      const Vec3 difference = scene.initial.position[j] - p;
      const Real distance = scene.model.cell.nearest(difference).norm() - r - radius_of(scene, j);
      EXPECT_GE(distance, 0.002);
      near += distance < 0.1 && difference.norm() > 1;
    }
  }
  EXPECT_GT(sticking_out, 20);
  EXPECT_GT(near, 10) << "no neighbours across the faces: nothing is tested";
}

// The plane has two numbers: vectors of two are those of three with z = 0, an angular velocity of
// one is about z, sets have one layer and are turned about z, and a disc's mass is density × area ×
// 1 m.
TEST(PlanarSets, HaveTwoNumbers) {
  const SceneFolder folder;
  const Scene scene = folder.load(R"(
dimension: 2
gravity: [1, -9]
materials: {steel: {density: 7800}}
bodies:
  - {name: wheel, shape: {disc: 0.1}, material: steel, position: [5, 2], velocity: [3, 4], angular_velocity: 7}
  - name: grains
    lattice: {shape: {disc: 0.01}, count: [3, 2], spacing: [0.1, 0.2], origin: [1, 2], jitter: 1 mm, random_orientation: true}
    material: steel
  - name: square
    lattice: {shape: {disc: 0.01}, count: 2, spacing: 0.1, origin: [-1, 2]}
    material: steel
  - name: rain
    random: {shape: {rod: {length: 0.05, radius: 0.01}}, count: 40, region: {min: [0, 3], max: [1, 4]}, gap: 1 mm, random_orientation: true}
    material: steel
)");
  ASSERT_EQ(scene.model.body_count(), 1 + 6 + 4 + 40);
  const model::State& start = scene.initial;
  EXPECT_EQ(scene.model.gravity, Vec3(1, -9, 0));
  EXPECT_EQ(start.position[0], Vec3(5, 2, 0));
  EXPECT_EQ(start.velocity[0], Vec3(3, 4, 0));
  EXPECT_EQ(start.angular_velocity[0], Vec3(0, 0, 7));
  EXPECT_NEAR(scene.model.bodies[0].mass, 7800 * std::numbers::pi * 0.01, 1e-10);
  EXPECT_LE((start.position[6] - Vec3(1.2, 2.2, 0)).lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_EQ(start.position[10], Vec3(-0.9, 2.1, 0));
  bool is_any_turned = false;
  for (Index i = 0; i < scene.model.body_count(); ++i) {
    EXPECT_EQ(start.position[i].z(), 0) << i;
    EXPECT_EQ(start.orientation[i].vec().head<2>(), Vec2(0, 0)) << i;
    is_any_turned = is_any_turned || std::abs(start.orientation[i].z()) > 0.5;
  }
  EXPECT_TRUE(is_any_turned);
  constexpr Real kBall = 0.035;  // of a rod
  for (Index i = 11; i < 51; ++i) {
    for (Index j = 11; j < i; ++j)
      EXPECT_GE((start.position[i] - start.position[j]).norm(), 2 * kBall + 1e-3) << i << ", " << j;
    for (int k = 0; k < 2; ++k) {
      EXPECT_GE(start.position[i][k], (k == 0 ? 0 : 3) + kBall);
      EXPECT_LE(start.position[i][k], (k == 0 ? 1 : 4) - kBall);
    }
  }
  // In space two numbers are one too few.
  EXPECT_TRUE(contains(
      folder.mistakes("bodies: [{name: b, mass: 1, shape: {sphere: 1}, position: [0, 0]}]"),
      "expected 3 lengths [m], got [0, 0]"));
}

// Overlaps across the faces are found once each, between all sizes of bodies, at whatever image
// they were written.
TEST(Overlap, IsFoundAcrossPeriodicFaces) {
  const SceneFolder folder;
  const auto overlaps = [&](const std::string& text) {
    const std::string mistakes = folder.mistakes(text);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = mistakes.find(" overlap by", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  EXPECT_EQ(overlaps(R"(
periodic: {x: [0, 1], y: [0, 1], z: [0, 1]}
bodies:
  - {name: corner, mass: 1, shape: {sphere: 0.11}, position: [0.02, 0.03, 5.01]}
  - {name: opposite, mass: 1, shape: {sphere: 0.11}, position: [-0.1, 0.95, 0.95]}
  - {name: small, mass: 1, shape: {sphere: 0.02}, position: [1.02, 0.95, 0.05]}
  - {name: apart, mass: 1, shape: {box: 0.1}, position: [0.5, 0.5, 0.99]}
  - {name: above, mass: 1, shape: {box: 0.1}, position: [0.5, 0.5, 3.05]}
)"),
            3U);
  EXPECT_EQ(overlaps(R"(
periodic: {x: [0, 1]}
bodies:
  - {name: row, mass: 1, lattice: {shape: {sphere: 0.1}, count: [5, 1, 1], spacing: 0.2}}
)"),
            0U);
}

// The bodies of a source are in the model from the start, drawn as those of other sets; they wait
// in the middle of the region without a velocity, and are due as the rate says.
TEST(Source, HasItsBodiesFromTheStart) {
  const std::string text = R"(
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: rain
    density: 1000
    velocity: [0, 0, -2]
    angular_velocity: [1, 0, 0]
    source: {shape: {sphere: 1 cm}, size_spread: 20 %, count: 50, rate: 10, start: 2 s, gap: 1 mm,
             velocity_spread: 10 cm/s, seed: 7, region: {min: [0, 0, 1], max: [1, 1, 2]}}
sinks:
  - {name: below, region: {max: [.inf, 5 cm, -1]}}
  - {name: domain, bodies: [rain], outside: {min: [-3, -3, -.inf]}}
)";
  const Scene scene = SceneFolder().load(text);
  ASSERT_EQ(scene.model.body_count(), 51);
  EXPECT_EQ(scene.model.body_name(50), "rain[49]");
  ASSERT_EQ(scene.initial.presence.size(), 51U);
  EXPECT_EQ(scene.initial.presence[0], model::Presence::present);
  Real smallest = 1, largest = 0;
  for (Index i = 1; i <= 50; ++i) {
    EXPECT_EQ(scene.initial.presence[i], model::Presence::waiting);
    EXPECT_EQ(scene.initial.velocity[i], Vec3(0, 0, 0));
    EXPECT_EQ(scene.initial.angular_velocity[i], Vec3(0, 0, 0));
    EXPECT_EQ(scene.initial.position[i], Vec3(0.5, 0.5, 1.5));
    smallest = std::min(smallest, radius_of(scene, i));
    largest = std::max(largest, radius_of(scene, i));
  }
  EXPECT_LT(smallest, 0.0085);
  EXPECT_GT(largest, 0.0115);
  ASSERT_EQ(scene.model.sources.size(), 1U);
  const model::Source& source = scene.model.sources[0];
  EXPECT_EQ(source.first, 1);
  EXPECT_EQ(source.velocity, Vec3(0, 0, -2));
  EXPECT_EQ(source.angular_velocity, Vec3(1, 0, 0));
  EXPECT_EQ(source.velocity_spread, 0.1);
  EXPECT_EQ(source.gap, 1e-3);
  for (Index k = 0; k < 50; ++k)
    EXPECT_NEAR(source.due[k], 2 + 0.1 * static_cast<Real>(k + 1), 1e-12);
  ASSERT_EQ(scene.model.sinks.size(), 2U);
  EXPECT_TRUE(scene.model.sinks[0].takes(Vec3(1e9, 0, -2)));
  EXPECT_FALSE(scene.model.sinks[0].takes(Vec3(0, 0.06, -2)));
  EXPECT_FALSE(scene.model.sinks[1].takes(Vec3(0, 0, -1e9)));
  EXPECT_TRUE(scene.model.sinks[1].takes(Vec3(-3.1, 0, 0)));
  EXPECT_EQ(scene.model.sinks[1].bodies.size(), 50U);
  EXPECT_EQ(SceneFolder().load(text).initial.hash(), scene.initial.hash());
  const Scene plain = SceneFolder().load("bodies: [{name: ball, mass: 1, shape: {sphere: 1}}]");
  EXPECT_TRUE(plain.initial.presence.empty()) << "everybody is there, always";
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
