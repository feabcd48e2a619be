#pragma once

#include <string>
#include <vector>

#include <talus/dynamics/planar_bodies.hpp>
#include <talus/reproduce/machine_case.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::reproduce {

/// Reads the signals of a machine off a simulation. Forces are those of the scheme at the end of a
/// step where they are computed (event-driven), otherwise the step's impulses over its length.
class MachineSampler {
 public:
  /// @param scene must outlive the sampler. @throws InputError where a signal names what the scene
  /// does not have.
  MachineSampler(const MachineCase& machine, const scene::Scene& scene);

  /// Values of all signals now, in their order.
  void sample(const sim::Simulation& simulation, std::vector<Real>& values);

 private:
  struct Source {
    Signal signal;
    Index index = -1;             ///< body, joint or drive
    std::vector<Index> contacts;  ///< of the machine
    int component = 0;
    Real last_angle = 0;
  };
  [[nodiscard]] Real value_of(Source& source, const sim::Simulation& simulation);
  [[nodiscard]] Real of_body(Source& source, const model::State& state) const;
  [[nodiscard]] Real of_contacts(const Source& source, const sim::Simulation& simulation);
  [[nodiscard]] Real of_rows(const Source& source, const sim::Simulation& simulation);

  dynamics::PlanarBodies machine_;
  std::vector<Source> sources_;
  dynamics::ConstraintTerms constraints_;
  dynamics::ContactTerms terms_;
  VecX q_, v_;
};

}  // namespace talus::reproduce
