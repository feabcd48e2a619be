#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <thread>
#include <utility>
#include <vector>

#include <talus/certify/friction_contact_residual.hpp>
#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

#include "support/bed.hpp"
#include "support/sweep_numbers.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

/// The contact problem of a bed of random balls, and boxes among them, in random motion.
problem::RigidContact random_bed(std::uint64_t seed, int side, int boxes = 0) {
  Random random(seed);
  test::World world = test::lattice_bed(side, side, side, seed);
  for (int k = 0; k < boxes; ++k)
    world.add_box(Vec3(0.01, 0.009, 0.008),
                  test::random_vector(random, 0.011 * side) + Vec3(0, 0, 0.011 * side),
                  test::random_rotation(random));
  return test::in_random_motion(std::move(world), random);
}

/// One sweep in the order of the slots, contact by contact, as the formulas stand in the papers.
void reference_sweep(const problem::RigidContact& problem, std::vector<Vec3>& impulse,
                     std::vector<problem::BodyVelocity>& velocity) {
  std::vector<Index> order(problem.central.slot.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = static_cast<Index>(c);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return problem.central.slot[a] < problem.central.slot[b]; });
  for (const Index c : order) {
    const problem::ContactView contact = view(problem, c);
    problem::BodyVelocity& a = velocity[contact.body_a];
    problem::BodyVelocity& b = velocity[contact.body_b];
    const Vec3& n = contact.normal;
    const Vec3 u =
        b.v + b.s.cross(contact.arm_b) - a.v - a.s.cross(contact.arm_a) + contact.bias * n;
    const Real alpha = a.inverse_mass + b.inverse_mass;
    const Real delta =
        alpha + contact.arm_a.squaredNorm() * (a.inverse_inertia + b.inverse_inertia);
    const Vec3 old = impulse[c];
    // Both are step sizes, and of single precision (problem/central_batch.hpp).
    const Real w_n = static_cast<float>(1 / alpha), w_t = static_cast<float>(1 / delta);
    const Real normal = std::max(Real(0), (old - w_n * u).dot(n));
    Vec3 tangential = old - w_t * u;
    tangential -= tangential.dot(n) * n;
    if (tangential.norm() > contact.friction * normal)
      tangential *= contact.friction * normal / tangential.norm();
    impulse[c] = normal * n + tangential;
    const Vec3 change = impulse[c] - old;
    a.v -= a.inverse_mass * change;
    b.v += b.inverse_mass * change;
    a.s -= a.inverse_inertia * contact.arm_a.cross(change);
    b.s += b.inverse_inertia * contact.arm_b.cross(change);
  }
}

// Every instruction set gives the same bits: sweeps with and without momentum, relaxed ones, warm
// starts and certificates.
TEST(Simd, AllInstructionSetsAgreeToTheLastBit) {
  const problem::RigidContact problem = random_bed(1, 8, 100);
  ASSERT_GT(problem.central.size(), 800);
  ASSERT_GT(problem.general.size(), 300U);
  const auto run = [&](Simd simd, Real momentum, Real relaxation) {
    solve::RigidNsgsOptions options;
    options.momentum_cap = momentum;
    options.relaxation = relaxation;
    solve::RigidNsgs nsgs(simd);
    nsgs.start(problem, {});
    EXPECT_EQ(nsgs.run(0, 10, options, {}).iterations, 10);
    problem::ContactImpulses guess = nsgs.impulse();
    for (auto& batch : guess.central)
      for (auto& row : batch.r)
        for (Real& r : row) r *= 1.5;  // outside the cones, partly
    nsgs.start(problem, guess);
    EXPECT_EQ(nsgs.run(0, 3, options, {}).iterations, 3);
    std::vector<Real> list = test::numbers(nsgs);
    const certify::Certificate c = certify::certify(problem, nsgs.impulse(), nsgs.velocity(), simd);
    EXPECT_TRUE(c.is_finite);
    // What decides is the same where nothing else is measured.
    using certify::Certificate;
    const Certificate own =
        certify::RigidContactCertifier(problem, simd)(nsgs.impulse(), nsgs.velocity(), simd);
    for (const auto number :
         {&Certificate::natural_map, &Certificate::equation_of_motion, &Certificate::violation,
          &Certificate::work, &Certificate::worst_velocity, &Certificate::worst_share})
      EXPECT_EQ(own.*number, c.*number);
    EXPECT_EQ(own.worst_contact, c.worst_contact);
    for (const auto number : {&Certificate::plain, &Certificate::primal, &Certificate::dual,
                              &Certificate::complementarity})
      EXPECT_TRUE(std::isnan(own.*number));
    list.insert(list.end(),
                {c.natural_map, c.plain, c.primal, c.dual, c.complementarity, c.equation_of_motion,
                 c.worst_velocity, c.violation, c.worst_share, static_cast<Real>(c.worst_contact)});
    return list;
  };
  for (const auto& [momentum, relaxation] : {std::pair(0.0, 1.0), {0.85, 1.0}, {0.0, 1.4}}) {
    const std::vector<Real> expected = run(Simd::baseline, momentum, relaxation);
    for (const Simd simd : simd_levels())
      EXPECT_EQ(run(simd, momentum, relaxation), expected) << name(simd);
  }
}

