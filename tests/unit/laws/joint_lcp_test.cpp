#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <talus/base/random.hpp>
#include <talus/laws/painleve_proof.hpp>
#include <talus/linalg/aitken_relaxation.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

namespace talus::laws::TALUS_TEST_FILE {
namespace {

using problem::SolveStatus;

/// A guide of one or two ends, or a pin.
FrictionElement joint(bool is_guide, Real half_length) {
  FrictionElement element;
  element.kind = FrictionElement::Kind::joint;
  element.is_guide = is_guide;
  element.moment_arm = half_length;
  return element;
}

/// One guide without length whose reaction is λ = f + x F.
struct OneGuide {
  FrictionElement element = joint(true, 0);
  ContactLcp contacts{MatX::Constant(1, 1, 2), VecX::Zero(1), {{-1, 0, 0, 0, 0}}, 0};
  std::vector<JointNormalForce> joint_normals{1};

  OneGuide(Real lower, Real upper, Real free, Real x) {
    joint_normals[0].element = &element;
    joint_normals[0].lower_slope = lower;
    joint_normals[0].upper_slope = upper;
    joint_normals[0].free = Vec2(free, 0);
    joint_normals[0].X = Vec2(x, 0);
  }
  [[nodiscard]] Real force() const {
    const ContactForces answer = solve(contacts, joint_normals);
    EXPECT_EQ(answer.status, SolveStatus::converged) << answer.detail;
    return answer.force[0];
  }
  [[nodiscard]] std::vector<Real> all() const {
    const JointLcp joint = to_lcp(contacts, joint_normals, {Vec2::UnitX()});
    std::vector<Real> forces;
    for (const VecX& z : solve::enumerate_lcp(joint.lcp))
      forces.push_back((joint.P * z + joint.fixed)[0]);
    return forces;
  }
};

// A guide that slides with a = μ x and F = −μ |λ|: λ = f/(1 + a) where a < 1. Beyond, the press
// that friction makes outgrows it: for f > 0 there are two answers, λ = f/(1 + a) and f/(1 − a)
// pressed against the other side; for f < 0 none, the guide is jammed.
TEST(JointLcp, ASlidingGuideHasOneTwoOrNoAnswers) {
  const Real mu = 0.5, f = 3;
  for (const Real x : {-1.5, 0.5, 1.9}) {
    const OneGuide guide(-mu, -mu, f, x);
    EXPECT_NEAR(guide.force(), -mu * f / (1 + mu * x), 1e-14);
    EXPECT_EQ(guide.all().size(), 1U);
  }
  const Real x = 4, a = mu * x;
  const OneGuide two(-mu, -mu, f, x);
  std::vector<Real> all = two.all();
  ASSERT_EQ(all.size(), 2U);
  std::sort(all.begin(), all.end());
  EXPECT_NEAR(all[0], mu * f / (1 - a), 1e-14);
  EXPECT_NEAR(all[1], -mu * f / (1 + a), 1e-14);
  EXPECT_NEAR(std::min(std::abs(two.force() - all[0]), std::abs(two.force() - all[1])), 0, 1e-14);
  const OneGuide none(-mu, -mu, -f, x);
  EXPECT_TRUE(none.all().empty());
  const ContactForces jammed = solve(none.contacts, none.joint_normals);
  EXPECT_NE(jammed.status, SolveStatus::converged);
  EXPECT_NE(jammed.detail.find("jams"), std::string::npos) << jammed.detail;
}

// Where the free motion leaves an acceleration b and the guide may stick, it is held as long as
// |F| = |b|/G is no more than μ₀ |f + x F|: also with so much friction that a slide has no answer.
TEST(JointLcp, AJammedGuideSticks) {
  OneGuide guide(-0.5, 0.5, -3, 4);
  guide.contacts.b[0] = 20;  // F = −10 in stick, |λ| = 43, bound 21.5
  EXPECT_NEAR(guide.force(), -10, 1e-13);
  guide.contacts.b[0] = 1;  // F = −0.5, |λ| = 5, bound 2.5
  EXPECT_NEAR(guide.force(), -0.5, 1e-13);
}

/// Random contacts with random joints that can stick or slide; sizes of X as given.
struct RandomJoints {
  std::vector<FrictionElement> elements;
  ContactLcp contacts;
  std::vector<JointNormalForce> joint_normals;

