// Robots' files on the command line: every verb that reads one takes what it needs besides.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include <cli/scenes.hpp>
#include <support/content_of.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::CliFolder;
using test::Outcome;
using Words = std::vector<std::string>;

class Robots : public ::testing::Test {
 protected:
  Robots() {
    std::ofstream(folder_ / "viewer.html") << "<!--talus-record-->";
    ::setenv("TALUS_VIEWER", (folder_ / "viewer.html").c_str(), 1);
    fs::create_directories(folder_ / "elsewhere/parts");
    std::ofstream(folder_ / "elsewhere/parts/block.obj")
        << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(folder_ / "block.urdf") << R"(<robot name="block"><link name="block">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="package://bits/block.obj"/></geometry></collision>
</link></robot>)";
    std::ofstream(folder_ / "arm.xml") << R"(<mujoco><worldbody>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
<geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0" mass="1"/></body>
</worldbody><keyframe><key name="down" qpos="1.5"/></keyframe></mujoco>)";
  }
  ~Robots() override { ::unsetenv("TALUS_VIEWER"); }
  [[nodiscard]] int code(const Words& words) const { return folder_.talus(words).exit_code; }
  /// A verb with more words.
  [[nodiscard]] static Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  CliFolder folder_;
};

const std::vector<Words> kVerbs = {
    {"check"},
    {"info"},
    {"convert", "-o", "out.yaml"},
    {"run", "--no-record", "--quiet", "--until", "0.01"},
    {"view", "--export", "page.html", "--until", "0.01"},
    {"study", "--quiet", "--until", "0.01", "--vary", "time.step=[1 ms]", "-o", "table.csv"},
};

// A mesh of a package is found where --package says, and missed without; so for every verb.
TEST_F(Robots, EveryVerbTakesPackages) {
  for (const Words& verb : kVerbs) {
    const Words words = with(verb, {"block.urdf"});
    EXPECT_EQ(code(words), 2) << verb[0];
    EXPECT_EQ(code(with(words, {"--package", "bits=elsewhere/nowhere"})), 2) << verb[0];
    const Outcome outcome = folder_.talus(with(words, {"--package", "bits=elsewhere/parts"}));
    EXPECT_EQ(outcome.exit_code, 0) << verb[0] << outcome.err;
  }
}

// A keyframe that is there is taken, one that is not is a mistake; so for every verb.
TEST_F(Robots, EveryVerbTakesKeyframes) {
  for (const Words& verb : kVerbs) {
    const Words words = with(verb, {"arm.xml"});
    const Outcome outcome = folder_.talus(with(words, {"--keyframe", "down"}));
    EXPECT_EQ(outcome.exit_code, 0) << verb[0] << outcome.err;
    EXPECT_EQ(code(with(words, {"--keyframe", "up"})), 2) << verb[0];
  }
}

// A part that is refused would change the motion: run says so as check does, and counts it.
TEST_F(Robots, RunWarnsOfWhatIsLeftOut) {
  std::ofstream(folder_ / "muscle.xml") << R"(<mujoco><worldbody>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
<geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0" mass="1"/></body></worldbody>
<actuator><muscle joint="hinge"/></actuator></mujoco>)";
  const std::string what = "refused  muscle.xml:4:11: actuator <muscle>";
  EXPECT_NE(folder_.talus({"check", "muscle.xml"}).out.find(what), std::string::npos);
  const Words run = {"run", "muscle.xml", "--no-record", "--until", "0.01"};
  const Outcome outcome = folder_.talus(with(run, {"--json"}));
  EXPECT_NE(outcome.err.find("warning: " + what), std::string::npos) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out).at("warnings"), 1);
  EXPECT_NE(folder_.talus(run).out.find("warnings     1"), std::string::npos);
  EXPECT_EQ(folder_.talus(with(run, {"--quiet"})).err, "");
}

// Where there are no keyframes, none is taken in silence: scenes in YAML, URDF files; records and
// problems take no options of scenes at all.
TEST_F(Robots, OptionsWithoutEffectAreMistakes) {
  ASSERT_EQ(code({"run", "balls.yaml", "--quiet", "--until", "0.01", "-o", "a.h5"}), 0);
  for (const Words& words : std::vector<Words>{
           {"run", "balls.yaml", "--no-record", "--keyframe", "down"},
           {"check", "block.urdf", "--package", "bits=elsewhere/parts", "--keyframe", "down"},
           {"info", "a.h5", "--keyframe", "down"},
           {"info", "a.h5", "--package", "bits=elsewhere/parts"},
           {"view", "a.h5", "--export", "page.html", "--keyframe", "down"},
           {"view", "a.h5", "--export", "page.html", "--set", "time.end=1"},
           {"view", "a.h5", "--export", "page.html", "--until", "1"},
           {"view", "a.h5", "--export", "page.html", "-o", "b.h5"},
           {"view", "a.h5", "a.h5", "--export", "page.html"}}) {
    const Outcome outcome = folder_.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << ' ' << words[1] << ' ' << words.back();
    EXPECT_FALSE(fs::exists(folder_ / "page.html")) << words.back();
  }
}

