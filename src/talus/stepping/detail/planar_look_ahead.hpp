#pragma once

#include <talus/dynamics/planar_contacts.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::stepping::detail {

/// A contact whose normal does not hold where the bodies will be gives way to the one there, if
/// that one's normal separates the two now and then: nothing on the way is touched, as in
/// collision::ContactDetector::detect_untracked.
/// @param q, v at the start of the step. @param theta of the scheme. @param terms in and out: of
/// the contact at q + (1 − θ) h v.
void look_ahead(const dynamics::System& machine, Index contact, const VecX& q, const VecX& v,
                Real h, Real theta, dynamics::ContactTerms& terms);

/// How far no point of a body gets in h at its velocity v at the start and its free one together.
/// @param travel out: per body [m].
void set_travel(const dynamics::System& machine, const VecX& v, const VecX& free, Real h,
                VecX& travel);

}  // namespace talus::stepping::detail
