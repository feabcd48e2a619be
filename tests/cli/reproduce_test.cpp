#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "support/scratch.hpp"
#include "support/subprocess.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

const fs::path kPapers = fs::path(TALUS_SOURCE_DIR) / "papers";

test::Outcome reproduce(std::vector<std::string> words, const fs::path& folder) {
  words.insert(words.begin(), {TALUS_BINARY, "reproduce"});
  if (std::find(words.begin(), words.end(), "--papers") == words.end())
    words.insert(words.end(), {"--papers", kPapers.string()});
  return test::run_program(words, folder);
}

// `talus reproduce stewart_trinkle_1996 --json` gives one object with every quantity of the paper
// within its tolerance, exit code 0, and a report whose figures are there.
TEST(Reproduce, BringsThePapersNumbers) {
  const test::Scratch scratch;
  const auto outcome =
      reproduce({"stewart_trinkle_1996", "--json", "--full", "-o", "out"}, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["paper"], "stewart_trinkle_1996");
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : json["rows"]) {
    rows[row["quantity"]] = row;
    EXPECT_TRUE(row["ok"]) << row;
    EXPECT_LE(std::abs(row["talus"].get<double>() - row["paper"].get<double>()),
              row["tolerance"].get<double>() * (1 + 1e-9))
        << row;
    EXPECT_EQ(row["difference"].get<double>(),
              row["talus"].get<double>() - row["paper"].get<double>());
  }
  for (const char* name :
       {"four_balls.variation.0.02", "four_balls.velocity_error.0.01",
        "four_balls.position_error.0.0025", "four_balls.variation.0.00125", "rod.t1", "rod.t2",
        "rod.slide", "rod.x_end", "four_balls.largest_lcp", "four_balls.order_velocity",
        "four_balls.order_position", "rod.limit.t1"})
    EXPECT_TRUE(rows.contains(name)) << name;
  std::ifstream file(scratch.folder() / "out" / "report.md");
  const std::string report(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(report.find("| 0.0025 | 0.0700 | 0.0700 | 0.0298 | 0.0298 | 19.0862 | 19.0862 |"),
            std::string::npos);
  for (int figure = 2; figure <= 8; ++figure) {
    const std::string name = "figure_" + std::to_string(figure) + ".svg";
    EXPECT_NE(report.find("(" + name + ")"), std::string::npos);
    EXPECT_GT(fs::file_size(scratch.folder() / "out" / name), 1000U);
  }
}

