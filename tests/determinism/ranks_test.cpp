#include <gtest/gtest.h>

#include <cstdlib>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"
#include "support/thread_ranks.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

std::uint64_t hash_after(test::World world, int steps) {
  const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
  for (int k = 0; k < steps; ++k) EXPECT_TRUE(scheme->step(world.state, 1e-3).is_certified());
  return world.state.hash();
}

test::World moving_bed(int side) {
  test::World world = test::lattice_bed(side, side, side, 7);
  for (Index i = 5; i < world.model.body_count(); ++i)
    world.state.velocity[i] = Vec3(0.1, -0.2, -3);
  return world;
}

/// A ball six times as large falls on the bed.
test::World large_ball() {
  test::World world = moving_bed(11);
  const Index ball = world.add(geometry::Sphere{0.06}, model::BodyKind::dynamic, Vec3(0, 0, 0.35));
  world.state.velocity[ball] = Vec3(0, 0, -3);
  return world;
}

/// Boxes with balls on top: contacts of both kinds.
test::World boxes_and_balls() {
  test::World world(0.5);
  test::add_container(world, 0.26);
  Random random(3);
  for (int z = 0; z < 8; ++z)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 10; ++x) {
        const Vec3 place =
            0.0225 * Vec3(x - 4.5, y - 4.5, z + 0.52) + test::random_vector(random, 2e-4);
        const Index body =
            z < 4 ? world.add_box(Vec3::Constant(0.01), place) : world.add_sphere(0.01, place);
        world.state.velocity[body] = Vec3(0.1, -0.2, -3);
      }
  return world;
}

test::World rolling_bed() {
  test::World world = moving_bed(11);
  world.model.laws[0].friction.rolling = 2e-4;
  world.model.laws[0].friction.torsion = 1e-4;
  return world;
}

// Any number of ranks, each with any number of threads, ends in the state of one, to the last bit.
TEST(Ranks, SameBitsOnAnyNumber) {
  for (const auto& [name, world, steps] :
       {std::tuple("bed", moving_bed(11), 8), std::tuple("many", moving_bed(21), 2),
        std::tuple("large ball", large_ball(), 8),
        std::tuple("boxes and balls", boxes_and_balls(), 6),
        std::tuple("rolling", rolling_bed(), 4)}) {
    const std::uint64_t alone = hash_after(world, steps);
    EXPECT_NE(hash_after(world, steps - 1), alone) << name << " does not move";
    for (const auto& [count, threads, map] :
         {std::tuple(2, 1, "curve"), {3, 2, "slab"}, {5, 1, "random"}}) {
      ::setenv("TALUS_RANK_MAP", map, 1);
      parallel::set_thread_count(threads);
      test::ThreadRanks all(count);
      all.run([&](int rank) {
        EXPECT_EQ(hash_after(world, steps), alone) << name << ", rank " << rank << " of " << count;
      });
      EXPECT_GT(all.work(0).sweeps, steps) << name;
      double sent = 0;
      for (int r = 0; r < count; ++r) sent += all.work(r).sent_bytes;
      EXPECT_EQ(all.work(0).bytes, sent);
      EXPECT_GT(sent, 0);
    }
  }
  ::unsetenv("TALUS_RANK_MAP");
  parallel::set_thread_count(0);
}

// The certificate shares nothing with the exchange of the sweeps: velocities that were not handed
// over are not those of the impulses, and it says so at once.
TEST(Ranks, CertificateFindsAHandOverThatIsMissing) {
  Random random(1);
  const problem::RigidContact balls =
      test::in_random_motion(test::lattice_bed(17, 17, 17, 1), random);
  const problem::RigidContact both = test::in_random_motion(boxes_and_balls(), random);
  const auto equation_of_motion = [](const problem::RigidContact& problem, int left_out) {
    Real found = 0;
    test::ThreadRanks all(2);
    all.run([&](int rank) {
      solve::RigidNsgs nsgs;
      nsgs.hand_overs().leave_out(left_out);
      nsgs.start(problem, {});
      EXPECT_EQ(nsgs.run(0, 5, {}, {}).iterations, 5);
      EXPECT_TRUE(nsgs.hand_overs().is_shared());
      const Real own =
          certify::certify(problem, nsgs.impulse(), nsgs.velocity()).equation_of_motion;
      if (rank == 0) found = own;
    });
    return found;
  };
  EXPECT_LT(equation_of_motion(balls, -2), 1e-13);
  for (const int phase : {-1, 0, 1}) EXPECT_GT(equation_of_motion(balls, phase), 1e-6) << phase;
  EXPECT_GT(both.central.size(), 0);
  EXPECT_GT(both.general.size(), 0);
  EXPECT_LT(equation_of_motion(both, -2), 1e-13);
  for (const int phase : {-1, 0, 1}) EXPECT_GT(equation_of_motion(both, phase), 1e-6) << phase;
}

