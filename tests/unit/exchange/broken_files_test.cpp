#include <gtest/gtest.h>

#include <talus/base/error.hpp>
#include <talus/exchange/fclib.hpp>

#include "support/broken_problems.hpp"
#include "support/content_of.hpp"
#include "support/damaged_indices.hpp"
#include "support/scratch.hpp"

// HDF5 1.10 itself leaks when it opens damaged files; its leaks are not Talus's.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace talus::exchange::TALUS_TEST_FILE {
namespace {

std::string temporary(const std::string& name) {
  static const test::Scratch scratch;
  return (scratch / (name + ".hdf5")).string();
}

std::string message_of(const std::string& path) {
  try {
    (void)read_fclib(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Before they are spoilt, both raw files are read without complaint.
TEST(BrokenFiles, TheUnspoiltFilesAreGood) {
  for (const bool is_local : {true, false}) {
    const std::string path = temporary("good");
    test::spoil(is_local, [](test::RawFile&) {})(path);
    EXPECT_EQ(message_of(path), "");
    std::filesystem::remove(path);
  }
}

// Every broken file is an InputError that names the file, the place and what was found: never a
// crash, never a problem.
TEST(BrokenFiles, EachGivesAnInputErrorThatSaysWhy) {
  const auto cases = test::broken_problems();
  EXPECT_GE(cases.size(), 20u);
  for (const test::BrokenProblem& broken : cases) {
    const std::string path = temporary(broken.name);
    broken.make(path);
    const std::string message = message_of(path);
    EXPECT_NE(message.find(broken.expected), std::string::npos) << broken.name << ": " << message;
    EXPECT_EQ(message.rfind(path, 0), 0u) << broken.name << ": " << message;
    std::filesystem::remove(path);
  }
}

// A missing file and a directory are named as such.
TEST(BrokenFiles, MissingFileAndDirectory) {
  EXPECT_EQ(message_of("/nowhere/problem.hdf5"), "/nowhere/problem.hdf5: no such file");
  EXPECT_NE(message_of(testing::TempDir()).find("got a directory"), std::string::npos);
}

// Single bytes of a good file inverted, one in 31: a problem or an InputError, nothing else.
TEST(BrokenFiles, SurvivesFlippedBytes) {
  const std::string path = temporary("flipped");
  test::spoil(true, [](test::RawFile&) {})(path);
  std::string good;
  {
    std::ifstream in(path, std::ios::binary);
    good.assign(std::istreambuf_iterator<char>(in), {});
  }
  int errors = 0;
  for (std::size_t k = 0; k < good.size(); k += 31) {
    std::string bad = good;
    bad[k] = static_cast<char>(~bad[k]);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bad;
    errors += message_of(path).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 20);
  std::filesystem::remove(path);
}

// Files of other programs are mostly in HDF5's older form, without checksums, and HDF5 itself
// breaks where their indices are damaged: the file is refused, the program goes on.
TEST(BrokenFiles, SurvivesDamagedIndices) {
  const std::string path = temporary("indices");
  test::spoil(true, [](test::RawFile&) {})(path);
  const std::vector<std::string> all = test::with_damaged_indices(test::content_of(path));
  ASSERT_GT(all.size(), 40U);
  std::size_t refused = 0, broken = 0;
  for (const std::string& bytes : all) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const std::string message = message_of(path);
    refused += message.empty() ? 0 : 1;
    broken += message.find("HDF5 breaks") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(refused, all.size() / 4);
  EXPECT_GT(broken, 0U);
  std::filesystem::remove(path);
}

// HDF5 prints nothing of its own while files are refused.
TEST(BrokenFiles, KeepsHdf5Quiet) {
  const std::string path = temporary("quiet");
  test::broken_problems()[3].make(path);
  testing::internal::CaptureStderr();
  EXPECT_NE(message_of(path), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  std::filesystem::remove(path);
}

// Only files with FCLIB's groups pass for problem files.
TEST(BrokenFiles, IsFclibLooksForTheGroups) {
  const std::string path = temporary("is_fclib");
  { test::RawFile(path).group("mesh"); }
  EXPECT_FALSE(is_fclib(path));
  EXPECT_FALSE(is_fclib("/nowhere"));
  { test::RawFile(path).group("fclib_local"); }
  EXPECT_TRUE(is_fclib(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace talus::exchange::TALUS_TEST_FILE
