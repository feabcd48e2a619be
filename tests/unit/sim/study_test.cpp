#include <gtest/gtest.h>

#include <cmath>

#include <talus/base/error.hpp>
#include <talus/sim/study.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

using Texts = std::vector<std::string>;

// Ranges include both ends, keep a unit, and may be logarithmic; lists are taken as they are.
TEST(Study, ReadsVariations) {
  EXPECT_EQ(variation_of("a.b=0:1:5").path, "a.b");
  EXPECT_EQ(variation_of("a.b=0:1:5").values, (Texts{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(variation_of("a=-2:7:1").values, Texts{"-2"});
  EXPECT_EQ(variation_of("a=1:4:4 ms").values, (Texts{"1 ms", "2 ms", "3 ms", "4 ms"}));
  EXPECT_EQ(variation_of("a=0.1:0.7:7").values.back(), "0.7") << "the end as it was written";
  const Texts log = variation_of("a=1e-4:1e-2:3:log").values;
  EXPECT_EQ(log[0], "0.0001");
  EXPECT_NEAR(std::stod(log[1]), 1e-3, 1e-18);
  EXPECT_EQ(log[2], "0.01");
  EXPECT_EQ(variation_of("a=[x, [1, 2], {k: 3, l: 4}, \"p, q\"]").values,
            (Texts{"x", "[1, 2]", "{k: 3, l: 4}", "\"p, q\""}));
}

// What is neither a range nor a list is a mistake of the user's.
TEST(Study, RejectsWhatIsNoVariation) {
  for (const char* text :
       {"a", "=1:2:3", "a=1", "a=1:2", "a=1:2:0", "a=1:2:2.5", "a=1:2:3:lin", "a=x:2:3", "a=1:2:-3",
        "a=-1:1:3:log", "a=[]", "a=[1,,2]", "a=[[1, 2]", "a=1:nan:3", "a=1:2:3:log:4"})
    EXPECT_THROW((void)variation_of(text), InputError) << text;
}

// The points are all combinations, each once, the last variation changing fastest.
TEST(Study, GoesThroughAllCombinations) {
  Study study;
  study.variations = {variation_of("a=1:2:2"), variation_of("b=[x, y, z]")};
  ASSERT_EQ(study.point_count(), 6);
  EXPECT_EQ(study.point(0), (Texts{"1", "x"}));
  EXPECT_EQ(study.point(2), (Texts{"1", "z"}));
  EXPECT_EQ(study.point(3), (Texts{"2", "x"}));
  EXPECT_EQ(study.point(5), (Texts{"2", "z"}));
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
