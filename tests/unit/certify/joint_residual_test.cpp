// A machine's constraints judged from their rows alone: rates, drift, and how many are independent.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <limits>

#include <support/jointed_problem.hpp>
#include <talus/certify/joint_residual.hpp>

namespace talus::certify::TALUS_TEST_FILE {
namespace {

using problem::BodyVelocity;
using problem::BoundedRows;

/// Bodies that move, but for the first.
std::vector<BodyVelocity> bodies(std::size_t count) {
  std::vector<BodyVelocity> all(count);
  for (std::size_t i = 1; i < count; ++i) all[i].inverse_mass = 1;
  return all;
}

/// Numbers of singular values of the rows over the bodies that move, those below 1e-6 of the
/// largest left out.
Index rank_by_singular_values(const BoundedRows& rows, const std::vector<BodyVelocity>& bodies) {
  MatX J = MatX::Zero(rows.size(), 6 * static_cast<Index>(bodies.size()));
  for (Index j = 0; j < rows.size(); ++j)
    rows.for_each_part(j, [&](const problem::RowPart& of) {
      if (bodies[of.body].inverse_mass == 0) return;
      J.row(j).segment<6>(6 * of.body) += of.part.transpose();
    });
  const VecX values = Eigen::JacobiSVD<MatX>(J).singularValues();
  return (values.array() > 1e-6 * values.maxCoeff()).count();
}

// Trees have independent rows, whatever their joints; loops may depend on others: the rank is the
// number of singular values that are not 0. A row that is written twice does not add to it.
RC_GTEST_PROP(JointResidual, RankIsTheNumberOfSingularValues, ()) {
  test::JointedKind kind;
  kind.bodies = *rc::gen::inRange(3, 12);
  kind.contacts = 0;
  kind.loops = *rc::gen::inRange(0, 6);
  const auto problem =
      test::random_jointed_problem(kind, static_cast<std::uint64_t>(*rc::gen::inRange(0, 100000)));
  BoundedRows rows = problem.rows;
  JointCertifier certifier;
  const Index rank = certifier.rank(rows, problem.bodies);
  RC_ASSERT(rank == rank_by_singular_values(rows, problem.bodies));
  if (kind.loops == 0) RC_ASSERT(rank == rows.size());
  const Index twice = *rc::gen::inRange<Index>(0, rows.size());
  problem.rows.for_each_part(twice, [&](const problem::RowPart& of) { rows.parts.push_back(of); });
  rows.close(0);
  RC_ASSERT(certifier.rank(rows, problem.bodies) == rank);
}

// A weld is six independent constraints wherever its point is.
TEST(JointResidual, RankOfAWeldIsSixWhateverItsLeverArm) {
  for (const Real arm : {0.0, 1.0, 1e4, 1e7}) {
    BoundedRows rows;
    for (int i = 0; i < 6; ++i) {
      Vec6 row = Vec6::Unit(i);
      if (i < 3) row.tail<3>() = Vec3(arm, -2 * arm, arm).cross(Vec3::Unit(i));
      rows.parts.push_back({row, 1});
      rows.close(0);
    }
    EXPECT_EQ(JointCertifier().rank(rows, bodies(2)), 6) << arm;
  }
}

// A loop of bars on parallel pins (four bars, one of them the ground): in space twenty constraints
// hold three bodies that still have one freedom, so that only 17 are independent.
TEST(JointResidual, RankOfAPlanarFourBarInSpace) {
  BoundedRows rows;
  const std::array<Vec3, 4> pins{Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(2, 1.5, 0), Vec3(2, 0, 0)};
  const std::array<Vec3, 4> centres{Vec3(0, 0, 0), Vec3(0, 0.5, 0), Vec3(1, 1.2, 0),
                                    Vec3(2, 0.7, 0)};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto a = static_cast<std::uint32_t>(k), b = static_cast<std::uint32_t>((k + 1) % 4);
    for (int i = 0; i < 5; ++i) {  // the point along x, y, z; turns about x, y
      Vec6 on_a = Vec6::Zero(), on_b = Vec6::Zero();
      const Vec3 e = Vec3::Unit(i % 3);
      if (i < 3) {
        on_a << -e, -(pins[k] - centres[a]).cross(e);
        on_b << e, (pins[k] - centres[b]).cross(e);
      } else {
        on_a.tail<3>() = -e;
        on_b.tail<3>() = e;
      }
      rows.parts.push_back({on_a, a});
      rows.parts.push_back({on_b, b});
      rows.close(0);
    }
  }
  EXPECT_EQ(JointCertifier().rank(rows, bodies(4)), 17);
}

// The rate of a row is what the velocities make of it, and the largest decides; one that is not a
// number is worse than any. Bodies at rest violate a constraint by its bias.
TEST(JointResidual, RateIsOfTheRowThatIsMissedMost) {
  BoundedRows rows;
  rows.parts.push_back({Vec6::Unit(0), 1});
  rows.close(0.25);
  rows.parts.push_back({Vec6::Unit(5), 1});
  rows.close(0);
  std::vector<BodyVelocity> all = bodies(2);
  const JointCertifier certifier;
  const auto judge = [&] {
    JointResidual result;
    certifier.judge_rates(rows, all, result);
    return result;
  };
  EXPECT_EQ(judge().rate, 0.25);
  EXPECT_EQ(judge().worst_rate, 0);
  all[1].v.x() = -0.25;
  all[1].s.z() = -1e-3;
  EXPECT_EQ(judge().rate, 1e-3);
  EXPECT_EQ(judge().worst_rate, 1);
  all[1].v.x() = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(judge().rate));
  EXPECT_EQ(judge().worst_rate, 0);
}

// Of two steps the worse counts, number by number; a step that judged nothing changes nothing.
TEST(JointResidual, WorseOfTwoSteps) {
  const JointResidual one{10, 1e-3, 2, 1e-12, 0, 9}, other{10, 1e-4, 7, 1e-9, 4, 10};
  const JointResidual worse = worse_of(one, other);
  EXPECT_EQ(worse.rate, 1e-3);
  EXPECT_EQ(worse.worst_rate, 2);
  EXPECT_EQ(worse.drift, 1e-9);
  EXPECT_EQ(worse.worst_drift, 4);
  EXPECT_EQ(worse.rank, 9);
  EXPECT_EQ(worse_of(other, {}).rate, other.rate);
  EXPECT_EQ(worse_of({}, other).rank, 10);
}

}  // namespace
}  // namespace talus::certify::TALUS_TEST_FILE
