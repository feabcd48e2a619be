#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include <support/scratch.hpp>
#include <talus/geometry/separation.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/record/csv.hpp>
#include <talus/record/reader.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_registry.hpp>
#include <unit/scene/scene_folder.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

using model::Presence;

scene::Scene load(const std::string& text) { return scene::SceneFolder().load(text); }

Index present_count(const model::State& state) {
  Index count = 0;
  for (Index i = 0; i < state.body_count(); ++i) count += state.is_present(i) ? 1 : 0;
  return count;
}

Real present_mass(const model::Model& model, const model::State& state) {
  Real sum = 0;
  for (Index i = 0; i < state.body_count(); ++i)
    if (state.is_present(i)) sum += model.bodies[i].mass;
  return sum;
}

// After a time t, floor(rate (t − start)) bodies have come in: every step has the exact number,
// whatever the rounding of t.
TEST(Source, KeepsItsRateExactly) {
  for (const Index per_second : {1, 7, 130, 1000, 2500}) {
    Simulation simulation(load(fmt::format(R"(
gravity: [0, 0, 0]
time: {{step: 1 ms, end: 0.6 s}}
bodies:
  - name: rain
    mass: 1
    source: {{shape: {{sphere: 1 mm}}, count: 1000, rate: {}, start: 50 ms,
             region: {{min: [0, 0, 0], max: [1, 1, 1]}}}}
)",
                                           per_second)));
    for (Index k = 0; k < 600; ++k) {  // t = k milliseconds before the step
      simulation.step();
      const Index due = k < 50 ? 0 : std::min<Index>(1000, per_second * (k - 50) / 1000);
      ASSERT_EQ(present_count(simulation.state()), due) << per_second << " /s, step " << k + 1;
    }
    EXPECT_EQ(simulation.summary().population.late.steps, 0);
  }
}

