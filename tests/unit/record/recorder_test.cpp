#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include <support/content_of.hpp>
#include <support/same_numbers.hpp>
#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/base/random.hpp>
#include <talus/files/file_names.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/reader.hpp>
#include <unit/record/recording.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::balls_above_plane;
using test::record_balls;
using test::Scratch;
using test::some_provenance;

std::string message_of(const std::function<void()>& task) {
  try {
    task();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// What was recorded is read back bit for bit: the last state, the contacts of a frame, per-step
// numbers.
TEST(Recorder, ReadsBackWhatWasRecorded) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(3);
  Recorder recorder(scratch / "run.h5", model, {1.5, 2.5}, some_provenance());
  const model::State last = record_balls(recorder, model, 20, 4);
  recorder.finish(RunStatus::finished);

  const RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.title(), "Balls above a plane");
  EXPECT_EQ(reader.status(), "finished");
  EXPECT_EQ(reader.body_count(), 4);
  EXPECT_EQ(reader.step_count(), 20);
  ASSERT_EQ(reader.frame_count(), 6);
  EXPECT_EQ(reader.frame(5).hash(), last.hash());
  EXPECT_EQ(reader.array("frames/step").values, (std::vector<Real>{0, 4, 8, 12, 16, 20}));
  EXPECT_EQ(reader.array("contacts/offset").values, (std::vector<Real>{0, 0, 3, 6, 9, 12, 15}));
  EXPECT_EQ(reader.rows("contacts/impulse", 3, 1).values, (std::vector<Real>{0, 0, 8}));
  EXPECT_EQ(reader.array("steps/contact_count").values[1], 3);
  EXPECT_EQ(reader.array("certificates/natural_map").values[9], 1e-9 / 10);
  EXPECT_EQ(reader.array("certificates/worst_body_b").values[0], -1);
  EXPECT_EQ(reader.array("certificates/worst_body_b").values[1], 1);
  EXPECT_EQ(reader.attribute("energies", "initial_kinetic", 0), 1.5);
}

// The file tells where it comes from and what the bodies look like.
TEST(Recorder, KeepsProvenanceAndBodies) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  recorder.finish(RunStatus::interrupted);
  const RecordReader reader(scratch / "run.h5");
  EXPECT_EQ(reader.status(), "interrupted");
  EXPECT_EQ(reader.body_names(), (std::vector<std::string>{"floor", "ball[0]", "ball[1]"}));
  EXPECT_EQ(reader.find_body("ball[1]"), 2);
  EXPECT_EQ(reader.array("bodies/shape").values, (std::vector<Real>{1, 0, 0}));
  EXPECT_EQ(reader.rows("bodies/shape_size", 2, 1).values, (std::vector<Real>{0.5, 0, 0}));
  EXPECT_EQ(reader.array("bodies/mass").unit, "kg");
  EXPECT_EQ(reader.array("materials/friction").values, (std::vector<Real>{0.9, 0.1, 0.1, 0.05}));
  EXPECT_EQ(reader.text("provenance/scene"), "title: balls\n");
  EXPECT_EQ(reader.texts("provenance/source_texts").at(1), "id,x,y,z,r\n");
  EXPECT_EQ(reader.text("provenance/command_line"), "talus run scene.yaml");
  EXPECT_FALSE(reader.text("provenance/compiler").empty());
  EXPECT_EQ(reader.text("provenance/scene_hash").size(), 16U);
}

// However often and wherever the recorder flushes, the file ends up with the same numbers.
TEST(Recorder, FlushingDoesNotChangeTheContent) {
  Random random(7);
  for (int trial = 0; trial < 10; ++trial) {
    const Scratch scratch;
    const model::Model model = balls_above_plane(static_cast<Index>(random.uniform(0, 4)));
    const auto steps = static_cast<Index>(random.uniform(1, 40));
    const auto every = static_cast<Index>(random.uniform(1, 5));
    const auto flush_every = static_cast<Index>(random.uniform(1, 7));
    for (const Index flush : {Index(0), flush_every}) {
      Recorder recorder(scratch / (flush > 0 ? "often.h5" : "once.h5"), model, {},
                        some_provenance());
      record_balls(recorder, model, steps, every, flush);
      recorder.finish(RunStatus::finished);
    }
    const RecordReader once(scratch / "once.h5"), often(scratch / "often.h5");
    for (const Series& series : kSeries) {
      const std::string path(series.path);
      EXPECT_EQ(once.shape(path), often.shape(path)) << path;
      const std::vector<Real> a = once.array(path).values, b = often.array(path).values;
      ASSERT_EQ(a.size(), b.size()) << path;
      EXPECT_TRUE(test::same_numbers(a, b)) << path;
    }
  }
}

