// A spring without a rest length exerts −k d on points that are d apart, in every direction, also
// where they meet; a damper along its line exerts −c ḋ there, as just before and after.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <talus/dynamics/line_rows.hpp>

#include "support/mechanism.hpp"
#include "support/spatial_machine_world.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

constexpr Real kMass = 2;

/// A scheme with its θ, and the share of the free motion of a step after which it takes its rows.
struct Rule {
  const char* scheme;
  Real theta, share;
};
const std::vector<Rule> kRules = {
    {"moreau_midpoint", 0.5, 0.5}, {"moreau_jean", 0.5, 0.5}, {"moreau_jean", 1, 0},
    {"stewart_trinkle", 1, 1},     {"anitescu_potra", 1, 1},  {"anitescu_potra_stabilised", 1, 1}};

/// A body on a line to a point of the world, in the plane or in space; its y is up in both.
struct Hung {
  model::Model model;
  model::State state;
  Index body;

  Hung(int dimension, Real gravity, Real stiffness, Real damping, Real rest_length = 0,
       const model::TimeLaw& law = model::ConstantLaw{}) {
    if (dimension == 2) {
      test::Mechanism plane(gravity);
      body = plane.add(kMass, 0.3, Vec2::Zero());
      model::Body fixed;
      fixed.kind = model::BodyKind::fixed;
      const Index anchor = plane.add(fixed, Vec2::Zero(), 0);
      plane.machine->forces.push_back(
          {"cord", anchor, body,
           model::LineForce{Vec2::Zero(), Vec2::Zero(), stiffness, rest_length, damping, law}});
      model = plane.model;
      state = plane.state;
      return;
    }
    test::SpatialMachineWorld world(Vec3(0, -gravity, 0));
    body = world.add_body(kMass, Vec3(0.2, 0.3, 0.4).asDiagonal(), Vec3::Zero());
    world.machine->forces.push_back(
        {"cord", model::kWorld, body,
         model::LineElement{Vec3::Zero(), Vec3::Zero(), stiffness, rest_length, damping, law}});
    model = world.model;
    state = world.state;
  }
};

std::unique_ptr<stepping::Scheme> make(const model::Model& model, const char* scheme,
                                       Real theta = 1) {
  stepping::SchemeOptions options = test::options(scheme, 1e-10);
  options.theta = theta;
  return make_scheme(model, options);
}

/// m (v' − v) = h f − h k (x + θ h v̄) − h c v̄, x' = x + h v̄, v̄ = θ v' + (1 − θ) v.
struct Oscillator {
  Real k, c, f, x, v;
  void step(Real theta, Real h) {
    const Real drag = h * (k * theta * h + c);
    const Real next =
        (kMass * v + h * f - h * k * x - drag * (1 - theta) * v) / (kMass + drag * theta);
    x += h * (theta * next + (1 - theta) * v);
    v = next;
  }
};

// Let go at the anchor under gravity, a body falls as the spring lets it, m ÿ = −k y − c ẏ − m g:
// by the rule of the scheme in every step from the first one on, ω h = 0.07 … 700.
TEST(LinesOfNoLength, HoldFromTheFirstStepOn) {
  const Real g = 9.81, h = 1e-3;
  for (const int dimension : {2, 3})
    for (const Rule& rule : kRules)
      for (const Real stiffness : {1e4, 1e5, 1e12})
        for (const Real damping : {0.0, 1e-3 * stiffness}) {
          Hung hung(dimension, g, stiffness, damping);
          const auto scheme = make(hung.model, rule.scheme, rule.theta);
          Oscillator exact{stiffness, damping, -kMass * g, 0, 0};
          for (int n = 1; n <= 20; ++n) {
            const auto report = scheme->step(hung.state, h);
            ASSERT_TRUE(report.is_certified()) << rule.scheme << ": " << report.detail;
            exact.step(rule.theta, h);
            const Real rounding = 1e-12 * n * g * h;
            ASSERT_NEAR(hung.state.velocity[hung.body].y(), exact.v, rounding)
                << dimension << " " << rule.scheme << " " << stiffness << " " << damping;
            ASSERT_NEAR(hung.state.position[hung.body].y(), exact.x, h * rounding);
          }
        }
}

