#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/problem/validate.hpp>

#include "support/class_problems.hpp"

namespace talus::problem::TALUS_TEST_FILE {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

template <class Problem>
std::string message_of(const Problem& problem) {
  try {
    validate(problem, "file.hdf5");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// Spoils a good problem and expects a message that names the file and contains a text.
template <class Problem>
void expect_refusal(Problem problem, const std::function<void(Problem&)>& spoil,
                    const std::string& expected) {
  ASSERT_EQ(message_of(problem), "");
  spoil(problem);
  const std::string message = message_of(problem);
  EXPECT_NE(message.find(expected), std::string::npos) << "got: " << message;
  EXPECT_EQ(message.rfind("file.hdf5: ", 0), 0u) << "got: " << message;
}

/// A cone problem with every kind of set: free 2, nonnegative 1, box 1, friction 3, rolling 5.
ConeProblem good_cones() {
  ConeProblem p;
  p.W = test::to_sparse(2 * MatX::Identity(12, 12));
  p.b = VecX::Ones(12);
  p.cones = {{ConeKind::free, 0, 2, 0, 0},
             {ConeKind::nonnegative, 2, 1, 0, 0},
             {ConeKind::box, 3, 1, 0, 0},
             {ConeKind::friction, 4, 3, 0.5, 0},
             {ConeKind::rolling, 7, 5, 0.5, 0.01}};
  p.lower = VecX::Constant(12, -kInfinity);
  p.upper = VecX::Constant(12, kInfinity);
  return p;
}

// Random problems of every class, made well, pass the door.
TEST(ValidateClasses, LetsValidProblemsPass) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(message_of(test::random_cones(random, i % 6).problem), "");
    EXPECT_EQ(message_of(test::random_rolling(random, i % 3).problem), "");
    EXPECT_EQ(message_of(test::random_bilateral(random, 2 + i % 2, i % 4, i % 3).problem), "");
    EXPECT_EQ(message_of(test::random_bounded(random, 1 + i % 2, i % 4).problem), "");
    EXPECT_EQ(message_of(test::random_mlcp(random, i % 3, i % 4).problem), "");
  }
  EXPECT_EQ(message_of(good_cones()), "");
}

// Each mistake in a cone problem is named with its place, what was found and what is allowed.
TEST(ValidateClasses, NamesMistakesOfConeProblems) {
  const auto refused = [](const std::function<void(ConeProblem&)>& spoil,
                          const std::string& expected) {
    expect_refusal<ConeProblem>(good_cones(), spoil, expected);
  };
  refused([](auto& p) { p.b = VecX::Ones(11); }, "W: expected a 11×11 matrix (the size of b), got");
  refused([](auto& p) { p.lower.resize(3); }, "lower: expected 12 numbers (the size of b), got 3");
  refused([](auto& p) { p.cones.pop_back(); }, "cones: expected cones over 12 rows, got 7");
  refused([](auto& p) { p.cones[1].first = 3; }, "cones[1]: expected the first row 2, got 3");
  refused([](auto& p) { p.cones[0].size = 0; },
          "cones[0]: expected at least 1 rows for a cone of kind free, got 0");
  refused([](auto& p) { p.cones[3].size = 4; }, "expected 2 or 3 rows for a cone of kind friction");
  refused([](auto& p) { p.cones[4].size = 3; },
          "expected 5 rows for a cone of kind rolling, got 3");
  refused([](auto& p) { p.cones[3].friction = -1; }, "cones[3]: expected a finite μ ≥ 0, got -1");
  refused([](auto& p) { p.cones[4].friction = NAN; }, "cones[4]: expected a finite μ ≥ 0, got nan");
  refused([](auto& p) { p.cones[4].rolling = kInfinity; }, "expected a finite μ_r ≥ 0, got inf");
  refused([](auto& p) { p.b[2] = NAN; }, "b: expected finite numbers, got nan at index 2");
  refused([](auto& p) { p.W.coeffRef(3, 3) = NAN; }, "W: expected finite numbers, got nan");
  refused([](auto& p) { p.W.coeffRef(4, 4) = 0; }, "W: expected a diagonal entry > 0 in row 4");
  refused([](auto& p) { p.W.coeffRef(0, 0) = -1; }, "W: expected a diagonal entry ≥ 0 in row 0");
  refused([](auto& p) { p.lower[3] = NAN; }, "lower: expected a number or −∞, got nan at index 3");
  refused([](auto& p) { p.lower[3] = kInfinity; }, "lower: expected a number or −∞, got inf");
  refused([](auto& p) { p.upper[3] = -kInfinity; }, "upper: expected a number or ∞, got -inf");
  refused(
      [](auto& p) {
        p.lower[3] = 2;
        p.upper[3] = 1;
      },
      "lower: expected lower ≤ upper, got 2 > 1 at index 3");
  refused([](auto& p) { p.cones[2].kind = ConeKind::free; },
          "expected 0 numbers (no cone is a box");
}

// The same for bound-constrained QPs, and an unsymmetric matrix is refused with both entries.
TEST(ValidateClasses, NamesMistakesOfBoxQps) {
  const BoxQp good{test::to_sparse(2 * MatX::Identity(3, 3)), VecX::Ones(3), VecX::Zero(3),
                   VecX::Ones(3)};
  const auto refused = [&](const std::function<void(BoxQp&)>& spoil, const std::string& expected) {
    expect_refusal<BoxQp>(good, spoil, expected);
  };
  refused([](auto& p) { p.g = VecX::Ones(2); },
          "H: expected a 2×2 matrix (the size of g), got 3×3");
  refused([](auto& p) { p.upper.resize(2); }, "upper: expected 3 numbers (the size of g), got 2");
  refused([](auto& p) { p.g[0] = kInfinity; }, "g: expected finite numbers, got inf at index 0");
  refused([](auto& p) { p.H.coeffRef(1, 1) = -2; }, "H: expected a diagonal entry ≥ 0 in row 1");
  refused([](auto& p) { p.H.coeffRef(0, 2) = 0.5; },
          "H: expected a symmetric matrix, got 0.5 at (0, 2) and 0 at (2, 0)");
  refused([](auto& p) { p.lower[1] = 3; }, "lower: expected lower ≤ upper, got 3 > 1 at index 1");
  BoxQp nearly = good;
  nearly.H.coeffRef(0, 2) = 1e-10;
  EXPECT_EQ(message_of(nearly), "");
}

// The same for rolling contacts.
TEST(ValidateClasses, NamesMistakesOfRollingContacts) {
  Random random(2);
  const RollingFrictionContact good = test::random_rolling(random, 2).problem;
  const auto refused = [&](const std::function<void(RollingFrictionContact&)>& spoil,
                           const std::string& expected) {
    expect_refusal<RollingFrictionContact>(good, spoil, expected);
  };
  refused([](auto& p) { p.friction = VecX::Ones(3); }, "W: expected a 15×15 matrix (5 × contacts");
  refused([](auto& p) { p.rolling = VecX::Ones(1); }, "mu_r: expected 2 numbers (contacts, as mu)");
  refused([](auto& p) { p.b.resize(9); }, "q: expected 10 numbers (5 × contacts), got 9");
  refused([](auto& p) { p.rolling[1] = -0.1; }, "mu_r: expected μ_r ≥ 0, got -0.1 at contact 1");
  refused([](auto& p) { p.rolling[0] = NAN; }, "mu_r: expected finite numbers, got nan at index 0");
  refused([](auto& p) { p.friction[0] = -2; }, "mu: expected μ ≥ 0, got -2 at contact 0");
  refused([](auto& p) { p.W.coeffRef(5, 5) = 0; }, "entry > 0 in the normal row of contact 1");
  refused([](auto& p) { p.W.coeffRef(6, 6) = -1; }, "entry ≥ 0 in the tangential row of contact 1");
  refused([](auto& p) { p.W.coeffRef(9, 9) = -1; }, "entry ≥ 0 in the rolling row of contact 1");
}

// The same for the global forms.
TEST(ValidateClasses, NamesMistakesOfGlobalForms) {
  Random random(4);
  using Rolling = GlobalRollingFrictionContact;
  const Rolling rolling = test::random_global_rolling(random, 2, 2);
  for (const auto& [spoil, expected] :
       std::vector<std::pair<std::function<void(Rolling&)>, std::string>>{
           {[](auto& p) { p.friction = VecX::Ones(3); }, "H: expected a 12×15 matrix (rows of M ×"},
           {[](auto& p) { p.rolling = VecX::Ones(1); }, "mu_r: expected 2 numbers (contacts, as"},
           {[](auto& p) { p.rolling[1] = -1; }, "mu_r: expected μ_r ≥ 0, got -1 at contact 1"},
           {[](auto& p) { p.friction[0] = NAN; }, "mu: expected finite numbers, got nan"},
           {[](auto& p) { p.M.conservativeResize(12, 11); }, "M: expected a 12×12 matrix (square)"},
           {[](auto& p) { p.f.resize(11); }, "f: expected 12 numbers (rows of M), got 11"},
           {[](auto& p) { p.w[3] = INFINITY; }, "w: expected finite numbers, got inf at index 3"}})
    expect_refusal<Rolling>(rolling, spoil, expected);
  using Joints = GlobalBilateralContact;
  const Joints joints = test::random_global_bilateral(random, 3, 2, 3, 2);
  for (const auto& [spoil, expected] :
       std::vector<std::pair<std::function<void(Joints&)>, std::string>>{
           {[](auto& p) { p.dimension = 4; }, "spacedim: expected 2 or 3, got 4"},
           {[](auto& p) { p.b.resize(2); },
            "G: expected a 12×2 matrix (rows of M × the size of b)"},
           {[](auto& p) { p.G.conservativeResize(11, 3); }, "G: expected a 12×3 matrix"},
           {[](auto& p) { p.G.coeffRef(0, 1) = NAN; }, "G: expected finite numbers, got nan"},
           {[](auto& p) { p.b[2] = NAN; }, "b: expected finite numbers, got nan at index 2"},
           {[](auto& p) { p.H.coeffRef(0, 1) = NAN; }, "H: expected finite numbers, got nan"},
           {[](auto& p) { p.friction[1] = -1; }, "mu: expected μ ≥ 0, got -1 at contact 1"}})
    expect_refusal<Joints>(joints, spoil, expected);
}

// The same for constraints with contacts, for joints with friction and for mixed LCPs.
TEST(ValidateClasses, NamesMistakesOfTheOtherClasses) {
  Random random(3);
  using Spoil = std::function<void(BilateralContact&)>;
  const BilateralContact bilateral = test::random_bilateral(random, 3, 2, 2).problem;
  for (const auto& [spoil, expected] : std::vector<std::pair<Spoil, std::string>>{
           {[](auto& p) { p.dimension = 1; }, "spacedim: expected 2 or 3, got 1"},
           {[](auto& p) { p.equality_count = -1; }, "equality_count: expected a count ≥ 0, got -1"},
           {[](auto& p) { p.equality_count = 3; }, "W: expected a 9×9 matrix (constraints +"},
           {[](auto& p) { p.b[0] = NAN; }, "b: expected finite numbers, got nan at index 0"},
           {[](auto& p) { p.friction[1] = -1; }, "mu: expected μ ≥ 0, got -1 at contact 1"},
           {[](auto& p) { p.W.coeffRef(1, 1) = -1; }, "entry ≥ 0 in row 1, got -1"},
           {[](auto& p) { p.W.coeffRef(5, 5) = 0; }, "entry > 0 in the normal row of contact 1"}})
    expect_refusal<BilateralContact>(bilateral, spoil, expected);

  using SpoilBounded = std::function<void(BoundedFriction&)>;
  const BoundedFriction bounded = test::random_bounded(random, 2, 2).problem;
  for (const auto& [spoil, expected] : std::vector<std::pair<SpoilBounded, std::string>>{
           {[](auto& p) { p.dimension = 3; }, "dimension: expected 1 or 2, got 3"},
           {[](auto& p) { p.dimension = 1; }, "W: expected a 2×2 matrix (dimension × joints"},
           {[](auto& p) { p.bound[0] = -1; }, "bound: expected a bound ≥ 0, got -1 at joint 0"},
           {[](auto& p) { p.bound[1] = kInfinity; }, "bound: expected finite numbers, got inf"},
           {[](auto& p) { p.W.coeffRef(2, 2) = 0; }, "entry > 0 in row 2, got 0"}})
    expect_refusal<BoundedFriction>(bounded, spoil, expected);

  using SpoilMlcp = std::function<void(Mlcp&)>;
  const Mlcp mlcp = test::random_mlcp(random, 2, 3).problem;
  for (const auto& [spoil, expected] : std::vector<std::pair<SpoilMlcp, std::string>>{
           {[](auto& p) { p.A = MatX::Zero(2, 3); }, "A: expected a 2×2 matrix (the size of a)"},
           {[](auto& p) { p.C = MatX::Zero(3, 2); }, "C: expected a 2×3 matrix"},
           {[](auto& p) { p.D = MatX::Zero(2, 3); }, "D: expected a 3×2 matrix"},
           {[](auto& p) { p.B = MatX::Zero(2, 2); }, "B: expected a 3×3 matrix"},
           {[](auto& p) { p.D(2, 1) = NAN; }, "D: expected finite numbers, got nan at row 2, col"},
           {[](auto& p) { p.a[1] = -kInfinity; }, "a: expected finite numbers, got -inf"}})
    expect_refusal<Mlcp>(mlcp, spoil, expected);
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
