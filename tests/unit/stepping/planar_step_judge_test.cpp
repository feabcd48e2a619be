#include <gtest/gtest.h>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/stepping/detail/planar_step_judge.hpp>

#include "support/machine_world.hpp"

namespace talus::stepping::detail::TALUS_TEST_FILE {
namespace {

constexpr Real kStep = 1e-3;

/// What impulses of a step may be, beside velocities.
struct StepImpulses {
  laws::SparseValues restitution{1}, memory, memory_end, impact_rate, normal, friction;
};

/// The verdict on a step from q and v to `end`. @param free velocities under forces alone.
JudgedStep verdict_on(const dynamics::System& machine, const laws::FrictionElements& elements,
                      const VecX& q, const VecX& v, const VecX& free, const VecX& end,
                      const StepImpulses& of) {
  return judge(machine, elements,
               {false,
                {kStep, 1, 0, 0},
                0,
                v,
                q,
                q,
                kStep,
                free,
                q,
                of.restitution,
                of.memory,
                of.impact_rate,
                of.normal,
                of.friction,
                VecX(),
                q + kStep * end,
                end,
                of.memory_end});
}

/// A block that a spring presses on a line by a contact, and a shaft with friction in its pin: one
/// step of Moreau–Jean (θ = 1) whose impulses are in closed form.
///
///   N = h m g − m ẏ (rigid, lands), or h K δ̄ (compliant); F by the law of friction; v' follows.
struct Slide : StepImpulses {
  explicit Slide(const model::InterfaceLaw& surface, Real speed, Real gap = 0)
      : world(surface), law(surface) {
    world.add_line();
    world.model.bodies[0].kind = model::BodyKind::fixed;
    body = world.add_body(geometry::Sphere{0.1}, 2, 1e9, {0, 0.1 + gap});  // does not turn
    world.state.velocity[body] = {speed, 0, 0};
    machine = std::make_unique<dynamics::PlanarBodies>(world.model, world.state);
    elements = std::make_unique<laws::FrictionElements>(*machine);
    machine->load(world.state, q, v);
    free = v;
    free[3 * body + 1] -= kStep * 9.81;
  }

  /// The verdict on the impulses there are, velocities that follow from them.
  [[nodiscard]] certify::Certificate judged() const {
    dynamics::ContactTerms terms;
    VecX end = free;
    for (Index i = 0; i < machine->contact_count(); ++i) {
      machine->contact(i, q, v, terms);
      apply_impulse(terms.normal, normal[i], machine->mass(), end);
      apply_impulse(terms.tangent, friction[elements->tangent(i)], machine->mass(), end);
    }
    return verdict_on(*machine, *elements, q, v, free, end, *this).certificate;
  }
  [[nodiscard]] bool holds() const {
    const certify::Certificate c = judged();
    return c.meets(1e-9) && c.violation < 1e-7;
  }
  /// Impulses moved by a thousandth of the weight's.
  [[nodiscard]] bool is_seen(laws::SparseValues Slide::*which, Index i) const {
    Slide wrong(law, v[3 * body], q[3 * body + 1] - 0.1);
    wrong.normal = normal;
    wrong.friction = friction;
    wrong.memory = memory;
    wrong.memory_end = memory_end;
    (wrong.*which)[i] += 1e-3 * 2 * 9.81 * kStep;
    const certify::Certificate c = wrong.judged();
    return c.natural_map > 1e-5 && c.violation > 1e-5;
  }

  test::MachineWorld world;
  model::InterfaceLaw law;
  Index body = 0;
  std::unique_ptr<dynamics::PlanarBodies> machine;
  std::unique_ptr<laws::FrictionElements> elements;
  VecX q, v, free;
};

constexpr Real kWeight = 2 * 9.81 * kStep;  // h m g [N s]

model::InterfaceLaw with(const model::FrictionKind& kind, Real viscous = 0) {
  model::InterfaceLaw surface = test::coulomb(0.3);
  surface.friction.kind = kind;
  surface.friction.viscous = viscous;
  return surface;
}

// A rigid contact that bears its weight holds; one that bears more, less, or nothing does not, and
// neither does one that pulls.
TEST(PlanarStepJudge, RigidContactBearsWhatComes) {
  Slide slide(test::coulomb(0), 0);
  slide.normal[0] = kWeight;
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::normal, 0));
  slide.normal[0] = 0;
  EXPECT_GT(slide.judged().natural_map, 0.1);
  EXPECT_EQ(slide.judged().worst_contact, 0);
  slide.normal[0] = -kWeight;
  EXPECT_GT(slide.judged().primal, 0.1);
}

