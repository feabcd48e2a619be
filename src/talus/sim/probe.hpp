#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/model/probe.hpp>
#include <talus/model/state.hpp>
#include <talus/record/probe_table.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::sim {

/// What a probe sees: the bodies after a step and the contacts of that step.
struct Snapshot {
  const model::Model& model;
  const model::State& state;
  std::span<const stepping::StepContact> contacts;
  Real step_size = 0;  ///< [s] > 0: an impulse over it is a force
};

/// Measures one thing again and again. What does not exist (a mean of nothing) is NaN.
class Meter {
 public:
  virtual ~Meter() = default;
  [[nodiscard]] virtual std::vector<record::ProbeColumn> columns() const = 0;
  /// True if measure() looks at the contacts: a list that is computed lazily.
  [[nodiscard]] virtual bool needs_contacts() const { return false; }
  /// True if values add up over the run: then watch() must see every step, and resume() the values
  /// that it continues from.
  [[nodiscard]] virtual bool is_cumulative() const { return false; }
  virtual void watch(const model::State& /*after a step*/) {}
  /// Bodies came in: where they are before they move. For what adds up.
  virtual void enter(const model::State&, std::span<const Index> /*bodies*/) {}
  virtual void resume(const model::State& /*at the last sample*/, Real /*its time*/,
                      std::span<const Real> /*its values*/) {}
  /// Appends the components of all columns.
  virtual void measure(const Snapshot& snapshot, std::vector<Real>& values) = 0;
};

/// The meter of a probe. The probe must outlive it. @param initial where the run starts.
[[nodiscard]] std::unique_ptr<Meter> make_meter(const model::Probe& probe,
                                                const model::Model& model,
                                                const model::State& initial);

/// The name that scenes and records have for a measure, e.g. "stress".
[[nodiscard]] std::string kind_of(const model::Measure& measure);

/// What a probe writes to a record.
[[nodiscard]] record::ProbeTable table_of(const model::Probe& probe, const Meter& meter);

}  // namespace talus::sim
