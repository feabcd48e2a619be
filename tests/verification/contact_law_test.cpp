#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include <talus/solve/gauss_seidel/local/maximum_dissipation.hpp>

#include "support/contact_blocks.hpp"
#include "support/random_blocks.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::ContactBlock;

/// 10⁶ with TALUS_FULL in the environment (two minutes), else 10⁵.
int sample_count() { return std::getenv("TALUS_FULL") != nullptr ? 1000000 : 100000; }

/// No failure: the conditions of the minimum hold to 1e-8, no scan of the angle finds less
/// energy by more than 1e-10, and the analytic quartic agrees.
template <class Make>
void expect_no_failure(const Make& make) {
  Random random(2017);
  Real worst = 0, worst_energy = 0;
  const int samples = sample_count();
  int failures = 0;
  for (int i = 0; i < samples; ++i) {
    const ContactBlock c = make(random);
    const solve::LocalSolution s =
        solve::solve_maximum_dissipation(c.A, c.b, c.friction, Vec3::Zero());
    const Real residual = test::kkt_residual(c, s.impulse);
    worst = std::max(worst, residual);
    bool has_failed = !(residual <= 1e-8);
    if (s.state == solve::ContactState::slip) {
      const Real energy = test::contact_energy(c.A, c.b, s.impulse);
      const Real excess = (energy - test::scanned_energy(c, 48)) / std::abs(energy);
      worst_energy = std::max(worst_energy, excess);
      const Vec3 other =
          solve::solve_maximum_dissipation_quartic(c.A, c.b, c.friction).impulse - s.impulse;
      const Real size = s.impulse.dot(c.A * s.impulse) + std::abs(c.b.dot(s.impulse));
      has_failed = has_failed || !(excess <= 1e-10) || !(other.dot(c.A * other) <= 1e-16 * size);
    }
    failures += has_failed;
  }
  ::testing::Test::RecordProperty("kkt_residual", std::to_string(worst));
  EXPECT_EQ(failures, 0);
  EXPECT_LT(worst, 1e-11);
  EXPECT_LT(worst_energy, 1e-11);
}

// Corners of boxes of aspects up to 1e3, μ up to 5.
TEST(ManyContacts, BoxesOfAnyAspect) {
  expect_no_failure([](Random& random) { return test::random_box_contact(random, 1e3, 5); });
}

// Blocks of condition 1e4.
TEST(ManyContacts, Condition1e4) {
  expect_no_failure([](Random& random) {
    ContactBlock c{test::random_spd<3>(random, 1e4), test::random_vector<3>(random),
                   random.uniform(0, 5)};
    c.b[0] = -std::abs(c.b[0]);
    return c;
  });
}

// Conics within 1e-8 of a parabola.
TEST(ManyContacts, NearParabolas) {
  expect_no_failure([](Random& random) {
    ContactBlock c = test::random_box_contact(random, 1e2, 5);
    test::set_eccentricity(c, 1 + 1e-8 * random.uniform(-1, 1));
    return c;
  });
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
