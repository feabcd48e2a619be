#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <span>
#include <string>

#include "support/world.hpp"

// Boxes and discs that fall into a bin of the plane strike each other many at a time, friction jams
// what restitution wants apart, and corners pass sides. Whatever happens there, a step has an
// answer: no restitution at all always has one.

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3, kHalfWidth = 0.15;

struct Bin : test::World {
  Bin(Real restitution, std::uint64_t seed) : World(0.4, restitution, Vec3(0, -9.81, 0)) {
    model.dimension = 2;
    add_floor(rotation_between(Vec3::UnitZ(), Vec3::UnitY()));
    for (const Real side : {-1, 1}) {
      const Index wall = add_floor(rotation_between(Vec3::UnitZ(), Vec3(-side, 0, 0)));
      state.position[wall] = {side * kHalfWidth, 0, 0};
    }
    Random random(seed);
    const auto near = [&](Real x, Real y) {
      return Vec3(x + random.uniform(-1e-3, 1e-3), y + random.uniform(-1e-3, 1e-3), 0);
    };
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 5; ++column) {
        const Real x = -0.11 + 0.05 * column, y = 0.05 + 0.05 * row;
        add_sphere(0.01, near(x, y));
        if (row < 5) add_box({0.01, 0.007, 0.01}, near(x + 0.02, y + 0.02));
      }
  }
};

/// The least impulse of two contacts of one pair of bodies that press against each other [N s]: at
/// most 0 or what rounding makes, as convex bodies lie on one side of each other.
Real opposed(std::span<const stepping::StepContact> contacts) {
  Real most = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const stepping::StepContact &p = contacts[i], &r = contacts[j];
      const bool is_same = p.body_a == r.body_a && p.body_b == r.body_b;
      if (!is_same && (p.body_a != r.body_b || p.body_b != r.body_a)) continue;
      if ((is_same ? 1 : -1) * p.normal.dot(r.normal) < -0.5)
        most = std::max(most, std::min(p.impulse.norm(), r.impulse.norm()));
    }
  return most;
}

class PlanarBins : public testing::TestWithParam<std::tuple<Real, std::uint64_t>> {};

// Impulses of contacts are those of their laws, and raise no energy: E falls from step to step, by
// rounding at most. No two contacts of a pair squeeze it by more than all the weight, as corners
// pass each other: a step that would need it is refused, which once in some thousand steps is so,
// and then is certified in parts, as the refusal says.
TEST_P(PlanarBins, EveryStepIsCertifiedAndTheEnergyFalls) {
  const auto [restitution, seed] = GetParam();
  Bin world(restitution, seed);
  stepping::SchemeOptions options = test::options("moreau_jean", 1e-5);
  const auto whole = stepping::make_scheme(world.model, options);
  options.max_halvings = 6;
  const auto cut = stepping::make_scheme(world.model, options);
  const Real scale = world.energy();
  Real last = scale, weight = 0;
  int cuts = 0;
  for (const model::Body& body : world.model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight += body.mass * 9.81;
  for (int k = 0; k < 300; ++k) {
    const model::State before = world.state;
    stepping::Scheme* scheme = whole.get();
    stepping::StepReport report = scheme->step(world.state, kStep);
    if (!report.is_certified() && report.detail.find("corners pass") != std::string::npos) {
      ++cuts;
      world.state = before;
      scheme = cut.get();
      report = scheme->step(world.state, kStep);
    }
    EXPECT_TRUE(report.is_certified()) << "step " << k << ": " << report.detail;
    EXPECT_LE(report.energy.total(), last + 1e-9 * scale) << "step " << k;
    EXPECT_LE(opposed(scheme->contacts()), kStep * weight) << "step " << k;
    last = report.energy.total();
  }
  EXPECT_LE(cuts, 1);
}

INSTANTIATE_TEST_SUITE_P(Restitutions, PlanarBins,
                         testing::Combine(testing::Values(0.0, 0.1, 0.4, 0.8),
                                          testing::Range<std::uint64_t>(1, 9)));

// Bins in which boxes of one width, just above each other, were once squeezed between the sides
// that their corners passed, by up to 3e6 N s, and an energy rose by a third in a certified step.
INSTANTIATE_TEST_SUITE_P(ThatOnceWentWrong, PlanarBins,
                         testing::Values(std::tuple(0.0, 25), std::tuple(0.1, 6),
                                         std::tuple(0.1, 38), std::tuple(0.1, 39),
                                         std::tuple(0.4, 12), std::tuple(0.4, 13),
                                         std::tuple(0.4, 18)));

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
