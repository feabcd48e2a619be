// Robots in motion: balls and motors of files, weights that are carried, against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <talus/sim/simulation.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

struct Moved {
  scene::SceneFolder folder;
  Simulation simulation;
  Moved(const std::string& scene, const std::string& robot, const std::string& scheme, Real end,
        Real step = 1e-3)
      : simulation(load(folder, scene, robot, scheme, end, step)) {
    EXPECT_EQ(simulation.run().uncertified_steps, 0) << scheme;
  }
  static scene::Scene load(scene::SceneFolder& folder, const std::string& scene,
                           const std::string& robot, const std::string& scheme, Real end,
                           Real step) {
    folder.write("r.xml", "<mujoco>" + robot + "</mujoco>");
    scene::Overrides overrides;
    overrides.scheme = scheme;
    overrides.end_time = end;
    overrides.step_size = step;
    return scene::load(
        folder.write("scene.yaml", "time: {step: 1 ms, end: 1 s}\nrobots:\n" + scene), overrides);
  }
  [[nodiscard]] Index body(const std::string& name) const {
    const Index found = simulation.scene().model.find_body(name);
    EXPECT_GE(found, 0) << name;
    return std::max(found, Index(0));
  }
  [[nodiscard]] const Vec3& position(const std::string& name) const {
    return simulation.state().position[body(name)];
  }
  [[nodiscard]] const Vec3& velocity(const std::string& name) const {
    return simulation.state().velocity[body(name)];
  }
  [[nodiscard]] const Vec3& spin(const std::string& name) const {
    return simulation.state().angular_velocity[body(name)];
  }
};

const std::string kArm = R"(<inertial pos="0.3 -0.4 0" mass="1" diaginertia="0.01 0.01 0.01"/>)";

// A ball is damped by −c ω, and on the world its armature is an inertia about any axis: a pendulum
// that swings in a plane moves as one on a hinge does, but for the error O(h²) of both, whatever
// its way through Cardan's angles; the robot turned as a whole moves turned.
TEST(Robots, BallsActAboutAnyAxis) {
  const std::string laws = R"( damping="0.8" armature="0.05"/>)";
  const std::string robot =
      R"(<worldbody><body name="ball"><joint name="j" type="ball")" + laws + kArm +
      R"(</body><body name="hinge" pos="3 0 0"><joint name="h" axis="4 3 0")" + laws + kArm +
      "</body></worldbody>";
  constexpr Real kStep = 1e-3, kError = kStep * kStep;  // in metres and radians per second
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    const Moved run(
        "  - {file: r.xml, name: a}\n"
        "  - {file: r.xml, name: b, position: [0, 9, 0], orientation: {axis: [0, 0, 1], angle: 70 "
        "deg}}\n",
        robot, scheme, 1.2, kStep);
    const Vec3 ball = run.position("a:ball"), hinge = run.position("a:hinge") - Vec3(3, 0, 0);
    EXPECT_LT(ball.z(), -0.3) << "it has fallen through a wide angle";
    EXPECT_LT((ball - hinge).norm(), kError) << scheme;
    EXPECT_LT((run.spin("a:ball") - run.spin("a:hinge")).norm(), kError) << scheme;
    const Quat turn(Eigen::AngleAxis<Real>(70 * std::numbers::pi / 180, Vec3::UnitZ()));
    EXPECT_LT((run.position("b:ball") - Vec3(0, 9, 0) - turn * ball).norm(), 1e-9) << scheme;
  }
}

// A velocity actuator exerts kv (command − ω) within its bounds: from rest ω = (M/I) t up to the
// speed that the bound reaches, and then it nears the command with the time constant I/kv.
TEST(Robots, MotorsOfVelocitiesAreBounded) {
  constexpr Real kInertia = 0.4 * 2.5 * 0.01, kGain = 4, kBound = 0.1, kEnd = 0.1;
  constexpr Real kKnee = (1 - kBound / kGain) / (kBound / kInertia);
  const Real expected = 1 - kBound / kGain * std::exp(-(kEnd - kKnee) * kGain / kInertia);
  for (
      const char* actuator :
      {R"(<velocity joint="a" kv="4" forcerange="-0.1 0.1"/>)",
       R"(<general joint="a" gainprm="4" biastype="affine" biasprm="0 0 -4" forcerange="-0.1 0.1"/>)",
       R"(<velocity joint="a" gear="-1" kv="4" forcerange="-0.1 0.1"/>)"})
    for (const char* scheme : {"moreau_jean", "moreau_midpoint", "event_driven"}) {
      const Moved run("  - {file: r.xml, name: r, keyframe: k}\n",
                      R"(<worldbody><body name="b"><joint name="a"/>
        <geom size="0.1" mass="2.5"/></body></worldbody><actuator>)" +
                          std::string(actuator) +
                          R"(</actuator><keyframe><key name="k" ctrl="1"/></keyframe>)",
                      scheme, kEnd, 1e-4);
      const Real sign = std::string(actuator).find("gear") == std::string::npos ? 1 : -1;
      EXPECT_NEAR(sign * run.spin("r:b").z(), expected, 2e-4) << scheme << actuator;
    }
}

// A brake holds with at most its bound F, its own or that of the joint: v = −(g − F/m) t, but for
// the speed F/k at which it reaches the bound.
TEST(Robots, BrakesHoldWithTheirBound) {
  constexpr Real kEnd = 0.2;
  for (const auto& [joint, brake] :
       {std::pair(R"(<joint name="a" type="slide" axis="0 0 1"/>)",
                  R"(<velocity joint="a" kv="1e7" forcerange="-5 5"/>)"),
        std::pair(R"(<joint name="a" type="slide" axis="0 0 1" actuatorfrcrange="-5 5"/>)",
                  R"(<damper joint="a" kv="1e7" ctrlrange="0 1"/>)")}) {
    const Moved run("  - {file: r.xml, name: r, keyframe: k}\n",
                    "<worldbody><body name='b'>" + std::string(joint) +
                        "<geom size='0.1' mass='2'/></body></worldbody><actuator>" + brake +
                        "</actuator><keyframe><key name='k' ctrl='" +
                        (std::string(brake).find("damper") != std::string::npos ? "1" : "0") +
                        "'/></keyframe>",
                    "moreau_midpoint", kEnd);
    EXPECT_NEAR(run.velocity("r:b").z(), -(9.81 - 5. / 2) * kEnd, 5 / 1e7) << joint;
  }
}

// gravcomp carries that share of the weight under the gravity of the scene, whatever the file's.
TEST(Robots, AreCarriedAgainstTheGravityOfTheScene) {
  for (const Vec3& gravity : {Vec3(0, 0, -4), Vec3(3, 0, 0), Vec3(0, 0, 0)}) {
    const Moved run(
        fmt::format("  - {{file: r.xml, name: r, orientation: {{axis: [1, 0, 0], angle: 90 "
                    "deg}}}}\ngravity: [{}, {}, {}]\n",
                    gravity.x(), gravity.y(), gravity.z()),
        R"(<option gravity="0 0 -10"/><worldbody>
      <body name="half" gravcomp="0.25"><freejoint/><geom size="0.1" mass="2"/></body>
      <body name="all" pos="1 0 0" gravcomp="1"><freejoint/><geom size="0.1" mass="2"/></body>
      </worldbody>)",
        "moreau_midpoint", 0.5);
    EXPECT_LT((run.velocity("r:half") - 0.75 * 0.5 * gravity).norm(), 1e-12) << gravity;
    EXPECT_LT(run.velocity("r:all").norm(), 1e-12) << gravity;
  }
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
