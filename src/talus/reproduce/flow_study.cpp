#include <talus/reproduce/flow_study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/certify/friction_contact_residual.hpp>
#include <talus/problem/convert.hpp>
#include <talus/reproduce/measured.hpp>
#include <talus/reproduce/runs.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::reproduce {
namespace {

constexpr Index kBlocks = 6;  // of the steady part

InputError wrong_flow(const Flow& flow, const std::string& message) {
  return InputError(Diagnostic{{flow.name}, "", message, "", ""});
}

/// Where a column's component is among a probe's values.
std::size_t place_of(const Flow& flow, const record::ProbeTable& table, const std::string& asked) {
  std::size_t place = 0;
  for (const record::ProbeColumn& column : table.columns) {
    if (column.labels.empty() && column.name == asked) return place;
    for (std::size_t i = 0; i < column.labels.size(); ++i)
      if (column.name + "." + column.labels[i] == asked) return place + i;
    place += column.components();
  }
  throw wrong_flow(flow, fmt::format("the probe {} has no column {}", table.name, asked));
}

/// Follows one observable through a run.
class Watch {
 public:
  Watch(const Flow& flow, const Observable& what, const sim::Simulation& simulation) : what_(what) {
    const auto tables = simulation.tables();
    const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& candidate) {
      return candidate.name == what.probe;
    });
    if (table == tables.end()) throw wrong_flow(flow, "there is no probe " + what.probe);
    place_ = place_of(flow, *table, what.column);
    over_ = what.over.empty() ? -1 : static_cast<Index>(place_of(flow, *table, what.over));
    for (const model::Probe& probe : simulation.scene().probes)
      if (probe.name == what.probe) every_ = probe.every;
  }
  void look(sim::Simulation& simulation) {
    if (simulation.summary().steps % every_ != 0) return;
    const auto values = simulation.measure(what_.probe);
    series_.time.push_back(simulation.state().time);
    series_.value.push_back(what_.factor * values[place_]);
    if (over_ < 0) return;
    below_.time.push_back(simulation.state().time);
    below_.value.push_back(values[static_cast<std::size_t>(over_)]);
  }
  [[nodiscard]] Estimate result() const {
    const Real to = what_.to > 0 ? what_.to : std::numeric_limits<Real>::max();
    const Series part = series_.between(what_.from, to);
    if (over_ >= 0) return ratio_of(part, below_.between(what_.from, to), kBlocks);
    if (part.time.empty()) return {kNone, kNone};
    if (what_.kind == Observable::Kind::last) return {part.value.back(), 0};
    return what_.kind == Observable::Kind::slope ? slope_of(part, kBlocks) : mean_of(part, kBlocks);
  }

 private:
  const Observable& what_;
  std::size_t place_ = 0;
  Index over_ = -1, every_ = 1;
  Series series_, below_;
};

/// Mass of the dynamic bodies, and what of it has passed the plane of a mass flow probe.
struct Account {
  const model::Model& model;
  const model::MassFlow* flow = nullptr;
  Real total = 0;

  Account(const Flow& spec, const scene::Scene& scene) : model(scene.model) {
    for (const model::Body& body : model.bodies)
      if (body.kind == model::BodyKind::dynamic) total += body.mass;
    for (const model::Probe& probe : scene.probes)
      if (probe.name == spec.outflow) flow = std::get_if<model::MassFlow>(&probe.measure);
    if (!spec.outflow.empty() && flow == nullptr)
      throw wrong_flow(spec, "there is no mass flow probe " + spec.outflow);
  }
  [[nodiscard]] Real behind(const model::State& state) const {
    Real mass = 0;
    for (Index i = 0; i < model.body_count(); ++i)
      if (model.bodies[i].kind == model::BodyKind::dynamic &&
          flow->normal.dot(state.position[i] - flow->point) >= 0)
        mass += model.bodies[i].mass;
    return mass;
  }
};

/// The last step's impulses judged as an answer under maximum dissipation.
Real judge(const sim::Simulation& simulation) {
  const auto problem = simulation.scheme().last_problem();
  const auto& contacts = simulation.scheme().contacts();
  if (!problem || contacts.empty()) return 0;
  problem::FrictionContact local =
      problem::LocalForm<problem::GlobalFrictionContact>(*problem).problem();
  const VecX r = impulses(contacts);
  if (r.size() != local.b.size()) return kNone;
  local.law = problem::FrictionLaw::maximum_dissipation;
  return certify::certify(local, r).natural_map;
}

