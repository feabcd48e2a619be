#include <talus/base/disjoint_sets.hpp>

#include <gtest/gtest.h>

namespace talus::TALUS_TEST_FILE {
namespace {

// What hangs together has one name, its smallest member, in whatever order it was joined.
TEST(DisjointSets, AreNamedByTheirSmallestMember) {
  DisjointSets forward(6), backward(6);
  forward.join(5, 3), forward.join(3, 1), forward.join(4, 2);
  backward.join(2, 4), backward.join(1, 5), backward.join(3, 5);
  const Index expected[] = {0, 1, 2, 1, 2, 1};
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(forward.root(i), expected[i]);
    EXPECT_EQ(backward.root(i), expected[i]);
  }
  forward.start(2);
  EXPECT_EQ(forward.size(), 2);
  EXPECT_EQ(forward.root(1), 1);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
