#pragma once

#include <string>

#include <talus/base/types.hpp>
#include <talus/distribute/ranks.hpp>
#include <talus/model/state.hpp>
#include <talus/scene/scene.hpp>

namespace talus::sim {

/// What a run was that several ranks have shared.
struct RanksAccount {
  int count = 1;
  int threads = 1;           ///< of this rank
  Index sweeps = 0;          ///< that were shared
  Index steps_in_parts = 0;  ///< of which each rank did what its tiles touch
  double imbalance = 1;      ///< most contacts of a rank over the mean, mean of the sweeps [-]
  double border_share = 0;   ///< of the bodies, that several ranks touch, mean of the sweeps [-]
  double waiting_share = 0;  ///< of the time, in messages, mean of the ranks [-]
  /// Hand-overs between all ranks, all of them: from the lists, and counted where they were sent.
  struct {
    double messages = 0, bytes = 0;
  } predicted, sent;
};

/// Collective. @param seconds that the run has taken.
[[nodiscard]] RanksAccount account_of(distribute::Ranks& ranks, int threads, double seconds);

/// A line of the summary, for people.
[[nodiscard]] std::string to_text(const RanksAccount& account);
/// The summary as JSON (sim/summary.hpp) with the account as its member `ranks`.
[[nodiscard]] std::string with_ranks(const std::string& summary, const RanksAccount& account);

/// Collective: all ranks are to have the same program, scene, options and state.
/// @throws InputError on all of them, with the first rank that differs.
void demand_same_run(distribute::Ranks& ranks, const std::string& version,
                     const scene::Scene& scene, const model::State& state);

}  // namespace talus::sim