// A mass rate lets a body in as soon as it and those before it weigh what is due.
TEST(Source, KeepsItsMassRate) {
  Simulation simulation(load(R"(
gravity: [0, 0, 0]
time: {step: 1 ms, end: 0.3 s}
bodies:
  - name: rain
    density: 2500
    source: {shape: {sphere: 2 mm}, size_spread: 40 %, count: 1000, mass_rate: 100 g/s,
             start: 20 ms, region: {min: [0, 0, 0], max: [1, 1, 1]}}
)"));
  const model::Model& model = simulation.scene().model;
  Index entered = 0;
  for (Index k = 0; k < 300; ++k) {
    simulation.step();
    const Real due = 0.1 * (1e-3 * static_cast<Real>(k) - 0.02);
    const Real mass = simulation.summary().population.in.mass;
    entered = simulation.summary().population.in.bodies;
    EXPECT_LE(mass, std::max(Real(0), due * (1 + 1e-12)));
    EXPECT_GT(mass + model.bodies[entered].mass, due * (1 - 1e-12));
  }
  EXPECT_GT(entered, 200);
  EXPECT_LT(entered, 1000);
}

// Across periodic faces too: bodies of a source keep their gap to the images of others and of each
// other, and a sink takes those of which an image is in its region.
TEST(Source, KnowsThePeriodicCell) {
  const scene::Scene scene = load(R"(
periodic: {x: [0, 1]}
bodies:
  - {name: ball, fixed: true, shape: {sphere: 0.2}, position: [3.9, 0.5, 0.5]}
  - {name: block, fixed: true, shape: {box: [0.3, 0.3, 0.3]}, position: [-2.1, 0.1, 0.1]}
  - name: rain
    mass: 1
    source: {shape: {sphere: 0.05}, count: 2000, rate: 1e9, gap: 0.05,
             region: {min: [0, 0, 0], max: [1, 1, 1]}}
sinks:
  - {name: slot, region: {min: [2.9, -.inf, -.inf], max: [3.05, .inf, .inf]}}
)");
  model::State state = scene.initial;
  Population population(scene.model);
  state.time = 1;
  (void)population.update(state, 1);
  const auto entered = population.entered();
  ASSERT_GT(entered.size(), 80U);
  Real near_ball = INFINITY, near_block = INFINITY, near_each_other = INFINITY;
  for (const Index i : entered) {
    const Vec3 p = state.position[i];
    near_ball = std::min(near_ball, scene.model.cell.nearest(p - state.position[0]).norm() - 0.25);
    const Vec3 to_block = scene.model.cell.nearest(p - state.position[1]).cwiseAbs();
    near_block = std::min(near_block, (to_block - Vec3::Constant(0.15)).cwiseMax(0).norm() - 0.05);
    for (const Index j : entered)
      if (j < i && std::abs(p.x() - state.position[j].x()) > 0.5)
        near_each_other =
            std::min(near_each_other, scene.model.cell.nearest(p - state.position[j]).norm() - 0.1);
  }
  for (const Real gap : {near_ball, near_block, near_each_other}) {
    EXPECT_GE(gap, 0.05 - 1e-12);
    EXPECT_LT(gap, 0.1) << "nothing is near: nothing is tested";
  }
  const auto before = static_cast<Index>(entered.size());
  Index in_slot = 0;  // x in [0.9, 1) or [0, 0.05), at any image
  for (const Index i : entered) {
    in_slot += state.position[i].x() < 0.05 || state.position[i].x() >= 0.9;
    state.position[i].x() += static_cast<Real>(i % 5) - 2;
  }
  std::fill(state.presence.begin() + 2 + before, state.presence.end(), Presence::removed);
  const model::PopulationChange change = population.update(state, 2);
  EXPECT_EQ(change.out.bodies, in_slot);
  EXPECT_GT(in_slot, 0);
}

// What comes in keeps its gap to everything that is there: other new bodies, balls, boxes and
// planes that do not move, and the bounding balls of moving bodies of other shapes. All of it lies
// in the region, and what finds no place waits.
TEST(Source, PutsNothingWhereSomethingIs) {
  const scene::Scene scene = load(R"(
bodies:
  - {name: slope, fixed: true, shape: {plane: {normal: [1, 0, 1]}}, position: [0, 0, 0.1]}
  - {name: beam, fixed: true, shape: {box: [3, 0.2, 0.2]}, position: [0.5, 0.5, 0.5], orientation: {axis: [0, 0, 1], angle: 0.4}}
  - {name: ball, fixed: true, shape: {sphere: 0.2}, position: [0.9, 0.1, 0.9]}
  - {name: rod, mass: 1, shape: {capsule: {radius: 0.05, length: 0.3}}, position: [0.7, 0.8, 0.8]}
  - name: rain
    mass: 1
    source: {shape: {sphere: 0.05}, size_spread: 50 %, count: 2000, rate: 1e9, gap: 0.01,
             region: {min: [0, 0, 0], max: [1, 1, 1]}}
)");
  const model::Model& model = scene.model;
  model::State state = scene.initial;
  Population population(model);
  state.time = 1;
  const model::PopulationChange change = population.update(state, 1);
  const auto entered = population.entered();
  ASSERT_GT(entered.size(), 60U);
  EXPECT_EQ(change.in.bodies, static_cast<Index>(entered.size()));
  EXPECT_EQ(change.late, 2000 - change.in.bodies);
  Real nearest[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
  for (const Index i : entered) {
    const geometry::Shape& shape = model.bodies[i].shape;
    const Real radius = std::get<geometry::Sphere>(shape).radius;
    for (int k = 0; k < 3; ++k) {
      EXPECT_GE(state.position[i][k], radius);
      EXPECT_LE(state.position[i][k], 1 - radius);
    }
    for (Index j = 0; j < 3; ++j) {
      const Pose X_JI = (state.pose(j) * model.bodies[j].X_BS).inverse() * state.pose(i);
      nearest[j] =
          std::min(nearest[j], geometry::separation(model.bodies[j].shape, shape, X_JI).gap);
    }
    nearest[3] =
        std::min(nearest[3], (state.position[i] - state.position[3]).norm() - radius - 0.2);
    for (const Index j : entered)
      if (j < i)
        nearest[4] =
            std::min(nearest[4], (state.position[i] - state.position[j]).norm() - radius -
                                     std::get<geometry::Sphere>(model.bodies[j].shape).radius);
  }
  for (const Real gap : nearest) {
    EXPECT_GE(gap, 0.01 - 1e-12);
    EXPECT_LT(gap, 0.1) << "nothing came near it: this shows nothing";
  }
}

// A source whose region is full waits, drops nothing and says so; when there is room again the next
// body comes in.
TEST(Source, WaitsWhereThereIsNoRoom) {
  Simulation simulation(load(R"(
gravity: [0, 0, 0]
time: {step: 10 ms, end: 2 s}
bodies:
  - {name: lid, shape: {box: [1, 1, 1]}, motion: {table: {times: [1 s, 1.1 s], displacements: [[0, 0, 0], [5, 0, 0]]}}}
  - name: rain
    mass: 1
    source: {shape: {sphere: 0.1}, count: 3, rate: 10, region: {min: [0, 0, 0], max: [0.2, 0.2, 0.2]}}
)"));
  while (simulation.state().time < 0.95) simulation.step();
  EXPECT_EQ(simulation.summary().population.in.bodies, 0);
  EXPECT_EQ(simulation.summary().population.late.now, 3);
  const Summary& summary = simulation.run();
  EXPECT_EQ(summary.population.in.bodies, 1) << "the region holds one ball, and it stays there";
  EXPECT_EQ(summary.population.waiting, 2);
  EXPECT_EQ(summary.population.late.now, 2);
  EXPECT_EQ(summary.population.late.most, 3);
  EXPECT_EQ(summary.population.late.steps, 190) << "from the step at 0.1 s on";
  EXPECT_NE(to_text(summary).find("found no place"), std::string::npos);
  EXPECT_NE(to_json(summary).find("\"late\":{\"now\":2,\"most\":3,\"steps\":190}"),
            std::string::npos);
}

// What is there is what came in less what went out, in mass, momentum and energy; an insertion is
// no rise of energy.
TEST(Population, AccountsClose) {
  for (const char* scheme : {"moreau_jean", "stewart_trinkle"}) {
    Simulation simulation(load(fmt::format(R"(
gravity: [0, 0, 0]
scheme: {}
time: {{step: 1 ms, end: 1 s}}
bodies:
  - name: rain
    density: 1000
    velocity: [0, 1, -2]
    angular_velocity: [3, 0, 1]
    source: {{shape: {{box: [2 cm, 1 cm, 1 cm]}}, size_spread: 30 %, random_orientation: true,
             count: 80, rate: 100, region: {{min: [0, 0, 1], max: [5, 5, 1.5]}}}}
sinks: [{{name: below, region: {{max: [.inf, .inf, 0]}}}}]
)",
                                           scheme)));
    const model::Model& model = simulation.scene().model;
    while (simulation.step()) {
      const PopulationAccount& account = simulation.summary().population;
      const Real mass = present_mass(model, simulation.state());
      ASSERT_NEAR(mass, account.in.mass - account.out.mass, 1e-14);
      const Vec3 momentum = dynamics::linear_momentum(model, simulation.state());
      ASSERT_LE((momentum - mass * Vec3(0, 1, -2)).norm(), 1e-12);
      ASSERT_NEAR(simulation.summary().energy.final, account.in.energy - account.out.energy, 1e-12);
      ASSERT_EQ(present_count(simulation.state()), account.present);
    }
    const Summary& summary = simulation.summary();
    EXPECT_EQ(summary.population.in.bodies, 80);
    EXPECT_GT(summary.population.out.bodies, 10);
    EXPECT_GT(summary.population.in.energy, 0.1);
    EXPECT_LE(summary.energy.max_rise_in_a_step, 1e-12);
  }
}

const char* const kTower = R"(
contacts: {{default: {{friction: 0.3}}}}
scheme: {}
time: {{step: 1 ms, end: 0.3 s}}
overlap_limit: 100
bodies:
  - {{name: floor, fixed: true, shape: {{plane: {{}}}}}}
  - {{name: block, mass: 1, shape: {{box: [0.2, 0.2, 0.2]}}, position: [0, 0, 0.25]}}
  - {{name: ball, mass: 1, shape: {{sphere: 0.1}}, position: [0.5, 0, 0.2]}}
{}
probes:
  - {{name: flow, mass_flow: {{point: [0, 0, 0.15], normal: [0, 0, -1]}}}}
  - {{name: filling, region: {{min: [-1, -1, 0], max: [1, 1, 1]}}, solid_fraction: {{}}}}
  - {{name: centre, centre: {{}}}}
  - {{name: energy, energy: {{}}}}
  - {{name: coordination, coordination: {{}}}}
  - {{name: stress, region: {{min: [-1, -1, 0], max: [1, 1, 1]}}, stress: {{}}}}
  - {{name: repose, repose: {{cell: 0.1, low: 0, surface: plane}}}}
  - {{name: mixing, region: {{min: [-1, -1, 0], max: [1, 1, 1]}}, mixing: {{tracers: [ball]}}}}
)";

// In the plane too: discs come in at the rate of a source, never on top of each other, fall through
// a gap between two rods and are taken out below; those inside and those counted as gone are all
// that came, and none leaves the plane.
TEST(Population, AHopperInThePlaneKeepsItsAccounts) {
  Simulation simulation(load(R"(
dimension: 2
gravity: [0, -9.81]
time: {step: 1 ms, end: 1 s}
contacts: {default: {friction: 0.3}}
bodies:
  - {name: left, fixed: true, shape: {rod: {length: 0.5, radius: 1 cm}}, position: [-0.25, 0], orientation: {axis: [0, 0, 1], angle: -45 deg}}
  - {name: right, fixed: true, shape: {rod: {length: 0.5, radius: 1 cm}}, position: [0.25, 0], orientation: {axis: [0, 0, 1], angle: 45 deg}}
  - name: rain
    density: 1000
    velocity: [0, -1]
    source: {shape: {disc: 1 cm}, size_spread: 20 %, count: 300, rate: 300, velocity_spread: 0.1,
             region: {min: [-0.2, 0.5], max: [0.2, 0.7]}}
sinks:
  - {name: below, region: {max: [.inf, -0.5]}}
)"));
  for (Index k = 0; k < 1000; ++k) {
    simulation.step();
    ASSERT_TRUE(simulation.last_report().is_certified())
        << k << ": " << simulation.last_report().detail;
    const model::State& state = simulation.state();
    for (Index i = 2; i < state.body_count(); ++i) {
      EXPECT_EQ(state.position[i].z(), 0);
      EXPECT_EQ(state.velocity[i].z(), 0);
    }
  }
  const PopulationAccount& account = simulation.summary().population;
  EXPECT_EQ(account.in.bodies, 299);
  EXPECT_GT(account.out.bodies, 50);
  EXPECT_EQ(present_count(simulation.state()) - 2, account.in.bodies - account.out.bodies);
}

// Bodies that wait, or are taken out at the start, take part in nothing: every bit of the others,
// of the energy, the contacts and the probes is what it is without them, though they stand in the
// way.
TEST(Population, WhoIsNotThereTouchesNothing) {
  const std::string absent = R"(
  - {name: balls, mass: 5, source: {shape: {sphere: 0.1}, count: 3, rate: 1, region: {min: [0.3, -0.2, 0], max: [0.7, 0.2, 0.4]}}}
  - {name: boxes, mass: 5, source: {shape: {box: [0.1, 0.1, 0.1]}, count: 3, rate: 1, region: {min: [-0.2, -0.2, 0], max: [0.2, 0.2, 0.4]}}}
  - {name: gone, mass: 5, velocity: [1, 0, 0], shape: {sphere: 0.1}, position: [0, 0, 0.2]}
sinks: [{name: here, bodies: gone, region: {min: [-1, -1, -1]}}]
)";
  for (const char* scheme : {"moreau_jean", "stewart_trinkle", "anitescu_potra"}) {
    Simulation alone(load(fmt::format(fmt::runtime(kTower), scheme, "")));
    Simulation among(load(fmt::format(fmt::runtime(kTower), scheme, absent)));
    while (alone.step()) {
      among.step();
      ASSERT_EQ(alone.last_report().contact_count, among.last_report().contact_count);
      ASSERT_EQ(alone.last_report().max_penetration, among.last_report().max_penetration);
      const certify::Certificate& expected = alone.last_report().certificate;
      const certify::Certificate& found = among.last_report().certificate;
      ASSERT_EQ(expected.natural_map, found.natural_map);
      ASSERT_EQ(expected.worst_velocity, found.worst_velocity);
      ASSERT_EQ(expected.equation_of_motion, found.equation_of_motion);
      ASSERT_EQ(alone.last_report().energy.total(), among.last_report().energy.total());
      for (Index i = 0; i < alone.state().body_count(); ++i) {
        ASSERT_EQ(alone.state().position[i], among.state().position[i]) << scheme << ' ' << i;
        ASSERT_EQ(alone.state().angular_velocity[i], among.state().angular_velocity[i]);
      }
      for (const record::ProbeTable& table : alone.tables()) {
        const std::vector<Real> without = alone.measure(table.name);
        const std::vector<Real> with = among.measure(table.name);
        ASSERT_EQ(without.size(), with.size());
        for (std::size_t k = 0; k < without.size(); ++k)
          ASSERT_TRUE(without[k] == with[k] || (std::isnan(without[k]) && std::isnan(with[k])))
              << table.name << ' ' << k << ": " << without[k] << ", " << with[k];
      }
    }
    EXPECT_GT(alone.summary().max_contacts, 0);
    const Index gone = among.scene().model.find_body("gone");
    EXPECT_EQ(among.state().presence[gone], Presence::removed);
    EXPECT_EQ(among.state().position[gone], Vec3(0, 0, 0.2));
    EXPECT_EQ(among.state().velocity[gone], Vec3(0, 0, 0));
    EXPECT_EQ(among.summary().population.waiting, 6);
  }
}

// What rests on a body falls when that is taken out, at once and as freely as if it had never been:
// no impulse of before is left. For contacts that are persistent and for others.
TEST(Sink, TakesTheSupportAway) {
  for (const char* scheme : {"moreau_jean", "stewart_trinkle"})
    for (const char* shape : {"sphere: 0.1", "box: 0.2"}) {
      Simulation simulation(load(fmt::format(R"(
scheme: {0}
time: {{step: 1 ms, end: 1 s}}
bodies:
  - {{name: floor, fixed: true, shape: {{plane: {{}}}}}}
  - {{name: post, mass: 1, shape: {{{1}}}, position: [0, 0, 0.1], velocity: [1, 0, 0]}}
  - {{name: hat, mass: 1, shape: {{{1}}}, position: [0, 0, 0.3], velocity: [1, 0, 0]}}
sinks: [{{name: here, bodies: post, region: {{min: [0.0505, -1, -1]}}}}]
)",
                                             scheme, shape)));
      for (Index k = 1; k <= 100; ++k) {
        simulation.step();
        const bool has_post = simulation.state().is_present(1);
        ASSERT_EQ(has_post, k <= 51) << "past the edge after 51 steps";
        const Real fall = has_post ? 0 : 9.81e-3 * static_cast<Real>(k - 51);
        ASSERT_NEAR(simulation.state().velocity[2].z(), -fall, 1e-5) << shape << ", step " << k;
        if (!has_post) {
          ASSERT_EQ(simulation.last_report().contact_count, 0);
        }
      }
    }
}

