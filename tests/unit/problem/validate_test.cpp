#include <talus/problem/validate.hpp>

#include <gtest/gtest.h>

#include <talus/base/error.hpp>

#include "support/contact_problems.hpp"

namespace talus::problem::TALUS_TEST_FILE {
namespace {

template <class Problem>
std::string message_of(const Problem& problem) {
  try {
    validate(problem, "file.hdf5");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_message(const std::string& message, const std::string& part) {
  EXPECT_NE(message.find(part), std::string::npos) << "got: " << message;
}

FrictionContact good_local() {
  Random random(1);
  return test::random_local(random, 3, 2, 2, 1);
}

// A valid problem of each class passes the door.
TEST(Validate, LetsValidProblemsPass) {
  Random random(1);
  EXPECT_EQ(message_of(good_local()), "");
  EXPECT_EQ(message_of(test::random_global(random, 2, 2, 3, 1)), "");
  EXPECT_EQ(message_of(Lcp{MatX::Identity(3, 3), VecX::Ones(3)}), "");
  EXPECT_EQ(message_of(Lcp{MatX(0, 0), VecX(0)}), "");
}

// Each mistake in a local problem is named with its place, what was found and what is allowed.
TEST(Validate, NamesMistakesOfLocalProblems) {
  FrictionContact p = good_local();
  p.dimension = 4;
  expect_message(message_of(p), "file.hdf5: spacedim: expected 2 or 3, got 4");
  p = good_local();
  p.b.conservativeResize(5);
  expect_message(message_of(p), "q: expected 6 numbers (dimension × contacts), got 5");
  p = good_local();
  p.friction = VecX::Ones(3);
  expect_message(message_of(p), "W: expected a 9×9 matrix");
  p = good_local();
  p.friction[1] = -0.5;
  expect_message(message_of(p), "mu: expected μ ≥ 0, got -0.5 at contact 1");
  p = good_local();
  p.friction[0] = NAN;
  expect_message(message_of(p), "mu: expected finite numbers, got nan at index 0");
  p = good_local();
  p.b[4] = INFINITY;
  expect_message(message_of(p), "q: expected finite numbers, got inf at index 4");
  p = good_local();
  p.W.coeffRef(2, 3) = NAN;
  expect_message(message_of(p), "W: expected finite numbers, got nan at row 2, column 3");
  p = good_local();
  p.W.coeffRef(3, 3) = 0;
  expect_message(message_of(p),
                 "W: expected a diagonal entry > 0 in the normal row of contact 1, got 0");
  p = good_local();
  p.W.coeffRef(5, 5) = -1;
  expect_message(message_of(p), "entry ≥ 0 in the tangential row of contact 1, got -1");
}

// Several mistakes come in one error.
TEST(Validate, CollectsSeveralMistakes) {
  FrictionContact p = good_local();
  p.friction[0] = -1;
  p.b[0] = NAN;
  const std::string message = message_of(p);
  expect_message(message, "mu:");
  expect_message(message, "q:");
}

// The same for global problems and LCPs.
TEST(Validate, NamesMistakesOfGlobalProblemsAndLcps) {
  Random random(1);
  const GlobalFrictionContact good = test::random_global(random, 3, 2, 2, 1);
  GlobalFrictionContact p = good;
  p.f.conservativeResize(3);
  expect_message(message_of(p), "f: expected 12 numbers (rows of M), got 3");
  p = good;
  p.w.conservativeResize(3);
  expect_message(message_of(p), "w: expected 6 numbers");
  p = good;
  p.H = SparseMatrix(12, 5);
  expect_message(message_of(p),
                 "H: expected a 12×6 matrix (rows of M × dimension·contacts), got 12×5");
  p = good;
  p.M = SparseMatrix(12, 11);
  expect_message(message_of(p), "M: expected a 12×12 matrix (square), got 12×11");
  expect_message(message_of(Lcp{MatX(2, 3), VecX(2)}), "M: expected a 2×2 matrix");
  Lcp lcp{MatX::Identity(2, 2), VecX::Ones(2)};
  lcp.M(1, 0) = NAN;
  expect_message(message_of(lcp), "M: expected finite numbers, got nan at row 1, column 0");
}

}  // namespace
}  // namespace talus::problem::TALUS_TEST_FILE
