#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <talus/base/random.hpp>

#include "support/mechanism.hpp"

// A block in a straight guide that rubs, pulled beside its line: a force P at a distance d presses
// the two ends of its length ℓ against opposite sides with P d/ℓ each, a weight W across both of
// them with W/2. Together F_N = |W/2 + P d/ℓ| + |W/2 − P d/ℓ| = max(W, 2 P d/ℓ).

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;
constexpr int kDraws = 30;

struct Pulled {
  Real mass, length, offset, force, weight, friction;
  [[nodiscard]] Real pressure() const {
    return std::max(mass * weight, 2 * force * std::abs(offset) / length);
  }
  /// From rest, μ₀ = μ.
  [[nodiscard]] Real acceleration() const {
    return std::max(force - friction * pressure(), Real(0)) / mass;
  }
};

Index add_block(Mechanism& m, const Pulled& pulled) {
  const Index block = m.add(pulled.mass, 0.05 * pulled.mass, Vec2::Zero());
  m.machine->forces.push_back(
      {"pull", 0, block,
       model::PointForce{Vec2(0, pulled.offset), Vec2::UnitX(), model::ConstantLaw{pulled.force}}});
  return block;
}

// Without play the reaction that presses is the joint's own, which friction does not change here:
// the block starts with (P − μ F_N)/m, or is held where that is negative; with 2 μ d ≥ ℓ and no
// weight it is wedged, however hard it is pulled.
TEST(Guides, PulledBesideTheLine) {
  Random random(3);
  const auto draw = [&](Real low, Real high) { return random.uniform(low, high); };
  int moving = 0, wedged = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Pulled pulled{
        draw(0.2, 5),   draw(0.1, 1), draw(-0.6, 0.6), draw(1, 200), i % 3 == 0 ? 0 : draw(1, 15),
        draw(0.05, 0.8)};
    for (const std::string name : {"event_driven", "moreau_midpoint"}) {
      Mechanism m(pulled.weight);
      const Index block = add_block(m, pulled);
      m.add_joint(
          0, block,
          model::PrismaticJoint{Vec2::Zero(), Vec2::UnitX(), Vec2::Zero(), 0, pulled.length});
      m.machine->joints.back().friction.emplace();
      m.machine->joints.back().friction->law.coefficient = pulled.friction;
      stepping::SchemeOptions options;
      options.scheme = name;
      const auto scheme = make_scheme(m.model, options);
      for (int step = 0; step < 20; ++step) {
        const auto report = scheme->step(m.state, 5e-3);
        ASSERT_TRUE(report.is_certified()) << name << " " << i << ": " << report.detail;
      }
      const Real a = pulled.acceleration();
      EXPECT_NEAR(m.state.velocity[block].x(), 0.1 * a, 1e-9 * (1 + 0.1 * pulled.force))
          << name << " " << i;
      EXPECT_NEAR(m.state.position[block].x(), 0.005 * a, 1e-9 * (1 + 0.1 * pulled.force))
          << name << " " << i;
      moving += a > 0;
      wedged += a == 0 && pulled.weight == 0;
    }
  }
  EXPECT_GE(moving, 10);
  EXPECT_GE(wedged, 4);
}

// With play two opposite corners are pressed against the walls, and the block is turned by c/ℓ: as
// the play vanishes it moves as without, with the first power of it. Wedged it stays, but for the
// play.
TEST(Guides, PulledBesideTheLineWithPlay) {
  for (const auto& [offset, mu] :
       {std::pair(0.15, 0.3), std::pair(-0.3, 0.2), std::pair(0.4, 0.5)}) {
    const Pulled pulled{1.5, 0.3, offset, 20, 0, mu};
    std::vector<Real> errors;
    const Real largest = 4e-4;
    for (const Real play : {largest, largest / 4, largest / 16}) {
      Mechanism m(0);
      const Index block = add_block(m, pulled);
      model::TranslationalClearance guide;
      guide.length = pulled.length;
      guide.width = 0.02;
      guide.clearance = play;
      guide.law.friction.coefficient = mu;
      m.add_joint(0, block, guide);
      stepping::SchemeOptions options;
      options.scheme = "event_driven";
      const auto scheme = make_scheme(m.model, options);
      for (int step = 0; step < 40; ++step) {
        const auto report = scheme->step(m.state, 5e-3);
        ASSERT_TRUE(report.is_certified()) << play << " μ " << mu << ": " << report.detail;
      }
      errors.push_back(std::abs(m.state.position[block].x() - 0.02 * pulled.acceleration()));
    }
    EXPECT_NEAR(std::log(errors[0] / errors[2]) / std::log(16), 1, 0.01)
        << mu << ": " << errors[0] << " " << errors[1] << " " << errors[2];
    EXPECT_LT(errors[0], largest) << mu;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
