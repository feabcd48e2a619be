#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include <cli/scenes.hpp>
#include <support/content_of.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::CliFolder;
using test::Outcome;
using Words = std::vector<std::string>;

constexpr const char* kProbe = "probes: [{name: e, energy: {}}]\n";

Words lines_of(const fs::path& path) {
  std::ifstream file(path);
  Words lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Without the wall time, the last column.
Words timeless(Words lines) {
  for (std::string& line : lines) line.erase(line.find_last_of(','));
  return lines;
}

nlohmann::json json_of(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out, nullptr, false);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A study has one row per combination, in the order of the combinations; every row is what a run
// with these settings gives, whatever the number of processes.
TEST(Study, OneRowPerCombination) {
  const CliFolder folder(kProbe);
  const Words study = {
      "study", "balls.yaml", "--vary", "bodies.ball.mass=1:3:3", "--vary", "time.step=[1e-3, 2 ms]",
      "--json"};
  Words three = study;
  three.insert(three.end(), {"--jobs", "3", "-o", "three.csv"});
  Words one = study;
  one.insert(one.end(), {"--jobs", "1", "-o", "one.csv"});
  const Outcome outcome = folder.talus(three);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(folder.talus(one).exit_code, 0);
  EXPECT_EQ(timeless(lines_of(folder / "three.csv")), timeless(lines_of(folder / "one.csv")));
  EXPECT_EQ(lines_of(folder / "one.csv").size(), 7U);
  EXPECT_TRUE(contains(test::content_of(folder / "three.svg"), "<path"));

  const auto json = json_of(outcome);
  EXPECT_EQ(json["points"], 6);
  EXPECT_EQ(json["ran"], 6);
  const Outcome run = folder.talus({"run", "balls.yaml", "--no-record", "--quiet", "--json",
                                    "--set", "bodies.ball.mass=2", "--set", "time.step=2 ms"});
  const auto& row = json["rows"][3];
  EXPECT_EQ(row["bodies.ball.mass"], "2");
  EXPECT_EQ(row["time.step"], "2 ms");
  EXPECT_EQ(row["status"], "finished");
  EXPECT_EQ(row["state_hash"], json_of(run)["state_hash"]);
  EXPECT_EQ(std::stod(row["energy_final"].get<std::string>()),
            json_of(run)["energy"]["final"].get<double>());
}

// Probes come with their last value and their mean over time from a time on: a ball in free fall
// has v = −g t.
TEST(Study, AveragesProbes) {
  const CliFolder folder;
  std::ofstream(folder / "fall.yaml") << R"(time: {step: 1e-3, end: 0.2}
probes: [{name: fall, energy: {}}]
bodies: [{name: ball, shape: {sphere: 0.1}, mass: 2}]
)";
  const Outcome outcome =
      folder.talus({"study", "fall.yaml", "--vary", "gravity=[[0, 0, -10], [0, 0, -5]]",
                    "--mean-from", "0.1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto rows = json_of(outcome)["rows"];
  for (int i = 0; i < 2; ++i) {
    const double g = i == 0 ? 10 : 5;
    double mean = 0;  // of v² over the 101 samples from 0.1 s on; m/2 = 1
    for (int k = 100; k <= 200; ++k) mean += std::pow(g * k * 1e-3, 2) / 101;
    const auto number = [&](const char* name) {
      return std::stod(rows[static_cast<std::size_t>(i)][name].get<std::string>());
    };
    EXPECT_NEAR(number("fall.translational"), std::pow(g * 0.2, 2), 1e-12);
    EXPECT_NEAR(number("mean(fall.translational)"), mean, 1e-12);
  }
}

// Means from a time on that no run reaches are refused before the work.
TEST(Study, AveragesWhatIsThere) {
  const CliFolder folder;
  const Outcome outcome = folder.talus(
      {"study", "balls.yaml", "--vary", "bodies.ball.mass=1:2:2", "--mean-from", "1e6"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "expected a time before the end")) << outcome.err;
  EXPECT_FALSE(fs::exists(folder / "balls_study.csv"));
}

// A study that was stopped goes on: rows that are there are kept and not run again, a row that was
// cut off is, and so are further values of an extended study.
TEST(Study, GoesOnWhereItWas) {
  const CliFolder folder;
  const Words five = {"study", "balls.yaml", "--vary", "bodies.ball.mass=1:5:5", "--json"};
  ASSERT_EQ(json_of(folder.talus(five))["ran"], 5);
  const Words all = lines_of(folder / "balls_study.csv");
  EXPECT_EQ(json_of(folder.talus(five))["ran"], 0);
  EXPECT_EQ(lines_of(folder / "balls_study.csv"), all) << "bit for bit, wall times included";

  std::ofstream(folder / "balls_study.csv", std::ios::binary) << all[0] << '\n'
                                                              << all[1] << '\n'
                                                              << all[4] << '\n'
                                                              << all[5].substr(0, 30);
  EXPECT_EQ(json_of(folder.talus(five))["ran"], 3);
  const Words again = lines_of(folder / "balls_study.csv");
  EXPECT_EQ(timeless(again), timeless(all));
  EXPECT_EQ(again[1], all[1]);
  EXPECT_EQ(again[4], all[4]);

  const auto nine =
      json_of(folder.talus({"study", "balls.yaml", "--vary", "bodies.ball.mass=1:5:9", "--json"}));
  EXPECT_EQ(nine["ran"], 4);
  EXPECT_EQ(nine["points"], 9);
  ASSERT_EQ(json_of(folder.talus(five))["ran"], 0);
  EXPECT_EQ(lines_of(folder / "balls_study.csv").size(), 10U) << "a narrower study drops no rows";
}

// Two studies to one table: the second is refused, also where it would start the table anew, and
// the first goes on as if it were alone.
TEST(Study, TwoStudysToOneTable) {
  const CliFolder folder("", "4");
  const fs::path table = folder / "balls_study.csv";
  const Words words = {"study",  "balls.yaml", "--vary", "bodies.ball.mass=1:40:40",
                       "--jobs", "1",          "--json"};
  Words anew = words;
  anew.emplace_back("--fresh");
  Outcome second;
  const Outcome first = folder.talus(words, [&](pid_t id) {
    for (int k = 0; k < 20'000 && lines_of(table).size() < 2; ++k) usleep(500);
    second = folder.talus(anew);
    kill(id, SIGTERM);
  });
  EXPECT_EQ(second.exit_code, 2) << second.out;
  EXPECT_TRUE(contains(second.err, "another run is writing this file")) << second.err;
  EXPECT_EQ(first.exit_code, 130) << first.err;
  EXPECT_GE(lines_of(table).size(), 2U);
  EXPECT_FALSE(fs::exists(folder / "balls_study.csv.lock"));
}

// A signal stops a study with 130; what was done is in the table, and the rest follows later.
TEST(Study, SurvivesInterruption) {
  const CliFolder folder("", "4");
  const fs::path table = folder / "balls_study.csv";
  const Words words = {"study",  "balls.yaml", "--vary", "bodies.ball.mass=1:40:40",
                       "--jobs", "1",          "--json"};
  const Outcome stopped = folder.talus(words, [&](pid_t id) {
    for (int k = 0; k < 20'000 && lines_of(table).size() < 3; ++k) usleep(500);
    kill(id, SIGTERM);
  });
  ASSERT_EQ(stopped.exit_code, 130) << stopped.err;
  const Words before = lines_of(table);
  EXPECT_NE(stopped.err.find(std::to_string(before.size() - 1) +
                             " of 40 points are done: start again to continue"),
            std::string::npos)
      << stopped.err;
  ASSERT_GE(before.size(), 3U);
  ASSERT_LT(before.size(), 41U);
  const Outcome rest = folder.talus(words);
  ASSERT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(json_of(rest)["ran"], 41 - static_cast<int>(before.size()));
  const Words after = lines_of(table);
  const std::set<std::string> rows(after.begin(), after.end());
  EXPECT_EQ(after.size(), 41U);
  for (const std::string& row : before) EXPECT_TRUE(rows.contains(row)) << row;
}

// What fails is a row: a value that the scene does not allow, a run that stops, a process that
// dies. The exit code is 3, the other points are done, --retry runs only these again.
TEST(Study, FailuresAreRows) {
  const CliFolder folder;
  const Words words = {"study",  "balls.yaml",
                       "--vary", "bodies.ball.mass=[1, -1, 2]",
                       "--vary", "solver.name=[auto, nsgs]",
                       "--set",  "solver.tolerance=1e-30",
                       "--set",  "on_uncertified=stop",
                       "--json"};
  const Outcome outcome = folder.talus(words);
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const auto rows = json_of(outcome)["rows"];
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[0]["status"], "finished");
  EXPECT_EQ(rows[1]["status"], "stopped");
  EXPECT_TRUE(contains(rows[1]["message"], "balls_study.point_1.state_")) << rows[1]["message"];
  EXPECT_EQ(rows[2]["status"], "input_error");
  EXPECT_TRUE(contains(rows[2]["message"], "mass")) << rows[2]["message"];
  EXPECT_EQ(rows[4]["status"], "finished");
  EXPECT_EQ(json_of(folder.talus(words))["ran"], 0);
  Words retry = words;
  retry.emplace_back("--retry");
  const int failed = json_of(outcome)["failed"];
  EXPECT_EQ(json_of(folder.talus(retry))["ran"], failed);
}

// A process that dies takes only its own point with it.
TEST(Study, ACrashIsARow) {
  const CliFolder folder("", "400");
  const Outcome outcome = folder.talus(
      {"study", "balls.yaml", "--vary", "time.end=[400, 0.01]", "--jobs", "1", "--json"},
      [](pid_t id) {
        const std::string name = "/proc/" + std::to_string(id) + "/task/" + std::to_string(id);
        for (int k = 0; k < 20'000; ++k, usleep(500)) {
          pid_t child = 0;
          if (std::ifstream(name + "/children") >> child && child > 0) {
            kill(child, SIGKILL);
            return;
          }
        }
      });
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  const auto rows = json_of(outcome)["rows"];
  EXPECT_EQ(rows[0]["status"], "crashed");
  EXPECT_EQ(rows[0]["message"], "ended by signal 9");
  EXPECT_EQ(rows[1]["status"], "finished");
}

// Rows of another scene are not mixed with those of this one; --fresh starts anew.
TEST(Study, DoesNotMixScenes) {
  const CliFolder folder;
  const Words words = {"study", "balls.yaml", "--vary", "bodies.ball.mass=1:2:2"};
  ASSERT_EQ(folder.talus(words).exit_code, 0);
  Words changed = words;
  changed.insert(changed.end(), {"--until", "0.05"});
  const Outcome mixed = folder.talus(changed);
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_TRUE(contains(mixed.err, "another scene")) << mixed.err;
  changed.emplace_back("--fresh");
  EXPECT_EQ(folder.talus(changed).exit_code, 0);
  const Outcome other = folder.talus({"study", "balls.yaml", "--vary", "bodies.ball.mass=1:2:2",
                                      "--vary", "time.step=1e-3:2e-3:2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_TRUE(contains(other.err, "other columns")) << other.err;
}

// Mistakes of the user end with 2 and say what is wrong; no table is begun.
TEST(Study, RejectsMistakes) {
  const CliFolder folder;
  const std::vector<std::pair<Words, std::string>> mistakes = {
      {{"study", "balls.yaml"}, "--vary"},
      {{"study", "balls.yaml", "--vary", "x=1:2"}, "expected PATH=FROM:TO:COUNT"},
      {{"study", "balls.yaml", "--vary", "x=1:2:2", "--vary", "x=1:2:2"}, "varied twice"},
      {{"study", "none.yaml", "--vary", "x=1:2:2"}, "none.yaml"},
      {{"study", "balls.yaml", "--vary", "foo=1:2:3"}, "unknown key \"foo\""},
      {{"study", "balls.yaml", "--vary", "bodies.bal.mass=1:2:3"}, "there is no item \"bal\""},
      {{"study", "balls.yaml", "--vary", "time.step=1e-3:2e-3:1e5", "--vary", "time.end=1:2:1e5"},
       "1e+10 points are too many"},
      {{"study", "balls.yaml", "--vary", "time.step=1e-3:2e-3:2", "--plot", "luck"}, "luck"},
      {{"study", "balls.yaml", "--vary", "time.step=1e-3:2e-3:2", "--set", "x"}, "PATH=VALUE"}};
  for (const auto& [words, message] : mistakes) {
    const Outcome outcome = folder.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
  }
  EXPECT_EQ(folder.files(), Words{"balls.yaml"});
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