// Between flushes the file under its own name is closed and whole, and a spare is next to it; at
// the end the spare is gone.
TEST(Recorder, IsReadableDuringTheRunAndLeavesNothingBehind) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), 0);
  record_balls(recorder, model, 30, 1, 10);
  EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), 30);
  EXPECT_EQ(RecordReader(scratch / "run.h5").status(), "running");
  EXPECT_TRUE(fs::exists(scratch / "run.h5.spare"));
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch.folder()), {}), 1);
}

// What a scheme keeps in the state may have another size at every flush: that of the last frame is
// in the file, with its names.
TEST(Recorder, InternalVariablesMayChangeTheirSize) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  model::State state = test::balls_at_rest(2);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  for (Index step = 0; step < 6; ++step) {
    state.internal.start("event_driven");
    state.internal.add("angle", std::vector<Real>(3, static_cast<Real>(step)));
    if (step % 3 != 1) state.internal.add("acceleration", std::vector<Real>(9, 0.5));
    recorder.record_frame(step, state, {});
    recorder.flush();
    EXPECT_EQ(read_checkpoint(scratch / "run.h5").state.internal, state.internal) << step;
  }
}

// A reader that holds the file open while the run goes on disturbs nobody: it keeps what it opened,
// and the record goes on.
TEST(Recorder, GoesOnWhileSomeoneReads) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  record_balls(recorder, model, 10, 1, 5);
  const RecordReader early(scratch / "run.h5");
  record_balls(recorder, model, 10, 1, 2);
  EXPECT_EQ(early.step_count(), 10);
  EXPECT_EQ(early.array("energies/total").rows(), 10);
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), 20);
  EXPECT_EQ(early.array("energies/total").rows(), 10);
}

// Without the system call that exchanges two names, link and rename do the same.
TEST(Recorder, NamesAreExchangedByLinksToo) {
  const Scratch scratch;
  std::ofstream(scratch / "live") << "old";
  std::ofstream(scratch / "spare") << "new";
  files::exchange_names_by_link(scratch / "live", scratch / "spare");
  EXPECT_EQ(test::content_of(scratch / "live"), "new");
  EXPECT_EQ(test::content_of(scratch / "spare"), "old");
  files::exchange_names(scratch / "live", scratch / "spare");
  EXPECT_EQ(test::content_of(scratch / "live"), "old");
  EXPECT_EQ(test::content_of(scratch / "spare"), "new");
}

// A file that is not a Talus record is never overwritten; a record is replaced.
TEST(Recorder, DestroysNothing) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(1);
  std::ofstream(scratch / "thesis.h5") << "three years of work";
  const std::string message =
      message_of([&] { Recorder(scratch / "thesis.h5", model, {}, some_provenance()); });
  EXPECT_NE(message.find("is not a record written by Talus: left as it is"), std::string::npos)
      << message;
  EXPECT_EQ(test::content_of(scratch / "thesis.h5"), "three years of work");

  std::ofstream(scratch / "run.h5.spare") << "notes";
  EXPECT_THROW(Recorder(scratch / "run.h5", model, {}, some_provenance()), InputError);
  EXPECT_EQ(test::content_of(scratch / "run.h5.spare"), "notes");
  fs::remove(scratch / "run.h5.spare");

  for (const Index steps : {7, 3}) {
    Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
    record_balls(recorder, model, steps, 1);
    recorder.finish(RunStatus::finished);
    EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), steps);
  }
}