// A warm start is its guess, each impulse cut back to its cone, whatever the workspace held before:
// what pulls becomes 0, what slides too fast is shortened, and batches that bear nothing stay so.
TEST(Simd, WarmStartIsTheGuessInItsCones) {
  const problem::RigidContact problem = random_bed(7, 7);
  solve::RigidNsgs used;
  used.start(problem, {});
  EXPECT_EQ(used.run(0, 10, {}, {}).iterations, 10);
  problem::ContactImpulses guess = used.impulse();
  for (std::size_t k = 0; k < guess.central.size(); ++k)
    for (auto& row : guess.central[k].r)
      for (int l = 0; l < problem::kLanes; ++l) row[l] *= k % 3 == 0 ? 0 : l % 3 - Real(0.9);
  solve::RigidNsgs fresh;
  fresh.start(problem, guess);
  used.start(problem, guess);
  EXPECT_EQ(test::numbers(used), test::numbers(fresh));
  Real largest = 0, error = 0;
  Index bearing = 0, pulling = 0;
  for (Index c = 0; c < problem.central.size(); ++c) {
    const problem::CentralContact contact = problem.central.at(c);
    const Vec3 r = impulse_of(problem, guess, c);
    const Real normal = r.dot(contact.normal);
    Vec3 tangential = r - normal * contact.normal;
    if (tangential.norm() > contact.friction * normal)
      tangential *= contact.friction * normal / tangential.norm();
    const Vec3 expected = normal > 0 ? Vec3(normal * contact.normal + tangential) : Vec3::Zero();
    error = std::max(error, (impulse_of(problem, used.impulse(), c) - expected).norm());
    largest = std::max(largest, expected.norm());
    (normal > 0 ? bearing : pulling) += normal == 0 ? 0 : 1;
  }
  EXPECT_GT(bearing, 50);
  EXPECT_GT(pulling, 50);
  EXPECT_LT(error, 1e-14 * largest);
  std::vector<problem::BodyVelocity> velocity = problem.bodies;
  problem::apply_impulses(problem, used.impulse(), velocity);
  Real speed = 0, miss = 0;
  for (std::size_t i = 0; i < velocity.size(); ++i) {
    speed = std::max(speed, velocity[i].v.norm());
    miss = std::max({miss, (velocity[i].v - used.velocity()[i].v).norm(),
                     (velocity[i].s - used.velocity()[i].s).norm()});
  }
  EXPECT_LT(miss, 1e-13 * speed);
}

// A sweep over batches is the sweep over the contacts one by one in the order of their slots.
TEST(Simd, SweepIsTheSweepOneByOne) {
  const problem::RigidContact problem = random_bed(2, 6);
  std::vector<Vec3> impulse(static_cast<std::size_t>(problem.contact_count()), Vec3::Zero());
  std::vector<problem::BodyVelocity> velocity = problem.bodies;
  solve::RigidNsgs nsgs;
  solve::RigidNsgsOptions plain;
  plain.momentum_cap = 0;
  nsgs.start(problem, {});
  Real largest = 0, error = 0;
  for (Index sweep = 1; sweep <= 5; ++sweep) {
    EXPECT_EQ(nsgs.run(0, sweep, plain, {}).iterations, sweep);
    reference_sweep(problem, impulse, velocity);
    for (Index c = 0; c < problem.contact_count(); ++c) {
      largest = std::max(largest, impulse[c].norm());
      error = std::max(error, (impulse_of(problem, nsgs.impulse(), c) - impulse[c]).norm());
    }
  }
  EXPECT_GT(largest, 0);
  EXPECT_LT(error, 1e-13 * largest);
}

