// Random machines in space with passive laws: whatever tree, loop, law and contact, steps are
// certified, joints hold to round-off, and no certified step gains energy beyond what a step of
// first or second order may.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "support/random_spatial_machine.hpp"
#include "support/seeds.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

struct Run {
  const char* scheme;
  test::SpatialMachineKind kind;
  std::uint64_t machines;
};

void PrintTo(const Run& run, std::ostream* out) { *out << run.scheme; }

std::string name_of(const testing::TestParamInfo<Run>& info) {
  return std::string(info.param.scheme) + (info.param.kind.has_contacts ? "_contacts" : "_free") +
         (info.param.kind.has_play ? "_play" : "");
}

class RandomMachinesInSpace : public testing::TestWithParam<Run> {};

void run(const Run& what, const test::Seeds& seeds, int most_steps = 300) {
  constexpr Real kStep = 2e-3, kMostGain = 1e-2;
  // At the level of positions a step leaves what rows have turned by in it, of the order of h².
  const bool is_one_lcp = std::string(what.scheme).find("moreau") == std::string::npos &&
                          std::string(what.scheme) != "index_3" &&
                          std::string(what.scheme) != "event_driven";
  const Real kMostDrift = is_one_lcp ? 1e-2 : 1e-10;
  Index steps = 0, uncertified = 0;
  std::uint64_t machines = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    test::SpatialMachineWorld world = test::random_spatial_machine(seed, what.kind);
    if (!test::starts_clear(world)) continue;
    ++machines;
    Real last = world.energy();
    Index of_this = 0;
    for (int step = 1; step <= most_steps; ++step) {
      const Index failed = world.run(what.scheme, step * kStep, kStep);
      ++steps;
      uncertified += failed;
      of_this += failed;
      const Real energy = world.last.energy.total();
      ASSERT_TRUE(std::isfinite(energy)) << "seed " << seed;
      if (failed == 0) {
        EXPECT_LT((energy - last) / test::energy_unit(world), kMostGain)
            << "seed " << seed << ", step " << step;
        ASSERT_LT(test::drift(world), kMostDrift) << "seed " << seed << ", step " << step;
      }
      last = energy;
    }
    EXPECT_EQ(of_this > 0, !world.first_failure.empty()) << "seed " << seed;
    if (of_this > 0)
      fmt::print("seed {}: {} uncertified, first {}\n", seed, of_this, world.first_failure);
  }
  fmt::print("{} machines of seeds {} to {}, {} steps, {} uncertified\n", machines, seeds.first,
             seeds.last, steps, uncertified);
  EXPECT_GT(machines, seeds.count() / 2);
  // Friction by reactions may have no answer (Painlevé), and 2 ms are long for bodies that fly
  // through plays of 0.1 mm several times within them: such a step says so. So does one in which
  // the fixed point of friction and reactions jumps to and fro between vertices that Lemke's method
  // finds, where contacts are redundant: in two of these machines.
  const Index most = what.kind.has_play                     ? steps / 100
                     : is_one_lcp && what.kind.has_contacts ? steps / 20
                                                            : steps / 10000;
  EXPECT_LE(uncertified, most) << "of " << steps << " of " << machines << " machines";
}

TEST_P(RandomMachinesInSpace, AreCertifiedHoldTogetherAndGainNothing) {
  run(GetParam(), {1000, 999 + GetParam().machines});
}

INSTANTIATE_TEST_SUITE_P(Schemes, RandomMachinesInSpace,
                         testing::Values(Run{"moreau_jean", {false, true}, 15},
                                         Run{"moreau_jean", {true, true}, 25},
                                         Run{"moreau_jean", {true, true, true}, 25},
                                         Run{"moreau_midpoint", {false, true}, 15},
                                         Run{"moreau_midpoint", {true, true}, 25},
                                         Run{"moreau_midpoint", {true, true, true}, 25},
                                         Run{"stewart_trinkle", {false, true}, 15},
                                         Run{"stewart_trinkle", {true, true}, 25},
                                         Run{"anitescu_potra_stabilised", {true, true}, 25},
                                         Run{"index_3", {false, false}, 25},
                                         Run{"event_driven", {false, true, false, true}, 25}),
                         name_of);

// In these contacts, limits and dry friction act on each other in one step: counted without limits
// and friction, contacts at rest "raised the energy".
TEST(RandomMachinesInSpaceOnce, AreCertifiedWithLimitsAndFriction) {
  for (const std::uint64_t seed : {100597, 100777, 100796}) {
    test::SpatialMachineWorld world = test::random_spatial_machine(seed, {});
    EXPECT_EQ(world.run("moreau_midpoint", 1, 2e-3), 0) << seed << ": " << world.first_failure;
  }
}

