// Frames for looking, the state to resume from beside them, and writing beside the run.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <support/same_numbers.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::Scratch;

constexpr RecorderOptions kForLooking{.precision = Precision::single_precision,
                                      .contacts_every = 4};

/// A state whose numbers need all of their bits.
model::State random_state(Index bodies, std::uint64_t seed) {
  Random random(seed);
  model::State state;
  state.resize(bodies);
  state.time = random.uniform();
  for (Index i = 0; i < bodies; ++i) {
    state.position[i] = Vec3(random.uniform(), random.uniform(), 1e3 * random.uniform());
    state.orientation[i] = Quat(random.uniform(), random.uniform(), random.uniform(), 1);
    state.velocity[i] = Vec3::Constant(random.uniform(-1, 1));
    state.angular_velocity[i] = Vec3(0, random.uniform(), -random.uniform());
  }
  return state;
}

stepping::SchemeMemory random_memory(Index contacts, std::uint64_t seed) {
  Random random(seed);
  stepping::SchemeMemory memory;
  for (Index i = 0; i < contacts; ++i) {
    memory.contacts.push_back({0, 1, Vec3::Constant(random.uniform()), Vec3::UnitZ(),
                               random.uniform(), Vec3::Constant(random.uniform()),
                               static_cast<geometry::FeatureId>(random.bits()),
                               Vec3::Constant(random.uniform())});
    memory.contacts.back().memory = {random.uniform(), random.uniform() < 0.5};
  }
  memory.search_pose = {{Vec3::Constant(random.uniform()), Quat(1, 0, random.uniform(), 0)}};
  memory.search_reach = {random.uniform()};
  return memory;
}

bool are_same(const std::vector<stepping::StepContact>& a,
              const std::vector<stepping::StepContact>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].body_a != b[k].body_a || a[k].body_b != b[k].body_b || a[k].gap != b[k].gap ||
        a[k].position != b[k].position || a[k].normal != b[k].normal ||
        a[k].impulse != b[k].impulse || a[k].feature != b[k].feature ||
        a[k].moment != b[k].moment || a[k].memory.impact_rate != b[k].memory.impact_rate ||
        a[k].memory.sticks != b[k].memory.sticks)
      return false;
  return true;
}

// A frame in single precision is the state rounded to it, and what a run is resumed from is the
// state itself, bit for bit, with contacts, their names and the search, though the frame has none
// of them. Contacts may become more and fewer from one flush to the next.
TEST(RecordForLooking, ResumesFromTheLastBit) {
  const Scratch scratch;
  const model::Model model = test::balls_above_plane(3);
  Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance(), kForLooking);
  recorder.record_frame(0, random_state(4, 1), {});
  for (const Index step : {1, 2, 3}) {
    const auto seed = static_cast<std::uint64_t>(step);
    const model::State state = random_state(4, 10 + seed);
    const stepping::SchemeMemory memory = random_memory(step == 2 ? 200 : 3, seed);
    recorder.record_frame(step, state, memory);
    recorder.flush();
    const RecordReader reader(scratch / "run.h5");
    EXPECT_EQ(reader.precision(), Precision::single_precision);
    EXPECT_FALSE(reader.has_contacts(step));
    const model::State seen = reader.frame(step);
    EXPECT_EQ(seen.time, state.time);
    EXPECT_NE(seen.hash(), state.hash());
    for (Index i = 0; i < 4; ++i) {
      EXPECT_EQ(seen.position[i], state.position[i].cast<float>().cast<double>());
      EXPECT_EQ(seen.velocity[i], state.velocity[i].cast<float>().cast<double>());
      EXPECT_EQ(seen.orientation[i].coeffs(),
                state.orientation[i].coeffs().cast<float>().cast<double>());
    }
    const Checkpoint checkpoint = read_checkpoint(scratch / "run.h5");
    EXPECT_EQ(checkpoint.step, step);
    EXPECT_EQ(checkpoint.state.hash(), state.hash());
    EXPECT_TRUE(checkpoint.has_memory);
    EXPECT_TRUE(are_same(checkpoint.memory.contacts, memory.contacts));
    ASSERT_EQ(checkpoint.memory.search_pose.size(), 1U);
    EXPECT_EQ(checkpoint.memory.search_pose[0].p, memory.search_pose[0].p);
    EXPECT_EQ(checkpoint.memory.search_reach, memory.search_reach);
  }
}

