// Springs, dampers and position motors in space are taken at q + θ h v̄, v̄ = θ v' + (1 − θ) v: no
// stiffness is too great for a step, and with θ = 1/2 a spring keeps the energy that it is given.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "support/random_spatial_machine.hpp"

namespace talus::TALUS_TEST_FILE {
namespace {

using test::SpatialMachineWorld;

constexpr Real kMass = 2, kStep = 1e-3;
const std::vector<const char*> kSchemes = {"moreau_jean", "moreau_midpoint", "stewart_trinkle",
                                           "anitescu_potra", "anitescu_potra_stabilised"};

/// A body at x = 0.3 m with an element between it and the world.
struct Sprung {
  SpatialMachineWorld world;

  explicit Sprung(model::SpatialForceKind kind, const Vec3& velocity = Vec3::Zero())
      : world(Vec3::Zero()) {
    const Index body = world.add_body(kMass, Vec3(0.02, 0.03, 0.05).asDiagonal(), Vec3(0.3, 0, 0));
    world.state.velocity[body] = velocity;
    world.machine->forces.push_back({"element", model::kWorld, body, std::move(kind)});
  }
};

/// Takes a scheme with a θ for the steps of a world.
void take(SpatialMachineWorld& world, const char* scheme, Real theta) {
  stepping::SchemeOptions options = test::options(scheme, world.tolerance);
  options.theta = theta;
  world.scheme = stepping::make_scheme(world.model, options);
}

model::LineElement line(Real stiffness, Real rest_length, Real damping) {
  return {Vec3::Zero(), Vec3::Zero(), stiffness, rest_length, damping, model::ConstantLaw{}};
}

// ½ k s² + ½ m v² never grows, in any scheme, however stiff a spring is: h² k/m is 0.05 … 500, an
// explicit force is unstable from 4 on. A spring without a length of its own holds the body across
// its direction as much as along it; one that pushes is guided.
TEST(SpringsInSpace, NoStiffnessIsTooGreat) {
  for (const char* scheme : kSchemes)
    for (const Real stiffness : {1e5, 1e7, 1e9})
      for (const Real rest_length : {0.0, 0.29}) {
        Sprung sprung(line(stiffness, rest_length, 0), Vec3(0.1, rest_length == 0 ? 1 : 0, 0));
        if (rest_length == 0) {  // a taut wire: a second spring pulls to the other side
          model::LineElement other = line(stiffness, 0, 0);
          other.p_A = Vec3(0.6, 0, 0);
          sprung.world.machine->forces.push_back({"other", model::kWorld, 0, other});
          sprung.world.tolerance = 1e-10;  // pulls of 1e8 N cancel
        } else {                           // where it pushes it would buckle
          sprung.world.add_joint(model::prismatic_joint(), model::kWorld, 0, Vec3(0.3, 0, 0),
                                 Vec3::UnitX());
        }
        const Real energy = sprung.world.energy();
        for (int k = 1; k <= 50; ++k) {
          ASSERT_EQ(sprung.world.run(scheme, k * kStep, kStep), 0)
              << scheme << " " << stiffness << ": " << sprung.world.first_failure;
          ASSERT_LT(sprung.world.energy() / energy - 1, 1e-10) << scheme << " " << stiffness;
        }
      }
}

// A spring between centres of mass exerts no moment on either body, along its line or across: their
// spins stay, in every scheme, while they swing about each other.
TEST(SpringsInSpace, BetweenCentresTurnNoBody) {
  const Vec3 spin(0.3, -2, 1), other(1, 0, 0.5);
  for (const char* scheme : kSchemes)
    for (const Real rest_length : {0.0, 0.5}) {
      SpatialMachineWorld world(Vec3::Zero());
      world.tolerance = 1e-10;
      const Index a = world.add_body(kMass, 0.02 * Mat3::Identity(), Vec3::Zero());
      const Index b = world.add_body(kMass, 0.03 * Mat3::Identity(), Vec3(1, 0, 0));
      world.state.velocity[b] = Vec3(0, 1, 0.5);
      world.state.angular_velocity = {spin, other};
      world.machine->forces.push_back({"element", a, b, line(1e3, rest_length, 1)});
      ASSERT_EQ(world.run(scheme, 0.5, 0.01), 0) << scheme << ": " << world.first_failure;
      EXPECT_LT((world.state.angular_velocity[a] - spin).norm(), 1e-12) << scheme;
      EXPECT_LT((world.state.angular_velocity[b] - other).norm(), 1e-12) << scheme;
    }
}

// With θ = 1/2 and in the midpoint rule the impulse is that of the mean stretch: the energy of a
// spring along a line, or of one without a length in space, is constant to round-off. With θ = 1
// what is lost in a step is ½ m ‖v' − v‖² + ½ k (s' − s)², of first order in all.
TEST(SpringsInSpace, TheMeanStretchKeepsTheEnergy) {
  const auto drift = [](const char* scheme, Real theta, Real h) {
    Sprung sprung(line(100, 0, 0), Vec3(0, 1, 0.5));
    take(sprung.world, scheme, theta);
    const Real energy = sprung.world.energy();
    EXPECT_EQ(sprung.world.run(scheme, 1, h), 0) << scheme;
    return sprung.world.energy() / energy - 1;
  };
  EXPECT_NEAR(drift("moreau_midpoint", 1, 1e-3), 0, 1e-12);
  EXPECT_NEAR(drift("moreau_jean", 0.5, 1e-3), 0, 1e-12);
  const Real coarse = drift("moreau_jean", 1, 1e-3), fine = drift("moreau_jean", 1, 5e-4);
  EXPECT_LT(coarse, -1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 1, 0.1);
}

// A damper alone, m v' = m v − h c v̄: for θ = 1 v' = v/(1 + h c/m), with h c/m = 5 here, and for
// the midpoint rule v' = v (1 − h c/2m)/(1 + h c/2m). It comes to rest after the way m v/c of the
// exact solution in both.
TEST(SpringsInSpace, ADamperStopsABodyHoweverStrong) {
  const Real damping = 1e4, ratio = kStep * damping / kMass;
  for (const char* scheme : kSchemes) {
    Sprung damped(line(0, 0.3, damping), Vec3(1, 0, 0));
    ASSERT_EQ(damped.world.run(scheme, kStep, kStep), 0) << scheme;
    const bool is_midpoint = std::string(scheme) == "moreau_midpoint";
    const Real factor = is_midpoint ? (1 - ratio / 2) / (1 + ratio / 2) : 1 / (1 + ratio);
    EXPECT_NEAR(damped.world.state.velocity[0].x(), factor, 1e-12) << scheme;
    ASSERT_EQ(damped.world.run(scheme, 0.1, kStep), 0) << scheme;
    EXPECT_NEAR(damped.world.state.position[0].x(), 0.3 + kMass / damping, 1e-12) << scheme;
  }
}

// A bushing whose K is a full matrix, far stiffer than the step resolves, brings a body to rest
// where K s = load: for θ = 1 in any scheme. Its rows are the eigenvectors of h² K + h D.
TEST(SpringsInSpace, AStiffBushingCarriesItsLoad) {
  const Vec3 load(3, -2, 5);
  Mat6 stiffness = Vec6(3e8, 2e8, 1e8, 3e5, 2e5, 1e5).asDiagonal();
  stiffness(0, 1) = stiffness(1, 0) = 1e8;  // ≥ 0
  stiffness(1, 5) = stiffness(5, 1) = 2e6;
  model::Bushing bushing;
  bushing.stiffness = stiffness;
  bushing.damping = 1e-4 * stiffness;
  bushing.X_AJ.p = Vec3(0.3, 0, 0);
  for (const char* scheme : {"moreau_jean", "stewart_trinkle", "anitescu_potra"}) {
    Sprung mounted(bushing);
    mounted.world.tolerance = 1e-10;
    mounted.world.machine->forces.push_back(
        {"load", model::kWorld, 0,
         model::AppliedForce{Vec3::Zero(), load.normalized(), model::LoadFrame::of_a,
                             model::ConstantLaw{load.norm()}}});
    ASSERT_EQ(mounted.world.run(scheme, 0.05, kStep), 0) << scheme;
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = load;
    const Vec6 s = stiffness.ldlt().solve(wrench);
    EXPECT_LT((mounted.world.state.position[0] - Vec3(0.3, 0, 0) - s.head<3>()).norm(),
              1e-6 * s.head<3>().norm())
        << scheme;
  }
}

// A spring of a force element is that of the axis of a line: the same rows, the same motion, along
// the line (across it the element holds as a string, the axis is taken where the step begins).
TEST(SpringsInSpace, AForceElementAndTheAxisOfALineAreTheSame) {
  for (const Real theta : {0.5, 0.8, 1.0}) {
    Sprung element(line(100, 0.25, 3), Vec3(1, 0, 0));
    SpatialMachineWorld axis(Vec3::Zero());
    const Index body = axis.add_body(kMass, Vec3(0.02, 0.03, 0.05).asDiagonal(), Vec3(0.3, 0, 0));
    axis.state.velocity[body] = Vec3(1, 0, 0);
    axis.machine->joints.push_back({"line", model::kWorld, body, {}, {}, model::Line{}, {}, false});
    model::AxisLaw law;
    law.axis = model::Freedom::z;
    law.stiffness = 100;
    law.rest = 0.25;
    law.damping = 3;
    axis.machine->joints[0].axes.push_back(law);
    take(element.world, "moreau_jean", theta);
    take(axis, "moreau_jean", theta);
    ASSERT_EQ(element.world.run("moreau_jean", 0.5, kStep), 0);
    ASSERT_EQ(axis.run("moreau_jean", 0.5, kStep), 0);
    EXPECT_NEAR(element.world.state.position[0].x(), axis.state.position[0].x(), 1e-12) << theta;
  }
}

// A motor that follows a position q₀(t) by k (q₀ − q) + d (q̇₀ − q̇) does so to second order in the
// midpoint rule and with θ = 1/2: with the mean of the target over the step, as of q. The target of
// the end of the step alone leads by half a step.
TEST(SpringsInSpace, AMotorFollowsItsPathToSecondOrder) {
  const Real k = 20, d = 1, inertia = 0.05, rate = 4 * std::numbers::pi;
  // Steady: q = Re Q exp(iωt), Q (k + iωd − Iω²) = −i (k + iωd); a start on it has no transient.
  const std::complex<Real> drive(k, rate * d);
  const std::complex<Real> Q =
      std::complex<Real>(0, -1) * drive / (drive - std::complex<Real>(inertia * rate * rate));
  const auto error = [&](const char* scheme, Real theta, Real h) {
    SpatialMachineWorld world(Vec3::Zero());
    const Index body = world.add_body(1, Vec3(0.02, 0.03, inertia).asDiagonal(), Vec3::Zero(),
                                      Quat(Eigen::AngleAxis<Real>(Q.real(), Vec3::UnitZ())));
    world.state.angular_velocity[body] = Vec3(0, 0, (std::complex<Real>(0, rate) * Q).real());
    const Index joint =
        world.add_joint(model::revolute_joint(), model::kWorld, body, Vec3::Zero(), Vec3::UnitZ());
    model::SpatialJoint& hinge = world.machine->joints[static_cast<std::size_t>(joint)];
    hinge.X_AJ = hinge.X_BJ = {};
    model::AxisLaw law;
    law.axis = model::Freedom::turn_z;
    law.motor.emplace();
    law.motor->mode = model::Motor::Mode::position;
    law.motor->target = model::HarmonicLaw{0, 1, rate / (2 * std::numbers::pi), 0};
    law.motor->stiffness = k;
    law.motor->damping = d;
    hinge.axes.push_back(law);
    take(world, scheme, theta);
    EXPECT_EQ(world.run(scheme, 0.9, h), 0) << world.first_failure;
    const Real exact = (Q * std::exp(std::complex<Real>(0, rate * 0.9))).real();
    const Quat& q = world.state.orientation[body];
    return std::abs(2 * std::atan2(q.z(), q.w()) - exact);
  };
  for (const auto& [scheme, theta] :
       {std::pair{"moreau_midpoint", 1.0}, std::pair{"moreau_jean", 0.5}}) {
    const Real coarse = error(scheme, theta, 4e-3), fine = error(scheme, theta, 2e-3);
    EXPECT_LT(fine, 1e-4) << scheme;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << scheme;
  }
}

/// A free body that spins about the axis of a bushing, past half a turn of it.
Sprung spun_bushing() {
  model::Bushing kind;
  kind.stiffness.bottomRightCorner<3, 3>() = 0.4 * Mat3::Identity();
  Sprung spun(kind);
  spun.world.state.position[0] = Vec3::Zero();
  spun.world.state.angular_velocity[0] = Vec3(15, 0, 0);
  return spun;
}

/// A free body on a torsion spring whose axes come to be opposed.
Sprung spun_torsion() {
  Sprung free(model::TorsionElement{Pose{}, Pose{}, 0.02, 0, 0, model::ConstantLaw{}});
  free.world.state.position[0] = Vec3::Zero();
  free.world.state.angular_velocity[0] = Vec3(3, 0.3, 1);
  free.world.model.bodies[0].inertia = Vec3(0.011, 0.0042, 0.0083).asDiagonal();
  return free;
}

// Nothing gives a spring energy: no certified step of a free body raises it by more than 1 % of
// T + T' + U + U', also where the twist of a torsion spring jumps, as its axes become opposed, and
// where a body turns past half a turn of a bushing. Such steps are refused: once the energy grew
// fourteenfold in certified ones.
TEST(SpringsInSpace, NoCertifiedStepGainsEnergy) {
  const std::vector<std::pair<const char*, std::function<Sprung()>>> machines = {
      {"torsion", spun_torsion}, {"bushing", spun_bushing}};
  for (const auto& [name, make] : machines) {
    int refused = 0;
    for (const char* scheme :
         {"moreau_jean", "moreau_midpoint", "stewart_trinkle", "anitescu_potra", "index_3"}) {
      Sprung sprung = make();
      take(sprung.world, scheme, std::string(scheme) == "moreau_jean" ? 0.5 : 1);
      const auto shares = [&] { return dynamics::energy(sprung.world.model, sprung.world.state); };
      dynamics::Energy before = shares();
      for (int k = 0; k < 1000; ++k) {
        const auto report = sprung.world.scheme->step(sprung.world.state, 0.01);
        const dynamics::Energy after = shares();
        if (report.is_certified()) {
          EXPECT_LE(after.total() - before.total(), 0.0101 * (after.total() + before.total()))
              << name << " " << scheme << " step " << k;
        } else {
          refused += report.detail.find("the energy rises") != std::string::npos;
        }
        before = after;
      }
    }
    EXPECT_GT(refused, 0) << name;
  }
}

// What drives another machine does not give energy to this one: its steps are judged as if it were
// alone, beside a slide with a motor, a fan that is turned, and a heavy body on a spring, beside
// whose energy a rise of this one is none. Once a motor of 1e-12 N anywhere let 0.9 J grow to 2e10.
TEST(SpringsInSpace, EveryMachineIsJudgedAlone) {
  const auto refused_of = [](const std::function<void(SpatialMachineWorld&)>& add) {
    Sprung sprung = spun_torsion();
    add(sprung.world);
    take(sprung.world, "moreau_jean", 0.5);
    std::vector<int> refused;
    for (int k = 0; k < 1000; ++k) {
      const auto report = sprung.world.scheme->step(sprung.world.state, 0.01);
      if (report.detail.find("the energy") != std::string::npos) refused.push_back(k);
    }
    return refused;
  };
  const std::vector<int> alone = refused_of([](SpatialMachineWorld&) {});
  ASSERT_GT(alone.size(), 1U);
  const auto add_slide = [](SpatialMachineWorld& world) {
    const Index body = world.add_body(1, Mat3::Identity(), Vec3(5, 0, 0));
    const Index joint = world.add_joint(model::prismatic_joint(), model::kWorld, body,
                                        Vec3(5, 0, 0), Vec3::UnitX());
    model::AxisLaw law;
    law.axis = model::Freedom::z;
    law.motor = model::Motor{model::Motor::Mode::effort, model::ConstantLaw{1e-12}};
    world.machine->joints[static_cast<std::size_t>(joint)].axes.push_back(law);
  };
  EXPECT_EQ(refused_of(add_slide), alone);
  EXPECT_EQ(refused_of([](SpatialMachineWorld& world) {
              const Index fan = world.add_body(1, Mat3::Identity(), Vec3(9, 0, 0));
              world.model.bodies[static_cast<std::size_t>(fan)].kind = model::BodyKind::kinematic;
              world.state.angular_velocity[static_cast<std::size_t>(fan)] = Vec3(0, 0, 3);
            }),
            alone);
  EXPECT_EQ(refused_of([](SpatialMachineWorld& world) {
              const Index heavy = world.add_body(1e6, 1e6 * Mat3::Identity(), Vec3(0, 9, 0));
              world.state.velocity[static_cast<std::size_t>(heavy)] = Vec3(9, 0, 0);
              model::LineElement spring = line(10, 1, 0);
              spring.p_A = Vec3(0, 9, 5);
              world.machine->forces.push_back({"other", model::kWorld, heavy, spring});
            }),
            alone);
}

// At rest on a spring in its rest length nothing but rounding moves: 10⁻³⁰ J that come and go are
// no rise. A place known to 10⁻¹² of itself has m (10⁻¹² x/h)² of its own.
TEST(SpringsInSpace, WhatIsAtRestStaysCertified) {
  for (const char* scheme : kSchemes) {
    const Vec3 place(0.1, 0.2, 0.3);
    Sprung sprung(line(50, place.norm() * (1 + 1e-15), 0));
    sprung.world.state.position[0] = place;
    take(sprung.world, scheme, std::string(scheme) == "moreau_jean" ? 0.5 : 1);
    for (int k = 0; k < 2000; ++k) {
      const auto report = sprung.world.scheme->step(sprung.world.state, kStep);
      ASSERT_TRUE(report.is_certified()) << scheme << " step " << k << ": " << report.detail;
    }
  }
}

// Nor little by little: in steps of 4 ms the same bushing gives or takes some 0.1 % at each half
// turn. A step in which the energy is higher than it has been since the last such step, by 5 % of
// the largest T + T' + U + U', is not certified, whether the run has been interrupted or not.
// (Where other impulses than those of contacts turned bodies less exactly, 5 ms and (15, 0.3, 1)
// rad/s did.)
TEST(SpringsInSpace, WhatRisesLittleByLittleIsTold) {
  const auto refused_in = [](int interrupted) {
    Sprung sprung = spun_bushing();
    sprung.world.state.angular_velocity[0] = Vec3(20, 6, 5);
    const auto energy = [&] { return dynamics::energy(sprung.world.model, sprung.world.state); };
    take(sprung.world, "moreau_jean", 0.5);
    std::vector<int> refused;
    Real lowest = energy().total(), largest = 0;
    for (int k = 0; k < 40000; ++k) {
      if (k == interrupted) {
        const stepping::SchemeMemory memory = sprung.world.scheme->memory();
        take(sprung.world, "moreau_jean", 0.5);
        sprung.world.scheme->recall(memory);
      }
      const Real before = energy().total();
      const auto report = sprung.world.scheme->step(sprung.world.state, 4e-3);
      largest = std::max(largest, before + energy().total());
      if (report.is_certified()) {
        EXPECT_LE(energy().total(), lowest + 0.0501 * largest) << "step " << k;
        lowest = std::min(lowest, energy().total());
      } else {
        refused.push_back(k);
        EXPECT_NE(report.detail.find("the energy has risen"), std::string::npos) << report.detail;
        lowest = energy().total();
      }
    }
    return refused;
  };
  const std::vector<int> refused = refused_in(-1);
  ASSERT_GT(refused.size(), 1U);
  EXPECT_EQ(refused_in((refused[0] + refused[1]) / 2), refused);
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
