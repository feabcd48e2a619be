#pragma once

#include <string>

#include <talus/base/types.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::sim {

/// What sweeps and messages take.
struct RankCosts {
  double contact_seconds = 12e-9;   ///< of a contact in a sweep
  double message_seconds = 2.5e-6;  ///< latency of a message, and what processors have to do for it
  double bytes_per_second = 1e10;   ///< of a rank
};

/// A sweep over the contacts of a step, as several ranks would share it.
struct RanksEstimate {
  int ranks = 1;
  Index bodies = 0;
  Index contacts = 0;         ///< of the step, all of them
  Index shared_contacts = 0;  ///< in islands that are worth sharing
  double memory = 0;          ///< of each rank [B]: all hold the whole scene
  double imbalance = 1;       ///< most contacts of a rank over the mean [-]
  double border_share = 0;    ///< of the bodies of shared islands, that several ranks touch [-]
  /// Of a sweep.
  struct Traffic {
    Index messages = 0, bytes = 0;
  };
  Traffic all;      ///< between all ranks
  Traffic busiest;  ///< most that one rank sends
  Traffic start;    ///< between all, where impulses of the step before act, before the first sweep
  double seconds_alone = 0, seconds = 0;  ///< of a sweep [s]
};

/// Takes one step, alone, and deals its contacts out to ranks, which need not be there: the
/// messages are those that a run on so many ranks sends in a sweep of this step, counted in the
/// lists of these (distribute::HandOvers), not estimated. Its time is, where nothing is hidden
/// behind anything,
///   t = i (n/N) t_c + m t_m + b/w,
/// n contacts on N ranks with the imbalance i, and m messages with b bytes that the busiest sends.
/// Contacts of other bodies than balls and planes count four times.
/// @param ranks ≥ 1. Cost: a step, and a layout of its contacts.
/// @throws InputError of schemes that have no sweeps over bodies in space.
[[nodiscard]] RanksEstimate estimate_ranks(Simulation& simulation, int ranks,
                                           const RankCosts& costs = {});

/// For people, and as JSON.
[[nodiscard]] std::string to_text(const RanksEstimate& estimate);
[[nodiscard]] std::string to_json(const RanksEstimate& estimate);

}  // namespace talus::sim
