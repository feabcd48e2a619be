#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::solve::TALUS_TEST_FILE {
namespace {

Vec3 random_vector(Random& random) {
  const Real x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return {x, y, random.uniform(-1, 1)};
}

void add_body(Random& random, bool is_movable, problem::RigidContact& problem) {
  const Mat3 root = Mat3::NullaryExpr([&] { return random.uniform(-1, 1); });
  const Real size = is_movable ? 1 : 0;
  problem.bodies.push_back({random_vector(random), size * random.uniform(0.2, 1),
                            is_movable ? random_vector(random) : Vec3(Vec3::Zero()), 0});
  problem.inverse_inertia.push_back(size *
                                    (root * root.transpose() + 0.2 * Mat3(Mat3::Identity())));
  problem.length.push_back(random.uniform(0.5, 2));
  problem.place.push_back(10 * random_vector(random));
}

void add_contacts(Random& random, std::uint32_t a, std::uint32_t b, int count,
                  problem::RigidContact& problem) {
  const Vec3 normal = random_vector(random).normalized();
  for (int k = 0; k < count; ++k)
    problem.general.push_back({normal, random.uniform(-2, 0.5), random_vector(random),
                               random_vector(random), random.uniform(0, 1), a, b});
}

/// One visit of a contact as the formulas stand in the papers.
void visit(const problem::RigidContact& problem, const LocalLaw& law, std::size_t c,
           std::vector<Vec3>& impulse, std::vector<problem::BodyVelocity>& velocity) {
  const problem::GeneralContact& contact = problem.general[c];
  problem::BodyVelocity &a = velocity[contact.body_a], &b = velocity[contact.body_b];
  const Mat3 frame = contact_frame(contact.normal);
  const Mat3 A = frame.transpose() * problem::contact_block(problem, contact) * frame;
  const Vec3 u = b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) +
                 contact.bias * contact.normal;
  const Vec3 old = frame.transpose() * impulse[c];
  const Vec3 free = frame.transpose() * u - A * old;
  const Vec3 r = frame * solve_contact(law, A, free, contact.friction, old).impulse;
  const Vec3 change = r - impulse[c];
  impulse[c] = r;
  a.v -= a.inverse_mass * change;
  b.v += b.inverse_mass * change;
  a.s -= problem.inverse_inertia[contact.body_a] * contact.arm_a.cross(change);
  b.s += problem.inverse_inertia[contact.body_b] * contact.arm_b.cross(change);
}

// A sweep takes the contacts of a pair of bodies one after the other in their order: sweeps over
// pairs that share no movable body, of one to four contacts, are those of the contacts one by one.
TEST(PairSweep, IsTheSweepContactByContact) {
  Random random(5);
  problem::RigidContact problem;
  add_body(random, false, problem);
  for (std::uint32_t i = 0; i < 60; ++i) {
    add_body(random, true, problem);
    add_body(random, true, problem);
    const bool is_on_ground = i % 5 == 0;
    add_contacts(random, is_on_ground ? 0 : 2 * i + 1, 2 * i + 2, 1 + static_cast<int>(i % 4),
                 problem);
  }
  LocalLaw law;
  law.law = problem.law = problem::FrictionLaw::maximum_dissipation;
  std::vector<Vec3> impulse(problem.general.size(), Vec3::Zero());
  std::vector<problem::BodyVelocity> velocity = problem.bodies;
  RigidNsgs nsgs;
  RigidNsgsOptions plain;
  plain.momentum_cap = 0;
  nsgs.start(problem, {});
  Real largest = 0, error = 0;
  for (Index sweep = 1; sweep <= 4; ++sweep) {
    EXPECT_EQ(nsgs.run(0, sweep, plain, {}).iterations, sweep);
    for (std::size_t c = 0; c < impulse.size(); ++c) visit(problem, law, c, impulse, velocity);
    for (std::size_t c = 0; c < impulse.size(); ++c) {
      largest = std::max(largest, impulse[c].norm());
      error = std::max(error, (nsgs.impulse().general[c] - impulse[c]).norm());
    }
  }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(error, 1e-11 * largest);
}

// The velocities are those of the impulses, v = v_free + M⁻¹ Jᵀ r, whatever the number of contacts
// of a pair: of pairs with up to eleven contacts that share bodies, some of them immovable, with
// momentum, from impulses of before. Immovable bodies stay as they are.
TEST(PairSweep, KeepsVelocitiesThoseOfTheImpulses) {
  Random random(6);
  problem::RigidContact problem;
  constexpr std::uint32_t kBodies = 40;
  for (std::uint32_t i = 0; i < kBodies; ++i) add_body(random, i >= 3, problem);
  for (std::uint32_t a = 0; a < kBodies; ++a)
    for (std::uint32_t b = std::max(a + 1, 3U); b < kBodies; b += 1 + (a + b) % 7)
      add_contacts(random, a, b, 1 + static_cast<int>((a + 2 * b) % 11), problem);
  RigidNsgs nsgs;
  nsgs.start(problem, {});
  EXPECT_EQ(nsgs.run(0, 7, {}, {}).iterations, 7);
  const problem::ContactImpulses guess = nsgs.impulse();
  nsgs.start(problem, guess);
  EXPECT_EQ(nsgs.run(0, 7, {}, {}).iterations, 7);
  std::vector<problem::BodyVelocity> expected = problem.bodies;
  problem::apply_impulses(problem, nsgs.impulse(), expected);
  Real size = 0, error = 0;
  for (std::uint32_t i = 0; i < kBodies; ++i) {
    const problem::BodyVelocity& found = nsgs.velocity()[i];
    size = std::max({size, found.v.norm(), found.s.norm()});
    error = std::max({error, (found.v - expected[i].v).norm(), (found.s - expected[i].s).norm()});
    if (i < 3) {
      EXPECT_EQ(found.v, problem.bodies[i].v);
    }
  }
  EXPECT_GT(size, 0.1);
  EXPECT_LT(error, 1e-12 * size);
}

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
