#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/files/file_names.hpp>

namespace talus::files::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

// One holds the lock, a second one is refused; when the first ends, the lock and its file are gone.
TEST(FileLock, ExcludesASecond) {
  const test::Scratch scratch;
  std::optional<FileLock> first(std::in_place, scratch / "run.h5");
  EXPECT_THROW(FileLock(scratch / "run.h5"), InputError);
  EXPECT_NO_THROW(FileLock(scratch / "other.h5"));
  first.reset();
  EXPECT_NO_THROW(FileLock(scratch / "run.h5"));
  EXPECT_TRUE(fs::is_empty(scratch.folder()));
}

// A process that is killed holds no lock any more, though the lock's file is still there.
TEST(FileLock, EndsWithItsProcess) {
  const test::Scratch scratch;
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(scratch / "run.h5");
    std::ofstream(scratch / "locked") << "yes";
    for (;;) pause();
  }
  ASSERT_GT(child, 0);
  while (!fs::exists(scratch / "locked")) usleep(200);
  EXPECT_THROW(FileLock(scratch / "run.h5"), InputError);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(scratch / "run.h5.lock"));
  EXPECT_NO_THROW(FileLock(scratch / "run.h5"));
}

// A file of the user's that has the lock's name is not removed.
TEST(FileLock, RemovesNoFileOfOthers) {
  const test::Scratch scratch;
  std::ofstream(scratch / "run.h5.lock") << "notes";
  { const FileLock lock(scratch / "run.h5"); }
  EXPECT_EQ(fs::file_size(scratch / "run.h5.lock"), 5U);
}

}  // namespace
}  // namespace talus::files::TALUS_TEST_FILE
