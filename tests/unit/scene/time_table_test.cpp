// Laws of time from CSV files: what a file says is what the scene would say by lists.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>
#include <variant>

#include <talus/base/random.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/time_law.hpp>

#include "scene_folder.hpp"

namespace talus::scene::TALUS_TEST_FILE {
namespace {

/// An arm on a pin, turned by a law.
std::string arm_driven_by(const std::string& law) {
  return "bodies: [{name: arm, shape: {sphere: 0.1}, mass: 1, position: [1, 0, 0]}]\n"
         "joints: [{name: pin, between: arm, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}}]\n"
         "drives: [{name: motor, joint: pin, angle: " +
         law + "}]\n";
}

model::TableLaw law_of(const Scene& scene) {
  return std::get<model::TableLaw>(scene.model.spatial_machine->drives.at(0).law);
}

void expect_same(const model::TableLaw& a, const model::TableLaw& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.curvature, b.curvature);
  EXPECT_EQ(a.is_smooth, b.is_smooth);
}

// A table in a file is the same law, bit for bit, as its numbers in lists: straight or smooth, with
// comments, blanks, a byte order mark and columns of other kinds.
TEST(TimeTable, IsThatOfLists) {
  const SceneFolder folder;
  folder.write("gait.csv",
               "\xEF\xBB\xBF# measured\r\nname, time ,knee,hip\r\na, 0,0, 7\r\n\r\n"
               "b,0.125 , 0.7,8\r\n# pause\r\nc,+0.5,-1e-3,9\r\n");
  for (const std::string smooth : {"false", "true"})
    expect_same(law_of(folder.load(
                    arm_driven_by("{table: gait.csv, column: knee, smooth: " + smooth + "}"))),
                law_of(folder.load(arm_driven_by(
                    "{times: [0, 0.125, 0.5], values: [0, 0.7, -1e-3], smooth: " + smooth + "}"))));
}

// Times are in the first column if none is called time, values in the only other one; any table of
// random numbers is read back as it was written.
TEST(TimeTable, OfTwoColumnsNeedsNoNames) {
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const SceneFolder folder;
    std::string csv = "t,value\n", times, values;
    Real time = random.uniform(-1, 1);
    for (int row = 0; row <= trial; ++row) {
      time += random.uniform(1e-6, 1);
      const Real value = row == 0 ? 0 : random.uniform(-1, 1);
      csv += fmt::format("{},{}\n", time, value);
      times += fmt::format("{}{}", row > 0 ? ", " : "", time);
      values += fmt::format("{}{}", row > 0 ? ", " : "", value);
    }
    folder.write("t.csv", csv);
    expect_same(
        law_of(folder.load(arm_driven_by("{table: t.csv}"))),
        law_of(folder.load(arm_driven_by("{times: [" + times + "], values: [" + values + "]}"))));
  }
}

// Units stand in the headings, as talus export writes them: 90 deg are π/2, 250 ms a quarter of a
// second. A column is named with its unit or without.
TEST(TimeTable, HasUnits) {
  const SceneFolder folder;
  folder.write("t.csv", "step,time [ms],knee [deg],load [N]\n1,0,0,3\n2,250,90,4\n");
  for (const std::string column : {"knee", "\"knee [deg]\""}) {
    const auto law = law_of(folder.load(arm_driven_by("{table: t.csv, column: " + column + "}")));
    EXPECT_DOUBLE_EQ(law.time.at(1), 0.25);
    EXPECT_DOUBLE_EQ(law.value.at(1), std::numbers::pi / 2);
  }
}

