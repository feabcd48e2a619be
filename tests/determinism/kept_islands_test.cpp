#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/detail/islands.hpp>

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
  EXPECT_TRUE(same_bits(a.problem.bodies, b.problem.bodies));
  EXPECT_TRUE(same_bits(a.problem.length, b.problem.length));
  EXPECT_TRUE(same_bits(a.problem.central.batches, b.problem.central.batches));
  EXPECT_TRUE(same_bits(a.problem.central.tiles, b.problem.central.tiles));
}

/// Three slabs of balls with fixed layers between them.
RigidContact balls_in_motion(std::uint64_t seed) {
  Random random(seed);
  test::World world = test::lattice_bed(12, 12, 11, seed);
  for (Index i = 5; i < world.model.body_count(); ++i)
    if ((i - 5) / 144 % 4 == 3) world.model.bodies[i].kind = model::BodyKind::fixed;
  return test::in_random_motion(std::move(world), random);
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
    fresh.split(problem, certify);
    kept.split(problem, certify);
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
    problem.central.place = problem.place.empty()
                                ? std::vector<Vec3>(problem.bodies.size(), Vec3::Zero())
                                : problem.place;
    for (Vec3& place : problem.central.place) place += test::random_vector(random, 0.05);
    look_at(problem, "laid out elsewhere");
    problem.central.is_late.assign(static_cast<std::size_t>(problem.central.size()), 0);
    for (std::size_t c = 0; c < problem.central.is_late.size(); c += 3)
      problem.central.is_late[c] = 1;
    look_at(problem, "with late contacts");
    move(problem, random);
    look_at(problem, "moved again");
  }
  EXPECT_GE(islands, 3u);
  EXPECT_GT(contacts, 500u);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
