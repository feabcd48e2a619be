#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cli/scenes.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

using test::CliFolder;
using test::Outcome;

class Info : public ::testing::Test {
 protected:
  Info() {
    const Outcome outcome = folder_.talus({"run", "balls.yaml", "--quiet"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  CliFolder folder_;
};

// info recognises a record and says how the run went.
TEST_F(Info, OfARecord) {
  const Outcome outcome = folder_.talus({"info", "balls.h5", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("kind"), "record");
  EXPECT_EQ(json.at("steps"), 100);
  EXPECT_EQ(json.at("status"), "finished");
  EXPECT_EQ(json.at("certificates").at("uncertified_steps"), 0);
  EXPECT_EQ(json.at("datasets").at("poses/position"), "[101, 3, 3]");
  const Outcome text = folder_.talus({"info", "balls.h5"});
  EXPECT_NE(text.out.find("poses/position"), std::string::npos);
}

// info recognises a scene.
TEST_F(Info, OfAScene) {
  const Outcome outcome = folder_.talus({"info", "balls.yaml", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("kind"), "scene");
  EXPECT_EQ(json.at("bodies").at("dynamic"), 2);
}

// Of a scene with sources and sinks, info and the summary tell who came in and went out.
TEST(InfoOfAPopulation, TellsWhoCameAndWent) {
  const CliFolder folder(R"(  - name: rain
    mass: 2
    velocity: [0, 0, 100]
    source: {shape: {sphere: 0.1}, count: 5, rate: 50, region: {min: [2, 2, 1], max: [3, 3, 2]}}
sinks: [{name: above, region: {min: [-.inf, -.inf, 4]}}]
)");
  const Outcome run = folder.talus({"run", "balls.yaml", "--json", "--quiet"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const nlohmann::json summary = nlohmann::json::parse(run.out).at("population");
  EXPECT_EQ(summary.at("in").at("bodies"), 4)
      << "due at 20, 40, 60 and 80 ms, the fifth at the end";
  EXPECT_EQ(summary.at("waiting"), 1);
  EXPECT_GE(summary.at("out").at("bodies"), 2);
  EXPECT_EQ(summary.at("late").at("steps"), 0);
  const Outcome record = folder.talus({"info", "balls.h5", "--json"});
  const nlohmann::json facts = nlohmann::json::parse(record.out).at("population");
  EXPECT_EQ(facts.at("bodies_in"), summary.at("in").at("bodies"));
  EXPECT_EQ(facts.at("mass_in"), 8);
  EXPECT_EQ(facts.at("energy_in"), summary.at("in").at("energy"));
  EXPECT_EQ(facts.at("bodies_out"), summary.at("out").at("bodies"));
  EXPECT_EQ(facts.at("late_steps"), 0);
  const Outcome scene = folder.talus({"info", "balls.yaml", "--json"});
  EXPECT_EQ(nlohmann::json::parse(scene.out).at("bodies").at("of_sources"), 5);
  EXPECT_EQ(nlohmann::json::parse(scene.out).at("sinks"), nlohmann::json({"above"}));
}

// The periodic cell of a scene is in its facts, and in those of its record; others have none.
TEST_F(Info, OfAPeriodicCell) {
  std::ofstream(folder_ / "cell.yaml") << "periodic: {x: [-1, 1.5], z: [0, 3]}\ntime: {end: 1 ms}\n"
                                          "bodies: [{name: ball, mass: 1, shape: {sphere: 0.1}}]\n";
  ASSERT_EQ(folder_.talus({"run", "cell.yaml", "--quiet"}).exit_code, 0);
  for (const char* file : {"cell.yaml", "cell.h5"}) {
    const nlohmann::json json = nlohmann::json::parse(folder_.talus({"info", file, "--json"}).out);
    EXPECT_EQ(json.at("periodic").dump(), R"({"x":[-1.0,1.5],"z":[0.0,3.0]})") << file;
  }
  const nlohmann::json json =
      nlohmann::json::parse(folder_.talus({"info", "balls.h5", "--json"}).out);
  EXPECT_FALSE(json.contains("periodic"));
}

// A folder in the place of a record is one line, whichever verb reads it.
TEST_F(Info, RefusesFoldersInWords) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"export", ".", "--series", "energies"},
        {"render", ".", "-o", "a.png"}}) {
    const Outcome outcome = folder_.talus(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              ".: this is a folder, not a record\nhint: talus run makes a record of a "
              "scene: an .h5 file\n");
  }
}

// export writes a series to a file, or a body to the terminal, and never over the record.
TEST_F(Info, ExportWritesCsv) {
  ASSERT_EQ(
      folder_.talus({"export", "balls.h5", "--series", "energies", "--csv", "e.csv"}).exit_code, 0);
  std::ifstream file(folder_ / "e.csv");
  std::string heading;
  std::getline(file, heading);
  EXPECT_EQ(heading, "step,time [s],kinetic [J],potential [J],total [J]");
  const Outcome body = folder_.talus({"export", "balls.h5", "--body", "ball"});
  EXPECT_EQ(std::count(body.out.begin(), body.out.end(), '\n'), 102);
  EXPECT_EQ(folder_.talus({"export", "balls.h5", "--body", "bal"}).exit_code, 2);
  EXPECT_EQ(folder_.talus({"export", "balls.h5", "--body", "ball", "--csv", "balls.h5"}).exit_code,
            2);
  EXPECT_EQ(folder_.talus({"info", "balls.h5"}).exit_code, 0);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
