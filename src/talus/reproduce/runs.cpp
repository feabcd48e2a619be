#include <talus/reproduce/runs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <talus/base/contract.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/math/contact_frame.hpp>
#include <talus/reproduce/measures.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::reproduce {

VecX impulses(const std::vector<stepping::StepContact>& contacts) {
  VecX r(3 * static_cast<Index>(contacts.size()));
  for (std::size_t c = 0; c < contacts.size(); ++c)
    r.segment<3>(3 * static_cast<Index>(c)) =
        contact_frame(contacts[c].normal).transpose() * contacts[c].impulse;
  return r;
}

Runs::Runs(const Paper& paper, std::function<void(const std::string&, Real)> progress,
           std::function<bool()> should_stop)
    : paper_(paper), progress_(std::move(progress)), should_stop_(std::move(should_stop)) {}

bool Runs::make(const std::vector<std::pair<std::string, Real>>& asked) {
  std::vector<std::pair<std::pair<std::string, Real>, scene::Scene>> scenes;
  Real all_steps = 0, done = 0;
  for (const auto& key : asked) {
    if (histories_.contains(key)) continue;
    histories_[key] = {};
    const Case& run = paper_.cases.at(key.first);
    scene::Overrides change;
    change.step_size = key.second;
    if (run.end > 0) change.end_time = run.end;
    scenes.emplace_back(key, scene::load(run.scene, change));
    all_steps += scenes.back().second.end_time / key.second;
  }
  for (auto& [key, scene] : scenes) {
    const std::string text = fmt::format("{} at h = {:g}", key.first, key.second);
    History& history = histories_[key];
    history.scene = scene;
    history.step_size = key.second;
    history.states.push_back(scene.initial);
    const bool keeps_problems = std::any_of(
        paper_.rows.begin(), paper_.rows.end(), [&name = key.first](const RowSpec& row) {
          return row.run == name && measures_problems(row.measure);
        });
    history.first_energy = dynamics::energy(scene.model, scene.initial).total();
    sim::Simulation simulation(std::move(scene));
    simulation.observe([&](const sim::Simulation& s) {
      history.states.push_back(s.state());
      history.reports.push_back(s.last_report());
      history.contacts.push_back(s.scheme().contacts());
      if (keeps_problems)
        history.problems.push_back(
            s.scheme().last_problem().value_or(problem::GlobalFrictionContact{}));
      done += 1;
      if (progress_) progress_(text, done / all_steps);
    });
    simulation.run(should_stop_);
    history.is_complete = history.step_count() == simulation.step_count() && !simulation.failure();
    if (should_stop_ && should_stop_()) return false;
  }
  return true;
}

const History& Runs::get(const std::string& name, Real step_size) const {
  const auto found = histories_.find({name, step_size});
  TALUS_DEMAND(found != histories_.end());
  return found->second;
}

}  // namespace talus::reproduce
