#include "simulation.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <talus/parallel/executor.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/stepping/scheme.hpp>

#include "arrays.hpp"
#include "binding.hpp"
#include "options.hpp"
#include "scene.hpp"

// Simulations for talus/simulations.py. Steps are taken without the interpreter's lock, but where
// they are recorded: HDF5 is for one thread. What is read of a state is copied: schemes exchange
// the memory of states.

namespace talus::python {

bool PySimulation::step() {
  if (simulation.failure()) return false;
  simulation.extend_to_step(simulation.summary().steps + 1);
  simulation.step();
  return !simulation.failure();
}

namespace {

using Snapshot = sim::Simulation::Snapshot;

/// Gives the interpreter's lock away, unless the simulation is recording.
std::unique_ptr<py::gil_scoped_release> unlock(const PySimulation& self) {
  return self.simulation.is_recording() ? nullptr : std::make_unique<py::gil_scoped_release>();
}

bool step(PySimulation& self) {
  const auto unlocked = unlock(self);
  return self.step();
}

py::array_t<Real> vectors(const std::vector<Vec3>& from) {
  py::array_t<Real> to({static_cast<Index>(from.size()), Index{3}});
  if (!from.empty()) std::copy_n(from.front().data(), 3 * from.size(), to.mutable_data());
  return to;
}

/// As records have them: w, x, y, z.
py::array_t<Real> quaternions(const std::vector<Quat>& from) {
  py::array_t<Real> to({static_cast<Index>(from.size()), Index{4}});
  Real* out = to.mutable_data();
  for (const Quat& q : from)
    for (const Real part : {q.w(), q.x(), q.y(), q.z()}) *out++ = part;
  return to;
}

py::array_t<Real> numbers(const std::vector<Real>& from) {
  return py::array_t<Real>(static_cast<Index>(from.size()), from.data());
}

py::array_t<bool> presence(const model::State& state) {
  py::array_t<bool> to(static_cast<Index>(state.position.size()));
  for (Index i = 0; i < to.size(); ++i) to.mutable_data()[i] = state.is_present(i);
  return to;
}

/// Numbers of the contacts of the last step, one array per column.
py::dict contacts(const PySimulation& self) {
  const std::vector<stepping::StepContact>& all = self.simulation.scheme().contacts();
  const auto count = static_cast<Index>(all.size());
  py::array_t<Index> bodies({count, Index{2}});
  py::array_t<Real> gap(count);
  std::vector<Vec3> position, normal, impulse;
  for (Index i = 0; i < count; ++i) {
    const stepping::StepContact& contact = all[static_cast<std::size_t>(i)];
    bodies.mutable_at(i, 0) = contact.body_a;
    bodies.mutable_at(i, 1) = contact.body_b;
    gap.mutable_at(i) = contact.gap;
    position.push_back(contact.position);
    normal.push_back(contact.normal);
    impulse.push_back(contact.impulse);
  }
  py::dict columns;
  columns["bodies"] = bodies;
  columns["position"] = vectors(position);
  columns["normal"] = vectors(normal);
  columns["gap"] = gap;
  columns["impulse"] = vectors(impulse);
  return columns;
}

py::dict sensors(const PySimulation& self) {
  py::dict readings;
  const auto& all = self.simulation.scene().model.sensors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::span<const Real> values = self.simulation.sensors().values(i);
    readings[py::str(all[i].name)] =
        py::array_t<Real>(static_cast<Index>(values.size()), values.data());
  }
  return readings;
}

/// What the motors exerted on average over the last step; NaN before there was one.
py::array_t<Real> joint_efforts(const PySimulation& self) {
  const auto axes = self.simulation.scheme().axes();
  std::vector<Real> efforts(self.joints.names().size(), std::numeric_limits<Real>::quiet_NaN());
  for (std::size_t i = 0; i < efforts.size() && i < axes.size(); ++i) efforts[i] = axes[i].effort;
  return numbers(efforts);
}

py::list commands(const PySimulation& self) {
  constexpr std::array kinds = {"position", "velocity", "effort"};
  py::list all;
  for (const sim::Command& command : self.simulation.commands())
    all.append(py::make_tuple(command.name, kinds[static_cast<std::size_t>(command.kind)]));
  return all;
}

Index checked_command(const PySimulation& self, Index command) {
  if (command < 0 || command >= static_cast<Index>(self.simulation.commands().size()))
    refuse("command",
           fmt::format("expected 0 to {}, got {}", self.simulation.commands().size() - 1, command));
  return command;
}

void set_command(PySimulation& self, Index command, const py::object& value) {
  const Real number = to_number("command", value);
  if (!std::isfinite(number))
    refuse("command", fmt::format("expected a finite number, got {}", number));
  self.simulation.command(checked_command(self, command), number);
}

void push(PySimulation& self, const py::object& impulses, const py::object& moments) {
  const model::Model& model = self.simulation.scene().model;
  const auto rows = [&](const char* name, const py::object& given) {
    MatX numbers = MatX::Zero(model.body_count(), 3);
    if (given.is_none()) return numbers;
    numbers = to_dense(name, given);
    if (numbers.rows() != model.body_count() || numbers.cols() != 3)
      refuse(name, fmt::format("expected shape ({}, 3), got ({}, {})", model.body_count(),
                               numbers.rows(), numbers.cols()));
    if (!numbers.allFinite()) refuse(name, "expected finite numbers");
    return numbers;
  };
  const MatX linear = rows("impulses", impulses), angular = rows("moments", moments);
  std::vector<sim::Push> pushes;
  for (Index i = 0; i < model.body_count(); ++i) {
    const Vec3 impulse = linear.row(i), moment = angular.row(i);
    if (impulse.isZero(0) && moment.isZero(0)) continue;
    if (model.bodies[static_cast<std::size_t>(i)].kind != model::BodyKind::dynamic)
      refuse("impulses", fmt::format("no force moves \"{}\"", model.body_name(i)));
    if (self.simulation.state().is_present(i)) pushes.push_back({i, impulse, moment});
  }
  self.simulation.push(pushes);
}

/// Completes the record, if there is one, as what the run has come to.
void close(sim::Simulation& simulation) {
  const bool is_over =
      simulation.summary().steps >= simulation.step_at(simulation.scene().end_time);
  simulation.finish(simulation.failure() ? record::RunStatus::stopped
                    : is_over            ? record::RunStatus::finished
                                         : record::RunStatus::interrupted);
}

/// Steps until a time, or the scene's end. @return whether it got there.
/// @param progress called some times a second with the time that has come; None: nothing.
bool run(PySimulation& self, const py::object& until, const py::object& progress) {
  sim::Simulation& simulation = self.simulation;
  const Real end = until.is_none() ? simulation.scene().end_time : to_number("until", until);
  const Index last = simulation.step_at(end);
  if (!(end >= simulation.scene().initial.time) || last < simulation.summary().steps)
    refuse("until", fmt::format("expected a time that is not over, it is {:g} s, got {:g} s",
                                simulation.state().time, end));
  simulation.extend_to_step(last);
  StopCondition stop(0);
  simulation.stop_within_steps([&stop] { return stop.should_stop(); });
  auto shown = std::chrono::steady_clock::now(), yielded = shown;
  {
    const auto unlocked = unlock(self);
    while (simulation.summary().steps < last && !simulation.failure() && !stop.should_stop()) {
      simulation.step();
      const auto now = std::chrono::steady_clock::now();
      if (!unlocked && now - yielded > std::chrono::milliseconds(5)) {
        const py::gil_scoped_release other_threads_turn;
        yielded = now;
      }
      if (progress.is_none() || now - shown < std::chrono::milliseconds(100)) continue;
      shown = now;
      const py::gil_scoped_acquire locked;
      progress(simulation.state().time);
    }
  }
  simulation.stop_within_steps({});
  if (simulation.failure()) close(simulation);
  if (simulation.failure() || simulation.summary().steps >= last) return !simulation.failure();
  simulation.finish(record::RunStatus::interrupted);
  stop.rethrow();
  return false;
}

void record_to(PySimulation& self, const std::filesystem::path& path, Index every) {
  const sim::Summary& summary = self.simulation.summary();
  if (self.simulation.is_recording())
    refuse("path", fmt::format("this simulation already records to {}", summary.output));
  if (summary.steps != summary.resumed_from_step)
    refuse("path", "a record begins before the first step", "call record before step or run");
  if (every < 0) refuse("every", fmt::format("expected 0 or more, got {}", every));
  if (every > 0) self.simulation.record_every(every);
  self.simulation.record_to(path, "Python");
}

void restore(PySimulation& self, const Snapshot& snapshot) {
  if (self.simulation.is_recording())
    refuse("snapshot", "this simulation is recording, and a record only continues",
           "close it first");
  if (snapshot.laws.size() != self.simulation.commands().size())
    refuse("snapshot", "it is of another scene");
  self.simulation.restore(snapshot);
}

/// Steps of many simulations on all threads. @return how many of them have not stopped.
Index step_all(const std::vector<PySimulation*>& all, Index steps) {
  if (steps < 0) refuse("steps", fmt::format("expected 0 or more, got {}", steps));
  for (const PySimulation* one : all)
    if (one->simulation.is_recording())
      refuse("simulations", "one of them is recording", "step that one alone");
  const py::gil_scoped_release unlocked;
  std::vector<unsigned char> is_going(all.size(), 1);
  parallel::for_each(static_cast<Index>(all.size()), [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    for (Index k = 0; k < steps && is_going[at] != 0; ++k) is_going[at] = all[at]->step() ? 1 : 0;
  });
  return std::count(is_going.begin(), is_going.end(), 1);
}

/// Joint values and rates of many simulations, a row each.
py::tuple joints_of_all(const std::vector<PySimulation*>& all) {
  const Index width = all.empty() ? 0 : static_cast<Index>(all.front()->joints.names().size());
  py::array_t<Real> values({static_cast<Index>(all.size()), width}),
      rates({static_cast<Index>(all.size()), width});
  Real *value = values.mutable_data(), *rate = rates.mutable_data();
  for (PySimulation* one : all) {
    one->read_joints();
    value = std::copy(one->joint_values.begin(), one->joint_values.end(), value);
    rate = std::copy(one->joint_rates.begin(), one->joint_rates.end(), rate);
  }
  return py::make_tuple(values, rates);
}

void bind_report(py::module_& module) {
  using stepping::StepReport;
  py::class_<StepReport> type(module, "StepReport",
                              "What one step did, certified or not: `is_certified` tells.");
  type.def_property_readonly(
          "status", [](const StepReport& r) { return std::string(to_string(r.status)); },
          "'converged' exactly if the step is certified.")
      .def_property_readonly("is_certified", &StepReport::is_certified,
                             "Whether the certificate meets the tolerance.")
      .def_readonly("certificate", &StepReport::certificate,
                    "Independent residuals; worst_contact is an index into the contacts.")
      .def_property_readonly(
          "joint_rate", [](const StepReport& r) { return r.joints.rate; },
          "Largest violation of a constraint of joints as a rate [m/s or rad/s].")
      .def_property_readonly(
          "joint_drift", [](const StepReport& r) { return r.joints.drift; },
          "Largest violation of a constraint after the step: of turns [rad], of lengths over a "
          "body's.")
      .def_readonly("contact_count", &StepReport::contact_count, "Contacts in the step.")
      .def_readonly("sleeping", &StepReport::sleeping,
                    "Bodies that lie still and were left out of the step.")
      .def_readonly("iterations", &StepReport::iterations, "Sweeps, pivots or Newton steps.")
      .def_readonly("max_penetration", &StepReport::max_penetration,
                    "Largest overlap seen in the step [m].")
      .def_property_readonly(
          "energy", [](const StepReport& r) { return r.energy.total(); },
          "Kinetic and potential energy after the step [J].")
      .def_readonly("halvings", &StepReport::halvings, "How often the step was cut in two.")
      .def_readonly("detail", &StepReport::detail, "What went wrong, in a line; or empty.")
      .def("__repr__", [](const StepReport& r) {
        return fmt::format("StepReport({}, {} contacts, {} iterations{})", to_string(r.status),
                           r.contact_count, r.iterations, r.detail.empty() ? "" : ": " + r.detail);
      });
  make_public(type);
}

}  // namespace

