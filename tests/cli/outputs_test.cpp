#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include <cli/scenes.hpp>
#include <support/content_of.hpp>
#include <talus/record/reader.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::CliFolder;
using test::Outcome;
using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The program as a shell starts it that first runs some commands.
Outcome after(const CliFolder& folder, const std::string& commands, Words words) {
  words.insert(words.begin(), {"/bin/sh", "-c", commands + "; exec \"$0\" \"$@\"", TALUS_BINARY});
  return test::run_program(words, folder / ".");
}

void wait_for(const fs::path& file) {
  for (int k = 0; k < 20'000 && !fs::exists(file); ++k) usleep(1000);
}

bool has_gnuplot() { return std::system("command -v gnuplot > /dev/null") == 0; }

/// A folder with a record and a problem with its solution in it.
class Recorded : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(folder
                  .talus({"run", "balls.yaml", "-o", "a.h5", "--dump-problems", "100",
                          "--checkpoint", "state.h5"})
                  .exit_code,
              0);
    fs::rename(folder / "a.problem_0000100.hdf5", folder / "problem.hdf5");
    std::ofstream(folder / "page.html") << "<html><!--talus-record--></html>";
  }
  Outcome with_page(Words words) const {
    return after(folder, "export TALUS_VIEWER=page.html", std::move(words));
  }
  /// Whether a program that draws is there for these words.
  static bool can_run(const Words& words) { return words[0] != "plot" || has_gnuplot(); }
  CliFolder folder;
};

/// Every command that writes a file, with the file's name last.
const std::vector<Words> kWriters = {
    {"run", "balls.yaml", "-o", "out.h5"},
    {"run", "balls.yaml", "--no-record", "--checkpoint", "out.state"},
    {"solve", "problem.hdf5", "--output", "out.hdf5"},
    {"export", "a.h5", "--series", "energies", "--csv", "out.csv"},
    {"export", "a.h5", "--body", "ball", "-o", "out.csv"},
    {"export", "a.h5", "--format", "gltf", "-o", "out.glb"},
    {"export", "a.h5", "--format", "vtk", "-o", "out.pvd"},
    {"plot", "a.h5", "energies", "-o", "out.csv"},
    {"plot", "a.h5", "bodies/speed", "--histogram", "10", "-o", "out.csv"},
    {"plot", "a.h5", "energies", "-o", "out.svg"},
    {"plot", "a.h5", "energies", "-o", "out.png"},
    {"view", "a.h5", "--export", "out.html"},
    {"study", "balls.yaml", "--vary", "time.end=[0.01, 0.02]", "--quiet", "-o", "study.csv"},
};

// No verb replaces a file that Talus did not write as the same kind: exit code 2, every byte stays.
TEST_F(Recorded, NoVerbDestroysForeignFiles) {
  for (const Words& words : kWriters) {
    if (!can_run(words)) continue;
    for (const char* foreign : {"years of work\n", "title: a scene\n", "\x89HDF\r\n\x1a\n...",
                                "time [s],angle [deg]\n0,0\n1,90\n", "id,x,y,z,r\n"}) {
      std::ofstream(folder / words.back()) << foreign;
      const Outcome outcome = with_page(words);
      EXPECT_EQ(outcome.exit_code, 2) << words[0] << ' ' << words.back() << outcome.err;
      EXPECT_TRUE(contains(outcome.err, words.back())) << outcome.err;
      EXPECT_EQ(test::content_of(folder / words.back()), foreign)
          << words[0] << ' ' << words.back();
      fs::remove(folder / words.back());
    }
  }
}

// A link stands for the file that it leads to, for every verb, also where there is no file yet: the
// link stays, and the next time the file is replaced.
TEST_F(Recorded, EveryVerbFollowsLinks) {
  for (const Words& words : kWriters) {
    if (!can_run(words)) continue;
    const std::string name = words.back(), target = "far/" + name;
    fs::create_directory(folder / "far");
    fs::create_symlink(target, folder / name);
    for (const char* time : {"first", "second"}) {
      const Outcome outcome = with_page(words);
      EXPECT_EQ(outcome.exit_code, 0) << time << ' ' << words[0] << ' ' << name << outcome.err;
      EXPECT_TRUE(fs::is_symlink(folder / name)) << time << ' ' << words[0] << ' ' << name;
      EXPECT_TRUE(fs::is_regular_file(folder / target)) << time << ' ' << words[0] << ' ' << name;
    }
    fs::remove_all(folder / "far");
    fs::remove(folder / name);
  }
}

