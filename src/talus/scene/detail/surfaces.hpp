#pragma once

#include <optional>

#include <talus/model/surface_law.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Whether it says more than friction and restitution: what only machines in the plane know.
[[nodiscard]] bool is_of_machines(const SurfaceSpec& spec);

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
