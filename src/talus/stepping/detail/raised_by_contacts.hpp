#pragma once

#include <span>
#include <string>

#include <talus/stepping/step_contacts.hpp>

namespace talus::stepping::detail {

/// What bodies would have at the end of a step without contacts, turned by nothing but forces.
struct FreeVelocities {
  std::span<const Vec3> linear, angular;
};

/// Looks at the motion after a step itself, not at its problem: contacts without restitution take
/// kinetic energy, so that bodies that they act between have no more of it than their free
/// velocities at the start have,
///   ½ Σ (m v'² + ω'·I(q') ω') ≤ ½ Σ (m v_free² + ω_free·I(q) ω_free),
/// up to kRaisedShare of that and m (h a)², m and I as large as the drag of the step makes them
/// (dynamics::StepDrag). Sets with a body that is moved as prescribed, or that
/// joints or force elements hold, are left out.
/// @param contacts of the step. @return what is wrong, or "". Cost O(bodies + contacts).
[[nodiscard]] std::string raised_by_contacts(const StepContacts& bodies, const model::State& start,
                                             const FreeVelocities& free, const model::State& end,
                                             std::span<const StepContact> contacts, Real step_size);

}  // namespace talus::stepping::detail
