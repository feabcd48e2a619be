#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <talus/base/random.hpp>
#include <talus/sim/probe.hpp>

namespace talus::sim::TALUS_TEST_FILE {
namespace {

constexpr Real kPi = std::numbers::pi;
using stepping::StepContact;

/// Balls of one size in a hand-made state, and contacts between them.
struct World {
  model::Model model;
  model::State state;
  std::vector<StepContact> contacts;

  Index add_ball(const Vec3& position, Real radius = 0.5, Real mass = 1) {
    model::Body ball;
    ball.shape = geometry::Sphere{radius};
    ball.mass = mass;
    ball.inertia = 0.4 * mass * radius * radius * Mat3::Identity();
    model.bodies.push_back(ball);
    state.resize(model.body_count());
    state.position.back() = position;
    return model.body_count() - 1;
  }
  /// A floor below z = 0.
  Index add_floor() {
    model::Body floor;
    floor.kind = model::BodyKind::fixed;
    floor.shape = geometry::Plane{};
    model.bodies.push_back(floor);
    state.resize(model.body_count());
    return model.body_count() - 1;
  }
  void touch(Index a, Index b, const Vec3& impulse_on_b, const Vec3& position) {
    contacts.push_back({a, b, position, impulse_on_b.normalized(), 0, impulse_on_b, 0});
  }
  /// A simple cubic lattice of touching balls, n along every edge, the first centre at the origin;
  /// every contact carries the impulse 1.
  void add_lattice(Index n) {
    const auto at = [&](Index x, Index y, Index z) { return x + n * (y + n * z); };
    for (Index z = 0; z < n; ++z)
      for (Index y = 0; y < n; ++y)
        for (Index x = 0; x < n; ++x)
          add_ball(Vec3(static_cast<Real>(x), static_cast<Real>(y), static_cast<Real>(z)));
    for (Index z = 0; z < n; ++z)
      for (Index y = 0; y < n; ++y)
        for (Index x = 0; x < n; ++x) {
          const Index i = at(x, y, z);
          const Vec3 p = state.position[i];
          if (x + 1 < n) touch(i, at(x + 1, y, z), Vec3::UnitX(), p + 0.5 * Vec3::UnitX());
          if (y + 1 < n) touch(i, at(x, y + 1, z), Vec3::UnitY(), p + 0.5 * Vec3::UnitY());
          if (z + 1 < n) touch(i, at(x, y, z + 1), Vec3::UnitZ(), p + 0.5 * Vec3::UnitZ());
        }
  }
  [[nodiscard]] model::Probe probe(model::Measure measure, model::Region region = {}) const {
    model::Probe probe{"probe", 1, {}, region, std::move(measure)};
    for (Index i = 0; i < model.body_count(); ++i)
      if (model.bodies[i].kind == model::BodyKind::dynamic) probe.bodies.push_back(i);
    return probe;
  }
  [[nodiscard]] std::vector<Real> measure(const model::Probe& probe, Real step_size = 1) const {
    const auto meter = make_meter(probe, model, state);
    std::vector<Real> values;
    meter->measure({model, state, contacts, step_size}, values);
    EXPECT_EQ(values.size(), table_of(probe, *meter).width());
    return values;
  }
};

model::Region box(const Vec3& min, const Vec3& max) { return {min, max}; }

// Balls of diameter 1 on a cubic lattice of spacing 1 fill π/6 of any box of whole cells, however
// the box cuts them; a box without balls is empty.
TEST(SolidFraction, OfALattice) {
  World world;
  world.add_lattice(6);
  for (const Vec3& offset : {Vec3(0, 0, 0), Vec3(0.5, 0.5, 0.5), Vec3(0.3, 0.77, 0.1)}) {
    const auto values = world.measure(
        world.probe(model::SolidFraction{}, box(Vec3(1, 1, 1) + offset, Vec3(3, 3, 4) + offset)));
    EXPECT_NEAR(values[1], kPi / 6, 1e-13);
  }
  EXPECT_EQ(
      world.measure(world.probe(model::SolidFraction{}, box(Vec3(10, 0, 0), Vec3(11, 1, 1))))[1],
      0);
}

// Inside a cubic lattice every ball touches six others; its corner balls three. The contacts of two
// bodies count once, those without a force not at all.
TEST(Coordination, OfALattice) {
  World world;
  world.add_lattice(4);
  const auto inner = world.measure(
      world.probe(model::Coordination{}, box(Vec3(0.5, 0.5, 0.5), Vec3(2.5, 2.5, 2.5))));
  EXPECT_EQ(inner, (std::vector<Real>{8, 6, 6, 0}));
  const auto corner =
      world.measure(world.probe(model::Coordination{}, box(Vec3(-1, -1, -1), Vec3(0.5, 0.5, 0.5))));
  EXPECT_EQ(corner[1], 3);
  World pair;
  pair.add_ball(Vec3::Zero());
  pair.add_ball(Vec3::UnitX());
  pair.add_ball(Vec3(9, 9, 9));
  pair.touch(0, 1, Vec3::UnitX(), Vec3(0.5, 0, 0.1));
  pair.touch(0, 1, Vec3::UnitX(), Vec3(0.5, 0, -0.1));
  pair.contacts.push_back({1, 2, Vec3(5, 5, 5), Vec3::UnitX(), 0, Vec3::Zero(), 0});
  const auto values = pair.measure(pair.probe(model::Coordination{}));
  EXPECT_DOUBLE_EQ(values[1], 2.0 / 3) << "two of three bodies touch one";
  EXPECT_TRUE(std::isnan(values[2])) << "nobody touches two";
  EXPECT_EQ(values[3], 1);
}

// The fabric of a cubic lattice is a third of the identity; of a column it is z z.
TEST(Fabric, OfALatticeAndAColumn) {
  World world;
  world.add_lattice(4);
  const auto values = world.measure(world.probe(model::Fabric{}));
  for (int k = 1; k <= 3; ++k) EXPECT_NEAR(values[k], 1.0 / 3, 1e-15);
  for (int k = 4; k <= 6; ++k) EXPECT_EQ(values[k], 0);
  World column;
  for (int k = 0; k < 3; ++k) column.add_ball(Vec3(0, 0, k));
  column.touch(0, 1, Vec3::UnitZ(), Vec3(0, 0, 0.5));
  column.touch(1, 2, Vec3::UnitZ(), Vec3(0, 0, 1.5));
  EXPECT_EQ(column.measure(column.probe(model::Fabric{})),
            (std::vector<Real>{2, 0, 0, 1, 0, 0, 0}));
}

// In a column of balls at rest, each carries those above it: between two centres the stress on a
// cross-section A is the weight above over A, and over the whole column the mean of the steps.
TEST(Stress, OfAColumnUnderGravity) {
  constexpr Real g = 9.81, h = 0.01, A = 4, m = 2;
  constexpr int n = 10;
  World world;
  const Index floor = world.add_floor();
  for (int k = 0; k < n; ++k) world.add_ball(Vec3(0, 0, 0.5 + k), 0.5, m);
  for (int k = 0; k < n; ++k)
    world.touch(k == 0 ? floor : k, k + 1, Vec3(0, 0, (n - k) * m * g * h), Vec3(0, 0, k));
  const auto zz = [&](Real low, Real high) {
    const auto values =
        world.measure(world.probe(model::Stress{}, box(Vec3(-1, -1, low), Vec3(1, 1, high))), h);
    for (int k = 0; k < 8; ++k) EXPECT_EQ(values[k], 0);
    EXPECT_NEAR(values[15], values[8] / 3, 1e-12);
    return values[8];
  };
  for (int k = 1; k < n; ++k)  // from centre k − 1 to centre k lies what carries n − k balls
    EXPECT_NEAR(zz(k - 0.5, k + 0.5), (n - k) * m * g / A, 1e-10);
  EXPECT_NEAR(zz(0, 0.5), n * m * g / A, 1e-10) << "the floor carries all";
  EXPECT_NEAR(zz(2.7, 2.9), (n - 3) * m * g / A, 1e-10) << "also in a slice between";
  // ∫σ dz over the whole height is Σ weight × height of each ball over A: the virial theorem.
  Real moment = 0;
  for (int k = 0; k < n; ++k) moment += m * g * (0.5 + k);
  EXPECT_NEAR(zz(0, n), moment / A / n, 1e-10);
}

// The kinetic stress of balls with the velocities ±c along x is m c² N/V in xx and nothing else; a
// common velocity does not count.
TEST(Stress, OfMotion) {
  World world;
  for (int k = 0; k < 4; ++k) {
    world.add_ball(Vec3(0.2 * k, 0, 0), 0.1, 3);
    world.state.velocity[k] = Vec3(k % 2 == 0 ? 2 : -2, 0, 0) + Vec3(7, -5, 3);
  }
  const auto values =
      world.measure(world.probe(model::Stress{}, box(Vec3(-1, -1, -1), Vec3(1, 1, 1))));
  EXPECT_NEAR(values[9], 3 * 4 * 4 / 8.0, 1e-12);
  for (int k = 10; k < 15; ++k) EXPECT_NEAR(values[k], 0, 1e-12);
}

// Of the forces 1 … 100 N: mean 50.5, percentiles between neighbours, ten equal bins up to twice
// the mean; a hundred-first force of 1000 lands above the range.
TEST(Forces, OfKnownOnes) {
  World world;
  world.add_ball(Vec3::Zero());
  world.add_ball(Vec3::UnitX());
  for (int k = 1; k <= 100; ++k)
    world.contacts.push_back({0, 1, Vec3(0.5, 0, 0), Vec3::UnitX(), 0, Vec3(k, 0, 3) * 0.5, 0});
  auto values = world.measure(world.probe(model::ContactForces{10, 2}), 0.5);
  EXPECT_EQ(values[0], 100);
  EXPECT_DOUBLE_EQ(values[1], 50.5);
  EXPECT_NEAR(values[2], std::sqrt((100 * 100 - 1) / 12.0), 1e-12);
  EXPECT_NEAR(values[3], 5.95, 1e-12);
  EXPECT_NEAR(values[5], 50.5, 1e-12);
  EXPECT_EQ(values[8], 100);
  EXPECT_NEAR(values[9], 3, 1e-12);
  Real sum = 0;
  for (int k = 10; k < 21; ++k) sum += values[k];
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(values[10], 0.1, 1e-12) << "1 … 10 of bins 10.1 wide";
  EXPECT_EQ(values[20], 0);
  world.contacts.push_back({0, 1, Vec3(0.5, 0, 0), Vec3::UnitX(), 0, Vec3(500, 0, 0), 0});
  values = world.measure(world.probe(model::ContactForces{10, 2}), 0.5);
  EXPECT_NEAR(values[20], 1.0 / 101, 1e-12);
}

// Balls on a cone of 28° about a vertical axis, and many below it, have an angle of repose of 28°;
// balls on a plane that falls by 35° along some direction one of 35°.
TEST(Repose, OfAConeAndAPlane) {
  const Real slope = std::tan(28 * kPi / 180), steep = std::tan(35 * kPi / 180);
  World heap, plane;
  for (int x = -10; x <= 10; ++x)
    for (int y = -10; y <= 10; ++y) {
      const Vec3 at(x + 0.5, y + 0.5, 0);
      const Real r = std::hypot(x, y);
      if (r <= 10) {
        heap.add_ball(Vec3(x, y, 10 * slope - slope * r) + Vec3(0.1, 0.2, 0), 0.3);
        heap.add_ball(Vec3(x, y, -1) + Vec3(0.1, 0.2, 0), 0.3);
      }
      plane.add_ball(at + Vec3(0, 0, 20 - steep * (0.6 * at.x() + 0.8 * at.y())), 0.3);
    }
  const auto cone = heap.measure(heap.probe(model::Repose{true, 1, 0.2, 0.8}));
  EXPECT_NEAR(cone[0], 28 * kPi / 180, 1e-12);
  EXPECT_NEAR(cone[1], 10 * slope, 1e-12);
  EXPECT_NEAR(cone[3], 0, 1e-12);
  const auto flat = plane.measure(plane.probe(model::Repose{false, 1, 0.1, 0.9}));
  EXPECT_NEAR(flat[0], 35 * kPi / 180, 1e-12);
  EXPECT_NEAR(flat[3], 0, 1e-12);
}

// Lacey's index is 0 where every cell holds one kind only, and 1 on average over random mixtures.
TEST(Mixing, ApartAndAtRandom) {
  World world;
  model::Mixing mixing;
  mixing.cells = Vec3(4, 1, 1);
  for (int k = 0; k < 80; ++k) {
    world.add_ball(Vec3(k / 20 + 0.5, 0.5, 0.5), 0.1);
    if (k < 40) mixing.tracers.push_back(k);
  }
  const model::Region region = box(Vec3::Zero(), Vec3(4, 1, 1));
  const auto apart = world.measure(world.probe(mixing, region));
  EXPECT_NEAR(apart[0], 0, 1e-14);
  EXPECT_EQ(apart[1], 0.5);
  EXPECT_EQ(apart[2], 4);
  Random random(1);
  Real sum = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    for (std::size_t i = 79; i > 0; --i)
      std::swap(world.state.position[i],
                world.state.position[static_cast<std::size_t>(random.uniform(0, i + 1.0))]);
    sum += world.measure(world.probe(mixing, region))[0];
  }
  // S² is a sum of about K squares: its share of S₀² − S_R² deviates by √(2/(K − 1)) (K − 1)/(N −
  // K).
  EXPECT_NEAR(sum / kTrials, 1, 4 * std::sqrt(2.0 / 3) * 3 / 76 / std::sqrt(kTrials));
}

// Bodies count where their way crosses the opening, along and against the normal, once each time.
TEST(MassFlow, CountsCrossings) {
  World world;
  for (int k = 0; k < 4; ++k) world.add_ball(Vec3(k, 0, 1), 0.1, 1 + k);
  model::MassFlow flow;
  flow.normal = -Vec3::UnitZ();
  flow.radius = 1.5;
  const model::Probe probe = world.probe(flow);
  const auto meter = make_meter(probe, world.model, world.state);
  const auto sample = [&] {
    std::vector<Real> values;
    meter->measure({world.model, world.state, {}, 1e-3}, values);
    return values;
  };
  EXPECT_EQ(sample(), (std::vector<Real>{0, 0, 0, 0, 0}));
  world.state.time = 0.5;
  for (Index i : {0, 1, 2}) world.state.position[i].z() = -1;  // the third beside the opening
  meter->watch(world.state);
  EXPECT_EQ(sample(), (std::vector<Real>{3, 2, 0, 0, 6}));
  world.state.time = 1;
  world.state.position[0].z() = 0.1;
  meter->watch(world.state);
  meter->watch(world.state);
  EXPECT_EQ(sample(), (std::vector<Real>{3, 2, 1, 1, -2}));
  const auto resumed = make_meter(probe, world.model, world.state);
  resumed->resume(world.state, 1, sample());
  world.state.time = 2;
  world.state.position[0].z() = -1;
  resumed->watch(world.state);
  std::vector<Real> values;
  resumed->measure({world.model, world.state, {}, 1e-3}, values);
  EXPECT_EQ(values, (std::vector<Real>{4, 3, 1, 1, 1}));
}

// A rectangular opening lets through what crosses between its edges.
TEST(MassFlow, ThroughARectangle) {
  World world;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 5; ++y) world.add_ball(Vec3(x - 2, y - 2, -1), 0.1);
  model::MassFlow flow;
  flow.size = Vec2(4.5, 2.5);  // x −2 … 2, y −1 … 1
  const model::Probe probe = world.probe(flow);
  const auto meter = make_meter(probe, world.model, world.state);
  for (Vec3& position : world.state.position) position.z() = 1;
  meter->watch(world.state);
  std::vector<Real> values;
  meter->measure({world.model, world.state, {}, 1e-3}, values);
  EXPECT_EQ(values[1], 15);
}

