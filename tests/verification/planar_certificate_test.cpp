#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include <talus/base/random.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>

#include "support/scratch.hpp"

// Machines that ask for what cannot be: no step in which they get it is certified, in any scheme.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3;
/// No step is certified in which rigid bodies are deeper in each other than this share of the
/// smaller one's half thickness.
constexpr Real kShare = 0.3;
const char* const kSchemes[] = {"moreau_jean",     "moreau_midpoint", "event_driven",
                                "stewart_trinkle", "anitescu_potra",  "anitescu_potra_stabilised"};

sim::Simulation simulate(const std::string& scheme, Real end, const std::string& machine) {
  const test::Scratch scratch;
  const auto path = scratch / "scene.yaml";
  std::ofstream(path) << "dimension: 2\n"
                      << fmt::format("time: {{step: {}, end: {}}}\nscheme: {}\n", kStep, end,
                                     scheme)
                      << machine;
  return sim::Simulation(scene::load(path));
}

struct Ending {
  Index certified = 0, uncertified = 0;
  Real worst = 0;  ///< of what certified steps have left
};

/// Runs to the end, or to where the run stops itself. @param wrong how far a state is off what must
/// hold, measured by the test alone [m].
template <class Wrong>
Ending run(sim::Simulation&& simulation, const Wrong& wrong) {
  simulation.save_failures_as({});
  Ending ending;
  for (bool goes_on = true; goes_on;) {
    goes_on = simulation.step();
    if (simulation.last_report().is_certified())
      ending.worst = std::max(ending.worst, wrong(simulation.state()));
  }
  ending.uncertified = simulation.summary().uncertified_steps;
  ending.certified = simulation.summary().steps - ending.uncertified;
  return ending;
}

/// Every scheme goes along with the machine for a while and then certifies no more: what certified
/// steps leave wrong is `most` [m] at most. @param certified how many steps have to be, at least.
template <class Wrong>
void expect_refusal(const std::string& machine, Real end, Real most, Index certified,
                    const Wrong& wrong) {
  for (const char* scheme : kSchemes) {
    const Ending ending = run(simulate(scheme, end, machine), wrong);
    EXPECT_LE(ending.worst, most) << scheme;
    EXPECT_GT(ending.uncertified, 0) << scheme;
    EXPECT_GT(ending.certified, certified) << scheme;
  }
}

Real angle_of(const model::State& state, Index body) {
  return 2 * std::atan2(state.orientation[body].z(), state.orientation[body].w());
}

// A motor turns an arm of 0.6 m, 0.3 m above the floor, down through it; rows of the floor have no
// freedom there, for the motor holds all. The arm's tip is in the floor by no more than it moves
// in a step.
TEST(PlanarCertificate, ArmDrivenIntoTheFloor) {
  const std::string arm = R"(
bodies:
  - {name: floor, motion: fixed, shape: {half_plane: {}}}
  - {name: post, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [0, 0.3, 0], collides: false}
  - {name: arm, mass: 1, shape: {rod: {length: 0.6, radius: 1 cm}}, position: [0.3, 0.3, 0]}
joints: [{name: pin, between: [post, arm], revolute: {at: [0, 0.3]}}]
drives: [{name: motor, between: [post, arm], angular_speed: -1}]
)";
  expect_refusal(arm, 0.8, kShare * 0.01, 450, [](const model::State& state) {
    const Real turned = std::atan2(state.position[2].y() - 0.3, state.position[2].x());
    return 0.01 - (state.position[2].y() + 0.3 * std::sin(turned));
  });
}

// A piston on a guide goes down at 0.5 m/s, through the floor.
TEST(PlanarCertificate, PistonDrivenIntoTheFloor) {
  const std::string piston = R"(
bodies:
  - {name: floor, motion: fixed, shape: {half_plane: {}}}
  - {name: frame, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [0, 1, 0], collides: false}
  - {name: piston, mass: 1, shape: {box: [0.1, 0.2, 1]}, position: [0, 0.3, 0]}
joints: [{name: guide, between: [frame, piston], prismatic: {at: [0, 0.3], axis: [0, -1]}}]
drives: [{name: ram, between: [frame, piston], speed: 0.5, axis: [0, -1]}]
)";
  expect_refusal(piston, 0.7, 2 * 0.5 * kStep, 390,
                 [](const model::State& state) { return 0.1 - state.position[2].y(); });
}

