#include <gtest/gtest.h>

#include <limits>

#include <talus/json/json.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

// A braced list is an object exactly if all its items are pairs that begin with a text.
TEST(Json, TellsObjectsFromArraysByTheirItems) {
  EXPECT_EQ(json_text({{"a", 1}, {"b", {0, 2.5}}}), R"({"a":1,"b":[0,2.5]})");
  EXPECT_EQ(json_text({{"a", 1}, {2, 3}}), R"([["a",1],[2,3]])");
  EXPECT_EQ(json_text({{"a", 1, 2}}), R"([["a",1,2]])");
  EXPECT_EQ(json_text({{"nodes", {0}}}), R"({"nodes":[0]})");
  EXPECT_EQ(json_text({{{"size", 3}}}), R"([{"size":3}])");
  EXPECT_EQ(json_text(Json::array({"a", "b"})), R"(["a","b"])");
  EXPECT_EQ(json_text(std::vector<std::string>{"a", "b"}), R"(["a","b"])");
}

// Members stay in the order in which they came; an assigned one keeps its place.
TEST(Json, KeepsTheOrderOfKeys) {
  Json object;
  object["z"] = 1;
  object["a"] = true;
  object["z"] = nullptr;
  object["list"].push_back("x");
  EXPECT_EQ(json_text(object), R"({"z":null,"a":true,"list":["x"]})");
  EXPECT_EQ(object.find("b"), nullptr);
}

// Reals keep all their digits and their point; what JSON cannot say becomes null or U+FFFD.
TEST(Json, WritesEveryValueAsJsonCan) {
  EXPECT_EQ(json_text({0.1, 1.0, 1e300, 7}), "[0.1,1.0,1e+300,7]");
  EXPECT_EQ(json_text(std::numeric_limits<Real>::infinity()), "null");
  EXPECT_EQ(json_text("\xff"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(json_text({{"a", Json::array()}}, 2), "{\n  \"a\": []\n}");
}

// What was written is read back as equal; a text that is not JSON gives nothing.
TEST(Json, ReadsWhatItWrote) {
  const Json value = {{"text", "ä\n"},   {"reals", {-0.1, 2.0}}, {"whole", -3},
                      {"none", nullptr}, {"yes", true},          {"empty", Json::object()}};
  const std::optional<Json> read = parse_json(json_text(value));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(*read == value);
  EXPECT_EQ(read->find("whole")->integer(), -3);
  EXPECT_FALSE(parse_json("{\"a\":").has_value());
}

// Whole and real numbers are equal if their values are; objects also in the order of their keys.
TEST(Json, ComparesValues) {
  EXPECT_TRUE(Json(1) == Json(1.0));
  EXPECT_FALSE(Json(1) == Json(true));
  EXPECT_FALSE((Json{{"a", 1}, {"b", 2}}) == (Json{{"b", 2}, {"a", 1}}));
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
