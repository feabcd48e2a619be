#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <talus/reproduce/flow.hpp>
#include <talus/reproduce/flow_fit.hpp>

namespace talus::reproduce {

/// One run of a flow.
struct FlowRun {
  std::string law;
  std::size_t flow_case = 0;  ///< index into the flow's cases
  Index seed = 0;
  std::vector<Estimate> observables;  ///< as the flow lists them
  Index grains = 0, steps = 0, uncertified = 0;
  Real certificate = 0;          ///< largest natural map of a step
  Index contacts = 0;            ///< most of one step
  Real mean_contacts = 0;        ///< a step
  Real sweeps = 0;               ///< a step
  Real milliseconds = 0;         ///< a step, wall time
  Real mass_error = 0;           ///< share of the mass that is neither inside nor counted as gone
  Real outside = 0;              ///< bodies lost at the end
  Real penetration = 0;          ///< [m], the deepest
  std::uint64_t state_hash = 0;  ///< at the end
  Real judged = 0;               ///< largest natural map under maximum dissipation; NaN: not judged
};

/// One line of a flow's table: a law at one value of the parameter, over the seeds.
struct FlowLine {
  std::string law;
  Real value = 0;
  std::vector<Estimate> observables;
  Real sweeps = 0, milliseconds = 0, mean_contacts = 0;
};

/// All runs of a flow with what follows from them.
struct FlowStudy {
  Flow flow;
  std::vector<FlowRun> runs;
  std::vector<FlowLine> lines;           ///< law by law
  std::map<std::string, Beverloo> fits;  ///< by law
  [[nodiscard]] Index uncertified() const;
  /// Pairs of runs under Coulomb's law and maximum dissipation whose last states differ in any bit.
  [[nodiscard]] Index differing_states() const;
};

/// Makes all runs. @param progress called with what runs and the share of it that is done. @return
/// what has been done until `should_stop` said so.
[[nodiscard]] FlowStudy study(const Flow& flow,
                              const std::function<void(const std::string&, Real)>& progress,
                              const std::function<bool()>& should_stop);

/// A number of a study, for a row: an observable's name (with law and value), or uncertified,
/// differing_states, certificate, judged, mass_error, outside, penetration (the largest of all
/// runs), or C, k (with law). What the flow does not measure is a broken contract: see mistake_in.
[[nodiscard]] Real measure_flow(const FlowStudy& study, const std::string& measure,
                                const std::string& law, Real value);

/// Why there is no such number of a flow's study; empty where there is one.
[[nodiscard]] std::string mistake_in(const Flow& flow, const std::string& measure,
                                     const std::string& law, Real value);

}  // namespace talus::reproduce
