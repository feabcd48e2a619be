#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/detail/islands.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/dynamics/persistent_contacts.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using driver::detail::Island;
using driver::detail::Islands;
using problem::RigidContact;

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

void expect_same(const Island& a, const Island& b) {
  EXPECT_EQ(a.bodies, b.bodies);
  EXPECT_EQ(a.contacts, b.contacts);
  EXPECT_EQ(a.problem.central.slot, b.problem.central.slot);
  EXPECT_EQ(a.problem.central.is_late, b.problem.central.is_late);
  EXPECT_EQ(a.problem.central.colours, b.problem.central.colours);
  EXPECT_TRUE(same_bits(a.lanes, b.lanes));
  EXPECT_TRUE(same_bits(a.problem.bodies, b.problem.bodies));
  EXPECT_TRUE(same_bits(a.problem.length, b.problem.length));
  EXPECT_TRUE(same_bits(a.problem.central.batches, b.problem.central.batches));
  EXPECT_TRUE(same_bits(a.problem.central.tiles, b.problem.central.tiles));
}

/// Three slabs of balls with fixed layers between them.
test::World slabs(std::uint64_t seed, std::pair<Index, Index> fixed) {
  test::World world = test::lattice_bed(20, 20, 11, seed);
  for (Index i = 5; i < world.model.body_count(); ++i)
    if (const Index layer = (i - 5) / 400; layer == fixed.first || layer == fixed.second)
      world.model.bodies[i].kind = model::BodyKind::fixed;
  return world;
}

RigidContact in_motion(test::World world, std::uint64_t seed) {
  Random random(seed);
  const std::vector<Vec3> place = world.state.position;
  RigidContact problem = test::in_random_motion(std::move(world), random);
  problem.central.place = place;
  return problem;
}

RigidContact balls_in_motion(std::uint64_t seed) { return in_motion(slabs(seed, {3, 7}), seed); }

/// Lays out the contacts anew, as time stepping does, between the same bodies.
void lay_out_persistent(const test::World& world, RigidContact& problem) {
  std::map<collision::Pair, problem::CentralContact> contact_of;
  std::vector<collision::Pair> pairs;
  for (Index c = 0; c < problem.central.size(); ++c) {
    const problem::CentralContact contact = problem.central.at(c);
    pairs.push_back({contact.body_a, contact.body_b});
    contact_of[pairs.back()] = contact;
  }
  std::sort(pairs.begin(), pairs.end());
  const dynamics::RigidBodies bodies(world.model);
  dynamics::PersistentContacts persistent(bodies);
  std::vector<problem::ImpulseBatch> impulse;
  persistent.rebuild(pairs, world.state.position, problem, impulse);
  for (std::size_t c = 0; c < pairs.size(); ++c)
    problem.central.set(static_cast<Index>(c), contact_of[pairs[c]].normal, 0);
}

/// The same contacts with other velocities, directions and biases.
void move(RigidContact& problem, Random& random) {
  for (problem::BodyVelocity& body : problem.bodies)
    if (body.inverse_mass > 0) body.v += test::random_vector(random, 0.1);
  for (Index c = 0; c < problem.central.size(); ++c)
    problem.central.set(c, test::random_vector(random, 1).normalized(), random.uniform(-1, 1));
}

