#pragma once

#include <optional>

#include <talus/model/model.hpp>
#include <talus/model/surface_law.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Whether it says what only scenes in the plane know.
[[nodiscard]] bool is_of_the_plane(const SurfaceSpec& spec);
/// Whether it says what only scenes in space know.
[[nodiscard]] bool is_of_space(const LawSpec& spec);

/// The law in space; what it does not give is that of the fallback. @param surface the law as
/// surface_law says it.
[[nodiscard]] model::ContactLaw contact_law(const LawSpec& spec, const LawSpec* fallback,
                                            const model::SurfaceLaw& surface);

/// The law of a surface; what it does not give is that of the fallback. Notes what contradicts
/// itself: restitution of a compliant surface, static friction below friction or of a law that does
/// not stick.
[[nodiscard]] model::SurfaceLaw surface_law(const SurfaceSpec& spec, const SurfaceSpec* fallback,
                                            Problems& problems);

/// The law of friction in a joint; notes the same.
[[nodiscard]] model::FrictionLaw friction_law(Real friction,
                                              const std::optional<Real>& static_friction,
                                              const std::optional<FrictionLawSpec>& law,
                                              const Place& place, Problems& problems);

}  // namespace talus::scene::detail