// `talus reproduce pospisil_2014`: in every step the LCP, the QP and the scheme have the same
// impulses, the cone QP lifts what slides by μ‖u_T‖ where Coulomb's law does not, and R = E Gᵀ.
TEST(Reproduce, BringsTheEquivalencesOfTheSlides) {
  const test::Scratch scratch;
  const auto outcome = reproduce({"pospisil_2014", "--json", "--no-report"}, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  std::map<std::string, double> value;
  for (const auto& row : json["rows"]) {
    EXPECT_TRUE(row["ok"]) << row;
    value[row["quantity"]] = row["talus"].get<double>();
  }
  EXPECT_NEAR(value.at("column.support"), 1, 1e-8);
  EXPECT_LT(value.at("chain.qp_impulse"), 1e-9);
  EXPECT_LT(value.at("chain.scheme_impulse"), 1e-7);
  EXPECT_NEAR(value.at("thrown.cone_lift"), 1, 1e-3);
  EXPECT_NEAR(value.at("thrown.coulomb_lift"), 0, 1e-3);
  EXPECT_LT(value.at("rotation.product"), 1e-14);
}

/// The quantities of a report, all of them within tolerance.
std::map<std::string, double> quantities_of(const std::string& report) {
  const auto json = nlohmann::json::parse(report);
  std::map<std::string, double> talus;
  for (const auto& row : json["rows"]) {
    EXPECT_TRUE(row["ok"]) << row;
    talus[row["quantity"]] = row["talus"];
  }
  return talus;
}

// `talus reproduce preclik_2017`: every Coulomb solution of single contacts, maximum dissipation,
// the order of the laws; pictures of the conic and the objective, histograms.
TEST(Reproduce, BringsTheCasesOfOneContact) {
  const test::Scratch scratch;
  std::vector<std::string> words = {"preclik_2017", "--json", "-o", "out"};
  for (const char* name : {"nu", "fig4", "parabola", "sphere", "boxes", "thin_boxes"})
    words.insert(words.end(), {"--only", name});
  const auto outcome = reproduce(words, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::map<std::string, double> talus = quantities_of(outcome.out);
  EXPECT_EQ(talus["nu1.coulomb.count"], 3);
  EXPECT_EQ(talus["fig4.minima"], 2);
  EXPECT_LT(talus["nu4.dissipative.energy"], talus["nu4.coulomb.energy.1"]);
  for (const char* name :
       {"nu1_conic", "nu4_objective", "fig4_objective", "boxes_dissipation", "thin_boxes_deficit"})
    EXPECT_GT(fs::file_size(scratch.folder() / "out" / (std::string(name) + ".svg")), 1000U)
        << name;
}

// `talus reproduce wang_2015`: the first period of the beater, its periodic motion by shooting,
// stick and slip of case 2; the figures of friction against slip are drawn.
TEST(Reproduce, BringsTheBeater) {
  const test::Scratch scratch;
  std::vector<std::string> words = {"wang_2015", "--json", "-o", "out"};
  for (const char* name : {"beater.first", "beater.period1", "case2", "figure_9", "figure_10"})
    words.insert(words.end(), {"--only", name});
  const auto outcome = reproduce(words, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::map<std::string, double> talus = quantities_of(outcome.out);
  EXPECT_EQ(talus.size(), 20U);
  EXPECT_NEAR(talus.at("beater.period1.speed"), 19.7990, 1e-3);
  EXPECT_NEAR(talus.at("beater.period1.mean_normal_force"), 99 * 9.81, 0.01);
  EXPECT_LT(talus.at("case2.e10.slip.20"), 1e-6);
  EXPECT_NEAR(talus.at("case2.e10.use"), 0.6, 0.01);
  for (const char* name : {"figure_9", "figure_10"})
    EXPECT_GT(fs::file_size(scratch.folder() / "out" / (std::string(name) + ".svg")), 10000U);
}

// `talus reproduce wang_2013`: every entry of the review's catalogue meets its closed form.
TEST(Reproduce, BringsTheCatalogue) {
  const test::Scratch scratch;
  const auto outcome = reproduce({"wang_2013", "--json", "--no-report"}, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  std::map<std::string, int> chapters;
  const auto json = nlohmann::json::parse(outcome.out);
  for (const auto& row : json["rows"]) {
    EXPECT_TRUE(row["ok"]) << row;
    const std::string name = row["quantity"];
    ++chapters[name.substr(0, name.find('.'))];
  }
  EXPECT_GE(chapters["friction"], 14);
  EXPECT_GE(chapters["normal"], 9);
  EXPECT_GE(chapters["impact"], 6);
  EXPECT_GE(chapters["method"], 22);
  EXPECT_GE(chapters["stepping"], 32);
  EXPECT_GE(chapters["joint"], 4);
  EXPECT_GE(chapters["multibody"], 10);
}

// Mistakes in what a paper says of machines are found when it is read, or when it is measured.
TEST(Reproduce, RejectsMachinesThatDoNotExist) {
  const test::Scratch scratch;
  const fs::path paper = scratch.folder() / "papers" / "wrong";
  fs::create_directories(paper);
  fs::copy_file(kPapers / "wang_2013" / "pendulum.yaml", paper / "pendulum.yaml");
  for (const auto& [row, words] :
       {std::pair{"machine: none, measure: last, signal: x", "there is no machine none"},
        {"machine: m, measure: luck, signal: x", "unknown measure luck"},
        {"machine: m, measure: last, signal: y", "there is no signal"},
        {"machine: m, measure: last, signal: x, value: 1", "not so many values"}}) {
    std::ofstream(paper / "expected.yaml")
        << "title: Wrong\ncitation: none\nmachines:\n  m:\n    scene: pendulum.yaml\n    end: "
           "0.01\n"
           "    signals: {x: {kind: position, of: bob, component: x}}\n"
           "rows:\n  - {quantity: a, paper: 1, tolerance: 1, "
        << row << "}\n";
    const auto outcome =
        test::run_program({TALUS_BINARY, "reproduce", "wrong", "--papers", "papers", "--no-report"},
                          scratch.folder());
    EXPECT_EQ(outcome.exit_code, 2) << words;
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

// A granular flow as another paper might ask for one: a small bin under three laws, with its table,
// fit and checks in JSON and text, all of its mass accounted for, and for spheres one motion under
// two laws, bit for bit.
TEST(Reproduce, ComparesFlowsUnderThreeLaws) {
  const test::Scratch scratch;
  const fs::path paper = scratch.folder() / "papers" / "flows";
  fs::create_directories(paper);
  fs::copy_file(kPapers / "preclik_2017" / "hopper.yaml", paper / "hopper.yaml");
  std::ofstream(paper / "expected.yaml") << R"(title: Flows
citation: none
flows:
  bin:
    title: A small bin
    scene: hopper.yaml
    laws: [coulomb, cone_complementarity]
    brief_laws: [maximum_dissipation]
    parameter: opening [mm]
    set:
      time.end: 0.5 s
      probes.outflow.every: 1
      bodies.grains.lattice.count: [14, 3, 4]
      bodies.gate.motion.table.times: [0.1 s, 0.2 s, 0.3 s]
      probes.filling.region: {min: [-40 mm, -12 mm, 0], max: [40 mm, 12 mm, 12 mm]}
    cases:
      - {value: 33, set: {}}
      - value: 45
        set:
          bodies.left.position: [-122.5 mm, 0, -5 mm]
          bodies.right.position: [122.5 mm, 0, -5 mm]
          bodies.gate.shape.box: [45 mm, 60 mm, 10 mm]
    observables:
      - {name: rate, unit: kg/s, probe: outflow, column: mass, kind: slope, from: 0.12}
      - {name: fraction, probe: filling, column: fraction, from: 0.08, to: 0.1}
    outflow: outflow
    stop_share: 0.45
    slot: {rate: rate, fraction: fraction, length: 0.024, diameter: 0.006, density: 2500, unit: 0.001}
    judge_every: 20
rows:
  - {quantity: bin.uncertified, flow: bin, measure: uncertified, paper: 0, tolerance: 0}
  - {quantity: bin.mass_error, flow: bin, measure: mass_error, paper: 0, tolerance: 1e-14}
  - {quantity: bin.differing_states, flow: bin, measure: differing_states, paper: 0, tolerance: 0}
  - {quantity: bin.judged, flow: bin, measure: judged, paper: 1e-4, tolerance: 2e-4}
  - {quantity: bin.rate, flow: bin, measure: rate, law: coulomb, value: 45, paper: 0.3, tolerance: 0.25}
)";
  const std::vector<std::string> words = {TALUS_BINARY, "reproduce", "flows", "--papers", "papers"};
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"--json", "-o", "out"});
  const auto outcome = test::run_program(as_json, scratch.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto flow = nlohmann::json::parse(outcome.out)["flows"][0];
  EXPECT_EQ(flow["flow"], "bin");
  EXPECT_EQ(flow["grains"], 168);
  ASSERT_EQ(flow["lines"].size(), 5U);
  std::map<std::pair<std::string, double>, double> rate;
  for (const auto& line : flow["lines"]) {
    rate[{line["law"], line["value"]}] = line["observables"]["rate"]["value"];
    EXPECT_GT(line["observables"]["rate"]["error"], 0) << line;
    EXPECT_GT(line["sweeps"], 1) << line;
  }
  EXPECT_GT((rate[{"coulomb", 45}]), (rate[{"coulomb", 33}]));
  EXPECT_EQ((rate[{"coulomb", 33}]), (rate[{"maximum_dissipation", 33}]));
  EXPECT_NE((rate[{"coulomb", 33}]), (rate[{"cone_complementarity", 33}]));
  EXPECT_TRUE(flow["fits"]["coulomb"]["C"]["value"].is_number()) << flow["fits"];
  EXPECT_TRUE(fs::exists(scratch.folder() / "out" / "bin_rate.svg"));
  std::ifstream file(scratch.folder() / "out" / "report.md");
  const std::string report(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(report.find("| law | opening [mm] | rate [kg/s] |"), std::string::npos) << report;
  EXPECT_NE(report.find("last states differ in 0 of 1 pairs"), std::string::npos) << report;
  auto left_out = words;
  left_out.insert(left_out.end(), {"--only", "other", "--no-report"});
  EXPECT_EQ(test::run_program(left_out, scratch.folder()).out.find("A small bin"),
            std::string::npos);
}

// A number that does not come out is said to differ, with exit code 4.
TEST(Reproduce, SaysWhatDiffers) {
  const test::Scratch scratch;
  const fs::path paper = scratch.folder() / "papers" / "other";
  fs::create_directories(paper);
  fs::copy_file(kPapers / "stewart_trinkle_1996" / "rod.yaml", paper / "rod.yaml");
  std::ofstream(paper / "expected.yaml") << "title: Other\ncitation: none\n"
                                            "cases: {rod: {scene: rod.yaml}}\n"
                                            "rows:\n"
                                            "  - {quantity: a, case: rod, measure: impact, step: "
                                            "0.0025, paper: 0.4, tolerance: 1e-3}\n"
                                            "  - {quantity: b, case: rod, measure: impact, step: "
                                            "0.0025, paper: 0.3825, tolerance: 1e-9}\n";
  const auto outcome = test::run_program(
      {TALUS_BINARY, "reproduce", "other", "--json", "--no-report", "--papers", "papers"},
      scratch.folder());
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_FALSE(json["rows"][0]["ok"]);
  EXPECT_NEAR(json["rows"][0]["difference"].get<double>(), -0.0175, 1e-12);
  EXPECT_TRUE(json["rows"][1]["ok"]);
}

// A paper that takes long says so before it begins, a quick one and a part of one do not.
TEST(Reproduce, SaysHowLongItTakes) {
  const test::Scratch scratch;
  const fs::path paper = scratch.folder() / "papers" / "slow";
  fs::create_directories(paper);
  const auto said = [&](const std::string& seconds, std::vector<std::string> more) {
    std::ofstream(paper / "expected.yaml")
        << "title: Slow\ncitation: none\nseconds: " << seconds << "\nrows: []\n";
    std::vector<std::string> words = {TALUS_BINARY, "reproduce", "slow",
                                      "--papers",   "papers",    "--no-report"};
    words.insert(words.end(), more.begin(), more.end());
    return test::run_program(words, scratch.folder()).err;
  };
  EXPECT_NE(said("130", {}).find("slow takes about 2 min on two processors"), std::string::npos);
  EXPECT_NE(said("130", {"--full"}).find("with --full longer"), std::string::npos);
  EXPECT_EQ(said("130", {"--only", "x"}).find("takes about"), std::string::npos);
  EXPECT_EQ(said("3", {}).find("takes about"), std::string::npos);
}

// --list names the papers; an unknown paper and a mistake in expected.yaml are input errors that
// say where.
TEST(Reproduce, ListsPapersAndExplainsMistakes) {
  const test::Scratch scratch;
  const auto list = reproduce({"--list"}, scratch.folder());
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_NE(list.out.find("stewart_trinkle_1996"), std::string::npos);
  EXPECT_NE(list.out.find("wang_2015               2 min  Numerical method"), std::string::npos)
      << "with how long each takes\n"
      << list.out;
  const auto none = reproduce({"--list", "--papers", "nowhere"}, scratch.folder());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("--papers: there are no papers in nowhere"), std::string::npos)
      << none.err;
  const auto nothing = reproduce({"pospisil_2014", "--only", "nope"}, scratch.folder());
  EXPECT_EQ(nothing.exit_code, 2) << nothing.out;
  EXPECT_NE(nothing.err.find("has a name that begins with nope\nhint: it has column"),
            std::string::npos)
      << nothing.err;
  const auto unknown = reproduce({"nobody_1900"}, scratch.folder());
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("stewart_trinkle_1996"), std::string::npos);
  const fs::path paper = scratch.folder() / "papers" / "wrong";
  fs::create_directories(paper);
  std::ofstream(paper / "expected.yaml") << "title: Wrong\ncitation: none\ncases: {}\nrows:\n"
                                            "  - {quantity: a, case: rod, measure: luck, step: 1, "
                                            "paper: 1, tolerance: 1}\n";
  const auto wrong = test::run_program({TALUS_BINARY, "reproduce", "wrong", "--papers", "papers"},
                                       scratch.folder());
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("expected.yaml:5"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("unknown measure luck"), std::string::npos) << wrong.err;
  for (const auto& [row, words] : {std::pair{"measure: luck", "has no measure luck"},
                                   {"measure: rate, law: polyhedral", "under the law"},
                                   {"measure: rate, law: coulomb, value: 7", "has no case 7"},
                                   {"measure: k, law: coulomb", "has no measure k"}}) {
    std::ofstream(paper / "expected.yaml")
        << "title: Wrong\ncitation: none\nflows:\n  bin:\n    title: bin\n    scene: bin.yaml\n"
           "    laws: [coulomb]\n    observables:\n      - {name: rate, probe: p, column: c}\n"
           "rows:\n  - {quantity: a, flow: bin, paper: 1, tolerance: 1, "
        << row << "}\n";
    const auto outcome = test::run_program(
        {TALUS_BINARY, "reproduce", "wrong", "--papers", "papers"}, scratch.folder());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
