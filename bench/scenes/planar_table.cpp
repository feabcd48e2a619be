// Whole steps of planar scenes beside the same in space, each with what its certificate says:
// ./talus bench planar [STEPS].
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/math/rotation.hpp>

#include "support/steps.hpp"
#include "support/table.hpp"
#include "support/world.hpp"

namespace talus::bench {
namespace {

constexpr Real kStep = 1e-3, kHalf = 0.05;

/// A world in the plane, or in space with gravity along the same axis.
test::World world_of(int dimension, Real gravity) {
  test::World world(0.5, 0, Vec3(0, -gravity, 0));
  world.model.dimension = dimension;
  return world;
}

void add_half_plane(test::World& world, const Vec3& normal, const Vec3& at) {
  world.add(geometry::Plane{}, model::BodyKind::fixed, at, rotation_between(Vec3::UnitZ(), normal));
}

/// Boxes on a grid that drift apart and touch nothing.
test::World apart(Index count, int dimension) {
  test::World world = world_of(dimension, 0);
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<Real>(count))));
  Random random(1);
  for (Index i = 0; i < count; ++i) {
    const Index box = world.add_box(
        {kHalf, kHalf, kHalf},
        {4 * kHalf * static_cast<Real>(i % side), 4 * kHalf * static_cast<Real>(i / side), 0});
    world.state.velocity[box] = {random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0};
  }
  return world;
}

/// Boxes that lie beside each other on a floor: each is an island of two contacts.
test::World lying(Index count, int dimension) {
  test::World world = world_of(dimension, 9.81);
  add_half_plane(world, Vec3::UnitY(), Vec3::Zero());
  for (Index i = 0; i < count; ++i)
    world.add_box({kHalf, kHalf, kHalf}, {3 * kHalf * static_cast<Real>(i), kHalf, 0});
  return world;
}

/// Discs that fall into a bin.
test::World heap(Index count, int dimension) {
  test::World world = world_of(dimension, 9.81);
  const auto side = static_cast<Index>(std::ceil(std::sqrt(static_cast<Real>(count))));
  add_half_plane(world, Vec3::UnitY(), Vec3::Zero());
  add_half_plane(world, Vec3::UnitX(), Vec3(-1.2 * kHalf, 0, 0));
  add_half_plane(world, -Vec3::UnitX(), Vec3(2.4 * kHalf * static_cast<Real>(side), 0, 0));
  Random random(2);
  for (Index i = 0; i < count; ++i)
    world.add_sphere(kHalf,
                     {2.4 * kHalf * (static_cast<Real>(i % side) + random.uniform(-0.08, 0.08)),
                      kHalf * (1 + 2.1 * static_cast<Real>(i / side)), 0});
  return world;
}

struct Case {
  const char* name;
  test::World (*make)(Index count, int dimension);
  Index count;
  int dimension;
  const char* scheme = "moreau_jean";
};

std::vector<std::string> measure(const Case& one, int steps) {
  test::World world = one.make(one.count, one.dimension);
  const auto scheme = stepping::make_scheme(world.model, test::options(one.scheme, 1e-4));
  std::vector<double> ms;
  Index failed = 0, contacts = 0;
  stepping::StepReport last;
  for (int k = 0; k < steps; ++k) {
    const auto start = std::chrono::steady_clock::now();
    last = scheme->step(world.state, kStep);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    ms.push_back(time.count());
    failed += last.is_certified() ? 0 : 1;
    contacts = std::max(contacts, last.contact_count);
  }
  std::sort(ms.begin(), ms.end());
  const double median = ms[ms.size() / 2];
  return {one.name,
          one.scheme,
          one.dimension == 2 ? "plane" : "space",
          std::to_string(one.count),
          fmt::format("{:.3f}", median),
          fmt::format("{:.3f}", ms.front()),
          fmt::format("{:.3f}", ms.back()),
          fmt::format("{:.2f}", 1e3 * median / static_cast<double>(one.count)),
          std::to_string(contacts),
          fmt::format("{} of {}", failed, steps),
          fmt::format("{:.3g}", last.energy.total())};
}

}  // namespace
}  // namespace talus::bench

int main(int argc, char** argv) {
  using namespace talus::bench;
  const int steps = steps_of(argc, argv, 50, "planar_table");
  Table table({"scene", "scheme", "in", "bodies", "ms median", "least", "most", "us a body",
               "contacts", "uncertified", "energy [J]"});
  const Case cases[] = {
      {"boxes apart", apart, 200, 2},
      {"boxes apart", apart, 200, 3},
      {"boxes apart", apart, 1000, 2},
      {"boxes apart", apart, 1000, 3},
      {"boxes apart", apart, 10'000, 2},
      {"boxes apart", apart, 10'000, 3},
      {"boxes lying", lying, 200, 2},
      {"boxes lying", lying, 200, 3},
      {"boxes lying", lying, 10'000, 2},
      {"boxes lying", lying, 10'000, 3},
      {"boxes apart", apart, 10'000, 2, "stewart_trinkle"},
      {"boxes apart", apart, 10'000, 3, "stewart_trinkle"},
      {"boxes lying", lying, 200, 2, "stewart_trinkle"},
      {"boxes lying", lying, 200, 3, "stewart_trinkle"},
      {"boxes lying", lying, 10'000, 2, "stewart_trinkle"},
      {"boxes lying", lying, 10'000, 3, "stewart_trinkle"},
      {"heap of discs", heap, 200, 2},
      {"heap of discs", heap, 1000, 2},
  };
  for (const Case& one : cases) {
    table.add(measure(one, steps));
    fmt::print(stderr, "{}\n", table.last_row_as_text());
  }
  fmt::print("{}", table.as_lines());
}
