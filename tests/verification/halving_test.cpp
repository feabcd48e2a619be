#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/world.hpp"

// Steps that are too long are taken as two.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::World;

/// Elastic balls in a box without gravity.
struct Gas {
  World world{0, 1, Vec3::Zero()};
  explicit Gas(Index count, Real speed, std::uint64_t seed) {
    Random random(seed);
    const auto wall = [&](const Vec3& inward) {
      world.add(geometry::Plane{}, model::BodyKind::fixed, -0.5 * inward,
                Quat::FromTwoVectors(Vec3::UnitZ(), inward));
    };
    for (int k = 0; k < 3; ++k) {
      wall(Vec3::Unit(k));
      wall(-Vec3::Unit(k));
    }
    std::vector<Vec3> places;
    while (static_cast<Index>(places.size()) < count) {
      const Vec3 place = test::random_vector(random, 0.45);
      bool is_free = true;
      for (const Vec3& other : places) is_free = is_free && (place - other).norm() > 0.1;
      if (!is_free) continue;
      places.push_back(place);
      const Index ball = world.add_sphere(0.05, place);
      world.state.velocity[ball] = test::random_vector(random, speed);
    }
  }
};

// A gas of elastic balls keeps its energy where a step in which a ball that has just been struck
// strikes another is cut in two: Newton's law reverses the approach before the step, so that the
// second impact of a step gives nothing back, however small it is (those below a thousandth of the
// speeds once went unseen and cost up to 6e-5). Uncut it loses a tenth and says how many there
// were.
TEST(Halving, ElasticGasKeepsItsEnergy) {
  for (const std::uint64_t seed : {1, 3, 8}) {
    const auto share_left = [&](Index halvings, Index& second_impacts) {
      Gas gas(75, 12, seed);
      const Real before = gas.world.energy();
      auto options = test::options("moreau_jean", 1e-8);
      options.max_halvings = halvings;
      const auto scheme = make_scheme(gas.world.model, options);
      for (int step = 0; step < 800; ++step) {
        const auto report = scheme->step(gas.world.state, 1e-3);
        EXPECT_TRUE(report.is_certified()) << report.detail;
        second_impacts += report.second_impacts;
      }
      return gas.world.energy() / before;
    };
    Index uncut = 0, cut = 0;
    EXPECT_LT(share_left(0, uncut), 0.95) << seed;
    EXPECT_GT(uncut, 10) << seed;
    EXPECT_NEAR(share_left(10, cut), 1, 1e-8) << seed;
    EXPECT_LE(cut, uncut / 10) << seed;
  }
}

// Each part of a step is one: a step cut in two is the two steps, bit for bit, and its certificate
// is the worse of theirs.
TEST(Halving, AStepCutInTwoIsTwoSteps) {
  Gas whole(75, 12, 5), parts(75, 12, 5);
  auto options = test::options("moreau_jean", 1e-8);
  const auto plain = make_scheme(parts.world.model, options);
  options.max_halvings = 1;
  const auto halved = make_scheme(whole.world.model, options);
  (void)plain->step(parts.world.state, 1e-6);  // a memory, which restores bit for bit
  (void)halved->step(whole.world.state, 1e-6);
  int cut = 0;
  for (int step = 0; step < 300; ++step) {
    const auto report = halved->step(whole.world.state, 2e-3);
    cut += report.halvings > 0 ? 1 : 0;
    if (report.halvings > 0) {
      auto first = plain->step(parts.world.state, 1e-3);
      plain->certify_in_full(first);
      auto second = plain->step(parts.world.state, 1e-3);
      plain->certify_in_full(second);
      const certify::Certificate &one = first.certificate, &other = second.certificate;
      ASSERT_EQ(report.certificate.natural_map, std::max(one.natural_map, other.natural_map));
      ASSERT_EQ(report.certificate.violation, std::fmax(one.violation, other.violation));
      ASSERT_EQ(report.certificate.plain, std::max(one.plain, other.plain));
      ASSERT_EQ(report.max_penetration, std::max(first.max_penetration, second.max_penetration));
    } else {
      (void)plain->step(parts.world.state, 2e-3);
    }
    ASSERT_EQ(whole.world.state.hash(), parts.world.state.hash()) << step;
  }
  EXPECT_GT(cut, 10);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
