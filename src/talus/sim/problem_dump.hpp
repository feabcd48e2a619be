#pragma once

#include <filesystem>

#include <talus/sim/simulation.hpp>

namespace talus::sim {

/// An observer that writes every N-th step's contact problem as a file (FCLIB's global form), for
/// solvers to be tried on: STEM.problem_0000100.hdf5. Steps without contacts leave none. A file of
/// that name is replaced if it is HDF5.
/// @throws InputError when called, if a file cannot be written.
class ProblemDump {
 public:
  /// @param stem path without extension. @param every N ≥ 1.
  /// @throws InputError if the problems of the scene have no file format.
  ProblemDump(const scene::Scene& scene, std::filesystem::path stem, Index every);

  void operator()(const Simulation& simulation);

 private:
  std::filesystem::path stem_;
  Index every_;
};

}  // namespace talus::sim
