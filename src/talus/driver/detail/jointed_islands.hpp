#pragma once

#include <vector>

#include <talus/problem/rigid_contact.hpp>

namespace talus::driver::detail {

/// A part of a rigid contact problem that no other part acts on, and where its pieces come from.
struct Island {
  problem::RigidContact problem;
  std::vector<Index> bodies;    ///< of the whole problem, of every body; immovable ones are copies
  std::vector<Index> contacts;  ///< general contacts of the whole problem
  std::vector<Index> rows;
};

/// Splits a problem with rows and without central contacts (contract) into its islands, those that
/// have rows one by one, all others together as the last one. What moves without contact and row is
/// in none. Islands are in the order of their first rows. Cost O(bodies + contacts + rows).
[[nodiscard]] std::vector<Island> jointed_islands(const problem::RigidContact& problem);

/// The impulses of an island out of those of the whole problem, kind by kind; empty where these
/// are.
[[nodiscard]] problem::ContactImpulses impulses_of(const Island& island,
                                                   const problem::ContactImpulses& whole);
/// Puts them back.
void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  problem::ContactImpulses& whole);

}  // namespace talus::driver::detail
