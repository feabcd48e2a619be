#include <talus/base/contract.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include <talus/base/types.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

// A kept contract has no effect, and each side is computed once.
TEST(Contract, KeptHasNoEffect) {
  Index calls = 0;
  const auto count = [&] { return ++calls; };
  TALUS_DEMAND(calls == 0);
  TALUS_DEMAND_EQ(count(), std::size_t{1});
  TALUS_DEMAND_EQ(std::string("r"), "r");
  TALUS_DEMAND_EQ(0.5, 0.5);
  EXPECT_EQ(calls, 1);
}

// A broken contract ends the program and says which condition, where, and both values.
TEST(ContractDeathTest, BrokenSaysWhatAndWhere) {
  const Index rows = 3;
  EXPECT_DEATH(TALUS_DEMAND(rows == 4), "contract_test.cpp:[0-9]+: broken contract: rows == 4");
  EXPECT_DEATH(TALUS_DEMAND_EQ(rows, std::size_t{4}),
               "broken contract: rows == std::size_t.4.: 3 and 4");
  EXPECT_DEATH(TALUS_DEMAND_EQ(0.1, 0.25), "0.1 == 0.25: 0.10000000000000001 and 0.25");
  EXPECT_DEATH(TALUS_DEMAND_EQ(std::string("a"), "b"), "\"a\" and \"b\"");
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