// A table's file stands beside the file that names it, also an included one, and is a source of the
// scene, once for all laws that are in it: a run that goes on sees that it has changed.
TEST(TimeTable, IsASource) {
  const SceneFolder folder;
  folder.write("parts/t.csv", "time,a,b\n0,0,0\n1,1,2\n");
  folder.write("parts/arm.yaml", arm_driven_by("{table: t.csv, column: a}") +
                                     "forces: [{name: push, between: arm, point_force: {direction: "
                                     "[1, 0, 0], force: {table: t.csv, column: b}}}]\n");
  const Scene scene = folder.load(
      "include: [parts/arm.yaml]\nbodies: [{name: floor, motion: fixed, "
      "shape: {plane: {}}, position: [0, 0, -9]}]\n");
  ASSERT_EQ(scene.sources.size(), 3U);
  EXPECT_EQ(scene.sources[2].path, folder.path() / "parts/t.csv");
  EXPECT_EQ(scene.sources[2].text, "time,a,b\n0,0,0\n1,1,2\n");
}

// What is wrong in a file is said with its line and column, and what the file has instead.
TEST(TimeTable, MistakesHavePlaces) {
  const SceneFolder folder;
  const auto mistakes = [&](const char* csv, const std::string& more = ", column: knee") {
    folder.write("t.csv", csv);
    return folder.mistakes(arm_driven_by("{table: t.csv" + more + "}"));
  };
  EXPECT_EQ(mistakes("time,knee\n0,0\n"), "");
  EXPECT_TRUE(contains(mistakes(""), "t.csv: the file has no line that names the columns"));
  EXPECT_TRUE(contains(mistakes("time,knee\n"), "t.csv: the file has no rows"));
  EXPECT_TRUE(contains(mistakes("time,kne\n0,1\n"), "t.csv:1:1: there is no column \"knee\""));
  EXPECT_TRUE(contains(mistakes("time,kne\n0,1\n"), "did you mean \"kne\"? columns: kne"));
  EXPECT_TRUE(contains(mistakes("time,knee,knee\n0,1,2\n"), "t.csv:1:11: the column \"knee\" is"));
  EXPECT_TRUE(contains(mistakes("time\n0\n"), "t.csv:1:1: expected a column of times and one of"));
  EXPECT_TRUE(contains(mistakes("time,a,b\n0,1,2\n", ""), "t.csv:1:1: expected one column beside"));
  EXPECT_TRUE(contains(mistakes("time,a,b\n0,1,2\n", ""), "write column: one of a, b"));
  EXPECT_TRUE(contains(mistakes("time,knee\n0,x\n"),
                       "t.csv:2:3: expected a finite number in column"
                       " knee, got \"x\""));
  EXPECT_TRUE(contains(mistakes("time,knee\n0,1\n0,1\n"), "t.csv:3:1: expected increasing times"));
  EXPECT_TRUE(contains(mistakes("time,knee\n0,1,2\n"), "t.csv:2:1: expected 2 columns as in"));
  EXPECT_TRUE(contains(mistakes("time,knee [dog]\n0,1\n"), "t.csv:1:6: expected a unit, got"));
  EXPECT_TRUE(contains(mistakes("time,knee\n0,+-1\n"), "t.csv:2:3: expected a finite number"));
  EXPECT_TRUE(contains(mistakes("time,knee\n0,1e300\n"), "t.csv:2:1: 1e+300 is too large"));
  EXPECT_TRUE(
      contains(mistakes("time [h],knee [deg]\n1e29,0\n2,1e307\n"), "t.csv:2:1: 3.6e+32 is"));
  EXPECT_TRUE(contains(mistakes("time,knee [kg]\n0,1\n"), "t.csv:1:6: expected a unit of angle"));
  EXPECT_TRUE(contains(mistakes("time,knee [rad/s]\n0,1\n"), "expected a unit of angle, got"));
  EXPECT_TRUE(contains(mistakes("time [kg],knee\n0,1\n"), "t.csv:1:1: expected a unit of time"));
  EXPECT_TRUE(
      contains(folder.mistakes(arm_driven_by("{times: [0], values: [0], column: a}")), "column"));
}

}  // namespace
}  // namespace talus::scene::TALUS_TEST_FILE
