#include <gtest/gtest.h>

#include <array>
#include <limits>

#include <talus/certify/worse_of.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

Certificate good() {
  Certificate certificate;
  certificate.natural_map = 1e-9;
  certificate.violation = 1e-7;
  certificate.work = 1e-8;
  certificate.is_finite = true;
  certificate.worst_contact = 1;
  return certificate;
}

// Two certificates together meet a tolerance only if each of them does, whichever residual it is
// that misses it.
TEST(WorseOf, MissesWhatEitherMisses) {
  constexpr Real kTolerance = 1e-6;
  std::array<Certificate, 5> bad;
  bad.fill(good());
  bad[0].natural_map = 1;
  bad[1].violation = 1;
  bad[2].work = 2;
  bad[3].equation_of_motion = 1;
  bad[4].is_finite = false;
  ASSERT_TRUE(worse_of(good(), good(), 0).meets(kTolerance));
  for (const Certificate& one : bad) {
    ASSERT_FALSE(one.meets(kTolerance));
    EXPECT_FALSE(worse_of(one, good(), 0).meets(kTolerance));
    EXPECT_FALSE(worse_of(good(), one, 0).meets(kTolerance));
  }
}

// What one of them does not measure, the other decides.
TEST(WorseOf, KnowsWhatOneOfThemMeasures) {
  Certificate unmeasured = good();
  unmeasured.violation = unmeasured.work = std::numeric_limits<Real>::quiet_NaN();
  for (const auto& [one, other] : {std::pair(good(), unmeasured), std::pair(unmeasured, good())}) {
    EXPECT_EQ(worse_of(one, other, 0).violation, 1e-7);
    EXPECT_EQ(worse_of(one, other, 0).work, 1e-8);
  }
}

// The worst contact is that of the worse certificate, by its place among the contacts of both.
TEST(WorseOf, NamesTheWorstContact) {
  Certificate worse = good();
  worse.violation = 1e-3;
  worse.worst_contact = 4;
  EXPECT_EQ(worse_of(worse, good(), 7).worst_contact, 4);
  EXPECT_EQ(worse_of(good(), worse, 7).worst_contact, 11);
  EXPECT_EQ(worse_of(good(), worse, -1).worst_contact, -1);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
