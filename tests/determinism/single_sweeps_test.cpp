#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"
#include "support/sweep_numbers.hpp"
#include "support/thread_ranks.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using problem::RigidContact;

constexpr Real kNever = std::numeric_limits<Real>::infinity();

/// Balls in random motion.
RigidContact random_bed(std::uint64_t seed, int side) {
  Random random(seed);
  return test::in_random_motion(test::lattice_bed(side, side, side, seed), random);
}

/// With contacts beside the way between the centres of bodies that are no balls.
void add_general(RigidContact& problem, Random& random) {
  for (const problem::BodyVelocity& body : problem.bodies)
    problem.inverse_inertia.emplace_back(body.inverse_inertia * Vec3(1, 1.5, 0.7).asDiagonal());
  for (Index c = 0; c < problem.central.size(); ++c) {
    const problem::ContactView seen = view(problem, c);
    const Vec3 aside =
        0.3 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    problem.general.push_back({seen.normal, seen.bias, seen.arm_a + aside, seen.arm_b + aside,
                               seen.friction, static_cast<std::uint32_t>(seen.body_a),
                               static_cast<std::uint32_t>(seen.body_b)});
  }
}

/// Sweeps in single precision: of contacts of balls, of others, of both.
class SingleSweeps : public testing::TestWithParam<std::string> {
 protected:
  static RigidContact problem(std::uint64_t seed, int side) {
    Random random(seed);
    RigidContact problem = random_bed(seed, side);
    if (GetParam() == "balls") return problem;
    add_general(problem, random);
    if (GetParam() == "both") return problem;
    problem.place = problem.central.place;
    problem.central = {};
    return problem;
  }
};

solve::RigidNsgsOptions single_from(Real gate) {
  solve::RigidNsgsOptions options;
  options.single_gate = gate;
  return options;
}

/// After some sweeps, of which the later ones are of single precision, and some more; with the
/// steps of those sweeps.
std::vector<Real> swept(const RigidContact& problem, Simd simd = best_simd(),
                        Real single_gate = 0) {
  solve::RigidNsgs nsgs(simd);
  nsgs.start(problem, {});
  std::vector<Real> list, steps;
  for (const Index sweeps : {90, 110}) {
    const problem::SolveReport report = nsgs.run(0, sweeps, single_from(single_gate), {});
    EXPECT_EQ(report.iterations, sweeps);
    for (const Real x : test::numbers(nsgs)) list.push_back(x);
    steps.push_back(report.residual);
  }
  list.insert(list.end(), steps.begin(), steps.end());
  return list;
}

// Sweeps of single precision give the same bits with every instruction set.
TEST_P(SingleSweeps, AllInstructionSetsAgreeToTheLastBit) {
  const RigidContact problem = SingleSweeps::problem(1, 9);
  const std::vector<Real> expected = swept(problem, Simd::baseline);
  EXPECT_NE(expected, swept(problem, Simd::baseline, kNever));
  for (const Simd simd : simd_levels()) EXPECT_EQ(swept(problem, simd), expected) << name(simd);
}

// They give the same bits on any number of threads and of ranks.
TEST_P(SingleSweeps, AnyNumberOfThreadsAndRanksGivesTheSameBits) {
  const RigidContact problem = SingleSweeps::problem(2, 14);
  ASSERT_GE(problem.contact_count(), 8 * problem::ContactColouring::kTileContacts);
  parallel::set_thread_count(1);
  const std::vector<Real> alone = swept(problem);
  for (const int threads : {2, 5}) {
    parallel::set_thread_count(threads);
    EXPECT_EQ(swept(problem), alone) << threads;
  }
  parallel::set_thread_count(0);
  for (const int count : {2, 3}) {
    test::ThreadRanks all(count);
    all.run([&](int rank) { EXPECT_EQ(swept(problem), alone) << rank << " of " << count; });
  }
}

// A workspace that has swept another layout, or this one, gives the same bits as a new one.
TEST_P(SingleSweeps, WhatWasSweptBeforeDoesNotMatter) {
  const RigidContact one = SingleSweeps::problem(3, 9), other = SingleSweeps::problem(4, 10);
  solve::RigidNsgs used;
  const auto sweep = [&](solve::RigidNsgs& nsgs, const RigidContact& problem) {
    nsgs.start(problem, {});
    EXPECT_EQ(nsgs.run(0, 60, single_from(0), {}).iterations, 60);
    return test::numbers(nsgs);
  };
  for (const RigidContact* problem : {&one, &other, &one, &one}) {
    solve::RigidNsgs fresh;
    EXPECT_EQ(sweep(used, *problem), sweep(fresh, *problem));
  }
}

