#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/distribute/deal.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
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

/// Calls run() on each of 2, 3 and 5 ranks, with several threads and maps of tiles. As
/// much is sent as the lists of messages say.
/// @param sweeps that are shared at least.
template <class Run>
void on_ranks(Index sweeps, const Run& run) {
  for (const auto& [count, threads, map] :
       {std::tuple(2, 1, "curve"), {3, 2, "slab"}, {5, 1, "random"}}) {
    ::setenv("TALUS_RANK_MAP", map, 1);
    parallel::set_thread_count(threads);
    test::ThreadRanks all(count);
    all.run([&, ranks = count](int rank) {
      SCOPED_TRACE(testing::Message() << "rank " << rank << " of " << ranks);
      run();
    });
    EXPECT_GT(all.work(0).sweeps, sweeps);
    double sent = 0;
    for (int r = 0; r < count; ++r) sent += all.work(r).sent_bytes;
    EXPECT_EQ(all.work(0).bytes, sent);
    EXPECT_GT(sent, 0);
  }
  ::unsetenv("TALUS_RANK_MAP");
  parallel::set_thread_count(0);
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
    SCOPED_TRACE(name);
    on_ranks(steps,
             [&, &start = world, taken = steps] { EXPECT_EQ(hash_after(start, taken), alone); });
  }
}

/// What a step leaves: numbers of its report, and the state.
struct Left {
  std::vector<Real> numbers;
  std::uint64_t hash = 0;
  bool operator==(const Left&) const = default;
};

Left left_by(const stepping::StepReport& report, model::State state) {
  state.complete();
  const certify::Certificate& certificate = report.certificate;
  return {{report.energy.kinetic, report.energy.potential, report.max_penetration,
           certificate.natural_map, certificate.violation, certificate.work,
           certificate.worst_velocity, certificate.equation_of_motion, certificate.worst_share,
           static_cast<Real>(certificate.worst_contact), static_cast<Real>(report.iterations),
           static_cast<Real>(report.contact_count), report.is_certified() ? 1.0 : 0.0},
          state.hash()};
}

std::vector<Real> numbers_of(const std::vector<stepping::StepContact>& contacts) {
  std::vector<Real> numbers;
  for (const stepping::StepContact& contact : contacts)
    for (const Real number :
         {static_cast<Real>(contact.body_a), static_cast<Real>(contact.body_b), contact.gap,
          contact.impulse.x(), contact.impulse.y(), contact.impulse.z(), contact.normal.x(),
          contact.normal.y(), contact.normal.z(), contact.position.x(), contact.position.z()})
      numbers.push_back(number);
  return numbers;
}

/// Columns of balls that touch, nearly at rest, one of which spins on top of another, and balls far
/// from them and from each other.
test::World columns() {
  constexpr Real kRadius = 0.01;
  test::World world(0.5);
  test::add_container(world, 0.8);
  Random random(5);
  const auto add = [&](const Vec3& place) {
    const Index body = world.add_sphere(kRadius, place);
    world.state.velocity[body] = test::random_vector(random, 1e-3);
  };
  for (int z = 0; z < 17; ++z)
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) add(kRadius * Vec3(2 * x - 15, 2 * y - 15, 2 * z + 1));
  world.state.angular_velocity.back() = {0, 0, 30};
  for (int k = 0; k < 12; ++k) add(kRadius * Vec3(5 * k - 30, 30, 1));
  return world;
}