// Coulomb: μ N against the slip where it slips; where it is held anything up to μ₀ N, no more.
TEST(PlanarStepJudge, CoulombSlipsAtItsBoundAndSticksWithin) {
  Slide slide(with(model::CoulombFriction{0.5}), 1);
  slide.normal[0] = kWeight;
  slide.friction[0] = -0.3 * kWeight;
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::friction, 0));
  slide.friction[0] = -0.5 * kWeight;  // μ₀ is of contacts at rest
  EXPECT_FALSE(slide.holds());
  slide.friction[0] = 0.3 * kWeight;  // along the slip
  EXPECT_FALSE(slide.holds());
  Slide held(with(model::CoulombFriction{0.5}), 0);
  held.normal[0] = kWeight;
  EXPECT_TRUE(held.holds());
  held.free[3 * held.body] = 0;
  held.friction[0] = 0.1 * kWeight;  // would move it
  EXPECT_FALSE(held.holds());
}

// Laws that are functions of the slip velocity after the step, under the normal impulse: with each
// its force holds, a thousandth of the weight more does not, nor does the force of another law.
TEST(PlanarStepJudge, EveryFunctionOfTheSlipIsEvaluatedAnew) {
  const model::FrictionKind kinds[] = {model::TanhFriction{0.05}, model::AtanFriction{0.05},
                                       model::PiecewiseLinearFriction{0, 0.2}};
  for (const model::FrictionKind& kind : kinds) {
    Slide slide(with(kind, 0.7), 0.1);
    slide.normal[0] = kWeight;
    Real& f = slide.friction[0];
    for (int i = 0; i < 200; ++i)  // v' = v + F/m: contracts, h F'/m is small
      f = kStep * model::slip_force(slide.law.friction, 0.1 + f / 2, kWeight / kStep);
    EXPECT_TRUE(slide.holds()) << kind.index();
    EXPECT_TRUE(slide.is_seen(&Slide::friction, 0)) << kind.index();
    EXPECT_TRUE(slide.is_seen(&Slide::normal, 0)) << kind.index();
    f = -0.3 * kWeight;
    EXPECT_FALSE(slide.holds()) << kind.index();
  }
}

// Viscous friction beside Coulomb's is in the force of the slip, and there is none of either at a
// contact that bears nothing.
TEST(PlanarStepJudge, NothingRubsWhereNothingPresses) {
  Slide slide(with(model::CoulombFriction{}, 4), 1);
  slide.normal[0] = kWeight;
  // F = −μ N − h c v', v' = v + F/m.
  slide.friction[0] = -(0.3 * kWeight + kStep * 4) / (1 + kStep * 4 / 2);
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::friction, 0));
  Slide above(with(model::CoulombFriction{}, 4), 1, 1e-5);  // does not fall as far in the step
  EXPECT_TRUE(above.holds());
  above.friction[0] = -kStep * 4 / (1 + kStep * 4 / 2);
  EXPECT_FALSE(above.holds());
}

// Stribeck's coefficient is that of the slip velocity before the step.
TEST(PlanarStepJudge, StribeckHasTheCoefficientOfTheStart) {
  Slide slide(with(model::StribeckFriction{0.5, 0.1, 2}), 0.1);
  slide.normal[0] = kWeight;
  slide.friction[0] = -(0.3 + 0.2 * std::exp(-1.0)) * kWeight;
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::friction, 0));
}

// Dahl's force after the slip of the step, dF/dx = σ (1 − F/F_c): in closed form an exponential.
// Its state is judged too: what a step hands to the next.
TEST(PlanarStepJudge, DahlsStateFollowsTheSlip) {
  Slide slide(with(model::DahlFriction{1e3, 1}), 0.5);
  slide.normal[0] = kWeight;
  slide.memory[0] = 1;
  const Real most = 0.3 * kWeight / kStep;
  Real& f = slide.friction[0];
  for (int i = 0; i < 200; ++i) {
    const Real way = kStep * (0.5 + f / 2);
    slide.memory_end[0] = most - (most - 1) * std::exp(-1e3 * way / most);
    f = -kStep * slide.memory_end[0];
  }
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::friction, 0));
  slide.memory_end[0] *= 1.01;
  EXPECT_FALSE(slide.holds());
}

