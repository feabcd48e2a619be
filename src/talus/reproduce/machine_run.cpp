#include <talus/reproduce/machine_run.hpp>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/reproduce/machine_sampler.hpp>
#include <talus/sim/machine_orbit.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::reproduce {
namespace {

/// Puts a scene's start on the constraints: coordinates, then velocities.
void project_start(const MachineCase& machine, scene::Scene& scene) {
  const auto system = dynamics::make_system(scene.model, scene.initial);
  VecX q, v;
  system->load(scene.initial, q, v);
  dynamics::ConstraintProjection projection;
  const Real time = scene.initial.time;
  if (!projection.position(*system, time, q).is_converged ||
      !projection.velocity(*system, time, q, v).is_converged)
    throw file_error(scene.path.string(),
                     machine.name + ": no start that satisfies the constraints was found");
  system->store(q, v, scene.initial);
}

scene::Scene scene_of(const MachineCase& machine, Index value) {
  scene::Overrides change;
  change.settings = machine.set;
  if (!machine.values.empty())
    for (const std::string& path : machine.paths)
      change.settings.push_back({path, machine.values.at(static_cast<std::size_t>(value))});
  if (machine.end > 0) change.end_time = machine.end;
  scene::Scene scene = scene::load(machine.scene, change);
  if (machine.is_projected) project_start(machine, scene);
  return scene;
}

void take_events(const sim::Simulation& simulation, MachineHistory& history) {
  for (stepping::Event event : simulation.scheme().events()) {
    event.q = event.v_before = event.v_after = VecX();
    history.events.push_back(std::move(event));
  }
}

void run(const MachineCase& machine, scene::Scene scene, MachineHistory& history,
         const std::function<void(Real)>& progress, const std::function<bool()>& should_stop) {
  sim::Simulation simulation(std::move(scene));
  MachineSampler sampler(machine, simulation.scene());
  std::vector<Real> values;
  std::vector<std::vector<Real>*> columns;
  for (const Signal& signal : machine.signals) columns.push_back(&history.signals[signal.name]);
  simulation.observe([&](const sim::Simulation& s) {
    take_events(s, history);
    const Index step = s.summary().steps;
    if (step % machine.every != 0 || s.failure()) return;
    sampler.sample(s, values);
    history.time.push_back(s.state().time);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i]->push_back(values[i]);
    if (progress && step % 1024 == 0)
      progress(static_cast<Real>(step) / static_cast<Real>(s.step_count()));
  });
  const sim::Summary& summary = simulation.run(should_stop);
  history.is_complete = summary.status == record::RunStatus::finished;
  history.uncertified = summary.uncertified_steps;
  history.energy_rise = summary.energy.max_rise_in_a_step;
  history.wall_seconds = summary.wall_seconds;
}

}  // namespace

MachineHistory run_machine(const MachineCase& machine, Index value,
                           const std::function<void(Real)>& progress,
                           const std::function<bool()>& should_stop) {
  MachineHistory history;
  scene::Scene scene = scene_of(machine, value);
  if (!machine.orbit) {
    run(machine, std::move(scene), history, progress, should_stop);
    return history;
  }
  const OrbitSpec& spec = *machine.orbit;
  const sim::MachineOrbit orbit(scene, spec.period, spec.steps, spec.drift);
  const VecX start = orbit.settle(spec.settle, should_stop);
  if (progress) progress(0.5);
  if (start.size() == 0 || (should_stop && should_stop())) return history;
  sim::ShootingOptions options;
  options.tolerance = spec.tolerance;
  options.perturbation = spec.perturbation;
  options.should_stop = should_stop;
  history.orbit = sim::find_periodic_orbit(orbit.map(), start, options);
  if (history.orbit.status != sim::PeriodicOrbit::Status::found) return history;
  if (!spec.drift.empty())
    history.drift = orbit.drift(history.orbit.state, orbit.map().after(history.orbit.state));
  run(machine, orbit.scene_from(history.orbit.state), history, progress, should_stop);
  return history;
}

}  // namespace talus::reproduce
