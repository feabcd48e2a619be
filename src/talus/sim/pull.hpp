#pragma once

#include <string>

#include <talus/sim/simulation.hpp>

namespace talus::sim {

/// A hand that pulls a body by a damped spring to where it points, for one step.
struct Pull {
  Index body = -1;
  Vec3 point = Vec3::Zero();   ///< where it holds: body frame, from the centre of mass [m]
  Vec3 target = Vec3::Zero();  ///< where to, world frame [m]
};

/// Why a body cannot be pulled, for people; empty if it can be.
[[nodiscard]] std::string why_not_pulled(const Simulation& simulation, Index body);

/// Pushes the body with the impulse −h (k x⁺ + c v⁺) of a spring whose offset x⁺ and rate v⁺ are
/// those after a step of the body alone, so that it is stable whatever the step size h is. k and c
/// are such that the body's mass oscillates three times a second and is damped critically. Nothing
/// happens to a body that cannot be pulled.
void pull(Simulation& simulation, const Pull& pull);

}  // namespace talus::sim
