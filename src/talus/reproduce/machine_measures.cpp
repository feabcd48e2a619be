#include <talus/reproduce/machine_measures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/reproduce/measured.hpp>

namespace talus::reproduce {
namespace {

/// Ends of windows are met by samples to within this share of their distance.
constexpr Real kWindowEdge = 1e-6;

InputError wrong_measure(const MachineMeasure& row, const std::string& what) {
  return file_error("expected.yaml", fmt::format("machine {}: {}", row.machine, what));
}

/// The samples of a signal in a window.
struct Window {
  std::vector<Real> time, value;
};

Window window_of(const MachineMeasure& row, const MachineHistory& run) {
  const auto signal = run.signals.find(row.signal);
  if (signal == run.signals.end())
    throw wrong_measure(row, fmt::format("there is no signal \"{}\"", row.signal));
  Window window;
  const Real spacing = run.time.size() > 1 ? run.time[1] - run.time[0] : 0;
  for (std::size_t i = 0; i < run.time.size(); ++i) {
    if (run.time[i] < row.from - kWindowEdge * spacing) continue;
    if (row.to > 0 && run.time[i] > row.to + kWindowEdge * spacing) break;
    if (std::isnan(signal->second[i])) continue;
    window.time.push_back(run.time[i]);
    window.value.push_back(signal->second[i]);
  }
  return window;
}

Real window_mean(const Window& w) {
  Real sum = 0;
  for (std::size_t i = 1; i < w.time.size(); ++i)
    sum += (w.value[i] + w.value[i - 1]) / 2 * (w.time[i] - w.time[i - 1]);
  return w.time.size() > 1 ? sum / (w.time.back() - w.time.front()) : kNone;
}

Real step_mean(const Window& w) {
  Real sum = 0;
  for (const Real value : w.value) sum += value;
  return sum / static_cast<Real>(w.value.size());
}

/// Slope of y over x, least squares.
Real fitted_slope(const std::vector<Real>& x, const std::vector<Real>& y) {
  Real n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) continue;
    n += 1, sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  }
  return n > 1 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : kNone;
}

Real decay_rate(const Window& w) {
  std::vector<Real> logs;
  for (const Real value : w.value) logs.push_back(std::log(std::abs(value)));
  return -fitted_slope(w.time, logs);
}

Real value_at(const MachineMeasure& row, const MachineHistory& run) {
  MachineMeasure all = row;
  all.from = all.to = 0;
  const Window w = window_of(all, run);
  const auto next = std::lower_bound(w.time.begin(), w.time.end(), row.from);
  if (next == w.time.end()) {
    const bool is_last = !w.time.empty() && row.from < w.time.back() * (1 + kWindowEdge);
    return is_last ? w.value.back() : kNone;
  }
  const auto i = static_cast<std::size_t>(next - w.time.begin());
  if (i == 0) return w.value.front();
  const Real share = (row.from - w.time[i - 1]) / (w.time[i] - w.time[i - 1]);
  return w.value[i - 1] + share * (w.value[i] - w.value[i - 1]);
}

Real of_signal(const std::string& name, const MachineMeasure& row, const MachineHistory& run) {
  if (name == "at") return value_at(row, run);
  const Window w = window_of(row, run);
  if (w.value.empty()) return kNone;
  const auto [low, high] = std::minmax_element(w.value.begin(), w.value.end());
  if (name == "mean") return window_mean(w);
  if (name == "step_mean") return step_mean(w);
  if (name == "min") return *low;
  if (name == "max") return *high;
  if (name == "excess") {
    if (!row.limit) throw wrong_measure(row, "an excess needs a limit");
    return std::max<Real>(0, *high - *row.limit);
  }
  if (name == "max_abs") return std::max(std::abs(*low), std::abs(*high));
  if (name == "last") return w.value.back();
  if (name == "decay_rate") return decay_rate(w);
  return w.time.size() > 1 ? (w.value.back() - w.value.front()) / (w.time.back() - w.time.front())
                           : kNone;
}

/// Events of a kind in the window, in order of time.
std::vector<const stepping::Event*> events_of(const std::string& kind, const MachineMeasure& row,
                                              const MachineHistory& run) {
  std::vector<const stepping::Event*> found;
  for (const stepping::Event& event : run.events)
    if ((kind.empty() || kind == stepping::to_string(event.kind)) &&
        (row.contact < 0 || event.contact == row.contact) && event.time >= row.from &&
        (row.to == 0 || event.time <= row.to))
      found.push_back(&event);
  return found;
}

