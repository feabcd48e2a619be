#include <talus/problem/convert.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/linalg/dense.hpp>
#include <talus/problem/rigid_contact.hpp>

#include "support/class_problems.hpp"

namespace talus::problem::TALUS_TEST_FILE {
namespace {

// The local form equals Hᵀ M⁻¹ H and Hᵀ M⁻¹ f + w computed densely, and the recovered velocity
// satisfies the equation of motion; masses over 12 decades.
TEST(LocalForm, EqualsDenseAlgebra) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    GlobalFrictionContact global = test::random_global(random, 2 + i % 2, 1 + i % 4, 1 + i % 5, 1);
    const Real unit = std::pow(10, random.uniform(-6, 6));
    global.M = global.M * unit;
    const LocalForm local(global);
    const FrictionContact reference = test::dense_local(global);
    EXPECT_LT((MatX(local.problem().W) - MatX(reference.W)).norm(), 1e-13 * reference.W.norm());
    EXPECT_LT((local.problem().b - reference.b).norm(), 1e-13 * (1 + reference.b.norm()));
    EXPECT_EQ(local.problem().friction, global.friction);
    VecX r = VecX::LinSpaced(global.w.size(), -1, 2);
    const VecX v = local.velocity(r);
    const VecX defect = global.M * v - global.H * r - global.f;
    EXPECT_LT(defect.norm(), 1e-13 * (1 + (global.H * r).norm()));
    EXPECT_LT(
        (global.H.transpose() * v + global.w - local.problem().W * r - local.problem().b).norm(),
        1e-12 * (1 + (local.problem().W * r).norm()));
  }
}

// The same for five rows per contact, and for constraints, whose rows come before the contacts'.
TEST(LocalForm, EqualsDenseAlgebraForTheOtherGlobalForms) {
  Random random(5);
  for (int i = 0; i < 50; ++i) {
    const auto expect_equal = [](const auto& local, const auto& global, const MatX& H,
                                 const VecX& w) {
      const linalg::PartialPivLu lu{MatX(global.M)};
      const MatX W = linalg::product(H.transpose(), lu.solve(H));
      const VecX b = H.transpose() * lu.solve(global.f) + w;
      EXPECT_LT((MatX(local.problem().W) - W).norm(), 1e-13 * W.norm());
      EXPECT_LT((local.problem().b - b).norm(), 1e-13 * (1 + b.norm()));
      EXPECT_EQ(local.problem().friction, global.friction);
      const VecX r = VecX::LinSpaced(w.size(), -1, 2), v = local.velocity(r);
      EXPECT_LT((global.M * v - H * r - global.f).norm(), 1e-13 * (1 + (H * r).norm()));
    };
    const auto rolling = test::random_global_rolling(random, 1 + i % 4, 1 + i % 5);
    const LocalForm rolling_form(rolling);
    expect_equal(rolling_form, rolling, MatX(rolling.H), rolling.w);
    EXPECT_EQ(rolling_form.problem().rolling, rolling.rolling);

    const Index d = 2 + i % 2, p = i % 4;
    const auto joints = test::random_global_bilateral(random, d, 2, p, 1 + i % 3);
    MatX GH(joints.f.size(), p + joints.w.size());
    GH << MatX(joints.G), MatX(joints.H);
    VecX bw(p + joints.w.size());
    bw << joints.b, joints.w;
    const LocalForm joints_form(joints);
    expect_equal(joints_form, joints, GH, bw);
    EXPECT_EQ(joints_form.problem().equality_count, p);
    EXPECT_EQ(joints_form.problem().dimension, d);
  }
}

