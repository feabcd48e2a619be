#include <gtest/gtest.h>

#include <cmath>
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

/// Pairs of bodies of any inertia, one contact each, that share nothing; velocities into contact.
/// @param decades over which masses and inertias are spread.
problem::RigidContact pairs(Random& random, std::uint32_t count, Real friction, Real decades) {
  problem::RigidContact problem;
  for (std::uint32_t i = 0; i < 2 * count; ++i) {
    const Mat3 root = Mat3::NullaryExpr([&] { return random.uniform(-1, 1); });
    const Real inverse_mass = std::pow(10, random.uniform(-decades, 0.3));
    const Real agility = std::pow(10, random.uniform(-decades, 0));
    problem.bodies.push_back({random_vector(random), inverse_mass, random_vector(random), 0});
    problem.inverse_inertia.push_back(agility * (root * root.transpose()) +
                                      0.05 * agility * Mat3::Identity());
    problem.length.push_back(1);
    problem.place.push_back(random_vector(random));
  }
  for (std::uint32_t c = 0; c < count; ++c)
    problem.general.push_back({random_vector(random).normalized(), random.uniform(-2, 0),
                               random_vector(random), random_vector(random),
                               friction * random.uniform(0.05, 1), 2 * c, 2 * c + 1});
  return problem;
}

class SlidingLanes : public testing::TestWithParam<problem::FrictionLaw> {};

// One sweep over contacts that share no body gives each of them the answer of the one-contact
// solver, whether it opens, sticks or slides, from any guess, by every instruction set: slip is
// solved for many contacts at once where it is known to be unique, one by one elsewhere, and the
// answers are those of one law. The slips agree to 1e-12 of the impulse, to 1e-9 where masses and
// inertias differ by six decades.
TEST_P(SlidingLanes, AreTheOneContactSolver) {
  Random random(12);
  int slips = 0;
  LocalLaw law;
  law.law = GetParam();
  for (int round = 0; round < 240; ++round) {
    const bool is_even = round < 120;
    problem::RigidContact problem = pairs(random, 37, round % 3 == 0 ? 0.3 : 1.5, is_even ? 1 : 6);
    problem.law = law.law;
    problem::ContactImpulses guess;
    for (const problem::GeneralContact& contact : problem.general) {
      const Mat3 frame = contact_frame(contact.normal);
      const Real size = round % 2 == 0 ? 0 : random.uniform(0, 1);
      guess.general.push_back(size * frame *
                              Vec3(1, contact.friction * random.uniform(-0.7, 0.7),
                                   contact.friction * random.uniform(-0.7, 0.7)));
    }
    for (const Simd simd : {Simd::baseline, Simd::avx2, Simd::avx512}) {
      if (simd > best_simd()) continue;
      RigidNsgs nsgs(simd);
      nsgs.start(problem, guess);
      RigidNsgsOptions options;
      options.momentum_cap = 0;
      (void)nsgs.run(0, 1, options, {});
      for (std::size_t c = 0; c < problem.general.size(); ++c) {
        const problem::GeneralContact& contact = problem.general[c];
        const Mat3 frame = contact_frame(contact.normal);
        const Mat3 A = frame.transpose() * problem::contact_block(problem, contact) * frame;
        const auto at = [&](std::uint32_t body, const Vec3& arm) -> Vec3 {
          return problem.bodies[body].v + problem.bodies[body].s.cross(arm);
        };
        const Vec3 b = frame.transpose() *
                           (at(contact.body_b, contact.arm_b) - at(contact.body_a, contact.arm_a)) +
                       Vec3(contact.bias, 0, 0);
        const LocalSolution expected =
            solve_contact(law, A, b, contact.friction, frame.transpose() * guess.general[c]);
        slips += expected.state == ContactState::slip ? 1 : 0;
        const Vec3 found = frame.transpose() * nsgs.impulse().general[c];
        EXPECT_LE((found - expected.impulse).norm(),
                  (is_even ? 1e-12 : 1e-9) * expected.impulse.norm())
            << "contact " << c << " of round " << round;
      }
    }
  }
  EXPECT_GT(slips, 1000);
}

INSTANTIATE_TEST_SUITE_P(Laws, SlidingLanes,
                         testing::Values(problem::FrictionLaw::coulomb,
                                         problem::FrictionLaw::maximum_dissipation,
                                         problem::FrictionLaw::cone_complementarity),
                         [](const auto& entry) { return std::string(to_string(entry.param)); });

}  // namespace
}  // namespace talus::solve::TALUS_TEST_FILE
