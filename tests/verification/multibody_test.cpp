#include <gtest/gtest.h>

#include <numbers>
#include <utility>
#include <vector>

#include "support/classic_machines.hpp"
#include "support/squeezer.hpp"

// References of multibody dynamics without contact, and joints with play.

namespace talus::TALUS_TEST_FILE {
namespace {

using test::Mechanism;
namespace squeezer = test::squeezer;

stepping::SchemeOptions event_driven(Real tolerance) {
  stepping::SchemeOptions options;
  options.scheme = "event_driven";
  options.machine.tolerance = tolerance;
  return options;
}

// The double four-bar linkage of the IFToMM benchmark library (key gonzalez_2006): bars of 1 m and
// 1 kg start upright with 1 m/s and fall through the position where all lie in one line and the
// constraints lose a rank, again and again for 10 s. Energy is kept to 1e-5 J by RK4 with h = 1 ms
// and projection, and the linkage stays a pair of squares: both rows of bars move alike.
TEST(Multibody, DoubleFourBarPassesItsSingularPositions) {
  Mechanism linkage = test::double_four_bar();
  constexpr Index upright[] = {1, 2, 3};
  stepping::SchemeOptions options = event_driven(1e-9);
  options.machine.integrator = "rk4";
  options.machine.step = 1e-3;
  const auto scheme = make_scheme(linkage.model, options);
  const Real start = dynamics::energy(linkage.model, linkage.state).total();
  Real drift = 0, apart = 0;
  Index rounds = 0;
  Real height = 0;
  for (int step = 0; step < 10000; ++step) {
    const auto report = scheme->step(linkage.state, 1e-3);
    ASSERT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
    drift = std::max(drift, std::abs(report.energy.total() - start));
    apart = std::max(apart, (linkage.state.position[upright[0]] + Vec3(2, 0, 0) -
                             linkage.state.position[upright[2]])
                                .norm());
    const Real now = linkage.state.position[upright[1]].y();
    rounds += now * height < 0;
    height = now;
  }
  RecordProperty("energy drift [J]", std::to_string(drift));
  EXPECT_LT(drift, 1e-5);
  EXPECT_GE(rounds, 8);  // passes of the singular position
  EXPECT_LT(apart, 1e-6);
}

/// Angles of the seven bodies after 30 and 50 ms, with whole turns.
struct Squeezed {
  VecX at_30 = VecX(7), at_50 = VecX(7);
  Real rate_at_30 = 0;
};

Squeezed squeeze(const stepping::SchemeOptions& options, Real h, Real start = squeezer::kStart) {
  squeezer::Squeezer bodies(start);
  const auto scheme = make_scheme(bodies.model, options);
  const Real before = dynamics::energy(bodies.model, bodies.state).total();
  const Real angle = bodies.angle(bodies.k[1]);
  Squeezed squeezed;
  const auto count = std::lround(0.05 / h), first = std::lround(0.03 / h);
  for (long step = 1; step <= count; ++step) {
    const auto report = scheme->step(bodies.state, h);
    EXPECT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
    if (!report.is_certified()) break;
    if (options.scheme == "event_driven") {  // the energy is what the motor has put in
      const Real work = squeezer::kTorque * (bodies.turned_of(1) - angle);
      EXPECT_NEAR(report.energy.total() - before, work, 1e-7) << "step " << step;
    }
    for (int i = 0; i < 7; ++i) {
      if (step == first) squeezed.at_30[i] = bodies.turned_of(i + 1);
      if (step == count) squeezed.at_50[i] = bodies.turned_of(i + 1);
    }
    if (step == first) squeezed.rate_at_30 = bodies.state.angular_velocity[bodies.k[1]].z();
  }
  return squeezed;
}

VecX angles(const squeezer::Reduced& reduced, Real time) {
  const squeezer::Layout pose(reduced.beta(time));
  return Eigen::Map<const VecX>(pose.angle.data() + 1, 7);
}

// Andrews' squeezer, index 3 and very fast: coordinates and velocities after 0.03 s are those of
// the IVP test set's reference, whose last digits are good to 1.2e-9 rad. So says the quadrature
// that the squeezer also is, and to which panels of half the length change nothing from 1e-12 on.
TEST(Multibody, AndrewsSqueezerMeetsItsReference) {
  const Real beta = 15.81077119629904, theta = -15.75637105984298, gamma = 0.04082224013073101,
             phi = -0.5347301163226948, delta = 0.5244099658805304, omega = 0.5347301163226948,
             epsilon = 1.048080741042263;
  const VecX published{{beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon}};
  const Squeezed squeezed = squeeze(event_driven(1e-12), 1e-3);
  const squeezer::Reduced reduced;
  const VecX quadrature = angles(reduced, 0.03);
  for (Index i = 0; i < 7; ++i) {
    EXPECT_NEAR(quadrature[i], published[i], 2e-9) << "body " << i + 1;
    EXPECT_NEAR(squeezed.at_30[i], published[i], 2e-9) << "body " << i + 1;
  }
  EXPECT_NEAR(squeezed.rate_at_30, 1139.920302151208, 2e-7);
  EXPECT_NEAR(reduced.rate(reduced.beta(0.03)), 1139.920302151208, 2e-7);
}

// At 0.05 s, where the benchmark library ends but no digits are published, the quadrature is the
// reference: for the test set's start and for that of the library, rounded to β = −0.0620. A
// tolerance of 1e-12 on rates of 1e3 rad/s over some 2000 steps lets β be off by 1e-9 at most.
TEST(Multibody, AndrewsSqueezerMeetsItsQuadrature) {
  for (const auto& [start, expected] :
       {std::pair(squeezer::kStart, 33.825867766954), std::pair(-0.0620, 33.815340721360)}) {
    const squeezer::Reduced reduced(start);
    EXPECT_NEAR(reduced.beta(0.05), expected, 2e-12);
    const VecX quadrature = angles(reduced, 0.05);
    const Squeezed squeezed = squeeze(event_driven(1e-12), 1e-3, start);
    for (Index i = 0; i < 7; ++i)
      EXPECT_NEAR(squeezed.at_50[i], quadrature[i], 1e-9) << "body " << i + 1 << " " << start;
  }
}

// So do RK4 with projection, of order 4, and the implicit scheme that keeps the constraints at the
// level of positions, of order 2: their limits are extrapolated from h and h/2, which is better
// than the correction by an order at least; 5 % of it are allowed.
TEST(Multibody, AndrewsSqueezerIsTheSameInOtherFormulations) {
  const VecX quadrature = angles(squeezer::Reduced(), 0.05);
  const auto compare = [&](const VecX& coarse, const VecX& fine, int order, Real most) {
    const VecX correction = (fine - coarse) / (std::pow(2, order) - 1), limit = fine + correction;
    for (Index i = 0; i < 7; ++i) {
      EXPECT_LT(std::abs(correction[i]), most) << "order " << order << " body " << i + 1;
      EXPECT_NEAR(limit[i], quadrature[i], 0.05 * std::abs(correction[i]) + 1e-9)
          << "order " << order << " body " << i + 1;
    }
  };
  stepping::SchemeOptions explicitly = event_driven(1e-9);
  explicitly.machine.integrator = "rk4";
  explicitly.machine.step = 2e-5;
  const VecX coarse_explicit = squeeze(explicitly, 1e-3).at_50;
  explicitly.machine.step = 1e-5;
  compare(coarse_explicit, squeeze(explicitly, 1e-3).at_50, 4, 1e-5);
  stepping::SchemeOptions implicit;
  implicit.scheme = "index_3";
  compare(squeeze(implicit, 1e-5).at_50, squeeze(implicit, 0.5e-5).at_50, 2, 5e-3);
}

constexpr Real kCrank = 0.05, kRod = 0.12;

/// A slider–crank with a crank at constant speed and play in the crank pin; how far the slider is
/// from where it would be without, at worst within a turn.
Real error_of_clearance(Real clearance, const model::InterfaceLaw& surface) {
  constexpr Real kSpeed = 150 * 2 * std::numbers::pi / 60;
  Mechanism machine;
  const Vec2 pin(kCrank, 0), wrist(kCrank + kRod, 0);
  const Index crank = machine.add_bar(0.3, Vec2::Zero(), pin);
  const Index rod = machine.add_bar(0.21, pin, wrist);
  const Index slider = machine.add(0.14, 1e-4, wrist);
  machine.add_pin(0, crank, Vec2::Zero());
  machine.add_motor(0, crank, kSpeed);
  machine.add_pin(rod, slider, wrist);
  machine.add_joint(0, slider, model::PrismaticJoint{wrist, Vec2::UnitX(), Vec2::Zero(), 0, 0});
  model::RevoluteClearance play{
      machine.in(crank, pin), machine.in(rod, pin), clearance, 0.01, surface, Vec2::Zero()};
  machine.add_joint(crank, rod, play);
  // At rest against the drive the pin starts in the middle of its hole with the crank's velocity.
  machine.state.angular_velocity[crank] = {0, 0, kSpeed};
  machine.state.velocity[crank] = {0, kSpeed * kCrank / 2, 0};
  machine.state.angular_velocity[rod] = {0, 0, -kSpeed * kCrank / kRod};
  machine.state.velocity[rod] = {0, kSpeed * kCrank / 2, 0};
  const auto scheme = make_scheme(machine.model, event_driven(1e-8));
  Real worst = 0;
  for (int step = 1; step <= 400; ++step) {  // one turn
    const auto report = scheme->step(machine.state, 1e-3);
    EXPECT_TRUE(report.is_certified()) << "step " << step << ": " << report.detail;
    if (!report.is_certified()) break;
    const Real angle = kSpeed * 1e-3 * step;
    const Real ideal =
        kCrank * std::cos(angle) + std::sqrt(kRod * kRod - std::pow(kCrank * std::sin(angle), 2));
    worst = std::max(worst, std::abs(machine.state.position[slider].x() - ideal));
  }
  return worst;
}

// A slider–crank with 0.5 mm of play in the crank pin and less tends to the ideal one, with the
// first power of the play: a pin that is off by c along the rod, which leans by ψ at most, sin ψ =
// r/l, moves the slider by c/cos ψ. Without friction or with, rigid (plastic or bouncing) or
// compliant, where the penetration, (F/K)^⅔ < 1 µm at 1 kN, adds to the play.
TEST(Multibody, SliderCrankTendsToTheIdealOneAsThePlayVanishes) {
  const Real lever = 1 / std::sqrt(1 - std::pow(kCrank / kRod, 2));
  for (const Real mu : {0.0, 0.3})
    for (const Real e : {0.0, 0.5, -1.0}) {  // −1: compliant
      model::InterfaceLaw surface;
      surface.friction.coefficient = mu;
      surface.impact.restitution = std::max(e, Real(0));
      if (e < 0)
        surface.normal =
            model::DampedNormal{model::DampedNormal::Kind::lankarani_nikravesh, 1e12, 1.5, 0.3};
      const Real penetration = e < 0 ? 1e-6 : 0;
      std::vector<Real> errors;
      for (const Real c : {0.5e-3, 0.125e-3, 0.03125e-3}) {
        const Real error = error_of_clearance(c, surface);
        // (c/l)²: the way's own curvature; the worst instant may fall between two samples.
        EXPECT_LT(error, lever * (c + penetration) * (1 + c / kRod))
            << c << " μ " << mu << " e " << e;
        EXPECT_GT(error, 0.95 * lever * c) << c << " μ " << mu << " e " << e;
        errors.push_back(error);
      }
      EXPECT_NEAR(std::log(errors[0] / errors[2]) / std::log(16), 1, 0.03) << mu << " " << e;
    }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