scene::Scene load(const Flow& flow, const FlowRun& run) {
  scene::Overrides change;
  change.settings = flow.set;
  const auto& more = flow.cases[run.flow_case].set;
  change.settings.insert(change.settings.end(), more.begin(), more.end());
  change.settings.push_back({"contacts.law", run.law});
  change.settings.push_back({flow.seed, fmt::format("{}", run.seed)});
  return scene::load(flow.scene, change);
}

/// False if it was stopped from outside.
bool make(const Flow& flow, FlowRun& run, const std::function<void(Real)>& progress,
          const std::function<bool()>& should_stop) {
  sim::Simulation simulation(load(flow, run));
  const Account account(flow, simulation.scene());
  std::vector<Watch> watches;
  for (const Observable& what : flow.observables) watches.emplace_back(flow, what, simulation);
  Real contacts = 0, judged = -1, gone = 0;
  bool is_over = false;
  simulation.observe([&](const sim::Simulation& now) {
    contacts += static_cast<Real>(now.last_report().contact_count);
    for (Watch& watch : watches) watch.look(simulation);
    if (flow.judge_every > 0 && run.law == "coulomb" && now.summary().steps % flow.judge_every == 0)
      judged = std::max(judged, judge(now));
    if (account.flow != nullptr) {
      const auto values = simulation.measure(flow.outflow);
      gone = values[0] - values[2];
      is_over = gone >= flow.stop_share * account.total;
    }
    progress(static_cast<Real>(now.summary().steps) / static_cast<Real>(now.step_count()));
  });
  simulation.run([&] { return is_over || (should_stop && should_stop()); });
  if (!is_over && should_stop && should_stop()) return false;

  const sim::Summary& summary = simulation.summary();
  const auto steps = static_cast<Real>(summary.steps);
  const model::Model& model = simulation.scene().model;
  for (const Watch& watch : watches) run.observables.push_back(watch.result());
  for (Index i = 0; i < model.body_count(); ++i) {
    if (model.bodies[i].kind != model::BodyKind::dynamic) continue;
    run.grains += 1;
    run.outside += flow.inside.contains(simulation.state().position[i]) ? 0 : 1;
  }
  run.steps = summary.steps;
  run.uncertified = summary.uncertified_steps;
  run.certificate = summary.worst_residual();
  run.contacts = summary.max_contacts;
  run.mean_contacts = contacts / steps;
  run.sweeps = static_cast<Real>(summary.iterations.total) / steps;
  run.milliseconds = 1000 * summary.wall_seconds / steps;
  if (account.flow != nullptr)
    run.mass_error = std::abs(account.behind(simulation.state()) - gone) / account.total;
  run.penetration = summary.max_penetration;
  run.state_hash = summary.state_hash;
  run.judged = judged < 0 ? kNone : judged;
  return true;
}

void summarise(FlowStudy& study) {
  const Flow& flow = study.flow;
  for (const std::string& law : flow.laws) {
    std::vector<Real> breadth;
    std::vector<Estimate> rate;
    Real fraction = 0;
    for (std::size_t c = 0; c < flow.cases.size(); ++c) {
      FlowLine line{law, flow.cases[c].value, {}, 0, 0, 0};
      std::vector<std::vector<Estimate>> by_observable(flow.observables.size());
      Real count = 0;
      for (const FlowRun& run : study.runs) {
        if (run.law != law || run.flow_case != c) continue;
        for (std::size_t k = 0; k < by_observable.size(); ++k)
          by_observable[k].push_back(run.observables[k]);
        line.sweeps += run.sweeps;
        line.milliseconds += run.milliseconds;
        line.mean_contacts += run.mean_contacts;
        count += 1;
      }
      if (count == 0) continue;
      for (Real* mean : {&line.sweeps, &line.milliseconds, &line.mean_contacts}) *mean /= count;
      for (std::size_t k = 0; k < by_observable.size(); ++k) {
        line.observables.push_back(combine(by_observable[k]));
        if (flow.observables[k].name == flow.slot.rate) rate.push_back(line.observables.back());
        if (flow.observables[k].name == flow.slot.fraction)
          fraction += line.observables.back().value / static_cast<Real>(flow.cases.size());
      }
      breadth.push_back(flow.slot.unit * line.value);
      study.lines.push_back(std::move(line));
    }
    if (flow.slot.rate.empty() || rate.size() < 2 || rate.size() != breadth.size()) continue;
    const Real scale = fraction * flow.slot.density * std::sqrt(9.81) * flow.slot.length;
    if (!(scale > 0)) continue;
    study.fits[law] = fit_beverloo(breadth, rate, scale, flow.slot.diameter, 1.5);
  }
}