// A winch pulls on a rope of 1.1 m that is tied to a wall.
TEST(PlanarCertificate, RopeWoundUp) {
  const std::string rope = R"(
bodies:
  - {name: frame, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [0, 1, 0], collides: false}
  - {name: wall, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [-1, 1, 0], collides: false}
  - {name: slide, mass: 1, shape: {box: [0.1, 0.1, 1]}, position: [0, 1, 0], collides: false}
joints:
  - {name: guide, between: [frame, slide], prismatic: {at: [0, 1], axis: [1, 0]}}
  - {name: rope, between: [wall, slide], rope: {from: [-1, 1], to: [0, 1], length: 1.1}}
drives: [{name: winch, between: [frame, slide], speed: 0.14, axis: [1, 0]}]
)";
  expect_refusal(rope, 1, 2 * 0.14 * kStep, 700,
                 [](const model::State& state) { return state.position[2].x() + 1 - 1.1; });
}

// A geared peg runs into a stop that it cannot pass.
TEST(PlanarCertificate, GearedPegPastAStop) {
  const std::string peg = R"(
bodies:
  - {name: stop, motion: fixed, shape: {box: [0.02, 0.2, 1]}, position: [-0.05, 0.3, 0]}
  - {name: post, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [0, 0, 0], collides: false}
  - {name: wheel, mass: 1, shape: {disc: {radius: 5 cm}}, position: [-1, 0, 0], collides: false}
  - {name: peg, mass: 1, shape: {rod: {length: 0.5, radius: 1 cm}}, position: [0.25, 0, 0]}
joints:
  - {name: pin, between: [post, peg], revolute: {at: [0, 0]}}
  - {name: axle, between: [post, wheel], revolute: {at: [-1, 0]}}
  - {name: gear, between: [wheel, peg], gear: {ratio: 1}}
drives: [{name: motor, between: [post, wheel], angular_speed: -1.5}]
)";
  expect_refusal(peg, 1.2, kShare * 0.01 + 1e-6, 1000, [](const model::State& state) {
    const Vec2 along = state.position[3].head<2>().normalized();
    Real nearest = 1;  // of points of its middle line from the stop
    for (int k = 0; k <= 1000; ++k) {
      const Vec2 point = k * 5e-4 * along - Vec2(-0.05, 0.3);
      nearest = std::min(nearest, (point.cwiseAbs() - Vec2(0.01, 0.1)).cwiseMax(0).norm());
    }
    return 0.01 - nearest;
  });
}

// A press on a block that lies on the floor: the piston is where its drive says, or nothing is
// certified; and it is not inside the block.
TEST(PlanarCertificate, PressOnABlock) {
  for (const char* drive :
       {"speed: 0.2", "displacement: {start: 0.75, slope: 0.2}",
        "displacement: {mean: 0.85, amplitude: 0.1, frequency: 0.5, phase: -90 deg}"})
    for (const char* stabilisation : {"projection", "baumgarte", ""})
      for (const char* name : kSchemes) {
        if ((std::string(name) == "event_driven") == (std::string(stabilisation).empty())) continue;
        const std::string press = fmt::format(R"(
bodies:
  - {{name: floor, motion: fixed, shape: {{half_plane: {{}}}}}}
  - {{name: frame, motion: fixed, shape: {{box: [0.02, 0.02, 1]}}, position: [0, 1, 0], collides: false}}
  - {{name: block, mass: 1, shape: {{box: [0.2, 0.1, 1]}}, position: [0, 0.05, 0]}}
  - {{name: piston, mass: 1, shape: {{box: [0.1, 0.2, 1]}}, position: [0, 0.25, 0]}}
joints: [{{name: guide, between: [frame, piston], prismatic: {{at: [0, 0.25], axis: [0, -1]}}}}]
drives: [{{name: ram, between: [frame, piston], {}, axis: [0, -1]}}]
)",
                                              drive);
        const std::string scheme =
            *stabilisation == '\0'
                ? name
                : fmt::format("{{name: {}, stabilisation: {}}}", name, stabilisation);
        const Ending ending = run(simulate(scheme, 0.8, press), [](const model::State& state) {
          const Vec3 &block = state.position[2], &piston = state.position[3];
          const Real angle = angle_of(state, 2);
          if (std::abs(block.x()) > 0.14 || std::abs(angle) > 0.1) return 0.0;  // is out of the way
          const Real above = piston.y() - block.y();
          return std::max({0.05 - block.y(), 0.1 - piston.y(), 0.15 - std::abs(above)}) -
                 0.15 * std::abs(angle);
        });
        EXPECT_LE(ending.worst, kShare * 0.05) << scheme << ' ' << drive;
        EXPECT_GT(ending.uncertified, 0) << scheme << ' ' << drive;
      }
}