// A sink takes what is free: bodies of a machine stay, since what holds them would act on, from a
// body that is not there. The machine moves as without the sink.
TEST(Sink, LeavesWhatIsHeld) {
  const std::string scene = R"(
time: {step: 1 ms, end: 1 s}
bodies:
  - {name: bob, shape: {sphere: 0.1}, mass: 1, position: [1, 0, -0.5]}
  - {name: second, shape: {sphere: 0.1}, mass: 2, position: [2, 0, -0.5]}
  - {name: grain, shape: {sphere: 0.1}, mass: 1, position: [5, 0, 0]}
joints:
  - {name: pin, between: bob, revolute: {at: [0, 0, 0], axis: [0, 1, 0]}}
  - {name: link, between: [bob, second], rope: {from: [1, 0, -0.5], to: [2, 0, -0.5], length: 1.2}}
)";
  const std::string sink = "sinks: [{name: below, region: {max: [.inf, .inf, -1 m]}}]\n";
  Simulation without(load(scene)), with(load(scene + sink));
  without.run();
  with.run();
  EXPECT_EQ(with.summary().population.out.bodies, 1);
  EXPECT_FALSE(with.state().is_present(2));
  EXPECT_LT(with.state().position[1].z(), -1) << "nothing held was there";
  for (const Index body : {0, 1})
    EXPECT_EQ(with.state().position[body], without.state().position[body]);
}

