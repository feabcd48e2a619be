#include <gtest/gtest.h>

#include "support/bed.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// Hash of a bed's state after some steps, with something else done in between if asked.
std::uint64_t hash_after(int steps, bool disturb) {
  test::World world = test::lattice_bed(4, 4, 5, 3);
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-5));
  for (int k = 0; k < steps; ++k) {
    EXPECT_TRUE(scheme->step(world.state, 2e-3).is_certified());
    if (disturb &&
        k % 10 == 0) {  // another simulation in the same process shares no state with this one
      test::World other = test::lattice_bed(2, 2, 2, static_cast<std::uint64_t>(k));
      const auto other_scheme = make_scheme(other.model, test::options("moreau_jean", 1e-3));
      EXPECT_TRUE(other_scheme->step(other.state, 1e-3).is_certified());
    }
  }
  return world.state.hash();
}

// The same scene run twice ends in the same state to the last bit, also next to other simulations.
TEST(Determinism, SameSceneSameBits) {
  const std::uint64_t once = hash_after(200, false);
  EXPECT_EQ(hash_after(200, false), once);
  EXPECT_EQ(hash_after(200, true), once);
  EXPECT_NE(hash_after(199, false), once);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
