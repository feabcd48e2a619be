#pragma once

#include <vector>

#include <talus/problem/rigid_contact.hpp>

namespace talus::driver::detail {

/// A part of a rigid contact problem that no other part acts on, and where its pieces come from. It
/// is the same to the last bit whatever the other parts are.
struct Island {
  problem::RigidContact problem;
  std::vector<Index> bodies;    ///< of the whole problem, of every body; immovable ones are copies
  std::vector<Index> contacts;  ///< of the whole problem
  std::vector<Index> rows;
};

/// Splits a problem into its islands, bodies that contacts and rows join through movable ones, in
/// the order of their first rows and then of their first contacts. Contacts without a movable body
/// are together in the last one; rows without, and what moves without contact and row, are in none.
/// Cost O(bodies + contacts + rows).
[[nodiscard]] std::vector<Island> islands(const problem::RigidContact& problem);

/// The impulses of an island out of those of the whole problem, kind by kind; empty where these
/// are.
[[nodiscard]] problem::ContactImpulses impulses_of(const Island& island,
                                                   const problem::RigidContact& problem,
                                                   const problem::ContactImpulses& whole);
/// Puts them back.
void put_impulses(const Island& island, const problem::ContactImpulses& impulse,
                  const problem::RigidContact& problem, problem::ContactImpulses& whole);

}  // namespace talus::driver::detail
