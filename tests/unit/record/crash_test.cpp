#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::Scratch;

/// Records without end, flushing after every few steps.
[[noreturn]] void record_for_ever(const fs::path& path) {
  const model::Model model = test::balls_above_plane(20);
  Recorder recorder(path, model, {}, test::some_provenance());
  test::record_balls(recorder, model, 1'000'000'000, 1, 5);
  _exit(1);
}

/// Empty if every dataset has as many rows as its group's clock says, and rows hold what was
/// recorded; otherwise what is wrong.
std::string inconsistency(const fs::path& path) {
  const RecordReader reader(path);
  const Index frames = reader.frame_count(), steps = reader.step_count();
  const Array offset = reader.array("contacts/offset");
  for (const Series& series : kSeries) {
    const Index rows = series.clock == Clock::frame        ? frames
                       : series.clock == Clock::frame_edge ? frames + 1
                       : series.clock == Clock::step       ? steps
                                                           : Index(offset.values.back());
    if (reader.array(std::string(series.path)).rows() != rows)
      return "wrong number of rows in " + std::string(series.path);
  }
  const Array step = reader.array("steps/step"), time = reader.array("steps/time");
  for (Index k = 0; k < steps; ++k) {
    const Real number = static_cast<Real>(k + 1);
    if (step.values[k] != number) return "wrong step";
    // The time is a sum of `number` terms, each addition rounded.
    if (std::abs(time.values[k] - 1e-3 * number) > 1e-19 * number * number) return "wrong time";
  }
  const Array impulse = reader.array("contacts/impulse");
  for (Index frame = 0; frame < frames; ++frame)
    for (auto row = Index(offset.values[frame]); row < Index(offset.values[frame + 1]); ++row)
      if (impulse.values[3 * row + 2] != static_cast<Real>(frame)) return "wrong impulse";
  return "";
}

// A record can be read at any time while it grows: the file that is opened may have been exchanged
// for the one that is written before it is locked, and is then opened anew. (One opening in some
// hundreds failed on a busy machine.)
TEST(CrashSafety, AGrowingRecordCanBeReadAtAnyTime) {
  const Scratch scratch;
  const fs::path path = scratch / "run.h5";
  const pid_t child = fork();
  if (child == 0) record_for_ever(path);
  ASSERT_GT(child, 0);
  while (!fs::exists(path)) usleep(200);
  Index last = 0;
  for (int look = 0; look < 1000; ++look) {
    Index steps = -1;
    EXPECT_NO_THROW(steps = RecordReader(path).step_count()) << "look " << look;
    EXPECT_GE(steps, last);
    last = std::max(last, steps);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GT(last, 0);
}

// A run killed with SIGKILL at any moment leaves a file that opens, with equal lengths in all
// groups and nothing lost that an earlier look already saw: at twenty random times, and on a busy
// machine at more of them until one was in the middle of a flush.
TEST(CrashSafety, SurvivesSigkillAtTwentyRandomTimes) {
  const Scratch scratch;
  Random random(20);
  Index longest = 0, killed_in_a_flush = 0;
  for (int trial = 0; trial < 20 || (killed_in_a_flush == 0 && trial < 200); ++trial) {
    const fs::path path = scratch / ("run" + std::to_string(trial) + ".h5");
    const pid_t child = fork();
    if (child == 0) record_for_ever(path);
    ASSERT_GT(child, 0);
    while (!fs::exists(path)) usleep(200);
    usleep(static_cast<useconds_t>(random.uniform(0, 200e3)));
    const Index seen = RecordReader(path).step_count();
    usleep(static_cast<useconds_t>(random.uniform(0, 5e3)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the recorder ended by itself";
    EXPECT_EQ(inconsistency(path), "");
    EXPECT_EQ(RecordReader(path).status(), "running");
    EXPECT_GE(RecordReader(path).step_count(), seen);
    longest = std::max(longest, RecordReader(path).step_count());
    try {
      killed_in_a_flush += inconsistency(path.string() + ".spare").empty() ? 0 : 1;
    } catch (const InputError&) {
      ++killed_in_a_flush;
    }
  }
  EXPECT_GT(longest, 0) << "no kill came after a flush: the test shows nothing";
  EXPECT_GT(killed_in_a_flush, 0) << "no kill came in the middle of a flush";
}

// After a kill the next run of the same name starts afresh, over the remains.
TEST(CrashSafety, NextRunTakesOver) {
  const Scratch scratch;
  const pid_t child = fork();
  if (child == 0) record_for_ever(scratch / "run.h5");
  ASSERT_GT(child, 0);
  while (!fs::exists(scratch / "run.h5.spare") || !fs::exists(scratch / "run.h5")) usleep(200);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const model::Model model = test::balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance());
  test::record_balls(recorder, model, 5, 1);
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), 5);
  EXPECT_FALSE(fs::exists(scratch / "run.h5.spare"));
}

// When the disk is full (here: a limit on file sizes) the run is told, what was flushed before
// stays readable, and the program ends in order.
TEST(CrashSafety, FullDiskLosesNothingThatWasFlushed) {
  const Scratch scratch;
  const fs::path path = scratch / "run.h5";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8'000'000, 8'000'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const model::Model model = test::balls_above_plane(20);
    try {
      Recorder recorder(path, model, {}, test::some_provenance(), {.flush_seconds = 1e9});
      test::record_balls(recorder, model, 1'000'000, 1, 100);
    } catch (const InputError& error) {
      const std::string text = error.what();
      exit(text.find("cannot extend the record") != std::string::npos ? 42 : 43);
    }
    exit(44);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 42);
  EXPECT_EQ(inconsistency(path), "");
  EXPECT_GE(RecordReader(path).step_count(), 100);
  EXPECT_FALSE(fs::exists(scratch / "run.h5.spare"));
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
