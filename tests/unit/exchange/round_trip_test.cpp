#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include <talus/base/error.hpp>
#include <talus/exchange/fclib.hpp>

#include "support/broken_problems.hpp"
#include "support/contact_problems.hpp"
#include "support/scratch.hpp"

namespace talus::exchange::TALUS_TEST_FILE {
namespace {

using problem::FrictionContact;
using problem::GlobalFrictionContact;

std::string temporary(const std::string& name) {
  static const test::Scratch scratch;
  return (scratch / name).string();
}

void expect_equal(const problem::SparseMatrix& a, const problem::SparseMatrix& b) {
  EXPECT_EQ(a.nonZeros(), b.nonZeros());
  EXPECT_EQ(MatX(a), MatX(b));
}

// Written and read again, a problem has the same numbers bit for bit, in all three storage forms,
// 2-D and 3-D, local and global, rectangular H included.
TEST(Fclib, RoundTripIsExact) {
  Random random(1);
  const std::string path = temporary("problem.hdf5");
  for (const MatrixStorage storage :
       {MatrixStorage::triplet, MatrixStorage::compressed_column, MatrixStorage::compressed_row})
    for (const Index d : {2, 3}) {
      const GlobalFrictionContact global = test::random_global(random, d, 2, 5, 1);
      write_fclib(path, global, "five contacts", storage);
      const auto global_again = std::get<GlobalFrictionContact>(read_fclib(path));
      EXPECT_EQ(global_again.dimension, d);
      expect_equal(global_again.M, global.M);
      expect_equal(global_again.H, global.H);
      EXPECT_EQ(global_again.f, global.f);
      EXPECT_EQ(global_again.w, global.w);
      EXPECT_EQ(global_again.friction, global.friction);

      FrictionContact local = test::dense_local(global);
      local.W.coeffRef(0, 1) *= 1.5;  // kept unsymmetric
      write_fclib(path, local, "", storage);
      const auto local_again = std::get<FrictionContact>(read_fclib(path));
      EXPECT_EQ(local_again.dimension, d);
      expect_equal(local_again.W, local.W);
      EXPECT_EQ(local_again.b, local.b);
      EXPECT_EQ(local_again.friction, local.friction);
    }
  std::filesystem::remove(path);
}

// Storage forms as FCLIB defines them: in a triplet i is the row and p the column, entries given
// twice are added, and arrays may be longer than what is used.
TEST(Fclib, ReadsTripletsOfOthers) {
  const std::string path = temporary("triplet.hdf5");
  {
    test::RawFile file(path);
    file.group("fclib_local");
    file.integers("fclib_local/spacedim", {2});
    file.group("fclib_local/W");
    file.integers("fclib_local/W/m", {2});
    file.integers("fclib_local/W/n", {2});
    file.integers("fclib_local/W/nz", {4});
    file.integers("fclib_local/W/nzmax", {5});
    file.integers("fclib_local/W/i", {0, 1, 0, 0});
    file.integers("fclib_local/W/p", {0, 1, 1, 0});
    file.reals("fclib_local/W/x", {1, 2, 0.5, 3, 99});
    file.group("fclib_local/vectors");
    file.reals("fclib_local/vectors/q", {-1, 0});
    file.reals("fclib_local/vectors/mu", {0.3});
  }
  MatX expected(2, 2);
  expected << 4, 0.5, 0, 2;
  EXPECT_EQ(MatX(std::get<FrictionContact>(read_fclib(path)).W), expected);
  std::filesystem::remove(path);
}

// A solution comes back bit for bit; v only where there is one.
TEST(Fclib, SolutionRoundTrip) {
  const std::string path = temporary("solution.hdf5");
  write_fclib_solution(path, {VecX::LinSpaced(6, 0, 1), VecX::LinSpaced(6, -1, 1), {}});
  FclibSolution again = read_fclib_solution(path);
  EXPECT_EQ(again.r, VecX(VecX::LinSpaced(6, 0, 1)));
  EXPECT_EQ(again.u, VecX(VecX::LinSpaced(6, -1, 1)));
  EXPECT_EQ(again.v.size(), 0);
  write_fclib_solution(path, {VecX::Ones(3), VecX::Zero(3), VecX::LinSpaced(4, 0, 3)});
  again = read_fclib_solution(path);
  EXPECT_EQ(again.v, VecX(VecX::LinSpaced(4, 0, 3)));
  std::filesystem::remove(path);
}

// A file that cannot be written is an input error that names it.
TEST(Fclib, RefusesToWriteNowhere) {
  Random random(2);
  try {
    write_fclib("/nowhere/at/all.hdf5", test::random_local(random, 2, 1, 1, 1));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("/nowhere/at/all.hdf5: cannot write this file"),
              std::string::npos);
  }
}

// The published test problems read, and writing them again loses nothing.
TEST(Fclib, ReadsThePublishedProblems) {
  const char* variable = std::getenv("TALUS_SHARED_DATA");
  const std::filesystem::path folder =
      (variable != nullptr ? std::filesystem::path(variable)
                           : std::filesystem::path(TALUS_SOURCE_DIR) / "../shared/data") /
      "fclib";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no folder " << folder << "; set TALUS_SHARED_DATA to the data folder";
  const std::string path = temporary("again.hdf5");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const FclibProblem problem = read_fclib(entry.path().string());
    std::visit([&](const auto& p) { write_fclib(path, p); }, problem);
    const FclibProblem again = read_fclib(path);
    ASSERT_EQ(problem.index(), again.index());
    if (const auto* local = std::get_if<FrictionContact>(&problem)) {
      const auto& other = std::get<FrictionContact>(again);
      EXPECT_EQ((local->W - other.W).norm(), 0);
      EXPECT_EQ(local->b, other.b);
    } else {
      const auto& global = std::get<GlobalFrictionContact>(problem);
      const auto& other = std::get<GlobalFrictionContact>(again);
      EXPECT_EQ((global.M - other.M).norm(), 0);
      EXPECT_EQ((global.H - other.H).norm(), 0);
      EXPECT_EQ(global.f, other.f);
    }
    ++count;
  }
  EXPECT_GE(count, 17);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace talus::exchange::TALUS_TEST_FILE