// Two drives of one wheel that agree until t = 0.1 s and then do not: the run ends there and says
// which; no scheme takes the mean of them.
TEST(PlanarCertificate, DrivesThatComeToDisagreeEndTheRun) {
  const std::string wheel = R"(
bodies:
  - {name: post, motion: fixed, shape: {box: [0.02, 0.02, 1]}, position: [0, 0, 0], collides: false}
  - {name: wheel, mass: 1, shape: {disc: {radius: 5 cm}}, position: [0, 0, 0], collides: false}
joints: [{name: axle, between: [post, wheel], revolute: {at: [0, 0]}}]
drives:
  - {name: slow, between: [post, wheel], angular_speed: 1}
  - {name: fast, between: [post, wheel], angular_speed: {times: [0, 0.1, 0.2], values: [1, 1, 3]}}
)";
  for (const std::string scheme :
       {"moreau_jean", "moreau_midpoint", "event_driven", "stewart_trinkle", "anitescu_potra",
        "anitescu_potra_stabilised", "index_3"}) {
    sim::Simulation simulation = simulate(scheme, 0.3, wheel);
    simulation.save_failures_as({});
    while (simulation.step())
      EXPECT_NEAR(simulation.state().angular_velocity[1].z(), 1, 1e-2) << scheme;
    EXPECT_EQ(simulation.last_report().status, problem::SolveStatus::numerical_error) << scheme;
    EXPECT_NE(simulation.last_report().detail.find("drive slow, drive fast"), std::string::npos)
        << scheme << ": " << simulation.last_report().detail;
    EXPECT_NEAR(simulation.state().time, 0.1, 2.5 * kStep) << scheme;
  }
}

// A box lies on the floor, and a ram is driven into an anvil far from it: the worst
// contact of the steps that are not certified is that of ram and anvil, in the list of every
// scheme. Schemes of one LCP for all leave the box without support too from then on: there it is
// the first step that tells. event_driven ends at once, at the impact that no impulse satisfies.
TEST(PlanarCertificate, WorstContactIsThePairThatIsBroken) {
  const std::string ram = R"(
contacts: {default: {friction: 0.5}, pairs: [{between: [iron, iron], friction: 0.125}]}
materials: {wood: {}, iron: {}}
bodies:
  - {name: floor, motion: fixed, material: wood, shape: {half_plane: {}}}
  - {name: box, mass: 1, material: wood, shape: {box: [0.2, 0.1, 1]}, position: [-2, 0.05, 0]}
  - {name: frame, motion: fixed, material: iron, shape: {box: [0.02, 0.02, 1]}, position: [0, 2, 0], collides: false}
  - {name: anvil, motion: fixed, material: iron, shape: {box: [0.5, 0.2, 1]}, position: [0, 1, 0]}
  - {name: ram, mass: 1, material: iron, shape: {box: [0.1, 0.2, 1]}, position: [0, 1.2, 0]}
joints: [{name: guide, between: [frame, ram], prismatic: {at: [0, 1.2], axis: [0, -1]}}]
drives: [{name: drive, between: [frame, ram], speed: 0.1, axis: [0, -1]}]
)";
  for (const std::string scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle",
                                   "anitescu_potra", "anitescu_potra_stabilised"}) {
    sim::Simulation simulation = simulate(scheme, 0.05, ram);
    simulation.save_failures_as({});
    const bool is_one_lcp = scheme[0] == 's' || scheme[0] == 'a';
    Index broken = 0;
    for (bool goes_on = true; goes_on;) {
      goes_on = simulation.step();
      const stepping::StepReport& report = simulation.last_report();
      if (report.is_certified() || report.certificate.worst_contact < 0) continue;
      if (++broken > 1 && is_one_lcp) continue;
      const auto worst = simulation.scheme().contact(report.certificate.worst_contact);
      ASSERT_TRUE(worst.has_value()) << scheme;
      EXPECT_EQ(worst->body_a + worst->body_b, 3 + 4) << scheme;
      EXPECT_EQ(worst->friction, 0.125) << scheme;
    }
    EXPECT_GT(broken, 20) << scheme << ": " << simulation.last_report().detail;
  }
  sim::Simulation events = simulate("event_driven", 0.05, ram);
  events.save_failures_as({});
  EXPECT_FALSE(events.step());
  EXPECT_FALSE(events.last_report().is_certified());
  EXPECT_NE(events.last_report().detail.find("no impulse satisfies"), std::string::npos)
      << events.last_report().detail;
}