/// A cubic lattice of n³ touching balls that fills a cell, with the contacts across its faces, each
/// ball at a random image.
World periodic_lattice(Index n) {
  World world;
  const auto size = static_cast<Real>(n);
  world.model.cell = PeriodicCell(Vec3(-0.2, 0.3, 0.1), Vec3::Constant(size));
  world.add_lattice(n);
  const auto at = [&](Index x, Index y, Index z) { return x + n * (y + n * z); };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const Real last = size - 0.5;
      world.touch(at(n - 1, i, j), at(0, i, j), Vec3::UnitX(), Vec3(last, i, j));
      world.touch(at(i, n - 1, j), at(i, 0, j), Vec3::UnitY(), Vec3(i, last, j));
      world.touch(at(i, j, n - 1), at(i, j, 0), Vec3::UnitZ(), Vec3(i, j, last));
    }
  Random random(4);
  for (Vec3& position : world.state.position)
    for (Real& component : position) component += size * std::floor(random.uniform(-3, 4));
  return world;
}

// In a periodic cell a lattice has no edge: any region is filled alike, through the faces, with the
// stress, the fabric and the neighbours of the inside, whatever image the positions are.
TEST(Periodic, ALatticeHasNoEdge) {
  World world = periodic_lattice(5);
  for (const Vec3& low : {Vec3(-0.2, 0.3, 0.1), Vec3(3, 3.3, -0.7), Vec3(-7.7, 0, 12.2)})
    for (const Vec3& size : {Vec3(5, 5, 5), Vec3(2, 3, 1), Vec3(5, 1, 4)}) {
      const model::Region region = box(low, low + size);
      const auto filled = world.measure(world.probe(model::SolidFraction{}, region));
      EXPECT_NEAR(filled[1], kPi / 6, 1e-12);
      EXPECT_EQ(filled[0], size.prod());
      const auto stress = world.measure(world.probe(model::Stress{}, region));
      for (int k = 0; k < 9; ++k) EXPECT_NEAR(stress[k], k % 4 == 0 ? 1 : 0, 1e-12) << k;
      EXPECT_EQ(world.measure(world.probe(model::Coordination{}, region))[1], 6);
      const auto fabric = world.measure(world.probe(model::Fabric{}, region));
      EXPECT_EQ(fabric[0], 3 * size.prod());
      for (int k = 1; k <= 3; ++k) EXPECT_NEAR(fabric[k], 1.0 / 3, 1e-12);
    }
  const auto everywhere = world.measure(world.probe(model::Coordination{}));
  EXPECT_EQ(everywhere, (std::vector<Real>{125, 6, 6, 0}));
}

