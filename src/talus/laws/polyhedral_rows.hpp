#pragma once

#include <vector>

#include <talus/problem/polyhedral_contact.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::laws {

/// A contact problem of bodies with rows of joints as polyhedral contact.
///
/// A row without bounds is a constraint, C added to W; one with one bound is a contact without
/// friction, λ = bound ± r_N; one with two is a joint whose friction has one direction,
/// λ = lower + β, 0 ≤ β ≤ upper − lower.
struct PolyhedralRows {
  /// Contacts: those of shapes, then rows with one bound. Joints: rows with two.
  problem::PolyhedralContact problem;
  /// Where row j of the problem of bodies is: λ_j = shift + sign · r[place].
  struct Place {
    Index row = 0;
    Real sign = 1, shift = 0;
  };
  std::vector<Place> places;
  std::vector<Index> bounded;  ///< rows of the contacts that are rows, then of the joints
};

/// @param bodies general contacts without resistance alone (contract). @param directions of
/// problem::friction_directions. Cost
/// O(entries of W).
[[nodiscard]] PolyhedralRows to_polyhedral(const problem::RigidContact& bodies,
                                           problem::FrameRule frame, Index directions);

/// Impulses of contacts along the world's axes, and of rows. @param r of the polyhedral problem.
[[nodiscard]] problem::ContactImpulses impulses_of(const PolyhedralRows& rows,
                                                   const problem::RigidContact& bodies,
                                                   problem::FrameRule frame, const VecX& r);

}  // namespace talus::laws
