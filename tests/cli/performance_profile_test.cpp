#include <gtest/gtest.h>

#include <limits>

#include <talus/cli/performance_profile.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The share of a solver at τ is the share of all problems that it solves within τ times the fastest
// time: by hand on three problems, one of which nobody solves.
TEST(PerformanceProfile, IsTheShareWithinARatio) {
  const PerformanceProfile profile({"a", "b"}, {{1, 3}, {8, 2}, {kNever, kNever}});
  EXPECT_DOUBLE_EQ(profile.share(0, 1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(profile.share(1, 1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(profile.share(1, 2.9), 1.0 / 3);
  EXPECT_DOUBLE_EQ(profile.share(1, 3), 2.0 / 3);
  EXPECT_DOUBLE_EQ(profile.share(0, 4), 2.0 / 3);
  EXPECT_DOUBLE_EQ(profile.share(0, kNever), 2.0 / 3);
}

// Text and picture name every solver, also one that solves nothing and where nothing was measured.
TEST(PerformanceProfile, NamesEverySolver) {
  const PerformanceProfile profile({"good", "bad"}, {{1, kNever}});
  EXPECT_NE(profile.to_text().find("bad                      0%"), std::string::npos)
      << profile.to_text();
  EXPECT_NE(profile.to_svg().find(">bad</text>"), std::string::npos);
  const PerformanceProfile empty({"good"}, {});
  EXPECT_EQ(empty.share(0, kNever), 0);
  EXPECT_NE(empty.to_svg().find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