// The mixing index counts bodies in the cells where their images are; the surface of a layer that
// went through the faces is that of the layer that did not.
TEST(Periodic, MixingAndReposeSeeImages) {
  World home, away;
  Random random(2);
  model::Mixing mixing;
  mixing.cells = Vec3(4, 4, 1);
  for (int x = 0; x < 12; ++x)
    for (int y = 0; y < 12; ++y) {
      const Vec3 place(x + 0.5, y + 0.5, 0.2 * x + 0.5);
      const Index i = home.add_ball(place, 0.4);
      away.add_ball(place + Vec3(12 * std::floor(random.uniform(-3, 4)), 0, 0), 0.4);
      if (random.uniform() < 0.3) mixing.tracers.push_back(i);
    }
  home.model.cell = away.model.cell = PeriodicCell(Vec3::Zero(), Vec3(12, 0, 0));
  const model::Region region = box(Vec3::Zero(), Vec3(12, 12, 4));
  EXPECT_EQ(home.measure(home.probe(mixing, region)), away.measure(away.probe(mixing, region)));
  const model::Repose repose{false, 1, 0.1, 0.9};
  const auto slope = away.measure(away.probe(repose));
  EXPECT_NEAR(slope[0], std::atan(0.2), 1e-12);
  EXPECT_EQ(slope, home.measure(home.probe(repose)));
}

