#pragma once

#include <vector>

#include <talus/dynamics/planar_narrow_phase.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::stepping::detail {

/// A contact whose normal does not hold where the bodies will be gives way to the one there, if
/// that one's normal separates the two now and then: nothing on the way is touched, as in
/// collision::ContactDetector::detect_transient.
/// @param q, v at the start of the step. @param theta of the scheme. @param terms in and out: of
/// the contact at q or q + (1 − θ) h v; where it gives way, of the other at the latter.
/// @return after how many steps the other was found; 0: none was.
Real look_ahead(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v,
                Real h, Real theta, dynamics::ContactTerms& terms);

/// The contacts that can close within a step, rigid ones where the shapes come together on their
/// free way. @param q, v at the start. @param place q + (1 − θ) h v. @param free velocities under
/// applied forces and constraints alone.
[[nodiscard]] std::vector<Index> contacts_in_reach(const dynamics::System& machine, const VecX& q,
                                                   const VecX& v, const VecX& place,
                                                   const VecX& free, Real h);

}  // namespace talus::stepping::detail
