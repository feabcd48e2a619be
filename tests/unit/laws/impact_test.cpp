#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include <talus/base/random.hpp>
#include <talus/laws/impact.hpp>

namespace talus::laws::TALUS_TEST_FILE {
namespace {

/// One contact with friction: G of its normal and tangent.
ImpactProblem one_contact(const Mat2& G, const Vec2& rate, Real mu, Real restitution) {
  ImpactProblem problem;
  problem.G = G;
  problem.rate = rate;
  problem.normals.push_back({restitution});
  problem.frictions.push_back({0, mu, 0});
  return problem;
}

// A contact that can move in one direction only, which friction jams, cannot be thrown back:
// Newton's law has no answer, the bounded one stops it. Λ has J M⁻¹ Jᵀ Λ = −u, and −½ u·Λ is all
// the energy.
TEST(BoundedImpact, StopsAJammedContact) {
  const Vec2 way(1, 2);
  const Vec2 rate = -1.5 * way;
  const ImpactProblem problem = one_contact(way * way.transpose(), rate, 0.6, 0.7);
  EXPECT_NE(simultaneous_impact(problem).status, problem::SolveStatus::converged);
  const ImpactAnswer answer = bounded_impact(problem, false);
  ASSERT_EQ(answer.status, problem::SolveStatus::converged);
  EXPECT_LE(answer.restitution_factor, 1e-9);  // to which the share is searched for
  EXPECT_LT(answer.rate.norm(), 1e-9 * 2 * rate.norm());
  EXPECT_NEAR(answer.energy, -1.5 * 1.5 / 2, 1e-8);
}

// Newton's law with friction raises the energy of an oblique impact; the bounded one takes as much
// restitution as leaves the energy as it was, not less, and the same answer where nothing is amiss.
TEST(BoundedImpact, KeepsTheEnergyAndAsMuchRestitutionAsItCan) {
  const Mat2 G = (Mat2() << 1, 0.8, 0.8, 1).finished();
  const ImpactProblem raising = one_contact(G, {-1, -0.6}, 0.5, 0.95);
  const ImpactAnswer newton = simultaneous_impact(raising);
  ASSERT_TRUE(raises_energy(raising, newton)) << newton.energy;
  const ImpactAnswer bounded = bounded_impact(raising, false);
  EXPECT_EQ(bounded.status, problem::SolveStatus::converged);
  EXPECT_GT(bounded.restitution_factor, 0);
  EXPECT_LT(bounded.restitution_factor, 1);
  EXPECT_LE(bounded.energy, 1e-9);
  EXPECT_NEAR(bounded.energy, 0, 1e-7);
  EXPECT_NEAR(bounded.rate[0], 0.95 * bounded.restitution_factor, 1e-12);

  const ImpactProblem plain = one_contact(Mat2::Identity(), {-1, 3}, 0.5, 0.9);
  const ImpactAnswer same = bounded_impact(plain, false);
  EXPECT_EQ(same.restitution_factor, 1);
  EXPECT_TRUE(same.impulse.isApprox(simultaneous_impact(plain).impulse, 1e-15));
}

// Whatever the contacts, laws and order: the bounded impact has an answer, raises no energy and
// leaves nobody approaching.
RC_GTEST_PROP(BoundedImpact, NeverRaisesTheEnergy, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Index contacts = *rc::gen::inRange<Index>(1, 5), freedom = *rc::gen::inRange<Index>(2, 7);
  MatX J(2 * contacts, freedom);
  for (Index i = 0; i < J.size(); ++i) J.data()[i] = random.uniform(-1, 1);
  ImpactProblem problem;
  problem.G = J * J.transpose();
  VecX v(freedom);
  for (Real& x : v) x = random.uniform(-1, 1);
  problem.rate = J * v;
  for (Index i = 0; i < contacts; ++i) {
    problem.normals.push_back({random.uniform(0, 1)});
    problem.frictions.push_back({i, random.uniform(0, 1), random.uniform(0, 1)});
  }
  problem.is_poisson = *rc::gen::arbitrary<bool>();
  const ImpactAnswer answer = bounded_impact(problem, false);
  RC_ASSERT(answer.status == problem::SolveStatus::converged);
  RC_ASSERT(!raises_energy(problem, answer));
  RC_ASSERT(answer.rate.head(contacts).minCoeff() > -1e-7);
}

// Slip that goes on: friction −μ N presses, N = −b_N/(G_NN − μ G_NT) and F = −μ N, although
// friction the other way round would pull the contact in, G_NN + μ G_NT < 0, on which Lemke's
// method may end.
TEST(BoundedImpact, FindsTheSideOfFrictionThatPresses) {
  const Real mu = 0.66;
  ImpactProblem problem;
  problem.G = Mat2{{0.425, -0.83}, {-0.83, 1.756}};
  problem.rate = Vec2(-0.174, 0.364);
  problem.normals = {{0}};
  problem.frictions = {{0, mu, 0}};
  const Real normal = 0.174 / (0.425 + mu * 0.83);
  ASSERT_GT(0.364 - (0.83 + mu * 1.756) * normal, 0) << "it does not stop";
  ASSERT_LT(0.425 - mu * 0.83, 0);
  const ImpactAnswer answer = simultaneous_impact(problem);
  ASSERT_EQ(answer.status, problem::SolveStatus::converged) << answer.detail;
  EXPECT_NEAR(answer.impulse[0], normal, 1e-12);
  EXPECT_NEAR(answer.impulse[1], -mu * normal, 1e-12);
}

/// Blocks in guides along x, each thrown against a wall of its own that is oblique: the wall's
/// normal is (cos α, sin α), the guide holds sin α of it and rubs with that.
struct GuidedBlocks {
  struct Block {
    Real mass, speed, angle, friction, restitution;
  };
  std::vector<Block> blocks;
  FrictionElement guide;
  ImpactProblem problem;