// An earlier record of the name stays until the new one has a frame, also if the run is killed.
TEST(Recorder, ReplacesARecordByItsFirstFrame) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  {
    Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
    record_balls(recorder, model, 7, 1);
    recorder.finish(RunStatus::finished);
  }
  const std::string before = test::content_of(scratch / "run.h5");
  { const Recorder recorder(scratch / "run.h5", model, {}, some_provenance()); }
  EXPECT_EQ(test::content_of(scratch / "run.h5"), before);
  const pid_t child = fork();
  if (child == 0) {
    const Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(test::content_of(scratch / "run.h5"), before);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  EXPECT_EQ(test::content_of(scratch / "run.h5"), before);
  recorder.record_frame(0, test::balls_at_rest(2), {});
  EXPECT_EQ(RecordReader(scratch / "run.h5").frame_count(), 1);
  EXPECT_EQ(RecordReader(scratch / "run.h5").status(), "running");
}

// A record that is being written is not written by a second one, also not to go on with it.
TEST(Recorder, IsTheOnlyOne) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(2);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  record_balls(recorder, model, 4, 1, 2);
  const std::string refusal = "another run is writing this file";
  EXPECT_NE(
      message_of([&] { Recorder(scratch / "run.h5", model, {}, some_provenance()); }).find(refusal),
      std::string::npos);
  EXPECT_NE(message_of([&] { Recorder(scratch / "run.h5", 1, model, {}, {}); }).find(refusal),
            std::string::npos);
  record_balls(recorder, model, 4, 1, 2);
  recorder.finish(RunStatus::finished);
  EXPECT_EQ(RecordReader(scratch / "run.h5").step_count(), 8);
}

// An output that cannot be made is reported before the run, with the reason.
TEST(Recorder, SaysWhyItCannotWrite) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(1);
  const std::string message =
      message_of([&] { Recorder(scratch / "no/such/run.h5", model, {}, some_provenance()); });
  EXPECT_NE(message.find("run.h5: cannot write this file: No such file or directory\nhint:"),
            std::string::npos)
      << message;
  EXPECT_NE(message_of([&] {
              Recorder(scratch.folder(), model, {}, some_provenance());
            }).find("this is a folder"),
            std::string::npos);
}

// If another program puts its own file in our place, it is left alone and the run is told.
TEST(Recorder, NoticesThatItsFileWasReplaced) {
  const Scratch scratch;
  const model::Model model = balls_above_plane(1);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  record_balls(recorder, model, 4, 1, 2);
  fs::remove(scratch / "run.h5");
  std::ofstream(scratch / "run.h5") << "mine";
  EXPECT_NE(message_of([&] {
              record_balls(recorder, model, 4, 1, 2);
            }).find("moved, replaced or removed"),
            std::string::npos);
  EXPECT_EQ(test::content_of(scratch / "run.h5").substr(0, 10), "mine");
}

// Plain h5py reads the record, sees units on every dataset, and the orientations are unit
// quaternions.
TEST(Recorder, IsReadableByH5py) {
  if (std::system("/usr/bin/python3 -c 'import h5py' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "h5py is not installed";
  const Scratch scratch;
  const model::Model model = balls_above_plane(3);
  Recorder recorder(scratch / "run.h5", model, {}, some_provenance());
  record_balls(recorder, model, 20, 2, 7);
  recorder.flush();
  std::ofstream(scratch / "check.py") << R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'r')
assert f.attrs['format'] == b'talus-record' and f.attrs['record_version'] == 2
assert f.attrs['frame_precision'] == b'double' and f.attrs['contacts_every'] == 1
def visit(name, item):
    if isinstance(item, h5py.Dataset):
        assert 'unit' in item.attrs and 'meaning' in item.attrs, name
f.visititems(visit)
assert f['poses/position'].shape == (11, 4, 3)
assert f['poses/position'].compression == 'gzip' and f['poses/position'].shuffle
assert np.allclose(np.linalg.norm(f['poses/orientation'][:], axis=2), 1)
assert f['bodies/name'][1] == b'ball[0]'
assert f['contacts/offset'][-1] == len(f['contacts/gap'])
assert f['provenance/scene'][()] == b'title: balls\n'
)";
  const std::string command =
      "/usr/bin/python3 " + (scratch / "check.py").string() + ' ' + (scratch / "run.h5").string();
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
