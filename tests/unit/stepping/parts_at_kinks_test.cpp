#include <talus/stepping/parts_at_kinks.hpp>

#include <gtest/gtest.h>

#include <talus/model/machine.hpp>

#include "support/fake_scheme.hpp"

namespace talus::stepping::TALUS_TEST_FILE {
namespace {

/// Notes where its steps begin and end.
class Notes final : public test::FakeScheme {
 public:
  Notes(const model::Model& model, std::vector<Real>& ends, Index uncertified_step)
      : FakeScheme(model, uncertified_step), ends_(ends) {}
  StepReport step(model::State& state, Real h) override {
    if (ends_.empty()) ends_.push_back(state.time);
    EXPECT_EQ(state.time, ends_.back());
    ends_.push_back(state.time + h);
    return FakeScheme::step(state, h);
  }

 private:
  std::vector<Real>& ends_;
};

/// A model with a moved body in the plane whose law has kinks at times.
model::Model with_kinks(const std::vector<Real>& times) {
  model::Model model = test::balls_above_plane(1);
  model.dimension = 2;
  model::Drive drive;
  std::vector<Real> values(times.size(), 0);
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] = 1;
  drive.law = model::make_table(times, values, false);
  model::Machine machine;
  machine.drives.push_back(drive);
  model.machine = std::make_shared<const model::Machine>(machine);
  return model;
}

/// Where the parts of a step of 1 s from a time begin and end.
std::vector<Real> ends(const std::vector<Real>& kinks, Real start, Index uncertified_step = -1,
                       StepReport* report = nullptr, PartStart parts = PartStart::before_kink) {
  const model::Model model = with_kinks(kinks);
  std::vector<Real> found;
  const auto scheme =
      parts_at_kinks(std::make_unique<Notes>(model, found, uncertified_step), model, parts);
  model::State state = test::balls_at_rest(1);
  state.time = start;
  const StepReport last = scheme->step(state, 1);
  EXPECT_EQ(state.time, start + 1);
  if (report != nullptr) *report = last;
  return found;
}

void expect_ends(const std::vector<Real>& found, const std::vector<Real>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LE(found[i], expected[i]) << i;
    EXPECT_GE(found[i], expected[i] - 1.5e-7) << i;
  }
}

// A kink alone is met by the scheme: the step is whole. So it is where there is none.
TEST(PartsAtKinks, AKinkAloneCutsNothing) {
  EXPECT_EQ(ends({2.5, 5}, 2), (std::vector<Real>{2, 3}));
  EXPECT_EQ(ends({2.5, 5}, 3), (std::vector<Real>{3, 4}));
  EXPECT_EQ(ends({2, 3, 4, 5}, 3), (std::vector<Real>{3, 4}));  // as long as the step
}

// Kinks that are nearer to each other than a step end a part each, and there is one end between.
TEST(PartsAtKinks, TwoWithinAStepAreMetInParts) {
  expect_ends(ends({2.25, 2.5, 9}, 2), {2, 2.25, 2.375, 2.5, 3});
}

// Kinks that go on for longer than a step are samples of a curve.
TEST(PartsAtKinks, SamplesOfACurveCutNothing) {
  std::vector<Real> samples;
  for (int i = 0; i < 40; ++i) samples.push_back(0.25 * i);
  for (const Real start : {2.0, 3.1, 8.9, 9.5})
    EXPECT_EQ(ends(samples, start), (std::vector<Real>{start, start + 1})) << start;
}

// So they do in two steps, and where one lies at the end of a step both steps meet just before it.
TEST(PartsAtKinks, StepsMeetBeforeAKinkBetweenThem) {
  expect_ends(ends({2.75, 3.25, 9}, 2), {2, 2.75, 3});
  expect_ends(ends({2.75, 3.25, 9}, 3), {3, 3.25, 4});
  const std::vector<Real> before = ends({3, 3.5, 9}, 2), after = ends({3, 3.5, 9}, 3);
  expect_ends(before, {2, 3});
  expect_ends(after, {3, 3.25, 3.5, 4});
  EXPECT_LT(before.back(), 3);
  EXPECT_EQ(before.back(), after.front());
}

// Parts of a scheme that takes what holds at the start of a step begin at the kinks.
TEST(PartsAtKinks, PartsBeginAtKinksWhereTheSchemeTakesTheStart) {
  EXPECT_EQ(ends({2.25, 2.5, 9}, 2, -1, nullptr, PartStart::at_kink),
            (std::vector<Real>{2, 2.25, 2.375, 2.5, 3}));
}

// The report says why the first part that is not certified is not, and of all the worst residual.
TEST(PartsAtKinks, TheReportIsOfAllParts) {
  StepReport report;
  expect_ends(ends({2.25, 2.5, 9}, 2, 3, &report), {2, 2.25, 2.375, 2.5, 3});
  EXPECT_EQ(report.status, problem::SolveStatus::max_iterations);
  EXPECT_EQ(report.certificate.natural_map, 3.1e-4);
  EXPECT_EQ(report.iterations, 4 + 5 + 10000 + 3);
}

}  // namespace
}  // namespace talus::stepping::TALUS_TEST_FILE
