#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <talus/scene/scene.hpp>

namespace talus::reproduce {

/// A number that a probe of a scene gives.
struct Observable {
  enum class Kind : unsigned char { mean, slope, last };
  std::string name, unit;
  std::string probe, column;  ///< column of the probe, of several components column.label
  std::string over;           ///< its mean over that of this column; empty: over nothing
  Kind kind = Kind::mean;     ///< over time, increase per time, or the last value
  Real from = 0, to = 0;      ///< [s]; to = 0: the end of the run
  Real factor = 1;            ///< multiplies it
};

/// A value of the parameter that a family of scenes is run for.
struct FlowCase {
  Real value = 0;
  std::vector<scene::Setting> set;
};

/// Granular flows: one scene under several laws, for several values of a parameter, from several
/// random packings.
struct Flow {
  std::string name, title;
  std::filesystem::path scene;
  bool needs_full = false;              ///< only with --full
  std::vector<scene::Setting> set;      ///< for all runs
  std::vector<std::string> laws;        ///< names of problem::FrictionLaw
  std::vector<std::string> brief_laws;  ///< those of them that get the first case and seed only
  std::string parameter = "case";       ///< what the cases differ in, with its unit
  std::vector<FlowCase> cases;
  std::string seed = "bodies.grains.lattice.seed";  ///< path of the seed in the scene
  std::vector<Index> seeds = {1};
  std::vector<Observable> observables;
  /// The run ends when this share of the dynamic bodies' mass has passed the mass flow probe.
  std::string outflow;
  Real stop_share = 1;
  /// Beverloo's law is fitted to this observable over the parameter; empty: it is not.
  struct {
    std::string rate, fraction;  ///< observables: the rate and the solid fraction before the flow
    Real length = 0, diameter = 0, density = 0;  ///< of the slot [m], the grains [m], [kg/m³]
    Real unit = 1;                               ///< [m] of the parameter
  } slot;
  /// A body whose centre is outside has got lost; without bounds none can.
  model::Region inside;
  /// Every so many steps Coulomb's answer is judged as one of maximum dissipation; 0: never.
  Index judge_every = 0;

  [[nodiscard]] bool is_brief(const std::string& law) const {
    return std::find(brief_laws.begin(), brief_laws.end(), law) != brief_laws.end();
  }
};

}  // namespace talus::reproduce
