#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <vector>

#include <talus/sim/joint_coordinates.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::python {

namespace py = pybind11;

/// A simulation with what Python reads of it.
struct PySimulation {
  /// Failures leave files beside records only: others may fail in threads, and HDF5 is for one.
  explicit PySimulation(const scene::Scene& scene)
      : simulation(scene), joints(simulation.scene().model) {
    simulation.save_failures_as("");
  }

  /// Takes a step, also after the scene's end. False if the run has stopped (on_uncertified: stop,
  /// or a step that was lost).
  bool step();
  /// Joint coordinates as they are, into joint_values and joint_rates.
  void read_joints() { joints.read(simulation.state(), joint_values, joint_rates); }

  sim::Simulation simulation;
  sim::JointCoordinates joints;
  std::vector<Real> joint_values, joint_rates;
};

}  // namespace talus::python