/// Many balls, the last one far below its neighbours in number: tiles touch it and nothing else of
/// its rank.
test::World with_one_below(int side) {
  test::World world = test::lattice_bed(side, side, side, 1);
  world.add(geometry::Sphere{0.015}, model::BodyKind::dynamic, Vec3(0, 0, 0.03));
  return world;
}

// A certificate is the same, to the last bit, whoever judges which contacts and bodies, of which
// some ranks may have none: with central contacts, with general ones, with resistance to rolling,
// and of every island by itself.
TEST(Ranks, CertificateIsThatOfOne) {
  Random random(1);
  const problem::RigidContact balls = test::in_random_motion(with_one_below(21), random);
  const problem::RigidContact both = test::in_random_motion(boxes_and_balls(), random);
  for (const problem::RigidContact* problem : {&balls, &both}) {
    solve::RigidNsgs nsgs;
    nsgs.start(*problem, {});
    EXPECT_EQ(nsgs.run(0, 5, {}, {}).iterations, 5);
    const auto judge = [&] {
      const certify::RigidContactCertifier certify(*problem);
      std::vector<certify::Certificate> found;
      const certify::Certificate own = certify(nsgs.impulse(), nsgs.velocity(), found);
      found.push_back(certify.in_full(nsgs.impulse(), nsgs.velocity()));
      EXPECT_EQ(own.natural_map, found.back().natural_map);
      return found;
    };
    const std::vector<certify::Certificate> alone = judge();
    EXPECT_GT(alone.back().natural_map, 0);
    for (const int count : {2, 3, 5}) {
      test::ThreadRanks all(count);
      all.run([&](int rank) {
        const std::vector<certify::Certificate> shared = judge();
        ASSERT_EQ(shared.size(), alone.size());
        for (std::size_t i = 0; i < alone.size(); ++i) {
          using certify::Certificate;
          for (const auto part :
               {&Certificate::natural_map, &Certificate::plain, &Certificate::primal,
                &Certificate::dual, &Certificate::complementarity, &Certificate::violation,
                &Certificate::work, &Certificate::worst_velocity, &Certificate::equation_of_motion,
                &Certificate::worst_share})
            EXPECT_EQ(shared[i].*part, alone[i].*part) << "rank " << rank << " of " << count;
          EXPECT_EQ(shared[i].worst_contact, alone[i].worst_contact);
        }
      });
    }
  }
}

// Sums over all tiles, which decide, are those of one rank to the last bit.
TEST(Ranks, SumsAreThoseOfOne) {
  Random random(1);
  const problem::RigidContact problem =
      test::in_random_motion(test::lattice_bed(20, 20, 20, 1), random);
  ASSERT_GT(problem.central.tiles.size(), 8);  // the order of two sums does not show
  const auto steps = [&] {
    solve::RigidNsgs nsgs;
    nsgs.start(problem, {}, 40);
    return nsgs.run(0, 40, {}, {}).history.residual;
  };
  const std::vector<Real> alone = steps();
  ASSERT_GT(alone.size(), 10);
  test::ThreadRanks all(3);
  all.run([&](int rank) {
    const std::vector<Real> shared = steps();
    ASSERT_EQ(shared.size(), alone.size());
    for (std::size_t k = 1; k < alone.size(); ++k)
      EXPECT_EQ(shared[k], alone[k]) << "rank " << rank << ", sweep " << k;
  });
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