// Viscous friction of a contact that bears nothing: any share of h c v where it neither presses nor
// opens, no more and not along the slip; none where it opens.
TEST(PlanarStepJudge, ViscousFrictionActsInPartWhereNothingPresses) {
  const Real c = 40, touching = 9.81 * kStep * kStep;  // [m], which the block falls in the step
  for (const bool opens : {false, true}) {
    model::InterfaceLaw compliant = with(model::CoulombFriction{}, c);
    compliant.normal = model::HertzNormal{1e5, 1.5};
    for (const model::InterfaceLaw& surface :
         {with(model::CoulombFriction{}, c), compliant, with(model::TanhFriction{1e-3}, c),
          with(model::DahlFriction{1e3, 1}, c)}) {
      Slide slide(surface, 1, opens ? 2 * touching : touching);
      for (const Real share : {-0.01, 0.0, 0.3, 1.0, 1.01}) {
        slide.friction[0] = -share * kStep * c / (1 + share * kStep * c / 2);  // v' = 1 + F/m
        EXPECT_EQ(slide.holds(), share == 0 || (!opens && share > 0 && share <= 1))
            << surface.normal.index() << surface.friction.kind.index() << opens << share;
      }
    }
  }
}

// A compliant normal has the force of its penetration at q + θ h v̄: with θ = 1 at the end of the
// step.
TEST(PlanarStepJudge, CompliantNormalPressesByItsPenetration) {
  model::InterfaceLaw surface = test::coulomb(0);
  surface.normal = model::HertzNormal{1e5, 1};
  Slide slide(surface, 0, -1e-3);
  Real& n = slide.normal[0];
  for (int i = 0; i < 200; ++i) {
    const Real after = -9.81 * kStep + n / 2;
    n = kStep * 1e5 * (1e-3 - kStep * after);  // δ̄ = δ − h γ'
  }
  EXPECT_TRUE(slide.holds());
  EXPECT_TRUE(slide.is_seen(&Slide::normal, 0));
}

// A spring with a damper that holds a body over the ground has the impulse of the end of the step,
// λ = −h k (l + h l̇' − l₀) − h d l̇'. Another one is a violation of its law, by its name.
TEST(PlanarStepJudge, SpringsHaveTheirLaw) {
  test::MachineWorld world;
  const Index ground = world.add_line();
  const Index body = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1});
  const Real k = 1e5, d = 50, m = 2, rate = 0.3;
  world.machine->forces.push_back(
      {"strut", ground, body,
       model::LineForce{Vec2::Zero(), Vec2::Zero(), k, 0.99, d, model::ConstantLaw{}}});
  world.state.velocity[body] = {0, rate, 0};
  const dynamics::PlanarBodies machine(world.model, world.state);
  const laws::FrictionElements elements(machine);
  VecX q, v;
  machine.load(world.state, q, v);
  VecX free = v;
  free[3 * body + 1] -= kStep * 9.81;
  const Real after =
      (rate - kStep * 9.81 - kStep * k * (1 - 0.99) / m) / (1 + kStep * (d + kStep * k) / m);
  const auto verdict = [&](Real share) {
    VecX lambda = VecX::Zero(2);  // the length, and across it, where nothing moves
    lambda[0] = share * m * (after - free[3 * body + 1]);
    VecX end = free;
    end[3 * body + 1] += lambda[0] / m;
    const laws::SparseValues none, full{1};
    return judge(machine, elements,
                 {false,
                  {kStep, 1, 0, 0},
                  0,
                  v,
                  q,
                  q,
                  kStep,
                  free,
                  q,
                  full,
                  none,
                  none,
                  none,
                  none,
                  lambda,
                  q + kStep * end,
                  end,
                  none});
  };
  EXPECT_TRUE(verdict(1).certificate.meets(1e-12));
  EXPECT_FALSE(verdict(1.001).certificate.meets(1e-6));
  EXPECT_EQ(verdict(1.001).worst, "force element strut");
}

/// A wheel that turns at 3 rad/s on a fixed pin with friction, under a preload: in a step the pin
/// bears its weight, and its friction brakes it, Λ_T = −μ h (m g + preload).
struct Wheel {
  Wheel() {
    world.model.bodies.reserve(4);
    ground = world.add_line();
    wheel = world.add_body(geometry::Sphere{0.1}, 2, 0.01, {0, 1});
    model::JointFriction rubs{test::coulomb(0.3).friction, 5};
    world.machine->joints.push_back(
        {"pin", ground, wheel, model::RevoluteJoint{{0, 1}, {0, 0}, 0.02}, rubs});
    world.state.angular_velocity[wheel] = {0, 0, 3};
    machine = std::make_unique<dynamics::PlanarBodies>(world.model, world.state);
    elements = std::make_unique<laws::FrictionElements>(*machine);
    machine->load(world.state, q, v);
    friction[elements->joint(0)] = -0.3 * (kWeight + kStep * 5);
    lambda = VecX::Zero(2);
    lambda[1] = kWeight;
  }
  [[nodiscard]] JudgedStep judged() const {
    const dynamics::MassMatrix& mass = machine->mass();
    VecX end = v, free = v;
    end[3 * wheel + 1] -= kStep * 9.81;
    dynamics::ConstraintTerms terms;
    const VecX joint_q = q + kStep * v;
    machine->constraints(kStep, joint_q, v, terms);
    for (Index k = 0; k < 2; ++k)
      apply_impulse(terms.rows[static_cast<std::size_t>(k)], lambda[k], mass, end);
    dynamics::JointSlip slip;
    machine->joint_slip(0, 0, joint_q, v, slip);
    apply_impulse(slip.row, friction[elements->joint(0)], mass, end);
    return judge(*machine, *elements,
                 {false,
                  {kStep, 1, 0, 0},
                  0,
                  v,
                  q,
                  joint_q,
                  kStep,
                  free,
                  q,
                  none,
                  memory,
                  none,
                  none,
                  friction,
                  lambda,
                  q + kStep * end,
                  end,
                  memory});
  }
  test::MachineWorld world;
  Index ground = 0, wheel = 0;
  std::unique_ptr<dynamics::PlanarBodies> machine;
  std::unique_ptr<laws::FrictionElements> elements;
  VecX q, v, lambda;
  laws::SparseValues none, friction, memory;
};

