// Time per body of collision::BroadPhase and of ContactDetector. Counters: bench/README.md.

#include <benchmark/benchmark.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <talus/collision/broad_phase.hpp>

#include "support/packing.hpp"

namespace talus::bench {
namespace {

void count_bodies(benchmark::State& state, std::size_t bodies) {
  using benchmark::Counter;
  state.counters["per_body"] =
      Counter(static_cast<double>(bodies), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// Boxes of spheres at random places, radii spread evenly over log r from 1 to `ratio`, that fill
/// half of a cube.
void broad_phase(benchmark::State& state, Real ratio) {
  const auto count = static_cast<std::size_t>(state.range(0));
  Random random(2);
  std::vector<Real> radius(count);
  Real volume = 0;
  for (Real& r : radius) {
    r = std::pow(ratio, random.uniform(0, 1));
    volume += 4 * std::numbers::pi / 3 * r * r * r;
  }
  const Real half_width = std::cbrt(volume / 0.5) / 2;
  std::vector<geometry::Aabb> boxes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 centre = test::random_vector(random, half_width);
    boxes[i] = {centre - Vec3::Constant(radius[i]), centre + Vec3::Constant(radius[i])};
  }
  const std::vector<unsigned char> is_movable(count, 1);
  collision::BroadPhase phase;
  std::vector<collision::Pair> pairs;
  for (auto _ : state) {
    phase.find(boxes, is_movable, pairs);
    benchmark::DoNotOptimize(pairs.data());
  }
  count_bodies(state, count);
  state.counters["pairs_per_body"] = static_cast<double>(pairs.size()) / static_cast<double>(count);
}
BENCHMARK_CAPTURE(broad_phase, equal, 1.0)->Arg(1000)->Arg(10000)->Arg(64000);
BENCHMARK_CAPTURE(broad_phase, ratio_10, 10.0)->Arg(1000)->Arg(10000)->Arg(64000);

/// A detection in which no candidate has to be searched for: the usual step.
void detect(benchmark::State& state) {
  const test::World world = sphere_bed(static_cast<int>(state.range(0)), Numbering::lattice);
  dynamics::RigidBodies bodies(world.model);
  const Index count = world.model.body_count();
  const collision::Placement where{world.state.position, world.state.orientation};
  const std::vector<Real> margin(count, 0), skin(count, 5e-4);
  std::vector<collision::Contact> contacts;
  bodies.detector().detect(where, margin, skin, contacts);
  for (auto _ : state) {
    bodies.detector().detect(where, margin, skin, contacts);
    benchmark::DoNotOptimize(contacts.data());
  }
  count_bodies(state, count);
  state.counters["candidates_per_body"] =
      static_cast<double>(bodies.detector().candidate_count()) / static_cast<double>(count);
  state.counters["contacts_per_body"] =
      static_cast<double>(contacts.size()) / static_cast<double>(count);
  state.counters["searches"] = static_cast<double>(bodies.detector().rebuild_count());
}
BENCHMARK(detect)->Arg(10)->Arg(22)->Arg(40);

}  // namespace
}  // namespace talus::bench