// Contacts are there with the frames whose step is a multiple of what was asked, and the record
// says which these are; steps and their numbers are all there.
TEST(RecordForLooking, HasContactsOfSomeFrames) {
  const Scratch scratch;
  const model::Model model = test::balls_above_plane(3);
  Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance(), kForLooking);
  test::record_balls(recorder, model, 12, 2);
  recorder.finish(RunStatus::finished);
  const RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.contacts_every(), 4);
  EXPECT_EQ(reader.array("contacts/offset").values, (std::vector<Real>{0, 0, 0, 3, 3, 6, 6, 9}));
  for (const Index frame : {2, 4, 6}) {
    EXPECT_TRUE(reader.has_contacts(frame));
    EXPECT_EQ(reader.contacts(frame).size(), 3U);
  }
  for (const Index frame : {1, 3, 5}) EXPECT_FALSE(reader.has_contacts(frame));
  EXPECT_EQ(reader.step_count(), 12);
}

// A record keeps its ways where it is continued, whatever is asked then: its rows are of one kind.
TEST(RecordForLooking, IsContinuedAsItBegan) {
  const Scratch scratch;
  const model::Model model = test::balls_above_plane(3);
  {
    Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance(), kForLooking);
    test::record_balls(recorder, model, 8, 2);
    recorder.finish(RunStatus::finished);
  }
  Recorder recorder(scratch / "run.h5", 4, model, {}, {});
  const model::State state = random_state(4, 5);
  recorder.record_frame(10, state, random_memory(2, 1));
  recorder.record_frame(12, state, random_memory(2, 2));
  recorder.finish(RunStatus::finished);
  const RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.frame_count(), 7);
  EXPECT_FALSE(reader.has_contacts(5));
  EXPECT_EQ(reader.contacts(6).size(), 2U);
  EXPECT_EQ(reader.frame(6).position[1], state.position[1].cast<float>().cast<double>());
  EXPECT_EQ(read_checkpoint(scratch / "run.h5").state.hash(), state.hash());
}

// A record of version 1 says nothing of precision and contacts: all is in double and in every
// frame. It is read, resumed from and continued.
TEST(RecordForLooking, RecordsOfBeforeAreContinued) {
  const Scratch scratch;
  const fs::path path = scratch / "run.h5";
  const model::Model model = test::balls_above_plane(3);
  {
    Recorder recorder(path, model, {}, test::some_provenance());
    test::record_balls(recorder, model, 8, 2);
    recorder.finish(RunStatus::finished);
  }
  const Checkpoint before = read_checkpoint(path);
  {
    const hdf5::Session session;
    const hdf5::File file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "file");
    hdf5::write_attribute(file.get(), "record_version", 1LL);
    for (const char* name : {kPrecisionAttribute, kContactsAttribute})
      ASSERT_GE(H5Adelete(file.get(), name), 0);
    ASSERT_GE(H5Ldelete(file.get(), "resume", H5P_DEFAULT), 0);
  }
  const Checkpoint old = read_checkpoint(path);
  EXPECT_EQ(old.step, 8);
  EXPECT_EQ(old.state.hash(), before.state.hash());
  EXPECT_TRUE(are_same(old.memory.contacts, before.memory.contacts));
  EXPECT_EQ(old.memory.contacts.size(), 3U);
  const model::State state = random_state(4, 5);
  Recorder recorder(path, 4, model, kForLooking, {});
  recorder.record_frame(9, state, random_memory(2, 1));
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(RecordReader(path).frame(5).hash(), state.hash());
  EXPECT_EQ(RecordReader(path).contacts(5).size(), 2U);
  EXPECT_EQ(read_checkpoint(path).state.hash(), state.hash());
}