// A body that flies through its anchor, at the very place where a step takes its rows, oscillates
// along its way as it does beside it.
TEST(LinesOfNoLength, ArePassedAsAnyOtherPlace) {
  const Real h = 0.125;  // places and times below are exact
  const Vec3 way(3, 4, 0);
  for (const int dimension : {2, 3})
    for (const Rule& rule : kRules)
      for (const Real stiffness : {1.0, 1e3, 1e8})
        for (const Real damping : {0.0, 10.0}) {
          Hung hung(dimension, 0, stiffness, damping);
          hung.state.velocity[hung.body] = way;
          hung.state.position[hung.body] = -rule.share * h * way;
          const auto scheme = make(hung.model, rule.scheme, rule.theta);
          Oscillator exact{stiffness, damping, 0, -rule.share * h * 5, 5};
          const auto report = scheme->step(hung.state, h);
          ASSERT_TRUE(report.is_certified()) << rule.scheme << ": " << report.detail;
          exact.step(rule.theta, h);
          EXPECT_LT((hung.state.velocity[hung.body] - exact.v * way / 5).norm(), 1e-13 * 5)
              << dimension << " " << rule.scheme << " " << stiffness << " " << damping;
          EXPECT_LT((hung.state.position[hung.body] - exact.x * way / 5).norm(), 1e-13);
        }
}

// Pushed off from the anchor, y = (v₀/ω) e^(−δ t) sin ω t: to the tolerance of event_driven, and to
// second order by generalised-α and index_3.
TEST(LinesOfNoLength, HoldInSmoothMotions) {
  const Real k = 50, c = 8, end = 1, push = 0.3;
  const Real delta = c / (2 * kMass), omega = std::sqrt(k / kMass - delta * delta);
  const auto error = [&](int dimension, const stepping::SchemeOptions& options, int steps) {
    Hung hung(dimension, 0, k, c);
    hung.state.velocity[hung.body].y() = push;
    const auto scheme = make_scheme(hung.model, options);
    for (int n = 0; n < steps; ++n) {
      const auto report = scheme->step(hung.state, end / steps);
      EXPECT_TRUE(report.is_certified()) << options.scheme << ": " << report.detail;
    }
    const Real exact = push / omega * std::exp(-delta * end) * std::sin(omega * end);
    return hung.state.position[hung.body].y() - exact;
  };
  stepping::SchemeOptions adaptive = test::options("event_driven", 1e-10);
  adaptive.machine.tolerance = 1e-9;
  stepping::SchemeOptions alpha = adaptive;
  alpha.machine.integrator = "generalized_alpha";
  for (const int dimension : {2, 3}) {
    EXPECT_NEAR(error(dimension, adaptive, 10), 0, 1e-7);
    for (const auto& options : {alpha, test::options("index_3", 1e-10)}) {
      const Real coarse = error(dimension, options, 200), fine = error(dimension, options, 400);
      EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << dimension << " " << options.scheme;
    }
  }
}

// What a spring with a rest length, or a given force, exerts on two points that meet has no
// direction: it is left out, and the step is not certified and says so. It says nothing where the
// force vanishes.
TEST(LinesOfNoLength, AForceWithoutDirectionIsToldOf) {
  for (const int dimension : {2, 3})
    for (const char* name :
         {"moreau_midpoint", "moreau_jean", "stewart_trinkle", "event_driven", "index_3"}) {
      const auto detail = [&](Real stiffness, Real rest_length, Real force) {
        Hung hung(dimension, 0, stiffness, 1, rest_length, model::ConstantLaw{force});
        const auto report = make(hung.model, name)->step(hung.state, 1e-3);
        return report.is_certified() ? std::string() : report.detail;
      };
      const std::string told = "the points of force element cord are one where the step begins";
      EXPECT_EQ(detail(100, 0.3, 0).find(told + ": its force of -30 N"), 0U) << name;
      EXPECT_EQ(detail(0, 0, 5).find(told + ": its force of 5 N"), 0U) << name;
      EXPECT_EQ(detail(100, 0.3, 30), "") << name;
      EXPECT_EQ(detail(100, 0, 0), "") << name;
      EXPECT_EQ(detail(0, 0.3, 0), "") << name;
    }
}

// The rows at length 0 are the limit of those at d = ε ḋ, ε → 0±: the force −k d − c ḋ.
TEST(LinesOfNoLength, RowsAreTheLimitAlongTheMotion) {
  const Vec3 rate(0.3, -1, 2);
  const Real stiffness = 7, damping = 3;
  const auto force = [&](const Vec3& d) {
    Vec3 sum = Vec3::Zero();
    const auto add = [&](const Vec3& e, Real stretch, Real k, Real c) {
      sum -= (k * stretch + c * e.dot(rate)) * e;
    };
    dynamics::for_each_line_row(d, stiffness, 0, damping, add);
    return sum;
  };
  const Vec3 at_zero = force(Vec3::Zero());
  EXPECT_EQ(at_zero, -damping * rate);
  for (const Real epsilon : {1e-3, -1e-3, 1e-9, -1e-9})
    EXPECT_LT((force(epsilon * rate) + stiffness * epsilon * rate - at_zero).norm(), 1e-14);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
