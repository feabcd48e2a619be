#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <talus/stepping/event_driven.hpp>

#include "support/spatial_machine_world.hpp"

namespace talus::test {

/// A machine in space, advanced by events.
struct EventRun {
  explicit EventRun(SpatialMachineWorld start, Real tolerance = 1e-12) : world(std::move(start)) {
    options = test::options("event_driven", 1e-6);
    options.machine.tolerance = tolerance;
  }
  /// To a time in steps of about h. @return how many of them were not certified.
  Index to(Real end, Real h) {
    if (!scheme) scheme = make_scheme(world.model, options);
    const auto steps = std::max(std::lround((end - world.state.time) / h), 1L);
    const Real step = (end - world.state.time) / static_cast<Real>(steps);
    Index failed = 0;
    for (long k = 0; k < steps; ++k) {
      last = scheme->step(world.state, step);
      events.insert(events.end(), scheme->events().begin(), scheme->events().end());
      if (last.is_certified()) continue;
      if (failed++ == 0) first_failure = last.detail;
    }
    return failed;
  }
  /// The times of events of a kind.
  [[nodiscard]] std::vector<Real> times(stepping::EventKind kind) const {
    std::vector<Real> all;
    for (const stepping::Event& event : events)
      if (event.kind == kind) all.push_back(event.time);
    return all;
  }
  [[nodiscard]] const dynamics::AxisReaction& axis() const { return scheme->axes().front(); }

  SpatialMachineWorld world;
  stepping::SchemeOptions options;
  std::unique_ptr<stepping::Scheme> scheme;
  stepping::StepReport last;
  std::vector<stepping::Event> events;
  std::string first_failure;
};

}  // namespace talus::test
