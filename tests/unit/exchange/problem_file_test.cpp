#include <gtest/gtest.h>

#include <filesystem>

#include <talus/base/error.hpp>
#include <talus/exchange/fclib_classes.hpp>
#include <talus/exchange/lcp_file.hpp>
#include <talus/exchange/problem_file.hpp>

#include "support/broken_problems.hpp"
#include "support/class_problems.hpp"
#include "support/scratch.hpp"

namespace talus::exchange::TALUS_TEST_FILE {
namespace {

constexpr std::initializer_list<MatrixStorage> kStorages = {
    MatrixStorage::triplet, MatrixStorage::compressed_column, MatrixStorage::compressed_row};

std::string temporary(const std::string& name) {
  static const test::Scratch scratch;
  return (scratch / name).string();
}

std::string message_of(const std::string& path) {
  try {
    (void)read_problem(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Written and read again, a problem of every class has the same numbers bit for bit, in all three
// storage forms, and is found by the name of its group.
TEST(ProblemFile, RoundTripIsExact) {
  Random random(1);
  const std::string path = temporary("round_trip.hdf5");
  for (const MatrixStorage storage : kStorages) {
    problem::RollingFrictionContact rolling = test::random_rolling(random, 3).problem;
    rolling.W.coeffRef(0, 1) *= 1.5;  // kept unsymmetric
    write_fclib(path, rolling, "three wheels", storage);
    const auto rolling_again = std::get<problem::RollingFrictionContact>(read_problem(path));
    EXPECT_EQ(MatX(rolling_again.W), MatX(rolling.W));
    EXPECT_EQ(rolling_again.b, rolling.b);
    EXPECT_EQ(rolling_again.friction, rolling.friction);
    EXPECT_EQ(rolling_again.rolling, rolling.rolling);

    for (const Index d : {2, 3}) {
      problem::BilateralContact joints = test::random_bilateral(random, d, 4, 2).problem;
      const MatX W = MatX(joints.W);
      joints.W = test::to_sparse(0.5 * (W + W.transpose()));  // symmetric to the last bit
      joints.W.coeffRef(4, 5) *= 1.5;                         // but on the contacts
      write_fclib(path, joints, "", storage);
      const auto joints_again = std::get<problem::BilateralContact>(read_problem(path));
      EXPECT_EQ(joints_again.equality_count, 4);
      EXPECT_EQ(joints_again.dimension, d);
      EXPECT_EQ(MatX(joints_again.W), MatX(joints.W));
      EXPECT_EQ(joints_again.b, joints.b);
      EXPECT_EQ(joints_again.friction, joints.friction);
    }

    problem::Lcp lcp = test::friction_lcp(random, 2, 4, 6, 0.5);
    write_lcp(path, lcp, "two contacts", storage);
    const auto lcp_again = std::get<problem::Lcp>(read_problem(path));
    EXPECT_EQ(lcp_again.M, lcp.M);
    EXPECT_EQ(lcp_again.q, lcp.q);

    const auto global = test::random_global(random, 3, 2, 2, 1);
    write_fclib(path, global, "", storage);
    EXPECT_EQ(MatX(std::get<problem::GlobalFrictionContact>(read_problem(path)).M), MatX(global.M));
    const auto local = test::dense_local(global);
    write_fclib(path, local, "", storage);
    EXPECT_EQ(MatX(std::get<problem::FrictionContact>(read_problem(path)).W), MatX(local.W));
    EXPECT_TRUE(is_problem_file(path));
  }
  std::filesystem::remove(path);
}

template <class Global>
void expect_same_motion(const Global& read, const Global& written) {
  EXPECT_EQ(MatX(read.M), MatX(written.M));
  EXPECT_EQ(MatX(read.H), MatX(written.H));
  EXPECT_EQ(read.f, written.f);
  EXPECT_EQ(read.w, written.w);
  EXPECT_EQ(read.friction, written.friction);
}

// The same for the global forms with rolling and with constraints: H and G have more rows than
// columns or fewer, M is not symmetric.
TEST(ProblemFile, RoundTripOfGlobalFormsIsExact) {
  Random random(2);
  const std::string path = temporary("global_round_trip.hdf5");
  for (const MatrixStorage storage : kStorages)
    for (const Index contacts : {1, 4}) {
      auto rolling = test::random_global_rolling(random, 2, contacts);
      rolling.M.coeffRef(0, 1) *= 1.5;
      write_fclib(path, rolling, "wheels", storage);
      const auto read = std::get<problem::GlobalRollingFrictionContact>(read_problem(path));
      expect_same_motion(read, rolling);
      EXPECT_EQ(read.rolling, rolling.rolling);

      const Index d = contacts == 1 ? 2 : 3;
      auto joints = test::random_global_bilateral(random, d, 2, 3, contacts);
      joints.M.coeffRef(0, 1) *= 1.5;
      write_fclib(path, joints, "joints", storage);
      const auto joints_read = std::get<problem::GlobalBilateralContact>(read_problem(path));
      expect_same_motion(joints_read, joints);
      EXPECT_EQ(joints_read.dimension, d);
      EXPECT_EQ(MatX(joints_read.G), MatX(joints.G));
      EXPECT_EQ(joints_read.b, joints.b);
    }
  std::filesystem::remove(path);
}

// Files that another program writes: every matrix of every form may come in any of the three
// storages, with indices in any order and room to spare (nzmax above what is used), and means the
// same matrix. The 2×3 pattern of a permutation-like matrix tells rows from columns.
TEST(ProblemFile, ReadsEveryStorageOfEveryMatrix) {
  using test::RawFile;
  const std::string path = temporary("storages.hdf5");
  struct Stored {
    long long nz;
    std::vector<long long> p, i;
    std::vector<double> x;
  };
  // M = 2 I (2×2); columns (H and G) 2×3 resp. 2×1: H = [1 0 5; 0 3 −1], unsorted on purpose.
  const auto write = [](RawFile& file, const std::string& group, long long m, long long n,
                        const Stored& s) {
    file.group(group);
    file.integers(group + "/m", {m});
    file.integers(group + "/n", {n});
    file.integers(group + "/nz", {s.nz});
    file.integers(group + "/nzmax", {static_cast<long long>(s.x.size())});
    file.integers(group + "/p", s.p);
    file.integers(group + "/i", s.i);
    file.reals(group + "/x", s.x);
  };
  // A spare entry 99 at the end of each must not be read.
  const std::vector<Stored> M = {{2, {1, 0, 0}, {1, 0, 0}, {2, 2, 99}},
                                 {-1, {0, 1, 2}, {0, 1, 0}, {2, 2, 99}},
                                 {-2, {0, 1, 2}, {0, 1, 0}, {2, 2, 99}}};
  const std::vector<Stored> H = {{4, {2, 1, 0, 2, 0}, {1, 1, 0, 0, 0}, {-1, 3, 1, 5, 99}},
                                 {-1, {0, 1, 2, 4}, {0, 1, 1, 0, 0}, {1, 3, -1, 5, 99}},
                                 {-2, {0, 2, 4}, {2, 0, 1, 2, 0}, {5, 1, 3, -1, 99}}};
  const std::vector<Stored> G = {{2, {0, 0, 0}, {1, 0, 0}, {-4, 7, 99}},
                                 {-1, {0, 2}, {1, 0, 0}, {-4, 7, 99}},
                                 {-2, {0, 1, 2}, {0, 0, 0}, {7, -4, 99}}};
  MatX H_expected(2, 3);
  H_expected << 1, 0, 5, 0, 3, -1;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c) {
        {
          RawFile file(path);
          file.group("fclib_global");
          file.integers("fclib_global/spacedim", {3});
          write(file, "fclib_global/M", 2, 2, M[a]);
          write(file, "fclib_global/H", 2, 3, H[b]);
          write(file, "fclib_global/G", 2, 1, G[c]);
          file.group("fclib_global/vectors");
          file.reals("fclib_global/vectors/f", {1, 2});
          file.reals("fclib_global/vectors/w", {-1, 0, 0});
          file.reals("fclib_global/vectors/b", {0.5});
          file.reals("fclib_global/vectors/mu", {0.3});
        }
        const auto problem = std::get<problem::GlobalBilateralContact>(read_problem(path));
        EXPECT_EQ(MatX(problem.M), MatX(2 * MatX::Identity(2, 2))) << a;
        EXPECT_EQ(MatX(problem.H), H_expected) << b;
        EXPECT_EQ(MatX(problem.G), MatX(Vec2(7, -4))) << c;
        EXPECT_EQ(problem.b, VecX::Constant(1, 0.5));
      }
  std::filesystem::remove(path);
}

// FCLIB's own letters: with V, R and s a file says Vᵀ r + R λ + s = 0 and u = W r + V λ + q. One
// contact in 2-D, V a column.
TEST(ProblemFile, ReadsBilateralPartsAsFclibDefinesThem) {
  const std::string path = temporary("bilateral.hdf5");
  {
    test::RawFile file(path);
    file.group("fclib_local");
    file.integers("fclib_local/spacedim", {2});
    test::write_matrix(file, "fclib_local/W", 2);  // 2 I
    test::write_matrix(file, "fclib_local/R", 1);  // 2
    file.group("fclib_local/V");
    file.integers("fclib_local/V/m", {2});
    file.integers("fclib_local/V/n", {1});
    file.integers("fclib_local/V/nz", {2});
    file.integers("fclib_local/V/nzmax", {2});
    file.integers("fclib_local/V/i", {0, 1});
    file.integers("fclib_local/V/p", {0, 0});
    file.reals("fclib_local/V/x", {0.5, -1});
    file.group("fclib_local/vectors");
    file.reals("fclib_local/vectors/q", {-1, 3});
    file.reals("fclib_local/vectors/s", {7});
    file.reals("fclib_local/vectors/mu", {0.3});
  }
  const auto problem = std::get<problem::BilateralContact>(read_problem(path));
  MatX expected(3, 3);
  expected << 2, 0.5, -1, 0.5, 2, 0, -1, 0, 2;
  EXPECT_EQ(MatX(problem.W), expected);
  EXPECT_EQ(problem.b, Vec3(7, -1, 3));
  EXPECT_EQ(problem.equality_count, 1);
  // The reader of the two plain forms refuses it: constraints are never dropped.
  try {
    (void)read_fclib(path);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("bilateral constraints"), std::string::npos);
  }
  std::filesystem::remove(path);
}

// A solution with impulses of constraints comes back with them.
TEST(ProblemFile, SolutionKeepsImpulsesOfConstraints) {
  const std::string path = temporary("solution.hdf5");
  write_fclib_solution(path, {VecX::Ones(2), VecX::Zero(2), {}, VecX::LinSpaced(3, 1, 3)});
  EXPECT_EQ(read_fclib_solution(path).l, VecX(VecX::LinSpaced(3, 1, 3)));
  std::filesystem::remove(path);
}

// A coupling that FCLIB cannot store is refused, not halved.
TEST(ProblemFile, RefusesAnUnsymmetricCoupling) {
  Random random(2);
  problem::BilateralContact joints = test::random_bilateral(random, 3, 2, 1).problem;
  joints.W.coeffRef(0, 3) += 0.1;
  EXPECT_THROW(write_fclib(temporary("coupling.hdf5"), joints), InputError);
}

// Every broken file of the new forms is an InputError that names the file, the place and what was
// found.
TEST(ProblemFile, BrokenFilesSayWhy) {
  using test::RawFile;
  const std::string path = temporary("broken.hdf5");
  const auto rolling = [](RawFile& f) {
    f.group("fclib_local_rolling");
    f.integers("fclib_local_rolling/spacedim", {5});
    test::write_matrix(f, "fclib_local_rolling/W", 5);
    f.group("fclib_local_rolling/vectors");
    f.reals("fclib_local_rolling/vectors/q", {-1, 0, 0, 0, 0});
    f.reals("fclib_local_rolling/vectors/mu", {0.5});
    f.reals("fclib_local_rolling/vectors/mu_r", {0.01});
  };
  const auto lcp = [](RawFile& f) {
    f.group("talus_lcp");
    test::write_matrix(f, "talus_lcp/M", 3);
    f.group("talus_lcp/vectors");
    f.reals("talus_lcp/vectors/q", {-1, 0, 2});
  };
  const auto bilateral = [](RawFile& f) {
    f.group("fclib_local");
    f.integers("fclib_local/spacedim", {3});
    test::write_matrix(f, "fclib_local/W", 6);
    test::write_matrix(f, "fclib_local/R", 6);
    test::write_matrix(f, "fclib_local/V", 6);
    f.group("fclib_local/vectors");
    f.reals("fclib_local/vectors/q", {-1, 0.5, 0, -1, 0, 0});
    f.reals("fclib_local/vectors/s", {-1, 0.5, 0, -1, 0, 0});
    f.reals("fclib_local/vectors/mu", {0.5, 0.5});
  };
  const auto global_rolling = [](RawFile& f) {
    f.group("fclib_global_rolling");
    f.integers("fclib_global_rolling/spacedim", {5});
    test::write_matrix(f, "fclib_global_rolling/M", 5);
    test::write_matrix(f, "fclib_global_rolling/H", 5);
    f.group("fclib_global_rolling/vectors");
    f.reals("fclib_global_rolling/vectors/f", {-1, 0, 0, 0, 0});
    f.reals("fclib_global_rolling/vectors/w", {0, 0, 0, 0, 0});
    f.reals("fclib_global_rolling/vectors/mu", {0.5});
    f.reals("fclib_global_rolling/vectors/mu_r", {0.01});
  };
  const auto global_bilateral = [](RawFile& f) {
    test::write_good_global(f);
    test::write_matrix(f, "fclib_global/G", 6);
    f.reals("fclib_global/vectors/b", {0, 0, 0, 0, 0, 0});
  };
  using Make = std::function<void(RawFile&)>;
  struct Case {
    Make good, spoil;
    std::string expected;
  };
  const auto replace = [](std::string place, std::vector<double> values) {
    return [=](RawFile& f) {
      f.remove(place);
      f.reals(place, values);
    };
  };
  const auto remove = [](std::string place) { return [=](RawFile& f) { f.remove(place); }; };
  const std::string roll = "fclib_local_rolling/", wheel = "fclib_global_rolling/";
  const auto with_matrix = [](std::string group) {
    return [=](RawFile& f) { test::write_matrix(f, group, 5); };
  };
  const std::vector<Case> cases = {
      {rolling,
       [roll](RawFile& f) {
         f.remove(roll + "spacedim");
         f.integers(roll + "spacedim", {3});
       },
       "spacedim: expected 5 rows per contact, got 3"},
      {rolling, remove(roll + "vectors/mu_r"), "mu_r: expected a dataset, found nothing"},
      {rolling, replace(roll + "vectors/mu_r", {-1}),
       "mu_r: expected μ_r ≥ 0, got -1 at contact 0"},
      {rolling, replace(roll + "vectors/mu_r", {1, 1}), "mu_r: expected 1 numbers"},
      {rolling, replace(roll + "vectors/q", {1, 1}), "q: expected 5 numbers (5 × contacts), got 2"},
      {rolling, replace(roll + "vectors/mu", {0.5, 1}), "W: expected a 10×10 matrix"},
      {rolling, with_matrix(roll + "V"), "fclib_local_rolling/V: bilateral constraints in"},
      {global_rolling,
       [wheel](RawFile& f) {
         f.remove(wheel + "spacedim");
         f.integers(wheel + "spacedim", {3});
       },
       "fclib_global_rolling/spacedim: expected 5 rows per contact, got 3"},
      {global_rolling, remove(wheel + "M"), "fclib_global_rolling/M: expected a matrix, found"},
      {global_rolling, remove(wheel + "H"), "fclib_global_rolling/H: expected a matrix, found"},
      {global_rolling, remove(wheel + "H/p"), "fclib_global_rolling/H/p: expected a dataset"},
      {global_rolling, remove(wheel + "vectors/f"), wheel + "vectors/f: expected a dataset, found"},
      {global_rolling, remove(wheel + "vectors/w"), wheel + "vectors/w: expected a dataset, found"},
      {global_rolling, remove(wheel + "vectors/mu"), wheel + "vectors/mu: expected a dataset"},
      {global_rolling, remove(wheel + "vectors/mu_r"), wheel + "vectors/mu_r: expected a dataset"},
      {global_rolling, replace(wheel + "vectors/mu", {1, 1}), "H: expected a 5×10 matrix (rows of"},
      {global_rolling, replace(wheel + "vectors/mu_r", {-2}), "mu_r: expected μ_r ≥ 0, got -2"},
      {global_rolling, with_matrix(wheel + "G"), wheel + "G: bilateral constraints in a problem"},
      {global_bilateral, remove("fclib_global/vectors/b"), "fclib_global/vectors/b: expected a"},
      {global_bilateral, remove("fclib_global/G/x"), "fclib_global/G/x: expected a dataset, found"},
      {global_bilateral, replace("fclib_global/vectors/b", {1, 2}), "G: expected a 6×2 matrix"},
      {global_bilateral, replace("fclib_global/vectors/b", {1, 2, 3, 4, 5, NAN}),
       "b: expected finite numbers, got nan at index 5"},
      {global_bilateral, global_rolling, "holds both fclib_global and fclib_global_rolling"},
      {rolling, lcp, "holds both fclib_local_rolling and talus_lcp"},
      {lcp, remove("talus_lcp/vectors/q"),
       "talus_lcp/vectors/q: expected a dataset, found nothing"},
      {lcp, replace("talus_lcp/vectors/q", {1, 1}), "talus_lcp/M: expected a 2×2 matrix"},
      {lcp, replace("talus_lcp/vectors/q", {1, 1, NAN}), "q: expected finite numbers, got nan"},
      {lcp, replace("talus_lcp/M/x", {1, 1, NAN}), "M: expected finite numbers, got nan"},
      {lcp, remove("talus_lcp/M"), "talus_lcp/M: expected a matrix, found nothing"},
      {bilateral, remove("fclib_local/R"), "fclib_local/R: expected a matrix, found nothing"},
      {bilateral, remove("fclib_local/V"), "fclib_local/V: expected a matrix, found nothing"},
      {bilateral, remove("fclib_local/vectors/s"), "vectors/s: expected a dataset, found nothing"},
      {bilateral, replace("fclib_local/vectors/s", {1}), "fclib_local/R: expected a 1×1 matrix"},
      {bilateral, replace("fclib_local/vectors/q", {1, 1, 1}), "fclib_local/V: expected a 3×6"},
      {bilateral, replace("fclib_local/R/x", {1, 1, -1, 1, 1, 1}), "entry ≥ 0 in row 2, got -1"},
      {bilateral, replace("fclib_local/vectors/mu", {0.5}), "W: expected a 9×9 matrix"},
      {[](RawFile&) {}, [](RawFile&) {}, "found an empty file"},
      {[](RawFile&) {}, [](RawFile& f) { f.group("mesh"); },
       "expected a group fclib_local, fclib_global, fclib_local_rolling, fclib_global_rolling or "
       "talus_lcp, found mesh"}};
  for (const Case& broken : cases) {
    {
      RawFile file(path);
      broken.good(file);
    }
    const std::string before = message_of(path);
    EXPECT_TRUE(before.empty() || before.find("found an empty file") != std::string::npos)
        << before;
    {
      RawFile file(path);
      broken.good(file);
      broken.spoil(file);
    }
    const std::string message = message_of(path);
    EXPECT_NE(message.find(broken.expected), std::string::npos)
        << broken.expected << "\n got: " << message;
    EXPECT_EQ(message.rfind(path, 0), 0u) << message;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace talus::exchange::TALUS_TEST_FILE
