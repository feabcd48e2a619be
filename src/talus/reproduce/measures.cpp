#include <talus/reproduce/measures.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/reproduce/measured.hpp>
#include <talus/reproduce/rotation_measures.hpp>
#include <talus/reproduce/step_measures.hpp>

namespace talus::reproduce {
namespace {

InputError lacks(const RowSpec& row, const std::string& what) {
  return file_error("expected.yaml",
                    fmt::format("{}: {} needs {}", row.quantity, row.measure, what));
}

Index body_of(const RowSpec& row, const model::Model& model) {
  const Index body = model.find_body(row.body);
  if (body < 0) throw lacks(row, "the name of a body, got \"" + row.body + "\"");
  return body;
}

int component_of(const RowSpec& row) {
  const auto index = std::string("xyz").find(row.component);
  if (row.component.size() != 1 || index == std::string::npos)
    throw lacks(row, "a component x, y or z");
  return static_cast<int>(index);
}

/// Positions and ∫ω dt of all dynamic bodies after every step.
std::vector<VecX> travelled(const History& run) {
  std::vector<VecX> path;
  VecX angle;
  for (std::size_t k = 0; k < run.states.size(); ++k) {
    VecX now = velocities(run.scene.model, run.states[k]);
    if (k == 0) angle = VecX::Zero(now.size());
    if (k > 0) angle += run.step_size * now;
    now = angle;
    Index row = 0;
    for (Index i = 0; i < run.scene.model.body_count(); ++i)
      if (run.scene.model.bodies[i].kind == model::BodyKind::dynamic) {
        now.segment<3>(row) = run.states[k].position[i];
        row += 6;
      }
    path.push_back(std::move(now));
  }
  return path;
}

Real variation(const RowSpec&, const History& run) {
  VecX sum = 0 * velocities(run.scene.model, run.states[0]);
  for (std::size_t k = 1; k < run.states.size(); ++k)
    sum += (velocities(run.scene.model, run.states[k]) -
            velocities(run.scene.model, run.states[k - 1]))
               .cwiseAbs();
  return sum.maxCoeff();
}

using Name = std::tuple<Index, Index, geometry::FeatureId>;

/// Steps (from 1) in which contacts bear an impulse for the first time, in order; with `body`, only
/// its contacts.
std::vector<Index> impacts(const History& run, Index body) {
  std::set<Name> known;
  std::vector<Index> steps;
  for (std::size_t k = 0; k < run.contacts.size(); ++k)
    for (const stepping::StepContact& c : run.contacts[k]) {
      if (c.impulse.isZero(0) || (body >= 0 && c.body_a != body && c.body_b != body)) continue;
      if (known.insert({c.body_a, c.body_b, c.feature}).second)
        steps.push_back(static_cast<Index>(k) + 1);
    }
  return steps;
}

Real impact(const RowSpec& row, const History& run) {
  const auto steps = impacts(run, row.body.empty() ? -1 : body_of(row, run.scene.model));
  if (static_cast<Index>(steps.size()) < row.number) return std::numeric_limits<Real>::quiet_NaN();
  return run.time(steps[static_cast<std::size_t>(row.number - 1)] - (row.at == "start" ? 1 : 0));
}

/// Speed below which something counts as at rest, far above round-off and far below every speed.
constexpr Real kRest = 1e-9;

Real slide(const RowSpec& row, const History& run) {
  const Index body = body_of(row, run.scene.model);
  const int component = component_of(row);
  const auto steps = impacts(run, body);
  if (steps.empty()) return std::numeric_limits<Real>::quiet_NaN();
  for (Index k = steps.back(); k <= run.step_count(); ++k)
    if (std::abs(run.states[static_cast<std::size_t>(k)].velocity[body][component]) < kRest)
      return run.time(k - steps.back());
  return std::numeric_limits<Real>::quiet_NaN();
}

Real rest(const RowSpec&, const History& run) {
  Index k = run.step_count();
  const auto moves = [&](Index step) {
    return velocities(run.scene.model, run.states[static_cast<std::size_t>(step)])
               .cwiseAbs()
               .maxCoeff() >= kRest;
  };
  if (moves(k)) return std::numeric_limits<Real>::quiet_NaN();
  while (k > 0 && !moves(k - 1)) --k;
  return run.time(k);
}

Real final_position(const RowSpec& row, const History& run) {
  return run.states.back().position[body_of(row, run.scene.model)][component_of(row)];
}

Real largest_spin(const RowSpec& row, const History& run) {
  const Index body = body_of(row, run.scene.model);
  Real largest = 0;
  for (const model::State& state : run.states)
    largest = worse(largest, state.angular_velocity[body].norm());
  return largest;
}

Real reopening(const RowSpec& row, const History& run) {
  const Index body = row.body.empty() ? -1 : body_of(row, run.scene.model);
  const auto steps = impacts(run, body);
  if (steps.empty()) return std::numeric_limits<Real>::quiet_NaN();
  std::set<Name> bearing;  // contacts that bore an impulse in the step before
  Real worst = 0;
  for (const auto& contacts : run.contacts) {
    std::set<Name> now;
    for (const stepping::StepContact& c : contacts) {
      const Name name{c.body_a, c.body_b, c.feature};
      if (body >= 0 && c.body_a != body && c.body_b != body) continue;
      if (!c.impulse.isZero(0)) now.insert(name);
      if (bearing.contains(name)) worst = std::max(worst, c.gap);
    }
    bearing.insert(now.begin(), now.end());
  }
  return worst;
}

Real energy_rise(const RowSpec&, const History& run) {
  Real worst = 0, last = run.first_energy;
  for (const stepping::StepReport& report : run.reports) {
    worst = worse(worst, report.energy.total() - last);
    last = report.energy.total();
  }
  return worst;
}

/// The weight is that of the masses along gravity, upwards what is against it.
Real support(const RowSpec&, const History& run) {
  const model::Model& model = run.scene.model;
  const auto is_fixed = [&](Index i) { return model.bodies[i].kind == model::BodyKind::fixed; };
  const Vec3 up = -model.gravity.normalized();
  Real weight = 0, impulse = 0;
  for (const model::Body& body : model.bodies)
    if (body.kind == model::BodyKind::dynamic) weight += body.mass * model.gravity.norm();
  for (const auto& contacts : run.contacts)
    for (const stepping::StepContact& contact : contacts) {
      if (is_fixed(contact.body_a)) impulse += up.dot(contact.impulse);
      if (is_fixed(contact.body_b)) impulse -= up.dot(contact.impulse);
    }
  return impulse / (weight * run.time(run.step_count()));
}

/// The largest of a number of the steps' reports.
template <class Get>
Real largest(const History& run, const Get& get) {
  Real worst = 0;
  for (const stepping::StepReport& report : run.reports)
    worst = worse(worst, static_cast<Real>(get(report)));
  return worst;
}

using OneRun = Real (*)(const RowSpec&, const History&);

/// Measures of one run; where a row names several step sizes the largest counts.
const std::vector<std::pair<std::string, OneRun>>& one_run_measures() {
  static const std::vector<std::pair<std::string, OneRun>> table = {
      {"variation", variation},
      {"impact", impact},
      {"slide", slide},
      {"final_position", final_position},
      {"largest_spin", largest_spin},
      {"rest", rest},
      {"reopening", reopening},
      {"largest_lcp",
       [](const RowSpec&, const History& run) {
         return largest(run, [](const auto& r) { return r.lcp.largest; });
       }},
      {"most_pivots",
       [](const RowSpec&, const History& run) {
         return largest(run, [](const auto& r) { return r.lcp.most_pivots; });
       }},
      {"lcp_residual",
       [](const RowSpec&, const History& run) {
         return largest(run, [](const auto& r) { return r.lcp.residual; });
       }},
      {"cone_violation",
       [](const RowSpec&, const History& run) {
         return largest(run, [](const auto& r) { return r.lcp.cone_violation; });
       }},
      {"support", support},
      {"energy_rise", energy_rise},
      {"penetration",
       [](const RowSpec&, const History& run) {
         return largest(run, [](const auto& r) { return r.max_penetration; });
       }},
      {"uncertified",
       [](const RowSpec&, const History& run) {
         Real count = 0;
         for (const auto& report : run.reports) count += report.is_certified() ? 0 : 1;
         return count;
       }},
  };
  return table;
}

bool has_reference(const std::string& measure) {
  return measure == "velocity_error" || measure == "position_error" ||
         measure == "velocity_order" || measure == "position_order";
}

Real against_reference(const RowSpec& row, const Runs& runs) {
  const History& reference = runs.get(row.run, row.reference);
  const bool is_velocity = row.measure.starts_with("velocity");
  std::vector<Real> log_h, log_error;
  for (const Real step : row.steps) {
    const Errors e = errors(runs.get(row.run, step), reference);
    log_h.push_back(std::log(step));
    log_error.push_back(std::log(is_velocity ? e.velocity : e.position));
  }
  if (row.measure.ends_with("_error")) return std::exp(log_error.front());
  const auto n = static_cast<Real>(log_h.size());
  Real mean_h = 0, mean_e = 0, product = 0, square = 0;
  for (std::size_t i = 0; i < log_h.size(); ++i) {
    mean_h += log_h[i] / n;
    mean_e += log_error[i] / n;
  }
  for (std::size_t i = 0; i < log_h.size(); ++i) {
    product += (log_h[i] - mean_h) * (log_error[i] - mean_e);
    square += (log_h[i] - mean_h) * (log_h[i] - mean_h);
  }
  return product / square;
}

}  // namespace

VecX velocities(const model::Model& model, const model::State& state) {
  VecX v = VecX::Zero(6 * model.body_count());
  Index row = 0;
  for (Index i = 0; i < model.body_count(); ++i)
    if (model.bodies[i].kind == model::BodyKind::dynamic) {
      v.segment<6>(row) << state.velocity[i], state.angular_velocity[i];
      row += 6;
    }
  return v.head(row);
}

Errors errors(const History& run, const History& reference) {
  const auto ratio = std::lround(run.step_size / reference.step_size);
  const std::vector<VecX> path = travelled(run), path_ref = travelled(reference);
  Errors e;
  for (std::size_t k = 1; k < run.states.size(); ++k) {
    const VecX v = velocities(run.scene.model, run.states[k]);
    for (std::size_t j = (k - 1) * static_cast<std::size_t>(ratio) + 1;
         j <= k * static_cast<std::size_t>(ratio) && j < reference.states.size(); ++j)
      e.velocity +=
          reference.step_size *
          (v - velocities(reference.scene.model, reference.states[j])).cwiseAbs().maxCoeff();
    const std::size_t same = k * static_cast<std::size_t>(ratio);
    if (same < path_ref.size())
      e.position = std::max(e.position, (path[k] - path_ref[same]).cwiseAbs().maxCoeff());
  }
  return e;
}

std::vector<std::string> measure_names() {
  std::vector<std::string> names = {"velocity_error", "position_error", "velocity_order",
                                    "position_order"};
  for (const auto& [name, function] : one_run_measures()) names.push_back(name);
  for (const auto& [name, function] : step_measures()) names.push_back(name);
  for (const auto& [name, function] : rotation_measures()) names.push_back(name);
  return names;
}

bool measures_problems(const std::string& measure) {
  return std::any_of(step_measures().begin(), step_measures().end(),
                     [&](const auto& entry) { return entry.first == measure; });
}

Real measure(const RowSpec& row, const Runs& runs) {
  for (const auto& [name, step] : runs_of(row))
    if (!runs.get(name, step).is_complete) return std::numeric_limits<Real>::quiet_NaN();
  if (has_reference(row.measure)) return against_reference(row, runs);
  const auto worst_of = [&](const auto& function) {
    Real value = function(runs.get(row.run, row.steps.front()));
    for (const Real step : row.steps) value = worse(value, function(runs.get(row.run, step)));
    return value;
  };
  for (const auto& [name, function] : one_run_measures())
    if (name == row.measure)
      return worst_of([&, f = function](const History& run) { return f(row, run); });
  for (const auto& [name, function] : step_measures())
    if (name == row.measure) return worst_of(function);
  for (const auto& [name, function] : rotation_measures())
    if (name == row.measure) return worst_of(function);
  throw lacks(row, "to be a known measure");
}

std::vector<std::pair<std::string, Real>> runs_of(const RowSpec& row) {
  std::vector<std::pair<std::string, Real>> runs;
  if (has_reference(row.measure)) {
    if (!(row.reference > 0)) throw lacks(row, "a reference step size");
    runs.emplace_back(row.run, row.reference);
  }
  for (const Real step : row.steps) {
    if (has_reference(row.measure)) {
      const Real ratio = step / row.reference;
      if (ratio < 1 || std::abs(ratio - std::round(ratio)) > 1e-9)
        throw lacks(row, "a reference whose step is a whole part of the others");
    }
    runs.emplace_back(row.run, step);
  }
  return runs;
}

}  // namespace talus::reproduce
