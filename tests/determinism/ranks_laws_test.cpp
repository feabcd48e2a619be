#include <gtest/gtest.h>

#include <atomic>
#include <limits>

#include <talus/distribute/ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"
#include "support/malloc_counter.hpp"
#include "support/thread_ranks.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3;

/// Balls on a lattice that nearly touch, in random motion, in a cube without walls and weight.
test::World cube(int side) {
  Random random(4);
  test::World world(0.5, 0, Vec3::Zero());
  const Real spacing = 0.0205;
  world.model.cell = PeriodicCell(Vec3::Zero(), Vec3::Constant(spacing * side));
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const Index ball = world.add_sphere(0.01, spacing * Vec3(x, y, z));
        world.state.velocity[ball] = test::random_vector(random, 1);
      }
  return world;
}

struct Momentum {
  Vec3 sum = Vec3::Zero();  ///< Σ m v [N·s]
  Real size = 0;            ///< Σ m ‖v‖ [N·s]
};

Momentum momentum_of(const test::World& world) {
  Momentum momentum;
  for (std::size_t i = 0; i < world.model.bodies.size(); ++i) {
    if (world.model.bodies[i].kind != model::BodyKind::dynamic) continue;
    momentum.sum += world.model.bodies[i].mass * world.state.velocity[i];
    momentum.size += world.model.bodies[i].mass * world.state.velocity[i].norm();
  }
  return momentum;
}

// Σ m v of bodies that only touch each other stays, across borders of ranks too: what one body gets
// the other one loses, whichever rank adds it. A velocity is rounded at each visit, by half a unit
// at most, with a random sign: the sum over the bodies by less than a unit of Σ m ‖v‖ in a step.
// The bodies are so many that ranks look at parts of them too: states and energies are those of
// one.
TEST(Ranks, MomentumStaysInACubeWithoutWalls) {
  constexpr int kSteps = 12, kSide = 13;
  test::World end = cube(kSide);
  std::vector<Real> energy;
  const auto alone = make_scheme(end.model, test::options("moreau_jean", 1e-4));
  for (int k = 0; k < kSteps; ++k) energy.push_back(alone->step(end.state, kStep).energy.total());
  for (const int count : {2, 3}) {
    test::ThreadRanks all(count);
    all.run([&](int rank) {
      test::World world = cube(kSide);
      const Momentum before = momentum_of(world);
      const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
      Index met = 0;
      for (int k = 0; k < kSteps; ++k) {
        const stepping::StepReport report = scheme->step(world.state, kStep);
        ASSERT_TRUE(report.is_certified());
        EXPECT_EQ(report.energy.total(), energy[k]);
        for (const stepping::StepContact& contact : scheme->contacts())
          met += contact.impulse.isZero(0) ? 0 : 1;
      }
      EXPECT_GT(met, 1000);
      EXPECT_EQ(world.state.hash(), end.state.hash());
      const Momentum after = momentum_of(world);
      EXPECT_LT((after.sum - before.sum).lpNorm<Eigen::Infinity>(),
                kSteps * std::numeric_limits<Real>::epsilon() * before.size)
          << "rank " << rank << " of " << count;
      EXPECT_LT(after.size, 0.99 * before.size);  // they have met
    });
    EXPECT_GT(all.work(0).border_share, 0);
  }
}

// What the floor bears is the weight and what the momentum of all bodies gains: h W + Δ Σ m v, step
// by step, of impulses that several ranks have found. A bed at rest rests with its weight.
TEST(Ranks, FloorBearsTheWeight) {
  test::World settled = test::lattice_bed(18, 18, 3, 7);
  const auto settle = make_scheme(settled.model, test::options("moreau_jean", 1e-4));
  for (int k = 0; k < 250; ++k) ASSERT_TRUE(settle->step(settled.state, kStep).is_certified());
  Real weight = 0;
  for (const model::Body& body : settled.model.bodies) weight += body.mass * 9.81;
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    test::World world = settled;
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
    constexpr int kSteps = 20;
    Real mean = 0;
    for (int k = 0; k < kSteps; ++k) {
      const Momentum before = momentum_of(world);
      ASSERT_TRUE(scheme->step(world.state, kStep).is_certified());
      const Real gain = momentum_of(world).sum.z() - before.sum.z();
      const Real support = test::support_over_weight(world, *scheme, kStep);
      EXPECT_NEAR(support, 1 + gain / (weight * kStep), 1e-11) << "rank " << rank << ", " << k;
      mean += support / kSteps;
    }
    EXPECT_NEAR(mean, 1, 0.01);
  });
  EXPECT_GT(all.work(0).sweeps, 20);
  EXPECT_GT(all.work(0).border_share, 0);
}

// A sweep that ranks share takes no memory, nor does what makes its answer known to all.
TEST(Ranks, SweepsAllocateNothing) {
  if (!test::malloc_is_counted()) GTEST_SKIP() << "malloc is not counted in this build";
  Random random(1);
  const problem::RigidContact problem =
      test::in_random_motion(test::lattice_bed(12, 12, 12, 1), random);
  parallel::set_thread_count(1);
  test::ThreadRanks all(3);
  std::atomic<long> most = -1;
  all.run([&](int) {
    solve::RigidNsgs nsgs;
    nsgs.start(problem, {});
    (void)nsgs.run(0, 70, {},
                   {});  // beyond the first sweep of all batches after some were left out
    EXPECT_FALSE(distribute::ranks()->any(false));  // all are there
    const long before = test::malloc_count;
    const Index sweeps = nsgs.run(0, 140, {}, {}).iterations;
    EXPECT_FALSE(distribute::ranks()->any(false));
    most = std::max<long>(most, test::malloc_count - before);
    EXPECT_FALSE(distribute::ranks()->any(false));
    EXPECT_EQ(sweeps, 140);
    EXPECT_TRUE(nsgs.hand_overs().is_shared());
  });
  EXPECT_EQ(most, 0);
  parallel::set_thread_count(0);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
