#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>

#include <cli/scenes.hpp>
#include <support/content_of.hpp>
#include <talus/base/random.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/reader.hpp>

namespace talus::TALUS_TEST_FILE {
namespace {

namespace fs = std::filesystem;
using test::CliFolder;
using test::Outcome;
using Names = std::vector<std::string>;

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  return text.substr(text.find_last_of('\n', end) + 1, end - text.find_last_of('\n', end));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Waits until a record in the making holds some steps.
void wait_for_steps(const fs::path& record, Index steps) {
  for (int k = 0; k < 20'000; ++k, usleep(1000))
    if (fs::exists(record) && record::RecordReader(record).step_count() >= steps) return;
  FAIL() << "no steps were recorded";
}

// A certified run ends with 0, a summary, and one file: the record named after the scene.
TEST(Run, RecordsAndSumsUp) {
  const CliFolder folder;
  const Outcome outcome = folder.talus({"run", "balls.yaml"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Balls: finished, 100 steps"));
  EXPECT_TRUE(contains(outcome.out, "every step"));
  EXPECT_EQ(outcome.err, "") << "no progress on something that is not a terminal, and so short";
  EXPECT_EQ(folder.files(), (Names{"balls.h5", "balls.yaml"}));
  const record::RecordReader reader(folder / "balls.h5");
  EXPECT_EQ(reader.step_count(), 100);
  EXPECT_EQ(reader.status(), "finished");
  EXPECT_TRUE(contains(reader.text("provenance/command_line"), "run balls.yaml"));
}

// --json prints one object as the last line of stdout, with the promised keys and types.
TEST(Run, JsonIsTheLastLine) {
  const CliFolder folder;
  const Outcome outcome = folder.talus({"run", "balls.yaml", "--json", "-o", "x.h5"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(last_line(outcome.out));
  EXPECT_EQ(json.at("steps"), 100);
  EXPECT_NEAR(json.at("time").get<double>(), 0.1, 1e-12);
  EXPECT_EQ(json.at("bodies"), 3);
  EXPECT_GE(json.at("max_contacts").get<int>(), 1);
  EXPECT_EQ(json.at("uncertified_steps"), 0);
  EXPECT_TRUE(json.at("worst_certificate").at("value").is_number());
  EXPECT_TRUE(json.at("worst_certificate").at("step").is_number_integer());
  EXPECT_TRUE(json.at("worst_certificate").at("contact").is_number_integer());
  EXPECT_GE(json.at("max_penetration").get<double>(), 0);
  EXPECT_GT(json.at("energy").at("initial").get<double>(), 0);
  EXPECT_TRUE(json.at("energy").at("final").is_number());
  EXPECT_TRUE(json.at("energy").at("max_rise_in_a_step").is_number());
  EXPECT_GT(json.at("wall_seconds").get<double>(), 0);
  EXPECT_EQ(json.at("output"), "x.h5");
  EXPECT_EQ(json.at("scheme"), "moreau_jean");
  EXPECT_EQ(json.at("solver"), "auto");
  EXPECT_GE(json.at("iterations").at("total").get<int>(),
            json.at("iterations").at("max").get<int>());
  EXPECT_EQ(json.at("state_hash").get<std::string>().size(), 16U);
}

// The same scene gives the same state hash, bit for bit, with and without a record.
TEST(Run, IsDeterministic) {
  const CliFolder folder;
  std::set<std::string> hashes;
  for (const Names& more : {Names{}, Names{}, Names{"--no-record"}, Names{"--flush-every", "0"}}) {
    Names words{"run", "balls.yaml", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = folder.talus(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    hashes.insert(nlohmann::json::parse(last_line(outcome.out)).at("state_hash"));
  }
  EXPECT_EQ(hashes.size(), 1U);
}

// The command line changes end, step, tolerance; --quiet prints nothing; --no-record leaves no
// file.
TEST(Run, TakesOverrides) {
  const CliFolder folder;
  const Outcome outcome = folder.talus({"run", "balls.yaml", "--until", "0.01", "--step-size",
                                        "2e-3", "--tolerance", "1e-6", "--json", "--no-record"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(last_line(outcome.out));
  EXPECT_EQ(json.at("steps"), 5);
  EXPECT_EQ(json.at("tolerance"), 1e-6);
  EXPECT_EQ(json.at("output"), "");
  const Outcome quiet = folder.talus({"run", "balls.yaml", "--quiet", "--no-record"});
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_EQ(folder.files(), Names{"balls.yaml"});
}

// --sweeps is a budget: with one sweep two balls that lie on each other are not certified, and are
// stepped and reported all the same; with as many as it takes they are.
TEST(Run, TakesABudgetOfSweeps) {
  const CliFolder folder;
  const auto run = [&](const char* sweeps) {
    return folder.talus({"run", "balls.yaml", "--until", "0.3", "--solver", "nsgs", "--tolerance",
                         "1e-9", "--sweeps", sweeps, "--json", "--no-record"});
  };
  const Outcome one = run("1"), enough = run("10000");
  EXPECT_EQ(one.exit_code, 3) << one.err;
  const nlohmann::json json = nlohmann::json::parse(last_line(one.out));
  EXPECT_EQ(json.at("steps"), 300);
  EXPECT_GT(json.at("uncertified_steps"), 50);
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
}

// --set puts values in the place of the scene's; one that is no PATH=VALUE is an input error.
TEST(Run, TakesSettings) {
  const CliFolder folder;
  const Outcome outcome = folder.talus({"run", "--set", "time.step=2 ms", "--set",
                                        "time.end=0.01 s", "balls.yaml", "--json", "--no-record"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(last_line(outcome.out)).at("steps"), 5);
  const Outcome wrong = folder.talus({"run", "balls.yaml", "--no-record", "--set", "time.step"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("PATH=VALUE"), std::string::npos) << wrong.err;
}

// Wrong usage and wrong input end with 2 and one message, before anything is written.
TEST(Run, WrongInputEndsWithTwo) {
  const CliFolder folder;
  for (const Names& words : {Names{"run"},
                             Names{"run", "balls.yaml", "--bogus"},
                             Names{"run", "nothing.yaml"},
                             Names{"run", "balls.yaml", "--step-size", "-1"},
                             Names{"run", "balls.yaml", "--step-size", "nan"},
                             Names{"run", "balls.yaml", "--until", "soon"},
                             Names{"run", "balls.yaml", "--scheme", "euler"},
                             Names{"run", "balls.yaml", "--solver", "magic"},
                             Names{"run", "balls.yaml", "--tolerance", "0"},
                             Names{"run", "balls.yaml", "--sweeps", "0"},
                             Names{"run", "balls.yaml", "--no-record", "-o", "x.h5"},
                             Names{"run", "balls.yaml", "-o", "no/such/folder/x.h5"},
                             Names{"run", "balls.yaml", "-o", "."},
                             Names{"run", "balls.yaml", "-o", "/proc/x.h5"},
                             Names{"info", "nothing.h5"},
                             Names{"info"},
                             Names{"export", "balls.yaml", "--series", "energies"},
                             Names{"export", "balls.yaml"},
                             Names{"walk"},
                             Names{}}) {
    const Outcome outcome = folder.talus(words);
    std::string text;
    for (const std::string& word : words) text += ' ' + word;
    EXPECT_EQ(outcome.exit_code, 2) << "talus" << text << '\n' << outcome.out << outcome.err;
    EXPECT_NE(outcome.err, "") << "talus" << text;
    EXPECT_EQ(folder.files(), Names{"balls.yaml"}) << "talus" << text;
  }
}

// A file that is no record is left alone; a record of an earlier run is replaced.
TEST(Run, OverwritesNothingButRecords) {
  const CliFolder folder;
  const Outcome outcome = folder.talus({"run", "balls.yaml", "-o", "balls.yaml"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_TRUE(contains(outcome.err, "is not a record written by Talus: left as it is"))
      << outcome.err;
  EXPECT_EQ(folder.talus({"check", "balls.yaml"}).exit_code, 0);
  EXPECT_EQ(folder.talus({"run", "balls.yaml"}).exit_code, 0);
  EXPECT_EQ(folder.talus({"run", "balls.yaml", "--until", "0.05"}).exit_code, 0);
  EXPECT_EQ(record::RecordReader(folder / "balls.h5").step_count(), 50);
}

// A tolerance that cannot be met: with accept the run goes on and ends with 3.
TEST(Run, UncertifiedEndsWithThree) {
  const CliFolder folder("solver: {tolerance: 1e-300, max_iterations: 1}\n");
  const Outcome outcome = folder.talus({"run", "balls.yaml", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(last_line(outcome.out));
  EXPECT_EQ(json.at("status"), "finished");
  EXPECT_EQ(json.at("steps"), 100);
  EXPECT_GT(json.at("uncertified_steps").get<int>(), 0);
  EXPECT_TRUE(contains(outcome.err, "steps are uncertified"));
}

// With on_uncertified: stop the run ends there, saves what failed, and says how to repeat it.
TEST(Run, StopsAtAnUncertifiedStep) {
  const CliFolder folder("solver: {tolerance: 1e-300, max_iterations: 1}\non_uncertified: stop\n");
  const Outcome outcome = folder.talus({"run", "balls.yaml", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.out << outcome.err;
  const nlohmann::json json = nlohmann::json::parse(last_line(outcome.out));
  EXPECT_EQ(json.at("status"), "stopped");
  EXPECT_LT(json.at("steps").get<int>(), 100);
  EXPECT_TRUE(contains(outcome.err, "again: talus solve balls.failed_")) << outcome.err;
  const Names files = folder.files();
  ASSERT_EQ(files.size(), 4U);
  EXPECT_TRUE(files[0].starts_with("balls.failed_"));
  EXPECT_EQ(files[1], "balls.h5");
  EXPECT_TRUE(files[2].starts_with("balls.state_"));
  EXPECT_EQ(record::RecordReader(folder / "balls.h5").status(), "stopped");
  EXPECT_TRUE(contains(outcome.err,
                       "the step again: talus run balls.yaml --no-record --resume "
                       "balls.state_"))
      << outcome.err;
  // The state saved is the one from which the step fails.
  const Outcome again =
      folder.talus({"run", "balls.yaml", "--no-record", "--resume", files[2], "--json"});
  EXPECT_EQ(again.exit_code, 3) << again.err;
  EXPECT_EQ(nlohmann::json::parse(last_line(again.out)).at("steps"), json.at("steps"));
}

// A rod that slides on its tip with μ = 1.6 at arctan 2 has no acceleration that satisfies the laws
// (Painlevé). The run stops there; the LCP is a file whose solution is the proof, and the command
// that is printed finds the same again.
TEST(Run, SavesTheLcpWithoutAnswer) {
  const CliFolder folder;
  std::ofstream(folder / "rod.yaml") << R"(dimension: 2
time: {step: 1e-4, end: 1e-3}
scheme: event_driven
contacts: {default: {friction: 1.6}}
bodies:
  - {name: ground, fixed: true, shape: {half_plane: {}}}
  - name: rod
    shape: {rod: {length: 2, radius: 1e-9}}
    mass: 1
    inertia: 0.333333333333333333
    position: [0, 0.894427191999915879, 0]
    orientation: {axis: [0, 0, 1], angle: 63.4349488229220107 deg}
    velocity: [-10, 0, 0]
)";
  const Outcome outcome = folder.talus({"run", "rod.yaml", "--set", "record.every=2"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(contains(outcome.err, "no acceleration satisfies the laws")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "on_painleve: time_step")) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "step 1 has no answer and was not taken")) << outcome.out;
  const Outcome solved = folder.talus({"solve", "rod.failed_0000001.hdf5"});
  EXPECT_EQ(solved.exit_code, 3);
  EXPECT_TRUE(contains(solved.out + solved.err, "no z ≥ 0 has M z + q ≥ 0")) << solved.out;
  EXPECT_TRUE(contains(outcome.err,
                       "the step again: talus run rod.yaml --set record.every=2 "
                       "--no-record --resume rod.state_0000001.h5"))
      << outcome.err;
  const Outcome again = folder.talus({"run", "rod.yaml", "--set", "record.every=2", "--no-record",
                                      "--resume", "rod.state_0000001.h5"});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_TRUE(contains(again.err, "Painlevé at t = 0 s")) << again.err;
}

// Problems of contacts that resist rolling have no file format: asked for them, it says so before
// any work and ends with 2; where such a step fails it says that its problem is not saved.
TEST(Run, SaysWhereProblemsHaveNoFile) {
  const std::string law = "contacts: {default: {friction: 0.5, rolling_friction: 1 mm}}\n";
  const CliFolder folder(law),
      failing(law + "solver: {tolerance: 1e-300, max_iterations: 1}\non_uncertified: stop\n");
  const Outcome dumped = folder.talus({"run", "balls.yaml", "--dump-problems", "1"});
  EXPECT_EQ(dumped.exit_code, 2) << dumped.out;
  EXPECT_TRUE(contains(dumped.err, "have no file format")) << dumped.err;
  EXPECT_FALSE(fs::exists(folder / "balls.h5"));
  const Outcome failed = failing.talus({"run", "balls.yaml"});
  EXPECT_EQ(failed.exit_code, 3) << failed.out;
  EXPECT_TRUE(contains(failed.out + failed.err, "problem not saved")) << failed.out << failed.err;
}

// Ctrl-C and SIGTERM stop after the step: exit code 130, a complete record, no leftovers.
TEST(Run, InterruptLeavesACompleteRecord) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const CliFolder folder("", "1e6");
    const Outcome outcome =
        folder.talus({"run", "balls.yaml", "--json", "--flush-every", "0.05"}, [&](pid_t child) {
          wait_for_steps(folder / "balls.h5", 1);
          kill(child, signal);
        });
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    const nlohmann::json json = nlohmann::json::parse(last_line(outcome.out));
    EXPECT_EQ(json.at("status"), "interrupted");
    EXPECT_EQ(folder.files(), (Names{"balls.h5", "balls.yaml"}));
    const record::RecordReader reader(folder / "balls.h5");
    EXPECT_EQ(reader.status(), "interrupted");
    EXPECT_EQ(reader.step_count(), json.at("steps").get<Index>());
    EXPECT_EQ(record::to_hex(reader.frame(reader.frame_count() - 1).hash()),
              json.at("state_hash").get<std::string>());
  }
}

// Killed in mid-run at twenty random times, the record opens each time, with all groups of one
// length.
TEST(Run, RecordOpensAfterEveryKill) {
  Random random(2);
  const CliFolder folder("", "1e6");
  for (int trial = 0; trial < 20; ++trial) {
    const std::string name = "run" + std::to_string(trial) + ".h5";
    const Outcome outcome =
        folder.talus({"run", "balls.yaml", "-o", name, "--flush-every", "0.001"}, [&](pid_t child) {
          wait_for_steps(folder / name, 1);
          usleep(static_cast<useconds_t>(random.uniform(0, 50e3)));
          kill(child, SIGKILL);
        });
    ASSERT_EQ(outcome.exit_code, -SIGKILL);
    const record::RecordReader reader(folder / name);
    EXPECT_GT(reader.step_count(), 0);
    EXPECT_EQ(reader.frame_count(), reader.step_count() + 1);
    EXPECT_EQ(reader.array("energies/total").rows(), reader.step_count());
    EXPECT_EQ(reader.array("poses/position").rows(), reader.frame_count());
    EXPECT_EQ(reader.array("contacts/gap").rows(),
              static_cast<Index>(reader.array("contacts/offset").values.back()));
  }
}

// Every verb explains itself with examples.
TEST(Help, ShowsExamples) {
  const CliFolder folder;
  EXPECT_EQ(folder.talus({"--help"}).exit_code, 0);
  for (const char* verb : {"run", "info", "export", "check"}) {
    const Outcome outcome = folder.talus({verb, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "Examples:\n  talus " + std::string(verb))) << outcome.out;
  }
}

// Limits of a turn in whole numbers beyond a turn look like degrees whose unit was left out: talus
// check says that they are radians, and says nothing where the unit is given, turns and more.
TEST(Check, WarnsOfLimitsInRadiansThatLookLikeDegrees) {
  const auto says = [](const std::string& limits) {
    const CliFolder folder(
        "joints: [{name: elbow, between: ball, revolute: {at: [0, 0, 0], axis: "
        "[0, 1, 0]}, turn: {limits: " +
        limits + "}}]\n");
    const Outcome outcome = folder.talus({"check", "balls.yaml"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_TRUE(contains(says("[-120, 60]"),
                       "warning: the limits of joint elbow, -120 and 60, are radians, more than a "
                       "turn: for degrees write limits: [-120 deg, 60 deg]"));
  for (const char* limits : {"[-120 deg, 60 deg]", "[-720 deg, 720 deg]", "[-2, 1]", "[-.inf, 3]"})
    EXPECT_FALSE(contains(says(limits), "warning")) << limits;
}

// A run can be ended and gone on with, in its record or from a state file, and comes to the same
// hash; a run at its end and a file of something else are told apart with exit code 2.
TEST(Run, GoesOn) {
  const CliFolder folder;
  const auto hash_of = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(last_line(outcome.out)).at("state_hash").get<std::string>();
  };
  const std::string whole =
      hash_of(folder.talus({"run", "balls.yaml", "--json", "-o", "whole.h5"}));
  hash_of(
      folder.talus({"run", "balls.yaml", "--json", "--until", "0.06", "--checkpoint", "half.h5"}));
  const Outcome in_place = folder.talus({"run", "--resume", "balls.h5", "--json"});
  EXPECT_EQ(hash_of(in_place), whole);
  EXPECT_EQ(in_place.err, "");
  EXPECT_EQ(record::RecordReader(folder / "balls.h5").step_count(), 100);
  EXPECT_EQ(hash_of(folder.talus(
                {"run", "balls.yaml", "--resume", "half.h5", "--json", "-o", "rest.h5"})),
            whole);
  EXPECT_EQ(record::RecordReader(folder / "rest.h5").step_count(), 40);
  const Outcome over = folder.talus({"run", "--resume", "whole.h5"});
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_TRUE(contains(over.err, "give a later end with --until")) << over.err;
  EXPECT_TRUE(contains(folder.talus({"run", "--resume", "whole.h5", "--until", "50ms"}).err,
                       "--until 0.05 is not beyond it: give a later time"));
  EXPECT_EQ(folder.talus({"run", "--resume", "balls.yaml"}).exit_code, 2);
  EXPECT_EQ(folder.talus({"run"}).exit_code, 2);
  const Outcome changed =
      folder.talus({"run", "--resume", "whole.h5", "--until", "0.2", "--tolerance", "1e-3"});
  EXPECT_TRUE(contains(changed.err, "solver.tolerance is 0.001, it was 1e-06")) << changed.err;
}

// What cannot be resumed from or written is said in the words that every verb uses, with a hint,
// and not in those of a library.
TEST(Run, SaysWhatIsWrongWithFiles) {
  const CliFolder folder;
  ASSERT_EQ(folder.talus({"run", "balls.yaml", "--quiet"}).exit_code, 0);
  std::ofstream(folder / "empty.h5").flush();
  fs::copy_file(folder / "balls.h5", folder / "cut.h5");
  fs::resize_file(folder / "cut.h5", fs::file_size(folder / "balls.h5") / 2);
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{"run", "--resume", "nope.h5"}, "nope.h5: there is no such file\nhint: "},
      {{"run", "--resume", "empty.h5"}, "empty.h5: this is not an HDF5 file"},
      {{"run", "--resume", "balls.yaml"}, "balls.yaml: this is not an HDF5 file"},
      {{"run", "--resume", "."}, ".: this is a folder, not a record\nhint: "},
      {{"run", "--resume", "cut.h5"}, "cut.h5: this HDF5 file is damaged or cut off"},
      {{"info", "cut.h5"}, "cut.h5: this HDF5 file is damaged or cut off"},
      {{"export", "cut.h5", "--series", "energies"},
       "cut.h5: this HDF5 file is damaged or cut off"},
      {{"run", "balls.yaml", "-o", "no/x.h5"},
       "no/x.h5: cannot write this file: No such file or directory\nhint: "}};
  for (const auto& [words, message] : wrong) {
    const Outcome outcome = folder.talus(words);
    EXPECT_EQ(outcome.exit_code, 2) << message;
    EXPECT_TRUE(contains(outcome.err, message)) << message << "\n\n" << outcome.err;
  }
}

// A title and names come from a file: a terminal obeys none of the control characters in them.
TEST(Run, TerminalsGetNoControlCharacters) {
  const CliFolder folder("");
  for (const char* name : {"ball", "\\e[2Jball"}) {
    std::ofstream(folder / "evil.yaml")
        << "title: \"\\e[31mred\"\ntime: {step: 1e-3, end: 0.01}\nbodies:\n  - {name: \"" << name
        << "\", shape: {sphere: 0.1}, mass: 1}\n";
    for (const char* verb : {"run", "info", "check"}) {
      const Outcome outcome = folder.talus({verb, "evil.yaml"});
      EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b"))
          << verb << outcome.out << outcome.err;
      if (std::string(verb) == "check" && outcome.exit_code == 0) continue;  // says no name
      EXPECT_TRUE(contains(outcome.out + outcome.err, "\\x1b["))
          << verb << outcome.out << outcome.err;
    }
  }
}

// A hand that pulls at a body that is not there, or that forces do not move, is told so; the run
// goes on as if nothing had been said.
TEST(Run, SaysWhatCannotBePulled) {
  const CliFolder folder;
  const Outcome outcome = test::run_program({"/bin/sh", "-c",
                                             "printf 'pull 99 0 0 0 1 2 3\\npull 0 0 0 0 1 2 3\\n' "
                                             "| \"$0\" run balls.yaml --steered --json",
                                             TALUS_BINARY},
                                            folder / ".");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "nothing is pulled: there is no body 99: the scene has 3"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "nothing is pulled: body 0 \"floor\" does not move by forces"));
  EXPECT_EQ(nlohmann::json::parse(last_line(outcome.out)).at("pushed_steps"), 0);
}

// An option that asks for too much is named itself, not the line of the scene that it replaces.
TEST(Run, BoundsNameTheOption) {
  const CliFolder folder;
  const Outcome steps = folder.talus({"run", "balls.yaml", "--until", "1e11"});
  EXPECT_EQ(steps.exit_code, 2);
  EXPECT_TRUE(contains(steps.err, "command line: --until: a run has at most")) << steps.err;
  const Outcome huge = folder.talus({"run", "balls.yaml", "--until", "1e30"});
  EXPECT_EQ(huge.exit_code, 2);
  EXPECT_TRUE(contains(huge.err, "--until: expected a time, got \"1e30\"; the largest time is"));
  const Outcome scheme = folder.talus({"run", "balls.yaml", "--scheme", "moreu"});
  EXPECT_TRUE(contains(scheme.err, "did you mean \"moreau_jean\"?")) << scheme.err;
}

// A machine in space resumes bit for bit: whole turns and the impulses that the next step starts
// from are in the record. Its record can be looked at and exported.
TEST(Run, ResumesAMachineInSpace) {
  const CliFolder folder;
  const std::string crane = std::string(TALUS_SOURCE_DIR) + "/examples/crane";
  const auto hash_of = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(last_line(outcome.out)).at("state_hash").get<std::string>();
  };
  const std::string whole =
      hash_of(folder.talus({"run", crane, "--until", "3", "--json", "-o", "whole.h5"}));
  hash_of(folder.talus({"run", crane, "--until", "2", "--json", "--checkpoint", "part.h5"}));
  EXPECT_EQ(hash_of(folder.talus({"run", "--resume", "crane.h5", "--until", "3", "--json"})),
            whole);
  EXPECT_EQ(hash_of(folder.talus(
                {"run", crane, "--resume", "part.h5", "--until", "3", "--json", "-o", "rest.h5"})),
            whole);
  EXPECT_EQ(folder.talus({"info", "whole.h5"}).exit_code, 0);
  for (const char* format : {"vtk", "gltf", "csv"})
    EXPECT_EQ(folder.talus({"export", "whole.h5", "--format", format}).exit_code, 0) << format;
}

// A record of one scheme is no start of another: its internal variables would be lost. That is said
// before anything is written.
TEST(Run, ResumesNoOtherScheme) {
  const CliFolder folder;
  std::ofstream(folder / "block.yaml") << R"(
dimension: 2
gravity: [0, -9.81, 0]
time: {step: 1 ms, end: 0.01}
scheme: event_driven
contacts: {default: {friction: 0.4, static_friction: 0.6}}
bodies:
  - {name: ground, fixed: true, shape: {half_plane: {}}}
  - {name: block, shape: {box: 0.2 m}, mass: 1, position: [0, 0.1, 0], velocity: [1, 0, 0]}
)";
  ASSERT_EQ(folder.talus({"run", "block.yaml"}).exit_code, 0);
  const std::string before = test::content_of(folder / "block.h5");
  for (const char* scheme : {"moreau_jean", "moreau_midpoint", "stewart_trinkle"}) {
    const Outcome other = folder.talus(
        {"run", "block.yaml", "--resume", "block.h5", "--until", "0.02", "--scheme", scheme});
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_TRUE(contains(other.err, std::string("the state keeps variables of the scheme "
                                                "event_driven, the step is one of ") +
                                        scheme))
        << other.err;
    EXPECT_EQ(test::content_of(folder / "block.h5"), before) << scheme;
  }
}

// What a probe measured is in the record and comes out as CSV: a row per sample, at the start,
// every so many steps, and columns with their components and units; a wrong name is answered with
// the right.
TEST(Export, WritesProbes) {
  const CliFolder folder(R"(probes:
  - {name: heap, every: 40, centre: {}}
  - {name: fall, every: 50, mass_flow: {point: [0, 0, 0.2], normal: [0, 0, -1]}}
)");
  ASSERT_EQ(folder.talus({"run", "balls.yaml"}).exit_code, 0);
  const Outcome heap = folder.talus({"export", "balls.h5", "--probe", "heap"});
  EXPECT_EQ(heap.exit_code, 0) << heap.err;
  EXPECT_TRUE(
      heap.out.starts_with("step,time [s],mass [kg],position_x [m],position_y [m],"
                           "position_z [m],velocity_x [m/s],velocity_y [m/s],"
                           "velocity_z [m/s]\n0,0,3,"))
      << heap.out;
  EXPECT_EQ(std::count(heap.out.begin(), heap.out.end(), '\n'), 4) << "0, 40 and 80 and a heading";
  const Outcome wrong = folder.talus({"export", "balls.h5", "--probe", "heep"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_TRUE(contains(wrong.err, "did you mean 'heap'?")) << wrong.err;
}

}  // namespace
}  // namespace talus::TALUS_TEST_FILE