// What sleeps on a body that is gone wakes and falls: in the run, and where a run goes on.
TEST(Sink, WakesWhatSleptOnIt) {
  const scene::Scene scene = load(R"(
scheme: {name: moreau_jean, sleeping: true}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - {name: post, mass: 1, shape: {box: 0.2}, position: [0, 0, 0.1]}
  - {name: hat, mass: 1, shape: {box: 0.2}, position: [0, 0, 0.3]}
sinks: [{name: here, region: {max: [.inf, .inf, -1]}}]
)");
  const auto scheme = stepping::make_scheme(scene.model, scene.scheme);
  model::State state = scene.initial;
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(scheme->step(state, 1e-3).is_certified());
  ASSERT_EQ(state.velocity[2], Vec3(0, 0, 0)) << "it does not sleep";
  const auto resumed = stepping::make_scheme(scene.model, scene.scheme);
  resumed->recall(scheme->memory());
  state.presence[1] = Presence::removed;
  model::State again = state;
  for (int k = 1; k <= 20; ++k) {
    ASSERT_TRUE(scheme->step(state, 1e-3).is_certified());
    ASSERT_TRUE(resumed->step(again, 1e-3).is_certified());
    ASSERT_NEAR(state.velocity[2].z(), -9.81e-3 * k, 1e-12);
    ASSERT_EQ(again.hash(), state.hash());
  }
}

