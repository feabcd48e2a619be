#include <gtest/gtest.h>

#include <sstream>

#include <support/scratch.hpp>
#include <talus/base/error.hpp>
#include <talus/record/csv.hpp>
#include <unit/record/recording.hpp>

namespace talus::record::TALUS_TEST_FILE {
namespace {

using test::Scratch;

class Csv : public ::testing::Test {
 protected:
  Csv() {
    const model::Model model = test::balls_above_plane(2);
    Recorder recorder(scratch_ / "run.h5", model, {}, test::some_provenance());
    last_ = test::record_balls(recorder, model, 4, 2);
    recorder.finish(RunStatus::finished);
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& selection) const {
    std::stringstream text;
    write_series_csv(RecordReader(scratch_ / "run.h5"), selection, text);
    return split(text);
  }
  [[nodiscard]] static std::vector<std::string> split(std::stringstream& text) {
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  Scratch scratch_;
  model::State last_;
};

// A group of per-step series becomes one table with step and time first, units in the heading.
TEST_F(Csv, GroupOfStepSeries) {
  const std::vector<std::string> table = lines("energies");
  ASSERT_EQ(table.size(), 5U);
  EXPECT_EQ(table[0], "step,time [s],kinetic [J],potential [J],total [J]");
  EXPECT_EQ(table[1].substr(0, 8), "1,0.001,");
}

// One series by its path, with or without the leading slash, gives one column.
TEST_F(Csv, OneSeries) {
  EXPECT_EQ(lines("/solver/iterations"),
            (std::vector<std::string>{"step,time [s],iterations", "1,0.001,4", "2,0.002,5",
                                      "3,0.003,6", "4,0.004,3"}));
  EXPECT_EQ(lines("timings").at(0), "step,time [s],step [s]");
}

// What is computed from a record, and components, are written by their names: rows of their clock.
TEST_F(Csv, NamesOfSeries) {
  const std::vector<std::string> momentum = lines("momentum/linear.z");
  ASSERT_EQ(momentum.size(), 1U + 3);
  EXPECT_EQ(momentum[0], "step,time [s],linear_z [kg m/s]");
  EXPECT_EQ(lines("momentum/linear")[0],
            "step,time [s],linear_x [kg m/s],linear_y [kg m/s],linear_z [kg m/s]");
  const std::vector<std::string> speed = lines("body.ball[1].speed");
  ASSERT_EQ(speed.size(), 1U + 3);
  EXPECT_EQ(speed[0], "step,time [s],body.ball[1].speed [m/s]");
  EXPECT_EQ(std::stod(speed[3].substr(speed[3].rfind(',') + 1)), last_.velocity[2].norm());
  EXPECT_THROW(static_cast<void>(lines("momentum/linear.w")), InputError);
}

// Contacts are one row per contact, with the names of the bodies.
TEST_F(Csv, Contacts) {
  const std::vector<std::string> table = lines("contacts");
  ASSERT_EQ(table.size(), 5U);
  EXPECT_EQ(table[1], "2,0.002,floor,ball[0],1,2,2,0,0,1,-0.0001,0,0,2");
  EXPECT_EQ(table[4].substr(0, 23), "4,0.004,floor,ball[1],1");
}

// Poses of all bodies are one row per frame and body.
TEST_F(Csv, Poses) {
  const std::vector<std::string> table = lines("poses");
  ASSERT_EQ(table.size(), 1U + 3 * 3);
  EXPECT_EQ(table[0],
            "step,time [s],body,position_x [m],position_y [m],position_z [m],orientation_w,"
            "orientation_x,orientation_y,orientation_z");
  EXPECT_EQ(table[2], "0,0,ball[0],1,0,10,1,0,0,0");
}

// A name with a comma is one cell: every row has as many as the heading.
TEST(CsvNames, WithCommasAreOneCell) {
  const Scratch scratch;
  model::Model model = test::balls_above_plane(2);
  model.groups[1].name = "big, \"red\"";
  {
    Recorder recorder(scratch / "run.h5", model, {}, test::some_provenance());
    static_cast<void>(test::record_balls(recorder, model, 4, 2));
    recorder.finish(RunStatus::finished);
  }
  const RecordReader record(scratch / "run.h5");
  for (const char* selection : {"poses", "contacts"}) {
    std::stringstream text;
    write_series_csv(record, selection, text);
    EXPECT_NE(text.str().find(",\"big, \"\"red\"\"[0]\","), std::string::npos) << text.str();
  }
}

// A body by its name; the numbers read back bit for bit.
TEST_F(Csv, OneBody) {
  std::stringstream text;
  write_body_csv(RecordReader(scratch_ / "run.h5"), "ball[1]", text);
  const std::vector<std::string> table = split(text);
  ASSERT_EQ(table.size(), 4U);
  std::stringstream row(table[3]);
  std::vector<Real> numbers;
  for (std::string cell; std::getline(row, cell, ',');) numbers.push_back(std::stod(cell));
  ASSERT_EQ(numbers.size(), 2U + 7 + 6);
  EXPECT_EQ(numbers[1], last_.time);
  EXPECT_EQ(numbers[4], last_.position[2].z());
  EXPECT_EQ(numbers[11], last_.velocity[2].z());
}

// A wrong name is answered with the nearest right one.
TEST_F(Csv, SuggestsTheNearestName) {
  const RecordReader record(scratch_ / "run.h5");
  std::stringstream out;
  const auto message_of = [](const auto& task) -> std::string {
    try {
      task();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message_of([&] { write_series_csv(record, "energy", out); }).find("'energies'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { write_body_csv(record, "bal[1]", out); }).find("'ball[1]'"),
            std::string::npos);
  EXPECT_THROW(write_series_csv(record, "", out), InputError);
}

}  // namespace
}  // namespace talus::record::TALUS_TEST_FILE
