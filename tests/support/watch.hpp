#pragma once

#include "support/world.hpp"

namespace talus::test {

/// What a witness finds in the certified steps of a scene.
struct Finding {
  int uncertified = 0;
  Real overlap = 0;  ///< largest, over the half thickness of the thinner body
  Real passage = 0;  ///< the same on the straight way between the ends of steps
  Real rise = 0;     ///< largest of the kinetic energy beyond what gravity does in a step, over
                     ///< Σ m (g h)² + Σ m v²/1000; not where a prescribed body is near
  Real touch = 0;    ///< largest change of velocity of a body that passed all others, over h g
  int step_of_overlap = -1, step_of_passage = -1, step_of_rise = -1, step_of_touch = -1;
  std::string why;  ///< of the first step that was not certified
};

/// Takes steps of a scene and watches them, in space or in the plane, by the measures of the
/// witness alone. @param theta of the scheme: forces act in a step on (1 − θ) v + θ v'.
Finding watch(World world, const stepping::SchemeOptions& options, Real theta, Real h, int steps);

}  // namespace talus::test