// What is kept from one problem to the next changes no bit: the islands of problems that follow
// each other are those of each problem alone, while its contacts stay and only their numbers
// change, when they are laid out anew, and when others come.
TEST(KeptIslands, AreThoseOfEachProblemAlone) {
  Random random(5);
  Islands kept;
  std::size_t islands = 0, contacts = 0;
  const auto look_at = [&](const RigidContact& problem, const char* what) {
    SCOPED_TRACE(what);
    const certify::RigidContactCertifier certify(problem);
    Islands fresh;
    fresh.split(problem, certify, false);
    kept.split(problem, certify, false);
    ASSERT_EQ(kept.all().size(), fresh.all().size());
    islands = fresh.all().size();
    for (std::size_t i = 0; i < islands; ++i) {
      expect_same(*kept.all()[i], *fresh.all()[i]);
      contacts = std::max(contacts, fresh.all()[i]->contacts.size());
    }
  };
  for (const std::uint64_t seed : {1, 2}) {
    RigidContact problem = balls_in_motion(seed);
    look_at(problem, "others");
    move(problem, random);
    look_at(problem, "moved");
    for (Vec3& place : problem.central.place) place += test::random_vector(random, 2e-3);
    look_at(problem, "laid out elsewhere");
    problem.central.is_late.assign(static_cast<std::size_t>(problem.central.size()), 0);
    for (std::size_t c = 0; c < problem.central.is_late.size(); c += 3)
      problem.central.is_late[c] = 1;
    look_at(problem, "with late contacts");
    move(problem, random);
    look_at(problem, "moved again");
  }
  EXPECT_GE(islands, 3u);
  EXPECT_GT(contacts, 2000u);  // more than a tile of them
}

/// Solves each island alone from the guess, and expects the bits of the answer together.
/// @return the fewest and the most sweeps of an island.
std::pair<Index, Index> expect_answers_alone(const RigidContact& problem,
                                             const driver::Options& options,
                                             const problem::ContactImpulses& guess,
                                             const driver::RigidContactSolution& together) {
  const certify::RigidContactCertifier certify(problem);
  Islands islands;
  islands.split(problem, certify, false);
  EXPECT_GE(islands.all().size(), 3u);
  std::pair<Index, Index> sweeps = {options.max_iterations, 0};
  for (const Island* island : islands.all()) {
    problem::ContactImpulses own_guess, own;
    driver::detail::impulses_of(*island, problem, guess, own_guess);
    driver::detail::impulses_of(*island, problem, together.impulse, own);
    driver::RigidContactSolution alone;
    driver::solve(island->problem, options, own_guess, alone);
    sweeps = {std::min(sweeps.first, alone.report.iterations),
              std::max(sweeps.second, alone.report.iterations)};
    EXPECT_TRUE(same_bits(own.central, alone.impulse.central));
    for (std::size_t i = 0; i < island->bodies.size(); ++i)
      EXPECT_EQ(together.velocity[island->bodies[i]].v, alone.velocity[i].v);
  }
  EXPECT_EQ(sweeps.second, together.report.iterations);
  return sweeps;
}

// Islands do not act on each other: r and v of each are those of its problem alone, to the last
// bit, whether its certificate holds at the first gate or not, however many sweeps another one
// takes, and where there is no answer within the sweeps that are allowed.
void expect_answers_of_each_alone(RigidContact problem) {
  driver::Options options;
  options.solver = "nsgs";
  for (problem::BodyVelocity& body : problem.bodies)
    if (body.inverse_mass == 0) body.v = body.s = Vec3::Zero();
  for (problem::CentralBatch& batch : problem.central.batches)
    std::fill(std::begin(batch.bias), std::end(batch.bias), Real(0));  // rest is feasible
  driver::RigidContactSolution together;
  int differ = 0;
  for (Real tolerance = 0.05; tolerance > 1e-4; tolerance *= 0.8) {
    options.tolerance = tolerance;
    driver::solve(problem, options, {}, together);
    EXPECT_EQ(together.report.status, problem::SolveStatus::converged);
    EXPECT_TRUE(together.certificate.meets(tolerance));
    const auto [fewest, most] = expect_answers_alone(problem, options, {}, together);
    differ += fewest < most ? 1 : 0;
  }
  EXPECT_GT(differ, 10);  // they stop at different sweeps
  options.tolerance = 1e-9;
  options.max_iterations = 60;
  const problem::ContactImpulses guess = together.impulse;
  driver::solve(problem, options, guess, together);
  EXPECT_NE(together.report.status, problem::SolveStatus::converged);
  expect_answers_alone(problem, options, guess, together);
}

TEST(KeptIslands, AnswersAreThoseOfEachAlone) { expect_answers_of_each_alone(balls_in_motion(7)); }