// A singular mass matrix is refused, whether a row is empty or rows depend on each other.
TEST(LocalForm, RefusesASingularMassMatrix) {
  Random random(2);
  const GlobalFrictionContact good = test::random_global(random, 3, 2, 2, 1);
  for (const bool empty : {true, false}) {
    GlobalFrictionContact bad = good;
    MatX M = good.M;
    if (empty) {
      M.row(4).setZero();
      M.col(4).setZero();
    } else {
      M.row(4) = M.row(0);
      M.col(4) = M.col(0);
      M(4, 4) = M(0, 0);
    }
    bad.M = test::to_sparse(M);
    try {
      const LocalForm local(bad, "file.hdf5");
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what())
                    .find("file.hdf5: M: expected a non-singular mass matrix, got a singular one"),
                std::string::npos);
    }
  }
}

// A contact that moves nothing has a zero diagonal block in W and is refused.
TEST(LocalForm, RefusesAContactThatMovesNothing) {
  Random random(3);
  GlobalFrictionContact global = test::random_global(random, 3, 2, 2, 1);
  MatX H = global.H;
  H.rightCols(3).setZero();
  global.H = test::to_sparse(H);
  EXPECT_THROW(LocalForm{global}, InputError);
}

// The pyramid of k directions spans ±t1 and ±t2 with the weights of its definition, so that z of
// one direction gives a unit tangential impulse; the LCP's rows are u·d + λ, u_N and μ r_N − Σβ.
TEST(ToLcp, RowsAreTheirDefinition) {
  Random random(4);
  for (const Index d : {2, 3}) {
    const FrictionContact problem = test::random_local(random, d, 2, 2, 1);
    const Index k = d == 2 ? 2 : 6;
    const PolyhedralLcp pyramid = to_lcp(problem, 6);
    ASSERT_EQ(pyramid.lcp.size(), 2 * (k + 2));
    VecX z(pyramid.lcp.size());
    for (Index i = 0; i < z.size(); ++i) z[i] = random.uniform(0, 1);
    const VecX r = pyramid.impulse * z;
    const VecX u = problem.W * r + problem.b, w = pyramid.lcp.M * z + pyramid.lcp.q;
    for (Index c = 0; c < 2; ++c) {
      Real sum = 0;
      VecX tangential = VecX::Zero(d - 1);
      for (Index j = 0; j < k; ++j) {
        const Real angle = 2 * M_PI * static_cast<Real>(j) / static_cast<Real>(k);
        VecX direction(d - 1);
        direction[0] = std::cos(angle);
        if (d == 3) direction[1] = std::sin(angle);
        const Real beta = z[k * c + j], lambda = z[2 * (k + 1) + c];
        EXPECT_NEAR(w[k * c + j], u.segment(d * c + 1, d - 1).dot(direction) + lambda, 1e-13);
        sum += beta;
        tangential += beta * direction;
      }
      EXPECT_NEAR(w[2 * k + c], u[d * c], 1e-13);
      EXPECT_NEAR(w[2 * (k + 1) + c], problem.friction[c] * z[2 * k + c] - sum, 1e-14);
      EXPECT_NEAR((r.segment(d * c + 1, d - 1) - tangential).norm(), 0, 1e-14);
      EXPECT_EQ(r[d * c], z[2 * k + c]);
    }
  }
}

// A contact with an axis and no friction, μ = μ₂ = 0, is alike in all directions: S = 1.
TEST(LocalContact, WithoutFrictionAlongItsAxisNorAcross) {
  RigidContact problem;
  for (int i = 0; i < 2; ++i) {
    problem.bodies.push_back({Vec3(0, 0, i), 1, Vec3::Zero(), 1});
    problem.inverse_inertia.emplace_back(Mat3::Identity());
    problem.length.push_back(1);
  }
  problem.general.push_back({Vec3::UnitZ(), 0, Vec3::UnitZ(), -Vec3::UnitZ(), 0, 0, 1});
  problem.resistance.emplace_back();
  problem.resistance[0].axis = Vec3::UnitX();
  const LocalContact contact = local_contact(problem, 0);
  EXPECT_EQ(contact.basis, resistance_frame(problem.general[0], problem.resistance[0]));
  EXPECT_TRUE(contact.rows_a.allFinite());
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
