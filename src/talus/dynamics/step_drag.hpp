#pragma once

#include <talus/model/model.hpp>

namespace talus::dynamics {

/// The drag −c m v of bodies in a step, at θ v' + (1 − θ) v as a damper to the world is taken:
///   m (v' − v) = p − h c m (θ v' + (1 − θ) v),  so that  v' = decay v + yield p/m
/// with the impulse p of all else: bodies answer to impulses as if heavier by 1 + θ h c. It takes
/// energy for θ ≥ ½ whatever h c is, and a steady velocity is exact. Spins I ω likewise.
struct StepDrag {
  struct Factors {
    Real decay = 1;  ///< (1 − (1 − θ) h c)/(1 + θ h c); 1 without drag
    Real yield = 1;  ///< 1/(1 + θ h c); 1 without drag

    Factors() = default;
    /// @param damping c ≥ 0 [1/s].
    Factors(Real damping, Real h, Real theta)
        : decay((1 - (1 - theta) * h * damping) / (1 + theta * h * damping)),
          yield(1 / (1 + theta * h * damping)) {}
  };
  Factors linear, angular;

  StepDrag() = default;  ///< no drag
  StepDrag(const model::Model& model, Real h, Real theta)
      : linear(model.linear_damping, h, theta), angular(model.angular_damping, h, theta) {}
};

}  // namespace talus::dynamics