// A study starts every point from the keyframe, as run does, and its rows are not those of another
// start.
TEST_F(Robots, SweepsStartFromAKeyframe) {
  const Words study = {"study", "arm.xml",   "--until", "0.01", "--vary", "time.step=[1 ms]",
                       "-o",    "table.csv", "--json"};
  const auto hash = [](const Outcome& outcome) {
    return nlohmann::json::parse(outcome.out).at("rows").at(0).at("state_hash");
  };
  const Outcome down = folder_.talus(with(study, {"--keyframe", "down"}));
  ASSERT_EQ(down.exit_code, 0) << down.err;
  const Outcome run = folder_.talus({"run", "arm.xml", "--until", "0.01", "--set", "time.step=1 ms",
                                     "--no-record", "--quiet", "--json", "--keyframe", "down"});
  EXPECT_EQ(hash(down), nlohmann::json::parse(run.out).at("state_hash"));
  EXPECT_EQ(code(study), 2) << "rows of another start";
  const Outcome anew = folder_.talus(with(study, {"--fresh"}));
  ASSERT_EQ(anew.exit_code, 0) << anew.err;
  EXPECT_NE(hash(anew), hash(down));
}

// The command that takes a failed step again has the options of robots: it reads the same file.
TEST_F(Robots, TheStepAgainReadsTheSameRobot) {
  const Words run = {"run",        "block.urdf",
                     "--until",    "0.2",
                     "--set",      "on_uncertified=stop",
                     "--set",      "solver={tolerance: 1e-300, max_iterations: 1}",
                     "--set",      "bodies.block.velocity=[0.3, 0.1, 0]",
                     "--package",  "bits=elsewhere/parts",
                     "--no-record"};
  const Outcome failed = folder_.talus(run);
  ASSERT_EQ(failed.exit_code, 3) << failed.out << failed.err;
  EXPECT_NE(failed.err.find(" --package bits=elsewhere/parts"), std::string::npos) << failed.err;
}

// Sensors of an MJCF file are those of the scene that it is converted to: the same readings, bit
// for bit. The scene is not written over.
TEST_F(Robots, ConvertedSensorsReadTheSame) {
  std::ofstream(folder_ / "sensed.xml") << R"(<mujoco><worldbody>
<geom type="plane" size="1 1 1"/>
<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/>
<geom type="box" size="0.2 0.02 0.02" pos="0.2 0 0" mass="1"/>
<site name="tip" pos="0.4 0 0.01" euler="0 90 0"/></body></worldbody>
<sensor><accelerometer name="a" site="tip"/><gyro name="b" site="tip"/>
<force name="c" site="tip"/><torque name="d" site="tip"/><touch name="e" site="tip"/>
<rangefinder name="f" site="tip"/><framepos name="g" objtype="site" objname="tip"/>
<framequat name="h" objtype="site" objname="tip"/>
<framelinvel name="i" objtype="body" objname="arm"/>
<frameangvel name="j" objtype="xbody" objname="arm"/></sensor></mujoco>)";
  const Words convert = {"convert", "sensed.xml", "-o", "scene.yaml"};
  const Outcome converted = folder_.talus(convert);
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  const Outcome again = folder_.talus(convert);  // it may have been edited since
  EXPECT_NE(again.err.find("scene.yaml: this file exists: left as it is"), std::string::npos)
      << again.err;
  std::string tables[2];
  const char* const files[] = {"sensed.xml", "scene.yaml"};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(code({"run", files[i], "--until", "0.1", "--quiet", "-o", "out.h5"}), 0);
    const Outcome outcome = folder_.talus({"export", "out.h5", "--series", "sensors"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    tables[i] = outcome.out;
  }
  EXPECT_EQ(tables[0], tables[1]);
  const std::string heading = tables[0].substr(0, tables[0].find('\n'));
  for (const char* column : {"a_x [m/s^2]", "b_y [rad/s]", "c_z [N]", "d_y [N m]", "e [N]", "f [m]",
                             "g_x [m]", "h_w", "i_z [m/s]", "j_y [rad/s]"})
    EXPECT_NE(heading.find(column), std::string::npos) << column << " is not in " << heading;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