template <class Get>
Real largest_of_runs(const FlowStudy& study, const Get& get) {
  Real most = kNone;
  for (const FlowRun& run : study.runs)
    if (const Real value = static_cast<Real>(get(run)); !(value <= most)) most = value;
  return most;
}

/// Measures that are the largest of a number of all runs.
constexpr std::array<std::pair<const char*, Real FlowRun::*>, 4> kLargest = {
    {{"certificate", &FlowRun::certificate},
     {"mass_error", &FlowRun::mass_error},
     {"outside", &FlowRun::outside},
     {"penetration", &FlowRun::penetration}}};

}  // namespace

Index FlowStudy::uncertified() const {
  Index sum = 0;
  for (const FlowRun& run : runs) sum += run.uncertified;
  return sum;
}

Index FlowStudy::differing_states() const {
  Index count = 0;
  for (const FlowRun& a : runs)
    for (const FlowRun& b : runs)
      if (a.law == "coulomb" && b.law == "maximum_dissipation" && a.flow_case == b.flow_case &&
          a.seed == b.seed && a.state_hash != b.state_hash)
        ++count;
  return count;
}

FlowStudy study(const Flow& flow, const std::function<void(const std::string&, Real)>& progress,
                const std::function<bool()>& should_stop) {
  FlowStudy study{flow, {}, {}, {}};
  const std::size_t brief = flow.brief_laws.size();
  const Real count =
      static_cast<Real>((flow.laws.size() - brief) * flow.cases.size() * flow.seeds.size() + brief);
  Real done = 0;
  for (const std::string& law : flow.laws)
    for (std::size_t c = 0; c < flow.cases.size(); ++c)
      for (const Index seed : flow.seeds) {
        if (flow.is_brief(law) && (c > 0 || seed != flow.seeds.front())) continue;
        FlowRun run;
        run.law = law;
        run.flow_case = c;
        run.seed = seed;
        const std::string text =
            fmt::format("{} {} {:g} seed {}", flow.name, law, flow.cases[c].value, seed);
        const auto show = [&](Real share) {
          if (progress) progress(text, (done + share) / count);
        };
        if (!make(flow, run, show, should_stop)) return study;
        study.runs.push_back(std::move(run));
        done += 1;
      }
  summarise(study);
  return study;
}

std::string mistake_in(const Flow& flow, const std::string& measure, const std::string& law,
                       Real value) {
  const auto has = [](const auto& list, const auto& is) {
    return std::any_of(list.begin(), list.end(), is);
  };
  for (const auto& [name, field] : kLargest)
    if (measure == name) return "";
  for (const char* name : {"uncertified", "differing_states", "judged"})
    if (measure == name) return "";
  const bool is_fit = measure == "C" || measure == "k";
  const bool is_known =
      is_fit ? !flow.slot.rate.empty()
             : has(flow.observables, [&](const Observable& o) { return o.name == measure; });
  if (!is_known) return fmt::format("the flow {} has no measure {}", flow.name, measure);
  if (!has(flow.laws, [&](const std::string& l) { return l == law; }) ||
      (is_fit && flow.is_brief(law)))
    return fmt::format("the flow {} has no {} under the law \"{}\"", flow.name, measure, law);
  if (!is_fit && !has(flow.cases, [&](const FlowCase& c) { return c.value == value; }))
    return fmt::format("the flow {} has no case {:g}", flow.name, value);
  return "";
}

Real measure_flow(const FlowStudy& study, const std::string& measure, const std::string& law,
                  Real value) {
  TALUS_DEMAND(mistake_in(study.flow, measure, law, value).empty());
  if (measure == "uncertified") return static_cast<Real>(study.uncertified());
  if (measure == "differing_states") return static_cast<Real>(study.differing_states());
  if (measure == "judged")
    return largest_of_runs(
        study, [](const FlowRun& run) { return run.law == "coulomb" ? run.judged : Real(0); });
  for (const auto& [name, field] : kLargest)
    if (measure == name)
      return largest_of_runs(study, [field = field](const FlowRun& run) { return run.*field; });
  const auto fit = study.fits.find(law);
  if (measure == "C") return fit == study.fits.end() ? kNone : fit->second.C.value;
  if (measure == "k") return fit == study.fits.end() ? kNone : fit->second.k.value;
  for (const FlowLine& line : study.lines)
    for (std::size_t k = 0; k < line.observables.size(); ++k)
      if (line.law == law && line.value == value && study.flow.observables[k].name == measure)
        return line.observables[k].value;
  return kNone;
}

}  // namespace talus::reproduce
