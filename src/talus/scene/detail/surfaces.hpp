#pragma once

#include <optional>

#include <talus/model/interface_law.hpp>
#include <talus/model/model.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Whether it holds what only scenes in the plane support.
[[nodiscard]] bool is_of_the_plane(const SurfaceSpec& spec);
/// Whether it holds what only scenes in space support.
[[nodiscard]] bool is_of_space(const LawSpec& spec);

/// The law of a surface; what it does not give is that of the fallback. Notes what contradicts
/// itself: restitution of a compliant surface, static friction below friction or of a law that does
/// not stick.
[[nodiscard]] model::InterfaceLaw surface_law(const SurfaceSpec& spec, const SurfaceSpec* fallback,
                                              Problems& problems);

/// The law of two materials, the same in the plane and in space.
[[nodiscard]] model::InterfaceLaw interface_law(const LawSpec& spec, const LawSpec* fallback,
                                                Problems& problems);

/// The law of friction in a joint; notes the same.
[[nodiscard]] model::FrictionModel friction_law(Real friction,
                                                const std::optional<Real>& static_friction,
                                                const std::optional<FrictionLawSpec>& law,
                                                const Place& place, Problems& problems);

}  // namespace talus::scene::detail