/// A body on an arm or on a guide, driven towards the floor from a random place at a random speed.
struct RandomRam {
  std::string machine;
  Real radius = 0, thickness = 0, speed = 0, end = 0;  ///< thickness: half of it
  std::vector<Vec2> corners;                           ///< of the body's core, in its frame

  explicit RandomRam(Random& random) {
    const bool is_arm = random.bits() % 2 == 0;
    const Real height = random.uniform(0.15, 0.4);
    const Vec2 pivot(random.uniform(-1, 1), height);
    std::string shape;
    if (random.bits() % 2 == 0) {
      const Real half = random.uniform(0.05, 0.1);
      radius = thickness = random.uniform(0.01, 0.03);
      shape = fmt::format("rod: {{length: {}, radius: {}}}", 2 * half, thickness);
      corners = {Vec2(half, 0), Vec2(-half, 0)};
    } else {
      const Real a = random.uniform(0.03, 0.07), b = random.uniform(0.03, 0.07);
      shape = fmt::format("box: [{}, {}, 1]", 2 * a, 2 * b);
      corners = {Vec2(a, b), Vec2(-a, b), Vec2(-a, -b), Vec2(a, -b)};
      thickness = std::min(a, b);
    }
    const Real arm = is_arm ? random.uniform(1.2, 2) * height : 0;
    const Vec2 place = pivot + Vec2(arm, 0);
    speed = std::pow(10, random.uniform(-1, 0.7));
    const Real tilt = random.uniform(-0.6, 0.6);
    const std::string axis = fmt::format("[{}, {}]", std::sin(tilt), -std::cos(tilt));
    const std::string joint =
        is_arm ? fmt::format("revolute: {{at: [{}, {}]}}", pivot.x(), pivot.y())
               : fmt::format("prismatic: {{at: [{}, {}], axis: {}}}", place.x(), place.y(), axis);
    const std::string drive = is_arm ? fmt::format("angular_speed: {}", -speed / arm)
                                     : fmt::format("speed: {}, axis: {}", speed, axis);
    end = 1.5 * height / (speed * std::cos(tilt));
    speed *= 2;  // of its corners, at most
    machine = fmt::format(R"(
bodies:
  - {{name: floor, motion: fixed, shape: {{half_plane: {{}}}}}}
  - {{name: frame, motion: fixed, shape: {{box: [0.02, 0.02, 1]}}, position: [{}, {}, 0], collides: false}}
  - {{name: ram, mass: {}, shape: {{{}}}, position: [{}, {}, 0]}}
joints: [{{name: joint, between: [frame, ram], {}}}]
drives: [{{name: drive, between: [frame, ram], {}}}]
)",
                          is_arm ? pivot.x() : place.x(), height, random.uniform(0.1, 10), shape,
                          place.x(), place.y(), joint, drive);
  }
  /// How deep the body is in the floor [m].
  [[nodiscard]] Real depth(const model::State& state, Real initial) const {
    const Eigen::Rotation2D<Real> turned(angle_of(state, 2) - initial);
    Real lowest = 1;
    for (const Vec2& corner : corners)
      lowest = std::min(lowest, state.position[2].y() + (turned * corner).y());
    return radius - lowest;
  }
};