// Where balls come to rest, ranks leave states and contacts in parts, of which each has its own:
// what they have together after each step is that of one process, to the last bit, with every
// number of the report; and so it is where steps are not in parts again.
TEST(Ranks, PartsAreThoseOfOne) {
  constexpr int kSteps = 20;
  const test::World start = columns();
  struct Run {
    std::vector<Left> left;
    std::vector<Real> contacts;
    Index in_parts = 0, most_sweeps = 0;  // of a step in parts
  };
  const auto take_steps = [&] {
    Run run;
    test::World world = start;
    const auto scheme = make_scheme(world.model, test::options("moreau_jean", 1e-4));
    scheme->allow_parts(true);
    for (int k = 0; k < kSteps; ++k) {
      const stepping::StepReport report = scheme->step(world.state, 1e-3);
      if (world.state.deal != nullptr) {
        ++run.in_parts;
        run.most_sweeps = std::max(run.most_sweeps, report.iterations);
      }
      run.left.push_back(left_by(report, world.state));
      if (k % 5 != 4) continue;
      scheme->complete();
      const std::vector<Real> own = numbers_of(scheme->contacts());
      run.contacts.insert(run.contacts.end(), own.begin(), own.end());
      if (k % 10 == 9) world.state.complete();
    }
    return run;
  };
  const Run alone = take_steps();
  EXPECT_EQ(alone.in_parts, 0);
  on_ranks(kSteps, [&] {
    const Run own = take_steps();
    EXPECT_GT(own.in_parts, kSteps / 4);
    EXPECT_GT(own.most_sweeps, 12) << "no sweep of single precision in a step in parts";
    ASSERT_EQ(own.left.size(), alone.left.size());
    for (std::size_t k = 0; k < own.left.size(); ++k)
      ASSERT_EQ(own.left[k], alone.left[k]) << "step " << k;
    EXPECT_EQ(own.contacts, alone.contacts);
  });
}

// The certificate shares nothing with the exchange of the sweeps: velocities that were not handed
// over are not those of the impulses, and it says so at once.
TEST(Ranks, CertificateFindsAHandOverThatIsMissing) {
  Random random(1);
  const problem::RigidContact balls =
      test::in_random_motion(test::lattice_bed(17, 17, 17, 1), random);
  const problem::RigidContact both = test::in_random_motion(boxes_and_balls(), random);
  const auto equation_of_motion = [](const problem::RigidContact& of_all, int left_out,
                                     bool is_dealt = false) {
    Real found = 0;
    test::ThreadRanks all(2);
    all.run([&](int rank) {
      problem::RigidContact problem = of_all;
      if (is_dealt) driver::deal_out(problem);
      EXPECT_EQ(problem.central.deal != nullptr, is_dealt);
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
  EXPECT_LT(equation_of_motion(balls, -2, true), 1e-13);
  for (const int phase : {-1, 0, 1})
    EXPECT_GT(equation_of_motion(balls, phase, true), 1e-6) << phase;
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
// some ranks may have none: with central contacts, whose tiles are dealt out or not, with general
// ones, with resistance to rolling, and of every island by itself.
TEST(Ranks, CertificateIsThatOfOne) {
  Random random(1);
  const problem::RigidContact balls = test::in_random_motion(with_one_below(21), random);
  const problem::RigidContact both = test::in_random_motion(boxes_and_balls(), random);
  for (const problem::RigidContact* problem : {&balls, &both}) {
    solve::RigidNsgs nsgs;
    nsgs.start(*problem, {});
    EXPECT_EQ(nsgs.run(0, 5, {}, {}).iterations, 5);
    const auto judge = [&](bool is_dealt = false) {
      problem::RigidContact own_problem = *problem;
      if (is_dealt) driver::deal_out(own_problem);
      const certify::RigidContactCertifier certify(own_problem);
      std::vector<certify::Certificate> found;
      const certify::Certificate own = certify(nsgs.impulse(), nsgs.velocity(), found);
      found.push_back(certify.in_full(nsgs.impulse(), nsgs.velocity()));
      EXPECT_EQ(own.natural_map, found.back().natural_map);
      return found;
    };
    const std::vector<certify::Certificate> alone = judge();
    EXPECT_GT(alone.back().natural_map, 0);
    for (const auto& [count, is_dealt] :
         {std::pair(2, false), {3, false}, {5, false}, {2, true}, {3, true}, {5, true}}) {
      if (is_dealt && problem != &balls) continue;
      test::ThreadRanks all(count);
      all.run([&, &count = count, &is_dealt = is_dealt](int rank) {
        const std::vector<certify::Certificate> shared = judge(is_dealt);
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