  RandomJoints(Random& random, Index normals, Index joints, bool guides_only, Real x) {
    const Index rows = 2 * normals + joints;
    MatX J(rows, 12);
    for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
    contacts = {J * J.transpose(), VecX(rows), {}, 0};
    for (Index i = 0; i < rows; ++i) contacts.b[i] = random.uniform(-1, 1);
    for (Index i = 0; i < normals; ++i) {
      const Real mu = random.uniform(0, 0.3);
      contacts.frictions.push_back({i, -mu, mu, 0, 0});
    }
    elements.reserve(static_cast<std::size_t>(joints));
    for (Index i = 0; i < joints; ++i) {
      const bool is_guide = guides_only || random.bits() % 2 == 0;
      elements.push_back(joint(is_guide, random.bits() % 2 == 0 ? 0 : random.uniform(0.5, 2)));
      JointNormalForce joint_normal;
      joint_normal.friction = normals + i;
      joint_normal.element = &elements.back();
      const Real mu = random.uniform(0, 0.3);
      joint_normal.upper_slope = mu;
      joint_normal.lower_slope = random.bits() % 2 == 0 ? mu : -mu;
      joint_normal.free = Vec2(random.uniform(-1, 1), random.uniform(-1, 1));
      joint_normal.X = MatX(2, rows);
      for (Index k = 0; k < joint_normal.X.size(); ++k)
        joint_normal.X.data()[k] = x * random.uniform(-1, 1);
      joint_normal.preload = random.uniform(0, 0.1);
      joint_normals.push_back(joint_normal);
      contacts.frictions.push_back({-1, 0, 0, 0, 0});
    }
  }
  /// The press that forces make in a joint.
  [[nodiscard]] Real press_by(const JointNormalForce& joint_normal, const VecX& force) const {
    const Vec2 lambda = joint_normal.free + joint_normal.X * force;
    return laws::joint_normal_force(*joint_normal.element, lambda.x(), lambda.y()) +
           joint_normal.preload;
  }
  /// The answer by passing presses and frictions back and forth; nothing where that does not end.
  [[nodiscard]] std::optional<VecX> by_fixed_point() const {
    VecX P(static_cast<Index>(joint_normals.size()));
    VecX force = VecX::Zero(contacts.b.size());
    for (Index i = 0; i < P.size(); ++i)
      P[i] = press_by(joint_normals[static_cast<std::size_t>(i)], force);
    linalg::AitkenRelaxation relaxation;
    relaxation.start(P.size());
    for (int pass = 0; pass < 200; ++pass) {
      ContactLcp now = contacts;
      for (std::size_t i = 0; i < joint_normals.size(); ++i) {
        FrictionRow& row = now.frictions[static_cast<std::size_t>(joint_normals[i].friction)];
        row.lower = joint_normals[i].lower_slope * P[static_cast<Index>(i)];
        row.upper = joint_normals[i].upper_slope * P[static_cast<Index>(i)];
      }
      const ContactForces answer = solve(now);
      if (answer.status != SolveStatus::converged) return std::nullopt;
      VecX miss(P.size());
      for (Index i = 0; i < P.size(); ++i)
        miss[i] = press_by(joint_normals[static_cast<std::size_t>(i)], answer.force) - P[i];
      if (miss.norm() < 1e-12) return answer.force;
      relaxation.step(miss, P);
      P = P.cwiseMax(0);
    }
    return std::nullopt;
  }
};

// Contacts and joints, guides and pins, sticking or sliding: where friction is moderate the answer
// of the one LCP is that of passing reactions and friction back and forth, and obeys the laws.
RC_GTEST_PROP(JointLcp, AgreesWithTheFixedPoint, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index normals = static_cast<Index>(random.bits() % 3);
  const RandomJoints at(random, normals, 1 + static_cast<Index>(random.bits() % 2), false, 0.3);
  const ContactForces answer = solve(at.contacts, at.joint_normals);
  RC_ASSERT(answer.status == SolveStatus::converged);
  for (const JointNormalForce& joint_normal : at.joint_normals) {
    const Index row = normals + joint_normal.friction;
    const Real P = at.press_by(joint_normal, answer.force), F = answer.force[row];
    if (joint_normal.lower_slope == joint_normal.upper_slope) {
      RC_ASSERT(std::abs(F - joint_normal.upper_slope * P) < 1e-9);
    } else {
      RC_ASSERT(std::abs(F) <= joint_normal.upper_slope * P + 1e-9);
      RC_ASSERT(F * answer.rate[row] <= 1e-9);
      RC_ASSERT(std::abs(answer.rate[row]) < 1e-7 ||
                std::abs(std::abs(F) - joint_normal.upper_slope * P) < 1e-7);
    }
  }
  const std::optional<VecX> other = at.by_fixed_point();
  RC_ASSERT(other.has_value());
  RC_ASSERT((*other - answer.force).norm() < 1e-7);
}

// With guides only the answer is among those that trial and error over all states finds: open or
// closed, stick or slip either way, pressed on this side or that. Also where friction is large, and
// Lemke's method ends on a ray: then there is no answer, or the states of contacts and guides have
// it.
RC_GTEST_PROP(JointLcp, IsAmongWhatEnumerationFinds, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index normals = static_cast<Index>(random.bits() % 2);
  const RandomJoints at(random, normals, 1 + static_cast<Index>(random.bits() % 2), true, 5);
  const JointLcp joint = to_lcp(at.contacts, at.joint_normals,
                                std::vector<Vec2>(at.joint_normals.size(), Vec2::UnitX()));
  std::vector<VecX> all;
  for (const VecX& z : solve::enumerate_lcp(joint.lcp)) all.push_back(joint.P * z + joint.fixed);
  const ContactForces answer = solve_or_prove(at.contacts, at.joint_normals);
  const ContactStates states = find_all(at.contacts, at.joint_normals);
  RC_ASSERT(states.is_complete);
  RC_ASSERT(states.answers.empty() == all.empty());
  RC_ASSERT((answer.status == SolveStatus::converged) == !all.empty());
  if (all.empty()) {
    RC_ASSERT(answer.status == SolveStatus::infeasible);
    return;
  }
  Real nearest = 1e300;
  for (const VecX& force : all) nearest = std::min(nearest, (force - answer.force).norm());
  RC_ASSERT(nearest < 1e-7 * (1 + answer.force.norm()));
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