// A pipe with a name is no file, and to open it would wait for a reader for ever: every verb
// refuses it before it works.
TEST_F(Recorded, NoVerbWaitsAtAPipe) {
  std::vector<Words> writers = kWriters;
  writers.push_back({"run", "--resume", "a.h5", "--until", "0.2", "-o", "pipe.h5"});
  writers.push_back({"view", "balls.yaml", "-o", "pipe.h5"});
  for (const Words& words : writers) {
    if (!can_run(words)) continue;
    fs::remove(folder / words.back());
    ASSERT_EQ(::mkfifo((folder / words.back()).c_str(), 0600), 0);
    const Outcome outcome = with_page(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << ' ' << words.back() << outcome.err;
    EXPECT_TRUE(contains(outcome.err, words.back() + ": this is a pipe")) << outcome.err;
    fs::remove(folder / words.back());
  }
}

// Records and tables of sweeps grow or are read again: a device cannot stand for them, and stays.
TEST_F(Recorded, DevicesAreNoRecords) {
  if (::mknod((folder / "node").c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0)
    GTEST_SKIP() << "only root makes devices";
  for (const Words& words : std::vector<Words>{
           {"run", "balls.yaml", "-o", "node"},
           {"run", "--resume", "a.h5", "--until", "0.2", "-o", "node"},
           {"view", "balls.yaml", "-o", "node"},
           {"study", "balls.yaml", "--vary", "time.end=[0.01, 0.02]", "-o", "node"}}) {
    const Outcome outcome = with_page(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "node: this is a device")) << outcome.err;
    EXPECT_TRUE(fs::is_character_file(folder / "node")) << words[0];
  }
}

// Two outputs of one run are two files: what the end would overwrite is refused before the work.
TEST_F(Recorded, TwoOutputsAreTwoFiles) {
  fs::create_symlink("new.h5", folder / "link.h5");
  for (const Words& words : std::vector<Words>{
           {"run", "balls.yaml", "-o", "new.h5", "--checkpoint", "new.h5"},
           {"run", "balls.yaml", "-o", "new.h5", "--checkpoint", "./link.h5"},
           {"run", "balls.yaml", "--checkpoint", "balls.h5"},
           {"view", "balls.yaml", "-o", "new.h5", "--export", "new.h5"},
           {"study", "balls.yaml", "--vary", "time.end=[0.01, 0.02]", "-o", "new.svg"}}) {
    const Outcome outcome = with_page(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << outcome.err;
    for (const char* name : {"new.h5", "balls.h5", "new.svg"})
      EXPECT_FALSE(fs::exists(folder / name)) << words[0] << ' ' << name;
  }
}

// What cannot be written at the end is refused before the work: where a folder is not there nothing
// is run, and nothing is left.
TEST_F(Recorded, FoldersThatAreNotThereAreFoundBeforeTheWork) {
  const auto files = folder.files();
  for (const Words& words : std::vector<Words>{
           {"run", "balls.yaml", "--checkpoint", "nowhere/state.h5"},
           {"run", "balls.yaml", "--no-record", "--checkpoint", "a.h5/state.h5"},
           {"solve", "problem.hdf5", "--solver", "nsgs", "--output", "nowhere/out.hdf5"}}) {
    const Outcome outcome = folder.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0];
    EXPECT_TRUE(contains(outcome.err, words.back() + ": cannot write this file")) << outcome.err;
    EXPECT_EQ(outcome.out, "") << words[0];
    EXPECT_EQ(folder.files(), files) << words[0];
  }
}

// Every verb replaces what it wrote itself, and leaves nothing beside.
TEST_F(Recorded, EveryVerbReplacesItsOwn) {
  for (const Words& words : kWriters) {
    if (!can_run(words)) continue;
    EXPECT_EQ(with_page(words).exit_code, 0) << words[0] << ' ' << words.back();
    const auto files = folder.files();
    const Outcome outcome = with_page(words);
    EXPECT_EQ(outcome.exit_code, 0) << words[0] << ' ' << words.back() << outcome.err;
    EXPECT_EQ(folder.files(), files) << words[0];
  }
}

// A name for the output is taken by tables as by whole records, and an option that a table has no
// use for is refused: neither is passed over.
TEST_F(Recorded, ExportsPassNoOptionOver) {
  const Outcome table = folder.talus({"export", "a.h5", "--series", "energies", "-o", "table.csv"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.out, "");
  EXPECT_EQ(test::content_of(folder / "table.csv"),
            folder.talus({"export", "a.h5", "--series", "energies"}).out);
  for (const Words& words : std::vector<Words>{
           {"export", "a.h5", "--series", "energies", "--every", "2"},
           {"export", "a.h5", "--format", "csv", "-o", "tables", "--every", "2"},
           {"export", "a.h5", "--series", "energies", "--csv", "a.csv", "-o", "b.csv"},
           {"export", "a.h5", "--format", "gltf", "--csv", "out.csv"},
           {"plot", "a.h5", "bodies/speed"}}) {
    const Outcome outcome = folder.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[2] << outcome.out;
    EXPECT_NE(outcome.err, "");
  }
}

// No input is replaced: scenes, records, problems, solutions, states.
TEST_F(Recorded, NoVerbDestroysItsInput) {
  ASSERT_EQ(folder.talus({"solve", "problem.hdf5", "--output", "solution.hdf5"}).exit_code, 0);
  for (const Words& words : std::vector<Words>{
           {"run", "balls.yaml", "-o", "balls.yaml"},
           {"run", "balls.yaml", "--resume", "state.h5", "--until", "0.2", "--no-record",
            "--checkpoint", "state.h5"},
           {"solve", "problem.hdf5", "--output", "problem.hdf5"},
           {"solve", "problem.hdf5", "--certify-only", "solution.hdf5", "--output",
            "solution.hdf5"},
           {"export", "a.h5", "--series", "energies", "--csv", "a.h5"},
           {"export", "a.h5", "--format", "gltf", "-o", "a.h5"},
           {"export", "a.h5", "--format", "gltf", "-o", "balls.yaml"},
           {"view", "a.h5", "--export", "a.h5"},
           {"view", "a.h5", "--export", "balls.yaml"},
           {"study", "balls.yaml", "--vary", "time.end=[0.01]", "--fresh", "-o", "balls.yaml"}}) {
    const std::string before = test::content_of(folder / words.back());
    const Outcome outcome = with_page(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << ' ' << words.back() << outcome.err;
    EXPECT_EQ(test::content_of(folder / words.back()), before) << words[0] << ' ' << words.back();
  }
}

// On a full disk every verb ends with exit code 2 and a reason; what was there before stays. HDF5's
// own complaints do not show.
TEST_F(Recorded, FullDisksAreErrors) {
  for (const Words& words : kWriters) {
    if (!can_run(words) || words[0] == "study") continue;
    ASSERT_EQ(with_page(words).exit_code, 0);
    const std::string before = test::content_of(folder / words.back());
    const Outcome outcome =
        after(folder, "export TALUS_VIEWER=page.html; trap '' XFSZ; ulimit -f 1", words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0] << ' ' << words.back() << outcome.err;
    EXPECT_FALSE(outcome.err.empty());
    EXPECT_FALSE(contains(outcome.err, "infinite loop")) << outcome.err;
    EXPECT_EQ(test::content_of(folder / words.back()), before) << words[0] << ' ' << words.back();
  }
}

// Standard output that cannot be written is an error; a reader that goes away says nothing.
TEST_F(Recorded, FullStandardOutputIsAnError) {
  for (const Words& words : std::vector<Words>{{"export", "a.h5", "--series", "energies"},
                                               {"run", "balls.yaml", "--json", "--no-record"},
                                               {"info", "a.h5"},
                                               {"check", "balls.yaml"},
                                               {"solve", "problem.hdf5"}}) {
    const Outcome outcome = after(folder, "exec > /dev/full", words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0];
    EXPECT_TRUE(contains(outcome.err, "standard output: cannot be written")) << outcome.err;
  }
  const Words shell = {"/bin/sh", "-c", "\"$0\" export a.h5 --series poses | head -n 1",
                       TALUS_BINARY};
  EXPECT_EQ(test::run_program(shell, folder / ".").err, "");
}

// Two runs to one output: the second is refused and the first ends as if it were alone.
TEST(Outputs, TwoRunsToOneOutput) {
  const CliFolder folder("", "1000");
  Outcome second;
  const Outcome first = folder.talus({"run", "balls.yaml", "-o", "out.h5"}, [&](pid_t pid) {
    wait_for(folder / "out.h5");
    second = folder.talus({"run", "balls.yaml", "-o", "out.h5", "--until", "0.01"});
    kill(pid, SIGINT);
  });
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_TRUE(contains(second.err, "another run is writing this file")) << second.err;
  EXPECT_EQ(first.exit_code, 130) << first.err;
  EXPECT_EQ(record::RecordReader(folder / "out.h5").status(), "interrupted");
}

// A terminal that is closed (SIGHUP) ends a run as Ctrl-C does: with the record complete.
TEST(Outputs, HangUpFlushes) {
  const CliFolder folder("", "1000");
  const Outcome outcome = folder.talus({"run", "balls.yaml", "-o", "out.h5"}, [&](pid_t pid) {
    wait_for(folder / "out.h5");
    usleep(100'000);
    kill(pid, SIGHUP);
  });
  EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
  const record::RecordReader reader(folder / "out.h5");
  EXPECT_EQ(reader.status(), "interrupted");
  EXPECT_GT(reader.step_count(), 0);
}

// The record of a scene that is only looked at is not kept, and one of its name stays.
TEST_F(Recorded, ViewKeepsNoRecordUnlessAsked) {
  fs::copy(folder / "a.h5", folder / "balls.h5");
  const std::string before = test::content_of(folder / "balls.h5");
  EXPECT_EQ(with_page({"view", "balls.yaml", "--until", "0.02", "--export", "out.html"}).exit_code,
            0);
  EXPECT_EQ(test::content_of(folder / "balls.h5"), before);
  EXPECT_EQ(
      with_page({"view", "balls.yaml", "--until", "0.02", "--export", "out.html", "-o", "balls.h5"})
          .exit_code,
      0);
  EXPECT_EQ(record::RecordReader(folder / "balls.h5").step_count(), 20);
}

// A folder is not a record, and that is all that is said of it.
TEST_F(Recorded, FoldersAreRefused) {
  for (const Words& words : std::vector<Words>{
           {"info", "."}, {"render", ".", "-o", "x.png"}, {"export", ".", "--body", "x"}}) {
    const Outcome outcome = folder.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << words[0];
    EXPECT_FALSE(contains(outcome.err, "errno")) << outcome.err;
  }
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
