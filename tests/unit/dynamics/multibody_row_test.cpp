#include <talus/dynamics/multibody_row.hpp>

#include <gtest/gtest.h>

#include "support/random_blocks.hpp"

namespace talus::dynamics::TALUS_TEST_FILE {
namespace {

// A sum of rows over two bodies is their sum in dense algebra; bodies in common are one entry.
TEST(MultibodyRow, IsTheSumOfItsRows) {
  talus::Random random(1);
  MultibodyRow row;
  VecX dense = VecX::Zero(6 * 5);
  for (const auto& [a, b] : {std::pair<Index, Index>{-1, 0}, {0, 2}, {2, 4}, {4, 0}}) {
    const Vec6 of_a = test::random_vector<6>(random), of_b = test::random_vector<6>(random);
    const JacobianRow part(a, b, of_a, of_b);
    row.add(part, -1.5);
    part.add_to(dense, -1.5);
  }
  EXPECT_EQ(row.size(), 3);
  const VecX v = test::random_vector<30>(random);
  EXPECT_NEAR(row.times(v), dense.dot(v), 1e-14);
  VecX added = v;
  row.add_to(added, 2);
  EXPECT_LT((added - v - 2 * dense).norm(), 1e-14);
  row.clear();
  EXPECT_EQ(row.times(v), 0);
}

}  // namespace
}  // namespace talus::dynamics::TALUS_TEST_FILE
