#pragma once

#include <talus/model/motion.hpp>

namespace talus::dynamics {

/// Place, velocity and acceleration of a body in the plane: (x, y, θ) each.
struct PlanarMotion {
  Vec3 q = Vec3::Zero(), v = Vec3::Zero(), acceleration = Vec3::Zero();
};

/// A prescribed motion in the plane with its exact derivatives. θ counts whole turns. At a kink
/// of a table the derivatives are those to the right. O(terms + log entries of a table).
/// @param rest (x, y, θ) without any term; the axes of the terms are ±z, displacements have z = 0
/// (not checked).
[[nodiscard]] PlanarMotion planar_motion(const std::vector<model::MotionTerm>& terms,
                                         const Vec3& rest, Real time);

/// The first time after `time` at which a table of the motion has a kink; infinity if there is
/// none.
[[nodiscard]] Real next_kink(const std::vector<model::MotionTerm>& terms, Real time);

}  // namespace talus::dynamics