/// The numbers of a contact.
std::vector<double> numbers_of(const RigidContact& problem, std::size_t contact) {
  const std::uint32_t slot = problem.central.slot[contact], l = slot % problem::kLanes;
  const problem::CentralBatch& batch = problem.central.batches[slot / problem::kLanes];
  return {batch.arm[0][l],
          batch.arm[1][l],
          batch.arm[2][l],
          batch.inverse_arm2[l],
          batch.bias[l],
          batch.inverse_normal[l],
          batch.inverse_tangential[l]};
}

// For that a contact of balls must be rounded alike in a batch that others of another island fill
// and in one with empty lanes.
TEST(KeptIslands, AContactIsTheSameInAnyBatch) {
  Random random(11);
  test::World world = test::lattice_bed(5, 5, 5, 11);
  for (Vec3& position : world.state.position) position = test::random_vector(random, 0.02);
  const dynamics::RigidBodies bodies(world.model);
  std::vector<collision::Pair> pairs;
  for (std::uint32_t i = 5; i + 1 < world.model.bodies.size(); ++i) pairs.push_back({i, i + 1});
  const auto refreshed = [&](std::span<const collision::Pair> some) {
    RigidContact problem;
    bodies.load_free(world.state, 1e-3, 1, problem);
    dynamics::PersistentContacts persistent(bodies);
    std::vector<problem::ImpulseBatch> impulse;
    persistent.rebuild(some, world.state.position, problem, impulse);
    persistent.refresh(world.state, {1e-3, 1, 0, 0}, problem);
    return problem;
  };
  const RigidContact together = refreshed(pairs);
  for (std::size_t c = 0; c < pairs.size(); ++c)
    EXPECT_EQ(numbers_of(together, c), numbers_of(refreshed(std::span(pairs).subspan(c, 1)), 0));
}

// The same of an island with half of the contacts and more: it comes first in the problem, in
// colours of its own, in the order that it has alone, and is solved where it stands.
TEST(KeptIslands, AnIslandThatComesFirstIsNotCopied) {
  test::World world = slabs(7, {7, 9});
  RigidContact problem = in_motion(world, 7);
  lay_out_persistent(world, problem);
  const certify::RigidContactCertifier certify(problem);
  Islands islands, copied;
  islands.split(problem, certify, true);
  copied.split(problem, certify, false);
  std::size_t first = 0;
  for (std::size_t i = 0; i < islands.all().size(); ++i) {
    const Island &own = *islands.all()[i], &alone = *copied.all()[i];
    if (own.colours == 0) continue;
    first += alone.contacts.size();
    const std::span<const std::uint32_t> colours = problem.central.colours;
    EXPECT_EQ(own.colours + 1, std::ssize(alone.problem.central.colours));
    for (std::size_t c = 0; c < alone.problem.central.colours.size(); ++c)
      EXPECT_EQ(alone.problem.central.colours[c], colours[c]);
    for (const Island::Lane lane : alone.lanes) EXPECT_EQ(lane.whole, lane.own);
    // Contacts of other islands lose the impulses of a guess, which their own sweeps begin with.
    problem::ContactImpulses guess = problem::zero_impulses(problem);
    for (problem::ImpulseBatch& batch : guess.central)
      for (auto& row : batch.r) std::fill(std::begin(row), std::end(row), 1);
    solve::RigidNsgs sweeps;
    sweeps.start(problem, guess);
    sweeps.start(problem, guess, 0, own.colours);
    const std::size_t others = problem.central.tiles[colours[own.colours] - 1].end;
    ASSERT_LT(others, guess.central.size());
    for (std::size_t k = others; k < guess.central.size(); ++k)
      for (const auto& row : sweeps.impulse().central[k].r)
        for (const Real r : row) EXPECT_EQ(r, 0);
  }
  EXPECT_GT(2 * first, static_cast<std::size_t>(problem.contact_count()));
  expect_answers_of_each_alone(problem);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