// Across a periodic direction the plane of a mass flow stands in every image of the cell: a body
// that goes on and on counts once per length, back it counts back, and beside the opening, or on
// the other side of it in another image, it does not.
TEST(Periodic, FlowThroughEveryImageOfThePlane) {
  World world;
  world.model.cell = PeriodicCell(Vec3::Zero(), Vec3(2, 3, 0));
  world.add_ball(Vec3(1.4, 0.2, 0), 0.1, 1);   // through the opening's image at y = 0, 3, …
  world.add_ball(Vec3(1.4, 1.5, 0), 0.1, 10);  // beside it
  model::MassFlow flow;
  flow.point = Vec3(0.5, 3, 0);
  flow.normal = Vec3::UnitX();
  flow.radius = 0.5;
  const model::Probe probe = world.probe(flow);
  const auto meter = make_meter(probe, world.model, world.state);
  const auto move_and_count = [&](Real way) {
    for (Vec3& position : world.state.position) position.x() += way;
    meter->watch(world.state);
    std::vector<Real> values;
    meter->measure({world.model, world.state, {}, 1e-3}, values);
    return std::pair(values[1], values[3]);
  };
  EXPECT_EQ(move_and_count(1), std::pair(0.0, 0.0)) << "to 2.4";
  EXPECT_EQ(move_and_count(0.1), std::pair(1.0, 0.0)) << "onto the plane at 2.5 counts";
  EXPECT_EQ(move_and_count(0), std::pair(1.0, 0.0));
  EXPECT_EQ(move_and_count(5.9), std::pair(3.0, 0.0)) << "to 8.4: planes at 4.5 and 6.5 at once";
  EXPECT_EQ(move_and_count(-10), std::pair(3.0, 5.0)) << "to -1.6: from 6.5 down to -1.5";
  world.state.position[1].y() = -3 * 40 - 0.3;  // far away, an image of it before the opening
  meter->watch(world.state);
  EXPECT_EQ(move_and_count(2), std::pair(5.0, 5.0));
}

// Energies, temperature and the centre of mass of two bodies.
TEST(Probes, EnergyAndCentre) {
  World world;
  world.add_ball(Vec3::Zero(), 0.5, 1);
  world.add_ball(Vec3(4, 0, 0), 0.5, 3);
  world.state.velocity = {Vec3(1, 0, 0), Vec3(-1, 0, 0)};
  world.state.angular_velocity[1] = Vec3(0, 0, 2);
  const auto energy = world.measure(world.probe(model::KineticEnergy{}));
  EXPECT_DOUBLE_EQ(energy[0], 2);
  EXPECT_DOUBLE_EQ(energy[1], 0.5 * 0.4 * 3 * 0.25 * 4);
  EXPECT_DOUBLE_EQ(energy[2], 1.0 / 3);
  EXPECT_EQ(world.measure(world.probe(model::CentreOfMass{})),
            (std::vector<Real>{4, 3, 0, 0, -0.5, 0, 0}));
  const auto left =
      world.measure(world.probe(model::CentreOfMass{}, box(Vec3(-1, -1, -1), Vec3(1, 1, 1))));
  EXPECT_EQ(left[0], 1);
}

}  // namespace
}  // namespace talus::sim::TALUS_TEST_FILE
