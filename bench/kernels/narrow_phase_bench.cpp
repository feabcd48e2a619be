// Time per pair of geometry::manifold, by shapes and by how far apart they are.

#include <benchmark/benchmark.h>

#include <vector>

#include <talus/base/random.hpp>
#include <talus/geometry/convex_hull.hpp>
#include <talus/geometry/manifold.hpp>
#include <talus/geometry/separation.hpp>

namespace talus::bench {
namespace {

using geometry::Shape;

constexpr Real kMargin = 0.01;

Vec3 unit_vector(Random& random) {
  Vec3 d;
  do {
    d = Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  } while (d.norm() > 1 || d.norm() < 0.1);
  return d.normalized();
}

Shape hull() {
  Random random(1);
  std::vector<Vec3> points;
  for (int k = 0; k < 12; ++k) points.push_back(unit_vector(random));
  return std::make_shared<const geometry::Polytope>(geometry::convex_hull(points));
}

/// Random poses with a gap [m] drawn from 0 to `gap`.
std::vector<Pose> poses_at(const Shape& a, const Shape& b, Real gap) {
  Random random(2);
  std::vector<Pose> poses;
  while (poses.size() < 400) {
    const Vec3 axis = unit_vector(random);
    Pose X{1.5 * unit_vector(random), Quat(Eigen::AngleAxis<Real>(random.uniform(0, 6), axis))};
    const Real wanted = gap * random.uniform(0, 1);
    for (int k = 0; k < 40; ++k) {
      const geometry::Separation s = geometry::separation(a, b, X);
      if (std::abs(s.gap - wanted) < 1e-9) break;
      X.p += (wanted - s.gap) * s.normal;
    }
    poses.push_back(X);
  }
  return poses;
}

void narrow_phase(benchmark::State& state, const Shape& a, const Shape& b, Real gap) {
  const std::vector<Pose> poses = poses_at(a, b, gap);
  std::size_t k = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(geometry::manifold(a, b, poses[k], kMargin));
    k = k + 1 == poses.size() ? 0 : k + 1;
  }
}

const Shape kHull = hull(), kBox = geometry::Box{{1, 0.8, 0.7}},
            kCoin = geometry::Cylinder{1, 0.25}, kCylinder = geometry::Cylinder{1, 1},
            kCapsule = geometry::Capsule{0.7, 0.8};

#define TALUS_NARROW_PHASE(A, B)                                      \
  BENCHMARK_CAPTURE(narrow_phase, A##_##B##_beyond, k##A, k##B, 1.0); \
  BENCHMARK_CAPTURE(narrow_phase, A##_##B##_near, k##A, k##B, 1e-4);  \
  BENCHMARK_CAPTURE(narrow_phase, A##_##B##_touching, k##A, k##B, -1e-4)
TALUS_NARROW_PHASE(Box, Box);
TALUS_NARROW_PHASE(Hull, Hull);
TALUS_NARROW_PHASE(Cylinder, Cylinder);
TALUS_NARROW_PHASE(Coin, Coin);
TALUS_NARROW_PHASE(Cylinder, Box);
TALUS_NARROW_PHASE(Cylinder, Hull);
TALUS_NARROW_PHASE(Cylinder, Capsule);

}  // namespace
}  // namespace talus::bench
