#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>

#include "support/planar_witness.hpp"
#include "support/scratch.hpp"

// Quadrilaterals that fall into a bin do not overlap, by a witness that is not the engine's. Where
// their corners meet on the floor, a side of one can pass the corners of both there: once those
// pairs had no contact, and overlapped by 20 mm in certified steps.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3;

Real deepest_overlap(const model::Model& model, const model::State& state) {
  Real deepest = 0;
  for (Index i = 0; i < model.body_count(); ++i)
    for (Index j = 0; j < i; ++j)
      if (model.bodies[i].kind == model::BodyKind::dynamic)
        deepest = std::max(deepest, -test::planar_apart(model.bodies[i], state.pose(i),
                                                        model.bodies[j], state.pose(j)));
  return deepest;
}

class PlanarStones : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(PlanarStones, DoNotOverlap) {
  const auto [scheme, seed] = GetParam();
  const test::Scratch scratch;
  const auto path = scratch / "scene.yaml";
  std::ofstream(path) << fmt::format(R"(dimension: 2
time: {{step: {}, end: 0.6}}
scheme: {}
contacts: {{default: {{friction: 0.5, restitution: 0}}}}
bodies:
  - {{name: floor, fixed: true, shape: {{half_plane: {{}}}}}}
  - {{name: left, fixed: true, shape: {{half_plane: {{normal: [1, 0]}}}}, position: [-0.3, 0]}}
  - {{name: right, fixed: true, shape: {{half_plane: {{normal: [-1, 0]}}}}, position: [0.3, 0]}}
  - name: stone
    density: 1000
    lattice:
      shape: {{polygon: {{corners: [[0, 0], [0.08, 0], [0.06, 0.05], [0.01, 0.06]]}}}}
      count: [4, 3, 1]
      spacing: 0.13
      origin: [-0.2, 0.1, 0]
      random_orientation: true
      size_spread: 0.4
      seed: {}
      jitter: 0.01
)",
                                     kStep, scheme, seed);
  sim::Simulation simulation(scene::load(path));
  Real deepest = 0;
  for (bool goes_on = true; goes_on;) {
    goes_on = simulation.step();
    EXPECT_TRUE(simulation.last_report().is_certified()) << simulation.last_report().detail;
    deepest = std::max(deepest, deepest_overlap(simulation.scene().model, simulation.state()));
  }
  EXPECT_LE(deepest, 2e-4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlanarStones,
                         testing::Combine(testing::Values("moreau_jean", "stewart_trinkle"),
                                          testing::Range(1, 7)));

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