/// Flushes whenever the flush before has ended.
constexpr RecorderOptions kAllTheTime{.flush_seconds = 0};

// What is written beside the run, in however many flushes, is what is written at the end; readers
// in the same program, which take turns with the writer, see whole records meanwhile.
TEST(WritingBesideTheRun, IsSeenWholeAndEndsTheSame) {
  const Scratch scratch;
  const model::Model model = test::balls_above_plane(5);
  const auto record = [&](const char* name, const RecorderOptions& options) {
    Recorder recorder(scratch / name, model, {}, test::some_provenance(), options);
    test::FakeScheme scheme(model);
    model::State state = test::balls_at_rest(5);
    recorder.record_frame(0, state, {});
    for (Index k = 1; k <= 300; ++k) {
      const stepping::StepReport report = scheme.step(state, 1e-3);
      recorder.record_frame(k, state, scheme.memory());
      recorder.record_step(k, state.time, report, nullptr, 1e-6);
      if (k % 10 != 0) continue;
      const RecordReader seen(scratch / name);
      EXPECT_EQ(Index(seen.array("contacts/offset").values.back()),
                seen.array("contacts/gap").rows());
    }
    recorder.finish(RunStatus::finished);
  };
  record("beside.h5", kAllTheTime);
  record("once.h5", {.flush_seconds = 1e9});
  const RecordReader beside(scratch / "beside.h5"), once(scratch / "once.h5");
  for (const Series& series : kSeries) {
    const std::string path(series.path);
    EXPECT_TRUE(test::same_numbers(beside.array(path).values, once.array(path).values)) << path;
  }
}

// A kill at any moment of writing beside the run leaves a file that opens and can be resumed from
// its last frame.
TEST(WritingBesideTheRun, SurvivesKills) {
  const Scratch scratch;
  Random random(3);
  for (int trial = 0; trial < 10; ++trial) {
    const fs::path path = scratch / fmt::format("run{}.h5", trial);
    const pid_t child = fork();
    if (child == 0) {
      const model::Model model = test::balls_above_plane(20);
      Recorder recorder(path, model, {}, test::some_provenance(), kAllTheTime);
      test::record_balls(recorder, model, 1'000'000'000, 1);
      _exit(1);
    }
    ASSERT_GT(child, 0);
    while (!fs::exists(path) || RecordReader(path).frame_count() == 0) usleep(200);
    usleep(static_cast<useconds_t>(random.uniform(0, 50e3)));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the recorder ended by itself";
    const RecordReader reader(path);
    const Index last = reader.frame_count() - 1;
    ASSERT_GE(last, 0);
    EXPECT_EQ(read_checkpoint(path).step, last);
    EXPECT_EQ(read_checkpoint(path).state.hash(), reader.frame(last).hash());
  }
}

// What the writer meets, here a full disk (a limit on file sizes), is thrown by a later call of the
// run, and what was written before stays whole.
TEST(WritingBesideTheRun, ErrorsReachTheRun) {
  const Scratch scratch;
  const fs::path path = scratch / "run.h5";
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{8'000'000, 8'000'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const model::Model model = test::balls_above_plane(20);
    try {
      Recorder recorder(path, model, {}, test::some_provenance(), kAllTheTime);
      test::record_balls(recorder, model, 100'000, 1);
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
  const RecordReader reader(path);
  EXPECT_GE(reader.frame_count(), 1);
  EXPECT_EQ(read_checkpoint(path).step, reader.frame_count() - 1);
  EXPECT_FALSE(fs::exists(scratch / "run.h5.spare"));
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
