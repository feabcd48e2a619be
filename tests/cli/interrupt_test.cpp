#include <talus/cli/interrupt.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include <support/scratch.hpp>
#include <talus/files/own_kinds.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;

// A signal ends the program as it always does, and leaves no file that is half written: before, in
// and after the time in which the first signal is only noted.
TEST(Interrupt, LeavesNoHalfFile) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    for (const int guards : {0, 1, 2}) {  // none; under way; over
      SCOPED_TRACE(::testing::Message() << "signal " << signal_number << ", " << guards);
      const test::Scratch scratch;
      const pid_t child = fork();
      if (child == 0) {
        signal(SIGHUP, SIG_DFL);
        remove_unfinished_files_on_signals();
        std::optional<InterruptGuard> guard;
        if (guards > 0) guard.emplace();
        files::OutputFile file(scratch / "table.csv", files::table_kind());
        file.stream() << "step,time [s]\n" << std::flush;
        if (guards == 2) guard.reset();
        if (fs::is_empty(scratch.folder())) _exit(1);
        raise(signal_number);
        if (guards == 1 && InterruptGuard::is_interrupted()) raise(signal_number);
        _exit(2);
      }
      ASSERT_GT(child, 0);
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
      EXPECT_EQ(WTERMSIG(status), signal_number);
      EXPECT_TRUE(fs::is_empty(scratch.folder()));
    }
  }
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