Real of_event(const std::string& name, const MachineMeasure& row, const MachineHistory& run) {
  const auto events = events_of(row.event, row, run);
  if (name == "event_count") return static_cast<Real>(events.size());
  if (row.number > static_cast<Index>(events.size())) return kNone;
  const stepping::Event& event = *events[static_cast<std::size_t>(row.number - 1)];
  if (name == "event_time") return event.time;
  if (name == "event_impulse") return event.impulse.x();
  if (name == "event_ratio") return -event.gap_rate_after / event.gap_rate_before;
  if (name == "event_energy") return event.energy_after / event.energy_before;
  for (const stepping::Event* later : events_of(row.until, row, run))
    if (later->time > event.time) return later->time - event.time;
  return kNone;
}

/// The shortest time between two events of a kind at the same contact.
Real shortest_interval(const MachineMeasure& row, const MachineHistory& run) {
  std::map<Index, Real> last;
  Real shortest = std::numeric_limits<Real>::infinity();
  for (const stepping::Event* event : events_of(row.event, row, run)) {
    const auto before = last.find(event->contact);
    if (before != last.end()) shortest = std::min(shortest, event->time - before->second);
    last[event->contact] = event->time;
  }
  return std::isfinite(shortest) ? shortest : kNone;
}

Real of_orbit(const std::string& name, const MachineMeasure& row, const MachineHistory& run,
              const MachineCase& machine) {
  if (!machine.orbit) throw wrong_measure(row, "it has no orbit");
  if (run.orbit.status != sim::PeriodicOrbit::Status::found) return kNone;
  if (name == "orbit_speed") return run.drift / machine.orbit->period;
  if (name == "orbit_residual") return run.orbit.residual;
  const auto& multipliers = run.orbit.multipliers;
  return row.number > static_cast<Index>(multipliers.size())
             ? kNone
             : std::abs(multipliers[static_cast<std::size_t>(row.number - 1)]);
}

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

bool is_of_signal(const std::string& name) {
  return is_one_of(name, {"mean", "step_mean", "min", "max", "excess", "max_abs", "last", "at",
                          "slope", "decay_rate"});
}

/// A measure of one run.
Real of_run(const std::string& name, const MachineMeasure& row, const MachineHistory& run,
            const MachineCase& machine) {
  if (is_one_of(name, {"orbit_speed", "multiplier", "orbit_residual"}))
    return of_orbit(name, row, run, machine);
  if (!run.is_complete) return kNone;
  if (name == "uncertified") return static_cast<Real>(run.uncertified);
  if (name == "energy_rise") return run.energy_rise;
  if (name == "shortest_interval") return shortest_interval(row, run);
  return is_of_signal(name) ? of_signal(name, row, run) : of_event(name, row, run);
}

Real number_of(const std::string& text) {
  Real value = kNone;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Real over_values(const std::string& name, const MachineMeasure& row,
                 const std::vector<MachineHistory>& histories, const MachineCase& machine) {
  std::vector<Real> x, y;
  Real spread = 0;
  for (std::size_t i = 0; i < histories.size(); ++i) {
    const Real value = of_run(row.of, row, histories[i], machine);
    if (name == "order") {
      if (!row.limit) throw wrong_measure(row, "an order needs a limit");
      x.push_back(std::log(number_of(machine.values.at(i))));
      y.push_back(std::log(std::abs(value - *row.limit)));
      if (!std::isfinite(y.back())) return kNone;
    } else {
      y.push_back(value);
      if (!(std::abs(value - y.front()) <= spread)) spread = std::abs(value - y.front());
    }
  }
  return name == "order" ? fitted_slope(x, y) : spread;
}

}  // namespace

std::vector<std::string> machine_measure_names() {
  return {"mean",
          "step_mean",
          "min",
          "max",
          "max_abs",
          "excess",
          "last",
          "at",
          "slope",
          "decay_rate",
          "event_time",
          "event_count",
          "event_duration",
          "event_impulse",
          "event_ratio",
          "event_energy",
          "orbit_speed",
          "multiplier",
          "orbit_residual",
          "uncertified",
          "energy_rise",
          "shortest_interval",
          "order",
          "spread"};
}

Real measure_machine(const std::string& measure, const MachineMeasure& row,
                     const std::vector<MachineHistory>& histories, const MachineCase& machine) {
  if (measure == "order" || measure == "spread")
    return over_values(measure, row, histories, machine) * (measure == "order" ? 1 : row.factor);
  return row.factor *
         of_run(measure, row, histories.at(static_cast<std::size_t>(row.value)), machine);
}

}  // namespace talus::reproduce
