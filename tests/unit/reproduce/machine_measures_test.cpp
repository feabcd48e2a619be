#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/reproduce/machine_measures.hpp>

namespace talus::reproduce::TALUS_TEST_FILE {
namespace {

constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();

/// Samples at 0.1, 0.2, … 1 s of t², of exp(−3t) and of something that is not always a number.
MachineHistory history(Real scale = 1) {
  MachineHistory run;
  run.is_complete = true;
  for (int k = 1; k <= 10; ++k) {
    const Real t = 0.1 * k;
    run.time.push_back(t);
    run.signals["square"].push_back(scale * t * t);
    run.signals["decay"].push_back(scale * std::exp(-3 * t));
    run.signals["gaps"].push_back(k % 2 == 0 ? kNone : static_cast<Real>(k));
  }
  return run;
}

stepping::Event event(Real time, stepping::EventKind kind, Index contact) {
  stepping::Event e;
  e.time = time;
  e.kind = kind;
  e.contact = contact;
  return e;
}

Real measured(const std::string& measure, MachineMeasure row,
              const std::vector<MachineHistory>& runs = {history()}) {
  MachineCase machine;
  machine.values = {"1", "2", "4"};
  machine.orbit.emplace().period = 0.5;
  return measure_machine(measure, row, runs, machine);
}

MachineMeasure row(const std::string& signal, Real from = 0, Real to = 0) {
  MachineMeasure r;
  r.machine = std::string("m");
  r.signal = signal;
  r.from = from;
  r.to = to;
  return r;
}

// Measures of a signal are what they are called, over the window with both of its ends.
TEST(MachineMeasures, OfASignal) {
  EXPECT_NEAR(measured("min", row("square", 0.3, 0.7)), 0.09, 1e-15);
  EXPECT_NEAR(measured("max", row("square", 0.3, 0.7)), 0.49, 1e-15);
  EXPECT_NEAR(measured("last", row("square", 0.3, 0.7)), 0.49, 1e-15);
  EXPECT_NEAR(measured("slope", row("square", 0.3, 0.7)), 1, 1e-14);
  EXPECT_NEAR(measured("mean", row("square", 0.2, 0.4)), (0.04 + 2 * 0.09 + 0.16) / 4, 1e-15);
  EXPECT_NEAR(measured("step_mean", row("square", 0.2, 0.4)), (0.04 + 0.09 + 0.16) / 3, 1e-15);
  EXPECT_NEAR(measured("at", row("square", 0.35)), 0.125, 1e-15);
  EXPECT_NEAR(measured("at", row("square", 1)), 1, 1e-15);
  EXPECT_TRUE(std::isnan(measured("at", row("square", 2))));
  EXPECT_NEAR(measured("decay_rate", row("decay")), 3, 1e-12);
  EXPECT_NEAR(measured("max_abs", row("square"), {history(-1)}), 1, 1e-15);
  EXPECT_EQ(measured("max", row("gaps")), 9);
  EXPECT_EQ(measured("step_mean", row("gaps")), 5) << "samples that are no numbers do not count";
  MachineMeasure limited = row("square");
  limited.limit = 0.75;
  EXPECT_NEAR(measured("excess", limited), 0.25, 1e-15);
  limited.limit = 2;
  EXPECT_EQ(measured("excess", limited), 0);
  MachineMeasure scaled = row("square");
  scaled.factor = 60;
  EXPECT_NEAR(measured("last", scaled), 60, 1e-13);
}

// Events are counted and timed by kind, contact and window.
TEST(MachineMeasures, OfEvents) {
  using Kind = stepping::EventKind;
  MachineHistory run = history();
  run.events = {event(0.1, Kind::slip, 0), event(0.15, Kind::slip, 1), event(0.3, Kind::stick, 0),
                event(0.4, Kind::slip, 0), event(0.8, Kind::stick, 0)};
  MachineMeasure slips = row("");
  slips.event = "slip";
  slips.until = "stick";
  EXPECT_EQ(measured("event_count", slips, {run}), 3);
  EXPECT_NEAR(measured("event_duration", slips, {run}), 0.2, 1e-15);
  slips.number = 2;
  EXPECT_EQ(measured("event_time", slips, {run}), 0.15);
  slips.contact = 0;
  EXPECT_EQ(measured("event_time", slips, {run}), 0.4);
  EXPECT_NEAR(measured("shortest_interval", slips, {run}), 0.3, 1e-15);
  slips.number = 3;
  EXPECT_TRUE(std::isnan(measured("event_time", slips, {run})));
  slips.from = 0.2;
  EXPECT_EQ(measured("event_count", slips, {run}), 1);
}

// Over a parameter: the order in which a measure tends to its limit, and how far apart its values
// are.
TEST(MachineMeasures, OverAParameter) {
  MachineMeasure last = row("square");
  last.of = "last";
  last.limit = 0;
  const std::vector<MachineHistory> quadratic = {history(1), history(4), history(16)};
  EXPECT_NEAR(measured("order", last, quadratic), 2, 1e-13);
  EXPECT_NEAR(measured("spread", last, quadratic), 15, 1e-13);
  last.limit.reset();
  EXPECT_THROW((void)measured("order", last, quadratic), InputError);
}

// A run that did not get to its end, or an orbit that was not found, measures NaN.
TEST(MachineMeasures, WhatFailedIsNoNumber) {
  MachineHistory stopped = history();
  stopped.is_complete = false;
  EXPECT_TRUE(std::isnan(measured("last", row("square"), {stopped})));
  EXPECT_TRUE(std::isnan(measured("event_count", row(""), {stopped})));
  EXPECT_TRUE(std::isnan(measured("orbit_speed", row(""))));
  MachineHistory orbit = history();
  orbit.orbit.status = sim::PeriodicOrbit::Status::found;
  orbit.orbit.multipliers = {{0.6, 0.8}, {0.5, 0}};
  orbit.drift = 0.2;
  EXPECT_NEAR(measured("orbit_speed", row(""), {orbit}), 0.4, 1e-15);
  EXPECT_NEAR(measured("multiplier", row(""), {orbit}), 1, 1e-15);
  EXPECT_THROW((void)measured("last", row("none")), InputError);
}

}  // namespace
}  // namespace talus::reproduce::TALUS_TEST_FILE
