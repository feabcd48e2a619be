#pragma once

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::model {

/// How far a body reaches from its origin along each axis of the world [m]: of a fixed body as it
/// stands, of any other however it turns. Infinite for a plane.
[[nodiscard]] Vec3 image_reach(const Body& body, const Pose& X_WB);

/// What the bodies of a periodic cell leave for margins and ways [m]: along every periodic axis
///   slack = L/2 − (largest reach of a dynamic body) − (largest reach of any body),
/// the least of them; infinite without periodic axes or dynamic bodies. Planes do not count.
///
/// While any two bodies approach by less than this, only their nearest images can touch; then no
/// contact is missed. Negative: two images of a body can touch another body at once, which one
/// contact cannot stand for. O(bodies).
[[nodiscard]] Real minimum_image_clearance(const Model& model, const State& state);

}  // namespace talus::model