// A spring's impulse is that of the mean of its lengths at the start and at the end of a step; what
// takes penetration back at the end, axes to their limits, or bodies onto their joints, is part of
// the end. With the mean of lengths that velocities alone lead to, these machines gained 1.5 to
// 3.9 % of their energy in single certified steps; 902256 gained 1.5 % where a part of a push-out
// was left to the next step, 1004578, whose spring in a loop is stiff, 1.7 % by the joints; two of
// its steps, in which contacts raise a hundredth of the energy of motion, are refused.
TEST(RandomMachinesInSpaceOnce, SpringsKnowOfDisplacements) {
  for (const std::uint64_t seed : {101894, 101917, 102950, 300909, 902256, 1004578}) {
    test::SpatialMachineWorld world = test::random_spatial_machine(seed, {});
    Real last = world.energy();
    Index refused = 0;
    for (int step = 1; step <= 300; ++step) {
      refused += world.run("moreau_midpoint", step * 2e-3, 2e-3);
      const Real energy = world.last.energy.total();
      EXPECT_LT((energy - last) / test::energy_unit(world), 1e-2) << seed << ", step " << step;
      last = energy;
    }
    EXPECT_EQ(refused, seed == 1004578 ? 2 : 0) << seed;
  }
}

// The midpoint rule reflects what joints' rates are at the rows of the middle. Where a contact
// wedges bodies of a closed loop, joints bear thousands of times what strikes, and reflected rates
// of 1 mm/s then did as much work as the whole machine had energy: 47 % in a certified step of the
// first, 2.8 % of the second. Sets of contacts that raise the energy take Jean's rule, joints too.
// The third has no contact: dry friction by the reactions of a loop that comes near a singular
// position did it, up to 157 % in a step. Near such positions the last digit decides in which steps
// friction and reactions do not settle, or contacts raise the energy: those are refused, and say
// why; so many of 300 at most.
TEST(RandomMachinesInSpaceOnce, WedgedLoopsGainNothing) {
  for (const auto& [seed, most_refused] :
       {std::pair(std::uint64_t{2006373}, 0), {2004668, 2}, {3001770, 4}}) {
    test::SpatialMachineWorld world = test::random_spatial_machine(seed, {});
    Real last = world.energy();
    Index refused = 0;
    for (int step = 1; step <= 300; ++step) {
      const Index failed = world.run("moreau_midpoint", step * 2e-3, 2e-3);
      const Real energy = world.last.energy.total();
      const bool has_gained = (energy - last) / test::energy_unit(world) >= 1e-2;
      EXPECT_FALSE(has_gained && (failed == 0 || seed != 3001770)) << seed << ", step " << step;
      EXPECT_TRUE(failed == 0 || !world.last.detail.empty()) << seed << ", step " << step;
      refused += failed;
      last = energy;
    }
    EXPECT_LE(refused, most_refused) << seed;
  }
}

// A step that raises the energy all the same says so: a stiff spring, and a contact against it; and
// what moves bodies out of each other against a stiff spring, by 3 %.
TEST(RandomMachinesInSpaceOnce, AGainIsNotCertified) {
  for (const auto& [seed, why] :
       {std::pair(std::uint64_t{1001650}, "raise the energy"), {3001229, "winds springs up"}}) {
    test::SpatialMachineWorld world = test::random_spatial_machine(seed, {});
    Real last = world.energy();
    int gains = 0;
    for (int step = 1; step <= 200; ++step) {
      const Index failed = world.run("moreau_midpoint", step * 2e-3, 2e-3);
      const Real energy = world.last.energy.total();
      const bool has_gained = (energy - last) / test::energy_unit(world) > 1e-2;
      gains += has_gained ? 1 : 0;
      EXPECT_TRUE(!has_gained || failed == 1) << seed << ", step " << step;
      if (failed == 1) {
        EXPECT_NE(world.last.detail.find(why), std::string::npos) << seed;
      }
      last = energy;
    }
    EXPECT_GT(gains, 0) << seed;
  }
}

class ManyRandomMachinesInSpace : public testing::TestWithParam<Run> {};

// TALUS_MACHINES_IN_SPACE gives other seeds.
TEST_P(ManyRandomMachinesInSpace, AreCertifiedHoldTogetherAndGainNothing) {
  run(GetParam(), test::seeds_of("TALUS_MACHINES_IN_SPACE", {2000, 1999 + GetParam().machines}),
      500);
}

INSTANTIATE_TEST_SUITE_P(Schemes, ManyRandomMachinesInSpace,
                         testing::Values(Run{"moreau_jean", {true, true}, 150},
                                         Run{"moreau_midpoint", {true, true}, 150},
                                         Run{"moreau_jean", {true, true, true}, 50},
                                         Run{"moreau_midpoint", {true, true, true}, 50},
                                         Run{"stewart_trinkle", {true, true}, 50},
                                         Run{"event_driven", {false, true, false, true}, 50}),
                         name_of);

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