// A sink with `outside` takes what leaves its box.
TEST(Sink, KeepsADomain) {
  Simulation simulation(load(R"(
gravity: [0, 0, 0]
time: {step: 1 ms, end: 1 s}
bodies:
  - {name: fast, mass: 1, shape: {sphere: 0.1}, velocity: [-3, 0, 0]}
  - {name: slow, mass: 1, shape: {sphere: 0.1}, position: [0, 0.5, 0], velocity: [0.5, 0, 0]}
sinks: [{name: domain, outside: {min: [-1, -.inf, -1 m], max: [100 cm, .inf, 1]}}]
)"));
  simulation.run();
  EXPECT_EQ(simulation.state().presence[0], Presence::removed);
  EXPECT_NEAR(simulation.state().position[0].x(), -1, 3e-3 + 1e-9);
  EXPECT_EQ(simulation.state().presence[1], Presence::present);
}

// A flow probe counts who crosses its plane, from where a body came in: not the way from where it
// waited, and the first step too.
TEST(Population, FlowProbesSeeBodiesFromWhereTheyComeIn) {
  const auto crossed = [](const char* velocity) {
    Simulation simulation(load(fmt::format(R"(
gravity: [0, 0, 0]
time: {{step: 10 ms, end: 1 s}}
bodies:
  - name: rain
    mass: 1
    velocity: [0, 0, {}]
    source: {{shape: {{sphere: 1 cm}}, count: 100, rate: 200, region: {{min: [-1, -1, -1], max: [1, 1, 1]}}}}
probes: [{{name: flow, mass_flow: {{normal: [0, 0, -1]}}}}]
)",
                                           velocity)));
    simulation.run();
    Real above = 0;
    for (Index i = 0; i < 100; ++i) above += simulation.state().position[i].z() >= 0 ? 1 : 0;
    const std::vector<Real> values = simulation.measure("flow");
    return std::pair(values[1] + values[3], above);
  };
  const auto [at_rest, above] = crossed("0");
  EXPECT_EQ(at_rest, 0);
  EXPECT_GT(above, 30);
  // Every body that comes in above the plane leaves the region in its first step.
  EXPECT_EQ(crossed("-200").first, above);
}