void bind_simulation(py::module_& module) {
  bind_report(module);
  py::class_<Snapshot> snapshot(module, "Snapshot",
                                "All that a run continues from, bit for bit (Simulation.save).");
  snapshot
      .def_property_readonly(
          "time", [](const Snapshot& s) { return s.checkpoint.state.time; }, "Simulated time [s].")
      .def_property_readonly(
          "step", [](const Snapshot& s) { return s.checkpoint.step; }, "Steps taken.")
      .def("__repr__", [](const Snapshot& s) {
        return fmt::format("Snapshot(time={:g} s, step={})", s.checkpoint.state.time,
                           s.checkpoint.step);
      });
  make_public(snapshot);
  const auto of_state = [](auto read) {
    return [read](const PySimulation& s) { return read(s.simulation.state()); };
  };
  py::class_<PySimulation>(module, "Simulation", "A scene in motion (talus.Simulation).")
      .def(py::init([](const PyScene& scene) { return std::make_unique<PySimulation>(*scene); }),
           py::arg("scene"))
      .def("step", &step)
      .def("run", &run, py::arg("until"), py::arg("progress"))
      .def_property_readonly("report",
                             [](const PySimulation& s) { return s.simulation.last_report(); })
      .def_property_readonly("time",
                             [](const PySimulation& s) { return s.simulation.state().time; })
      .def_property_readonly("steps",
                             [](const PySimulation& s) { return s.simulation.summary().steps; })
      .def_property_readonly(
          "summary", [](const PySimulation& s) { return sim::to_json(s.simulation.summary()); })
      .def_property_readonly("state_hash",
                             [](const PySimulation& s) { return s.simulation.state().hash(); })
      .def_property_readonly("failure",
                             [](const PySimulation& s) -> py::object {
                               if (!s.simulation.failure()) return py::none();
                               return py::str(s.simulation.failure()->message);
                             })
      .def_property_readonly("positions",
                             of_state([](const model::State& s) { return vectors(s.position); }))
      .def_property_readonly("orientations", of_state([](const model::State& s) {
                               return quaternions(s.orientation);
                             }))
      .def_property_readonly("velocities",
                             of_state([](const model::State& s) { return vectors(s.velocity); }))
      .def_property_readonly("angular_velocities", of_state([](const model::State& s) {
                               return vectors(s.angular_velocity);
                             }))
      .def_property_readonly("is_present", of_state(&presence))
      .def_property_readonly("joint_names", [](const PySimulation& s) { return s.joints.names(); })
      .def_property_readonly("joint_positions",
                             [](PySimulation& s) {
                               s.read_joints();
                               return numbers(s.joint_values);
                             })
      .def_property_readonly("joint_velocities",
                             [](PySimulation& s) {
                               s.read_joints();
                               return numbers(s.joint_rates);
                             })
      .def_property_readonly("joint_efforts", &joint_efforts)
      .def_property_readonly("contacts", &contacts)
      .def_property_readonly("sensors", &sensors)
      .def(
          "measure",
          [](PySimulation& s, const std::string& probe) {
            return numbers(s.simulation.measure(probe));
          },
          py::arg("probe"))
      .def_property_readonly("commands", &commands)
      .def("command", &set_command, py::arg("command"), py::arg("value"))
      .def(
          "command_value",
          [](const PySimulation& s, Index command) {
            return s.simulation.commands()[static_cast<std::size_t>(checked_command(s, command))]
                .value(s.simulation.state().time);
          },
          py::arg("command"))
      .def("push", &push, py::arg("impulses"), py::arg("moments"))
      .def("record", &record_to, py::arg("path"), py::arg("every"))
      .def("flush", [](PySimulation& s) { s.simulation.show_now(); })
      .def_property_readonly("is_recording",
                             [](const PySimulation& s) { return s.simulation.is_recording(); })
      .def("close", [](PySimulation& s) { close(s.simulation); })
      .def("save", [](const PySimulation& s) { return s.simulation.snapshot(); })
      .def("restore", &restore, py::arg("snapshot"))
      .def(
          "save_file",
          [](const PySimulation& s, const std::filesystem::path& path) {
            record::write_checkpoint(path, s.simulation.checkpoint());
          },
          py::arg("path"))
      .def(
          "load_file",
          [](PySimulation& s, const std::filesystem::path& path) {
            Snapshot read = s.simulation.snapshot();
            read.checkpoint = record::read_checkpoint(path);
            restore(s, read);
          },
          py::arg("path"));
  module.def("step_all", &step_all, py::arg("simulations"), py::arg("steps"));
  module.def("joints_of_all", &joints_of_all, py::arg("simulations"));
  module.def(
      "set_threads",
      [](Index count) {
        if (count < 0 || count > 1024)
          refuse("count", fmt::format("expected 0 to 1024, got {}", count));
        parallel::set_thread_count(static_cast<int>(count));
      },
      py::arg("count"));
  module.def("thread_count", &parallel::thread_count);
}

}  // namespace talus::python