// The answer is of double precision: impulses in their cones, velocities v = v_free + M⁻¹ Jᵀ r; and
// it is as near a solution as that of as many sweeps of double precision.
TEST_P(SingleSweeps, AnswerIsInItsConesWithItsVelocities) {
  RigidContact problem = SingleSweeps::problem(5, 10);
  const auto certificate_of = [&](Real single_gate) {
    solve::RigidNsgs nsgs;
    nsgs.start(problem, {});
    EXPECT_EQ(nsgs.run(0, 25, single_from(single_gate), {}).iterations, 25);
    for (Index c = 0; c < problem.contact_count(); ++c) {
      const problem::ContactView contact = view(problem, c);
      const Vec3 r = impulse_of(problem, nsgs.impulse(), c);
      const Real normal = r.dot(contact.normal);
      EXPECT_GE(normal, 0);
      EXPECT_LE((r - normal * contact.normal).norm(), contact.friction * normal + 1e-13 * r.norm());
    }
    return certify::certify(problem, nsgs.impulse(), nsgs.velocity());
  };
  for (const auto law :
       {problem::FrictionLaw::coulomb, problem::FrictionLaw::maximum_dissipation}) {
    problem.law = law;
    const certify::Certificate of_double = certificate_of(kNever), of_single = certificate_of(0);
    EXPECT_NE(of_single.natural_map, of_double.natural_map);
    EXPECT_LT(of_single.natural_map, 2 * of_double.natural_map);
    EXPECT_LT(of_single.equation_of_motion, 1e-13);
  }
}

// Units do not matter: with masses and velocities times powers of two, of grains of 1e-27 kg too,
// the answer is the same to the last bit, times these.
TEST_P(SingleSweeps, ScaleWithMassesAndVelocities) {
  const RigidContact problem = SingleSweeps::problem(6, 9);
  const Real mass = std::ldexp(1.0, -70), speed = std::ldexp(1.0, -30);
  RigidContact scaled = problem;
  for (problem::BodyVelocity& body : scaled.bodies) {
    body.v *= speed;
    body.s *= speed;
    body.inverse_mass /= mass;
    body.inverse_inertia /= mass;
  }
  for (Mat3& inertia : scaled.inverse_inertia) inertia /= mass;
  for (problem::GeneralContact& contact : scaled.general) contact.bias *= speed;
  for (problem::CentralBatch& batch : scaled.central.batches)
    for (int l = 0; l < problem::kLanes; ++l) {
      batch.bias[l] *= speed;
      batch.inverse_normal[l] *= static_cast<float>(mass);
      batch.inverse_tangential[l] *= static_cast<float>(mass);
    }
  const std::vector<Real> plain = swept(problem), list = swept(scaled);
  ASSERT_EQ(list.size(), plain.size());
  const std::size_t velocities = 6 * problem.bodies.size();
  const std::size_t count = list.size() / 2 - 1;  // of an answer
  for (std::size_t i = 0; i < 2 * count; ++i)
    EXPECT_EQ(list[i], plain[i] * speed * (i % count < velocities ? 1 : mass)) << i;
  EXPECT_EQ(list.back(), plain.back());
}

// Below their gate nothing is of single precision, and what they cannot reach is left to sweeps of
// double precision.
TEST_P(SingleSweeps, LeaveTheRestToDoublePrecision) {
  const RigidContact problem = SingleSweeps::problem(7, 9);
  const auto answer = [&](Real gate, Real single_gate) {
    solve::RigidNsgs nsgs;
    nsgs.start(problem, {});
    EXPECT_EQ(nsgs.run(gate, 20000, single_from(single_gate), {}).status,
              problem::SolveStatus::converged);
    return test::numbers(nsgs);
  };
  EXPECT_EQ(answer(1e-6, 1e-5), answer(1e-6, kNever));
  EXPECT_NE(answer(2e-5, 1e-5), answer(2e-5, kNever));
  EXPECT_NE(answer(1e-10, 0), answer(1e-10, kNever));
}

INSTANTIATE_TEST_SUITE_P(Contacts, SingleSweeps, testing::Values("balls", "others", "both"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
