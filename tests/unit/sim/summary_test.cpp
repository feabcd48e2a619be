#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include <talus/sim/summary.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

Summary some_summary() {
  Summary summary;
  summary.status = record::RunStatus::finished;
  summary.title = "Balls";
  summary.scheme = "moreau_jean";
  summary.solver = "nsgs";
  summary.tolerance = 1e-8;
  summary.steps = 10;
  summary.time = 0.1;
  summary.worst_certificate = {{"violation", 2.5e-9, 1e-5}, 1e-11, 7, 3, "floor–ball"};
  summary.energy = {3, 2, 1e-12};
  summary.output = "out.h5";
  summary.state_hash = 0xabcULL;
  return summary;
}

// The JSON is one line with the keys that scripts rely on, each with its type.
TEST(SummaryJson, HasItsKeys) {
  const std::string text = to_json(some_summary());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("steps"), 10);
  EXPECT_EQ(json.at("time"), 0.1);
  EXPECT_EQ(json.at("worst_certificate").at("measure"), "violation");
  EXPECT_EQ(json.at("worst_certificate").at("value"), 2.5e-9);
  EXPECT_EQ(json.at("worst_certificate").at("asked"), 1e-5);
  EXPECT_EQ(json.at("worst_certificate").at("velocity"), 1e-11);
  EXPECT_EQ(json.at("worst_certificate").at("step"), 7);
  EXPECT_EQ(json.at("worst_certificate").at("contact"), 3);
  EXPECT_EQ(json.at("energy").at("initial"), 3);
  EXPECT_EQ(json.at("energy").at("final"), 2);
  EXPECT_EQ(json.at("energy").at("max_rise_in_a_step"), 1e-12);
  EXPECT_EQ(json.at("output"), "out.h5");
  EXPECT_EQ(json.at("state_hash"), "0000000000000abc");
  EXPECT_EQ(json.at("status"), "finished");
  for (const char* key : {"bodies", "max_contacts", "uncertified_steps", "max_penetration",
                          "wall_seconds", "tolerance"})
    EXPECT_TRUE(json.at(key).is_number()) << key;
  EXPECT_TRUE(json.at("iterations").at("total").is_number());
  EXPECT_TRUE(json.at("iterations").at("max").is_number());
}

// Numbers that are not finite, and names that are not UTF-8, still give valid JSON.
TEST(SummaryJson, IsValidWhateverHappened) {
  Summary summary = some_summary();
  summary.worst_certificate.measure.value = std::numeric_limits<Real>::quiet_NaN();
  summary.output = "caf\xe9.h5";
  const nlohmann::json json = nlohmann::json::parse(to_json(summary));
  EXPECT_TRUE(json.at("worst_certificate").at("value").is_null());
}

// Where bodies may sleep the summary tells how many did, for people and scripts; where none may it
// does not speak of it.
TEST(Summary, TellsHowManySleep) {
  Summary summary = some_summary();
  EXPECT_EQ(to_text(summary).find("asleep"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(to_json(summary)).contains("asleep"));
  summary.sleep.is_possible = true;
  summary.sleep.bodies = 40;
  EXPECT_NE(to_text(summary).find("none of 40 bodies in any step"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(to_json(summary)).at("asleep").at("since").is_null());
  summary.sleep.add(0, 0.5);
  summary.sleep.add(36, 1.25);
  summary.sleep.add(34, 1.5);
  EXPECT_NE(
      to_text(summary).find("34 of 40 bodies in the last step, 36 at most, the first at 1.25 s"),
      std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(summary)).at("asleep"),
            (nlohmann::json{{"now", 34}, {"most", 36}, {"of", 40}, {"since", 1.25}}));
}

// The text says at first glance whether every step is certified.
TEST(SummaryText, SaysWhetherItIsCertified) {
  Summary summary = some_summary();
  EXPECT_NE(to_text(summary).find("every step"), std::string::npos);
  EXPECT_NE(
      to_text(summary).find("violation 2.50e-09 at worst (asked 1e-05), 1.00e-11 m/s, step 7, "
                            "contact 3 (floor–ball)"),
      std::string::npos);
  summary.uncertified_steps = 2;
  summary.first_uncertified_step = 4;
  summary.first_reason = "joint hinge stays open by 1e-05";
  EXPECT_NE(to_text(summary).find(
                "all but 2 of 10 steps, the first is step 4: joint hinge stays open by 1e-05\n"),
            std::string::npos);
  EXPECT_EQ(to_text(summary).find("lost"), std::string::npos);
  summary.has_lost_step = true;  // it counts as uncertified, not as taken
  EXPECT_NE(to_text(summary).find("all but 2 of 11 steps"), std::string::npos);
  EXPECT_NE(to_text(summary).find("step 11 has no answer"), std::string::npos);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
