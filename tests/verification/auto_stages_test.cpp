#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <talus/driver/solve_rigid_contact.hpp>

#include "support/bed.hpp"
#include "support/world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Spheres in random motion in a container, every second one of 1e-11 of its mass.
problem::RigidContact jam(std::uint64_t seed) {
  Random random(seed);
  test::World world = test::lattice_bed(4, 4, 4, seed);
  for (std::size_t i = 5; i < world.model.bodies.size(); i += 2) {
    world.model.bodies[i].mass *= 1e-11;
    world.model.bodies[i].inertia *= 1e-11;
  }
  return test::in_random_motion(world, random);
}

// The detail of what is not solved ends with the measure that is farthest beyond its limit.
TEST(AutoStages, TheMeasureThatFailedIsTold) {
  driver::Options options;
  options.max_iterations = 1300;
  driver::RigidContactSolution solution;
  driver::solve(jam(1114), options, {}, solution);
  ASSERT_NE(solution.report.status, problem::SolveStatus::converged);
  const auto worst = solution.certificate.worst(options.tolerance);
  const std::string end =
      fmt::format("; {} {:.3g}, asked {:g}", worst.name, worst.value, worst.limit);
  EXPECT_TRUE(solution.report.detail.ends_with(end)) << solution.report.detail;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