// The answer has the same bits for any number of threads.
TEST(Population, DoesNotDependOnThreads) {
  const auto hash = [](int threads) {
    parallel::set_thread_count(threads);
    Simulation simulation(load(R"(
contacts: {default: {friction: 0.4}}
solver: {tolerance: 1e-4}
time: {step: 2 ms, end: 60 ms}
bodies:
  - {name: floor, fixed: true, shape: {plane: {}}}
  - name: rain
    density: 2500
    velocity: [0, 0, -10]
    source: {shape: {sphere: 1 cm}, size_spread: 10 %, count: 2500, rate: 1e5, velocity_spread: 2,
             region: {min: [0, 0, 0], max: [1, 1, 0.2]}}
  - name: hail
    density: 2500
    velocity: [0, 0, -10]
    source: {shape: {box: 1 cm}, random_orientation: true, count: 50, rate: 1e3,
             region: {min: [0, 0, 0.3], max: [0.5, 0.5, 0.5]}}
sinks: [{name: low, region: {max: [.inf, .inf, 15 mm]}}]
)"));
    const Summary& summary = simulation.run();
    EXPECT_GT(summary.population.in.bodies, 2100) << "fewer are one piece of work";
    EXPECT_GT(summary.population.out.bodies, 100);
    EXPECT_GT(summary.max_contacts, 100);
    parallel::set_thread_count(0);
    return summary.state_hash;
  };
  const std::uint64_t serial = hash(1);
  for (const int threads : {2, 5}) EXPECT_EQ(hash(threads), serial) << threads;
}

// The record has who is there in every frame and who came and went before every step; the state
// file too. A record of another scene has none of it.
TEST(Population, IsRecorded) {
  const test::Scratch scratch;
  const std::string text = R"(
time: {step: 1 ms, end: 0.5 s}
record: {every: 50}
bodies:
  - name: rain
    mass: 2
    source: {shape: {sphere: 1 cm}, count: 30, rate: 100, region: {min: [0, 0, 0], max: [1, 1, 1]}}
sinks: [{name: below, region: {max: [.inf, .inf, 0]}}]
)";
  Simulation simulation(load(text));
  simulation.record_to(scratch / "rain.h5");
  simulation.run();
  const PopulationAccount& account = simulation.summary().population;
  ASSERT_GT(account.out.bodies, 3);
  const record::RecordReader reader(scratch / "rain.h5");
  EXPECT_EQ(reader.frame(reader.frame_count() - 1).hash(), simulation.summary().state_hash);
  EXPECT_EQ(present_count(reader.frame(0)), 0);
  const std::vector<Real> in = reader.rows("population/bodies_in", 0, 150).values;
  const std::vector<Real> out = reader.rows("population/bodies_out", 0, 150).values;
  EXPECT_EQ(std::accumulate(in.begin(), in.end(), Real(0)), 14) << "due before step 150";
  EXPECT_EQ(static_cast<Real>(present_count(reader.frame(3))),
            14 - std::accumulate(out.begin(), out.end(), Real(0)));
  const auto sum = [&](const char* name) {
    Real total = 0;
    for (const Real value : reader.array(std::string("population/") + name).values) total += value;
    return total;
  };
  EXPECT_EQ(sum("bodies_in"), 30);
  EXPECT_EQ(sum("mass_in"), 60);
  EXPECT_NEAR(sum("energy_in"), account.in.energy, 1e-12);
  EXPECT_EQ(sum("bodies_out"), static_cast<Real>(account.out.bodies));
  EXPECT_EQ(sum("mass_out"), 2 * static_cast<Real>(account.out.bodies));
  EXPECT_NEAR(sum("energy_out"), account.out.energy, 1e-12);
  std::ostringstream csv, body;
  record::write_series_csv(reader, "population", csv);
  EXPECT_TRUE(csv.str().starts_with(
      "step,time [s],bodies_in,mass_in [kg],energy_in [J],bodies_out,mass_out [kg],energy_out "
      "[J],late\n1,0.001,0,0,0,0,0,0,0\n"));
  record::write_body_csv(reader, "rain[29]", body);
  EXPECT_NE(body.str().find(",presence\n0,0,0.5,0.5,0.5,1,0,0,0,0,0,0,0,0,0,1\n"),
            std::string::npos)
      << body.str();

  record::write_checkpoint(scratch / "rain.state", simulation.checkpoint());
  EXPECT_EQ(record::read_state(scratch / "rain.state").hash(), simulation.summary().state_hash);

  Simulation other(load("bodies: [{name: ball, mass: 1, shape: {sphere: 1}}]"));
  other.record_to(scratch / "other.h5");
  other.run();
  const record::RecordReader without(scratch / "other.h5");
  EXPECT_FALSE(without.has("poses/presence"));
  EXPECT_FALSE(without.has("population/late"));
  EXPECT_TRUE(without.frame(0).is_present(0));
}

// A state in which bodies are missing does not go on in a scene without sources and sinks.
TEST(Population, ASceneWithoutSourcesTakesNoAbsentBodies) {
  const std::string body = "{name: ball, mass: 1, shape: {sphere: 1}, velocity: [0, 0, -9]}";
  Simulation with(
      load("bodies: [" + body + "]\nsinks: [{name: below, region: {max: [.inf, .inf, -1]}}]"));
  with.run();
  ASSERT_EQ(with.state().presence[0], Presence::removed);
  Simulation without(load("time: {end: 2}\nbodies: [" + body + "]"));
  EXPECT_THROW(without.resume(with.checkpoint()), InputError);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
