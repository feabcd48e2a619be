#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// A ball that slides and begins to roll on a floor, thrown at an angle to every polygon's sides.
Vec3 thrown(Index directions, const char* solver, const char* tangents = "paper") {
  test::World world(0.3, 0);
  world.add_floor();
  world.add_sphere(0.1, {0, 0, 0.1});
  world.state.velocity[1] = {2 * std::cos(0.3), 2 * std::sin(0.3), 0};
  auto options = test::options("stewart_trinkle", 1e-10);
  options.directions = directions;
  options.solver.solver = solver;
  options.tangents = tangents;
  const auto scheme = make_scheme(world.model, options);
  for (int step = 0; step < 50; ++step) {
    const auto report = scheme->step(world.state, 0.002);
    EXPECT_TRUE(report.is_certified()) << report.detail;
  }
  return world.state.velocity[1];
}

// The circular cone is the limit k → ∞ of the polygon, and the worst error over where the polygon
// points falls at least as 1/k from k = 4 to 64 (one throw may happen to hit a corner).
TEST(PolygonLimit, CircularConeIsTheLimit) {
  const Vec3 circle = thrown(8, "nsgs");
  std::vector<Real> error;
  for (const Index k : {4, 8, 16, 32, 64}) {
    error.push_back(std::max((thrown(k, "lemke") - circle).norm(),
                             (thrown(k, "lemke", "contact_frame") - circle).norm()));
  }
  const Real order = std::log2(error.front() / error.back()) / 4;
  EXPECT_GT(order, 0.9);
  EXPECT_LT(error.back(), error.front() / 8);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