// Friction of a joint under the reactions of the step and its preload, and the joint itself: a
// reaction that is off by a thousandth lets the wheel fall, and is a wrong pressure besides.
TEST(PlanarStepJudge, JointsHoldAndRub) {
  Wheel wheel;
  EXPECT_TRUE(wheel.judged().certificate.meets(1e-9));
  const Index f = wheel.elements->joint(0);
  wheel.friction[f] *= 1.001;
  EXPECT_GT(wheel.judged().certificate.natural_map, 1e-5);
  EXPECT_EQ(wheel.judged().worst, "friction of joint pin");
  wheel.friction[f] /= 1.001;
  wheel.lambda[1] *= 1.001;
  EXPECT_GT(wheel.judged().certificate.natural_map, 1e-5);
  wheel.lambda[1] = 0;
  EXPECT_GT(wheel.judged().certificate.natural_map, 0.1);
  EXPECT_EQ(wheel.judged().worst, "joint pin");
  EXPECT_EQ(wheel.judged().certificate.worst_contact, -1);
}

// Velocities that do not follow from the impulses violate the equations of motion.
TEST(PlanarStepJudge, VelocitiesFollowFromTheImpulses) {
  Slide slide(test::coulomb(0), 1);
  slide.normal[0] = kWeight;
  VecX end = slide.v;
  const auto of = [&] {
    return verdict_on(*slide.machine, *slide.elements, slide.q, slide.v, slide.free, end, slide)
        .certificate;
  };
  EXPECT_LT(of().equation_of_motion, 1e-14);
  end[3 * slide.body] += 1e-4;
  EXPECT_GT(of().equation_of_motion, 1e-6);
}

// A convex body lies on one side of another: contacts of one pair whose normals face away from each
// other squeeze a plate within a box between the box's sides, with impulses of any size that obey
// all laws. It is named if they change velocities by more than forces do in a step: here by r (1/m
// + 1/m) > h g.
TEST(PlanarStepJudge, NoBodyIsSqueezedByTheSidesOfAnother) {
  test::MachineWorld world(test::coulomb(0));
  const Index box = world.add_body(geometry::Box{{1, 1, 1}}, 1, 1, {0, 0});
  const Index plate = world.add_body(geometry::Box{{0.9, 0.2, 1}}, 1, 1, {0, 0});
  dynamics::PlanarBodies machine(world.model, world.state);
  const laws::FrictionElements elements(machine);
  VecX q, v;
  machine.load(world.state, q, v);
  const auto squeezed = [&](Real impulse) {
    StepImpulses in_balance;
    dynamics::ContactTerms terms;
    Real own = 0;
    for (Index i = 0; i < machine.contact_count(); ++i) {
      machine.contact(i, q, v, terms);
      if (std::abs(terms.direction.x()) < 0.9) continue;
      in_balance.normal[i] = impulse;
      own = inverse_effective_mass(terms.normal, machine.mass());
    }
    EXPECT_GT(own, 2);  // it would turn them too
    for (const Index i : in_balance.normal.places()) in_balance.normal[i] /= own;
    return verdict_on(machine, elements, q, v, v, v, in_balance).squeezed;
  };
  const std::array both{std::min(box, plate), std::max(box, plate)};
  const std::array<Index, 2> none{-1, -1};
  EXPECT_EQ(squeezed(1), both);
  EXPECT_EQ(squeezed(1.1 * kStep * 9.81), both);
  EXPECT_EQ(squeezed(0.9 * kStep * 9.81), none);
  EXPECT_EQ(squeezed(0), none);
}

}  // namespace
}  // namespace talus::stepping::detail::TALUS_TEST_FILE