// The certificate of the rigid form is that of the assembled local form at the same impulses: two
// texts of the same definition.
TEST(Simd, CertificateIsThatOfTheAssembledForm) {
  const problem::RigidContact problem = random_bed(3, 5, 20);
  solve::RigidNsgs nsgs;
  nsgs.start(problem, {});
  for (const Index sweeps : {1, 4, 40}) {
    EXPECT_EQ(nsgs.run(0, sweeps, {}, {}).iterations, sweeps);
    const certify::Certificate rigid = certify::certify(problem, nsgs.impulse(), nsgs.velocity());
    const certify::Certificate local = certify::certify(
        problem::to_local(problem), problem::impulses_to_frames(problem, nsgs.impulse()));
    EXPECT_NEAR(rigid.natural_map, local.natural_map, 1e-12 * local.natural_map + 1e-15);
    EXPECT_NEAR(rigid.plain, local.plain, 1e-12 * local.plain + 1e-15);
    EXPECT_NEAR(rigid.dual, local.dual, 1e-12 * local.dual + 1e-15);
    EXPECT_NEAR(rigid.complementarity, local.complementarity,
                1e-10 * local.complementarity + 1e-15);
    EXPECT_EQ(rigid.worst_contact, local.worst_contact);
    EXPECT_NEAR(rigid.violation / local.violation, 1, 1e-9);
    EXPECT_LT(rigid.equation_of_motion, 1e-13);
  }
}

// Islands are kept from one problem to the next while the same bodies touch. What is certified does
// not depend on that: where bodies no longer move, or others touch, islands are those of a thread
// that has seen no problem before.
TEST(Simd, IslandsAreThoseOfTheProblem) {
  const problem::RigidContact bed = random_bed(5, 5, 20);
  problem::RigidContact held = bed, other = bed;
  for (std::size_t i = 0; i < held.bodies.size(); i += 2) {
    held.bodies[i].inverse_mass = held.bodies[i].inverse_inertia = 0;
    held.inverse_inertia[i].setZero();
  }
  for (problem::GeneralContact& contact : other.general) contact.body_b = contact.body_a;
  const auto islands_of = [](const problem::RigidContact& problem) {
    const certify::RigidContactCertifier certify(problem);
    std::vector<Index> islands = {certify.island_count()};
    for (Index c = 0; c < problem.contact_count(); ++c) islands.push_back(certify.island_of(c));
    for (std::size_t i = 0; i < problem.bodies.size(); ++i)
      islands.push_back(certify.island_of_body(static_cast<Index>(i)));
    return islands;
  };
  std::vector<Index> counts;
  for (const problem::RigidContact* problem :
       std::initializer_list<const problem::RigidContact*>{&bed, &held, &bed, &other, &bed}) {
    std::vector<Index> alone;
    std::thread([&] { alone = islands_of(*problem); }).join();
    EXPECT_EQ(islands_of(*problem), alone);
    counts.push_back(alone.front());
  }
  EXPECT_GT(counts[1], counts[0]);
}

// Velocities that are not those of the impulses are found out, and so are changed immovable bodies.
TEST(Simd, CertificateFindsVelocitiesThatAreNotOfTheImpulses) {
  const problem::RigidContact problem = random_bed(4, 5);
  solve::RigidNsgs nsgs;
  nsgs.start(problem, {});
  EXPECT_EQ(nsgs.run(0, 5, {}, {}).iterations, 5);
  std::vector<problem::BodyVelocity> velocity(nsgs.velocity().begin(), nsgs.velocity().end());
  velocity[20].s.x() += 1e-3;
  EXPECT_GT(certify::certify(problem, nsgs.impulse(), velocity).equation_of_motion, 1e-6);
  velocity = {nsgs.velocity().begin(), nsgs.velocity().end()};
  velocity[0].v.z() = 1e-9;
  EXPECT_EQ(certify::certify(problem, nsgs.impulse(), velocity).equation_of_motion, INFINITY);
  EXPECT_FALSE(certify::certify(problem, nsgs.impulse(), velocity).meets(1));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