// The same of any arm and any ram: what certified steps leave in the floor is what the drive moves
// in a step.
TEST(PlanarCertificate, NothingIsDrivenIntoTheFloorCertified) {
  Random random(20261123);
  for (int k = 0; k < 40; ++k) {
    const RandomRam ram(random);
    for (const char* scheme : kSchemes) {
      sim::Simulation simulation = simulate(scheme, ram.end, ram.machine);
      simulation.save_failures_as({});
      const Real initial = angle_of(simulation.state(), 2);
      const Ending ending = run(std::move(simulation), [&](const model::State& state) {
        return ram.depth(state, initial);
      });
      // Velocities alone are the law of Anitescu and Potra: it does not know how deep a gap is.
      const bool has_gaps = std::string(scheme) != "anitescu_potra";
      EXPECT_LE(ending.worst, has_gaps ? 2 * ram.speed * kStep : kShare * ram.thickness)
          << scheme << ram.machine;
      EXPECT_GT(ending.uncertified, 0) << scheme << ram.machine;
    }
  }
}

// What a compliant contact stores it gives back, and the slip of a joint turns round with it: the
// friction that then resists does no work but to and fro. Such a bounce raises no energy.
TEST(PlanarCertificate, FrictionWhileASpringTurnsTheSlipRoundRaisesNothing) {
  const std::string lever = R"(
contacts: {default: {friction: 0.3, normal: {hunt_crossley: {stiffness: 1e5, restitution: 0.5}}}}
bodies:
  - {name: floor, fixed: true, shape: {half_plane: {}}, position: [0, -0.5]}
  - {name: rod, mass: 1, inertia: 0.05, shape: {disc: {radius: 5 cm}}, position: [1, 0]}
joints:
  - {name: pin, between: [floor, rod], revolute: {at: [0, 0], pin_radius: 1 cm}, collides: true,
     friction: 0.3}
gravity: [0, -9.81]
)";
  for (const char* scheme : {"moreau_jean", "moreau_midpoint"}) {
    const Ending ending =
        run(simulate(scheme, 1.5, lever), [](const model::State& state) { return state.time; });
    EXPECT_EQ(ending.uncertified, 0) << scheme;
    EXPECT_NEAR(ending.worst, 1.5, kStep / 2) << scheme;
  }
}

// A ball that a cushion has slowed down strikes a stop within it and rebounds as the stop's law
// says, e = 1: what the cushion does in the step is not charged to it.
TEST(PlanarCertificate, ACushionTakesNothingOffTheRestitutionOfItsStop) {
  const std::string cushion = R"(
contacts:
  pairs:
    - {between: [ball, soft], normal: {hertz: {stiffness: 5000, exponent: 1}}}
    - {between: [ball, hard], restitution: 1}
materials: {ball: {density: 1000}, soft: {density: 1000}, hard: {density: 1000}}
bodies:
  - {name: cushion, fixed: true, shape: {half_plane: {}}, material: soft}
  - {name: stop, fixed: true, shape: {half_plane: {}}, material: hard, position: [0, -1 cm]}
  - {name: ball, shape: {disc: 0.1}, mass: 1, material: ball, position: [0, 0.1], velocity: [0, -1]}
gravity: [0, 0]
)";
  sim::Simulation simulation = simulate("moreau_midpoint", 0.03, cushion);
  Real before = -1;
  for (bool goes_on = true; goes_on;) {
    goes_on = simulation.step();
    const Real after = simulation.state().velocity[2].y();
    EXPECT_TRUE(simulation.last_report().is_certified());
    if (before < 0 && after > 0) {
      EXPECT_NEAR(after, -before, 1e-12);
    }
    before = after;
  }
  EXPECT_NEAR(before, 1, 1e-3);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