  explicit GuidedBlocks(const std::vector<Block>& all) : blocks(all) {
    const auto k = static_cast<Index>(all.size());
    guide.is_guide = true;
    // Rows: the walls' normals, their tangents without friction, the guides.
    MatX J = MatX::Zero(3 * k, k);
    VecX speed(k), inverse_mass(k);
    for (Index i = 0; i < k; ++i) {
      const Block& block = all[static_cast<std::size_t>(i)];
      J(i, i) = std::cos(block.angle);
      J(k + i, i) = -std::sin(block.angle);
      J(2 * k + i, i) = 1;
      speed[i] = -block.speed;
      inverse_mass[i] = 1 / block.mass;
      problem.normals.push_back({block.restitution});
      problem.frictions.push_back({i, 0, 0});
    }
    problem.G = J * inverse_mass.asDiagonal() * J.transpose();
    problem.rate = J * speed;
    for (Index i = 0; i < k; ++i) {
      const Block& block = all[static_cast<std::size_t>(i)];
      problem.frictions.push_back({-1, block.friction, 0});
      JointNormalForce joint_normal;
      joint_normal.friction = k + i;
      joint_normal.element = &guide;
      joint_normal.lower_slope = -block.friction;
      joint_normal.upper_slope = block.friction;
      joint_normal.X = MatX::Zero(2, 3 * k);
      joint_normal.X(0, i) = -std::sin(block.angle);
      problem.joint_normals.push_back(joint_normal);
    }
  }
};

// A block that its guide throws back rubs in the impact too: m (1 + e) v = N (cos α − μ sin α). One
// after another two such blocks, which know nothing of each other, do the same as both at once.
TEST(Impact, GuidesRubWhenOneImpactFollowsAnother) {
  const GuidedBlocks two({{2, 3, 0.4, 0.3, 0.5}, {1, 5, 0.9, 0.2, 0.8}});
  const ImpactAnswer at_once = simultaneous_impact(two.problem);
  const ImpactAnswer in_turn = sequential_impact(two.problem);
  ASSERT_EQ(at_once.status, problem::SolveStatus::converged) << at_once.detail;
  ASSERT_EQ(in_turn.status, problem::SolveStatus::converged) << in_turn.detail;
  EXPECT_EQ(in_turn.solves, 2);
  for (Index i = 0; i < 2; ++i) {
    const auto& block = two.blocks[static_cast<std::size_t>(i)];
    const Real held = std::sin(block.angle) * block.friction;
    const Real N =
        block.mass * block.speed * (1 + block.restitution) / (std::cos(block.angle) - held);
    for (const ImpactAnswer& answer : {at_once, in_turn}) {
      EXPECT_NEAR(answer.impulse[i], N, 1e-9 * N);
      EXPECT_NEAR(answer.impulse[4 + i], -held * N, 1e-9 * N);
      EXPECT_NEAR(answer.rate[4 + i], block.restitution * block.speed, 1e-9);
    }
  }
}

// Where the wall is so oblique that the guide jams, tan α > 1/μ, nothing is thrown back: the
// bounded law takes all restitution from the impact and the block stops.
TEST(BoundedImpact, StopsABlockThatItsGuideJams) {
  const GuidedBlocks one({{2, 3, 1.3, 0.5, 0.7}});
  EXPECT_NE(simultaneous_impact(one.problem).status, problem::SolveStatus::converged);
  for (const bool is_sequential : {false, true}) {
    const ImpactAnswer answer = bounded_impact(one.problem, is_sequential);
    ASSERT_EQ(answer.status, problem::SolveStatus::converged) << answer.detail;
    EXPECT_EQ(answer.restitution_factor, 0);
    EXPECT_LT(answer.rate.norm(), 1e-9);
    EXPECT_NEAR(answer.energy, -2 * 3 * 3 / 2., 1e-8);
  }
}

}  // namespace
}  // namespace talus::laws::TALUS_TEST_FILE
