#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include <talus/cli/progress.hpp>
#include <talus/cli/progress_line.hpp>
#include <talus/cli/spinner.hpp>
#include <unit/sim/falling_balls.hpp>

namespace talus::cli::TALUS_TEST_FILE {
namespace {

ProgressFigures some_figures() {
  return {.steps = 250,
          .step_count = 1000,
          .time = 0.25,
          .end_time = 1,
          .steps_per_second = 50,
          .contact_count = 120,
          .worst_residual = 3.14e-7,
          .uncertified_steps = 0};
}

// The line names the share done, simulated time, time left, worst certificate, contacts and rate.
TEST(ProgressLine, NamesItsFigures) {
  EXPECT_EQ(progress_line(some_figures()),
            " 25 %  t 0.25/1 s  left 15 s  worst 3.1e-07  120 contacts  50 steps/s");
}

// Uncertified steps are named when there are any.
TEST(ProgressLine, WarnsOfUncertifiedSteps) {
  ProgressFigures figures = some_figures();
  figures.uncertified_steps = 3;
  EXPECT_EQ(progress_line(figures),
            " 25 %  t 0.25/1 s  left 15 s  worst 3.1e-07  uncertified 3  120 contacts  50 steps/s");
}

// Nothing is said of a rate that is not known, and a run without steps is no division by zero.
TEST(ProgressLine, SaysNothingOfAnUnknownRate) {
  EXPECT_EQ(progress_line({}), "  0 %  t 0/0 s  worst 0.0e+00  0 contacts");
}

// Time left is (step_count − steps)/rate, in seconds, minutes or hours.
TEST(ProgressLine, GivesTheTimeLeftInItsUnit) {
  ProgressFigures figures = some_figures();
  for (const auto& [rate, left] : {std::pair(1e3, "left 1 s"), std::pair(7.5, "left 2 min"),
                                   std::pair(0.25, "left 50 min"), std::pair(0.1, "left 2.1 h")}) {
    figures.steps_per_second = rate;
    EXPECT_NE(progress_line(figures).find(left), std::string::npos) << progress_line(figures);
  }
}

// A terminal gets a bar that is filled to the share done, as long as there is room; every figure is
// there at 80 columns, and no line reaches the last column.
TEST(ProgressBar, FitsTheTerminal) {
  const ProgressFigures figures = some_figures();
  const std::string text = progress_line(figures);
  EXPECT_EQ(progress_bar(figures, 200), "[#####...............] " + text);
  EXPECT_EQ(progress_bar(figures, text.size() + 3 + 8 + 1), "[##......] " + text);
  EXPECT_NE(progress_bar(figures, 80).find(text), std::string::npos);
  EXPECT_EQ(progress_bar(figures, text.size() + 1), text);
  for (const std::size_t columns : {1, 2, 20, 60, 72, 79, 100})
    EXPECT_LT(progress_bar(figures, columns).size(), columns);
  ProgressFigures done = figures;
  done.steps = done.step_count;
  EXPECT_EQ(progress_bar(done, 200).substr(0, 22), "[####################]");
}

/// All that is written to a terminal of a type and width, or to a pipe if the width is 0.
template <class Write>
std::string shown(const char* terminal_type, unsigned short columns, Write write_to) {
  setenv("TERM", terminal_type, 1);
  int reading = -1, writing = -1;
  if (columns > 0) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    EXPECT_EQ(openpty(&reading, &writing, nullptr, nullptr, &size), 0);
  } else {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    reading = ends[0];
    writing = ends[1];
  }
  std::FILE* stream = fdopen(writing, "w");
  write_to(stream);
  std::fputs("the end", stream);
  std::fflush(stream);
  std::string text;
  while (text.find("the end") == std::string::npos) {
    char block[4096];
    const ssize_t count = read(reading, block, sizeof block);
    if (count <= 0) break;
    text.append(block, static_cast<std::size_t>(count));
  }
  std::fclose(stream);
  close(reading);
  return text;
}

/// A run with pauses.
void run_shown(std::FILE* stream) {
  sim::Simulation simulation(test::falling_balls(), test::fake_scheme(20));
  Progress progress(stream);
  simulation.observe([&](const sim::Simulation& s) {
    if (s.summary().steps % 25 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(120));
    progress.show(s);
  });
  simulation.run();
}

// On a terminal one line is redrawn in place with the run's figures and cleared at the end; the
// fake scheme makes three contacts in every other step and step 20 uncertified.
TEST(Progress, RedrawsOneLineOnATerminal) {
  const std::string text = shown("xterm", 120, run_shown);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  for (const char* part : {"\r[##########..........]  50 %  t 0.025/0.05 s  left ",
                           "  worst 3.1e-04  uncertified 1  0 contacts  ",
                           "\r[####################] 100 %  t 0.05/0.05 s  left 0 s",
                           "  3 contacts  ", " steps/s\x1b[K", "\r\x1b[Kthe end"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
}

// A terminal that cannot redraw and a pipe get no control characters.
TEST(Progress, IsPlainElsewhere) {
  for (const std::string& text : {shown("dumb", 120, run_shown), shown("xterm", 0, run_shown)})
    EXPECT_EQ(text, "the end") << "a plain line is due every 5 s only";
}

// What takes long says so on a terminal, in one line that turns and is gone at the end; what ends
// before the patience does, and streams that cannot redraw, show nothing.
TEST(Spinner, SaysWhatTakesLong) {
  using std::chrono::milliseconds;
  const auto work = [](milliseconds patience) {
    return [patience](std::FILE* stream) {
      const Spinner spinner(stream, "reading", patience);
      std::this_thread::sleep_for(milliseconds(350));
    };
  };
  const std::string text = shown("xterm", 120, work(milliseconds(10)));
  for (const char* part : {"\r\x1b[K| reading 0 s", "\r\x1b[K/ reading 0 s", " 0 s\r\x1b[Kthe end"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  for (const std::string& quiet :
       {shown("xterm", 120, work(milliseconds(60'000))), shown("dumb", 120, work(milliseconds(10))),
        shown("xterm", 0, work(milliseconds(10)))})
    EXPECT_EQ(quiet, "the end");
}

}  // namespace
}  // namespace talus::cli::TALUS_TEST_FILE
