// Contacts of bodies whose joints block directions of the friction polygon, or the normal, solved
// by Lemke's method after the joints' rows are eliminated.
#include <gtest/gtest.h>

#include <string>

#include <talus/laws/polyhedral_rows.hpp>
#include <talus/laws/solve_polyhedral.hpp>
#include <talus/math/contact_frame.hpp>

#include "support/guided_problem.hpp"

namespace talus::laws::TALUS_TEST_FILE {
namespace {

/// Problems that are refused, of seeds from 1 on. @param first why, the first of them.
int refused(const test::GuidedKind& kind, std::uint64_t seeds, std::string& first) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const problem::RigidContact bodies = test::random_guided_problem(kind, seed);
    LcpStatistics statistics;
    const PolyhedralAnswer answer =
        solve_polyhedral(to_polyhedral(bodies, contact_frame, 8).problem, lcp_solver(), statistics);
    if (answer.report.status == problem::SolveStatus::converged) continue;
    ++count;
    if (first.empty()) first = std::to_string(seed) + ": " + answer.report.detail;
  }
  return count;
}

// Directions that joints block altogether have no mobility, whatever rounding the elimination of
// the joints leaves of it: contacts of guided bodies have an answer in grams and tonnes, in mm/s
// and km/s, also between bodies that are both guided.
TEST(GuidedContacts, HaveAnswersInAnyUnits) {
  for (const bool has_neighbours : {false, true})
    for (const Real mass : {1e-3, 1.0, 1e6})
      for (const Real speed : {1e-3, 1.0, 1e3}) {
        std::string first;
        EXPECT_EQ(refused({3, has_neighbours, 10, mass, speed}, 60, first), 0)
            << mass << " kg, " << speed << " m/s, neighbours " << has_neighbours << ", seed "
            << first;
      }
}

// So do those of boxes a million times as heavy as others. Where a chain of them rests on a box
// that is light, what rounding leaves of the light one's rows exceeds what is left of the mobility:
// one in fifty may be refused.
TEST(GuidedContacts, HaveAnswersAtLargeMassRatios) {
  std::string first;
  EXPECT_EQ(refused({3, false, 1e6, 1, 1}, 200, first), 0) << "seed " << first;
  EXPECT_LE(refused({3, true, 1e6, 1, 1}, 200, first), 4) << "seed " << first;
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
