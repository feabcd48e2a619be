#pragma once

#include <functional>
#include <string>

#include <talus/base/types.hpp>

namespace talus::stepping::event_driven {

/// What may be set about event-driven steps.
struct MachineOptions {
  std::string integrator = "adaptive";  ///< adaptive · rk4 · generalized_alpha
  Real tolerance = 1e-9;    ///< of an adaptive step, on every coordinate and velocity: absolute [m,
                            ///< rad, m/s, rad/s] and relative, > 0
  Real step = 0;            ///< internal step of the others [s]; 0: the scene's
  Real rho_infinity = 0.8;  ///< ρ_∞ of generalized_alpha, in [0, 1]
  std::string stabilisation = "projection";  ///< projection · baumgarte · none
  Real alpha = 0;  ///< α of Φ̈ + α Φ̇ + β Φ = 0 [1/s]; 0: 1/h, h the internal step
  Real beta = 0;   ///< β; 0: √2/h
  bool is_baumgarte_squared = false;     ///< Φ̈ + 2α Φ̇ + β² Φ = 0 instead
  std::string impacts = "simultaneous";  ///< simultaneous · sequential
  std::string restitution = "bounded";   ///< bounded · as_given: where its law raises the energy;
                                         ///< Moreau's schemes' too
  std::string on_painleve = "stop";      ///< stop · time_step
  /// An interrupt, polled after every internal step; once true it must stay true; empty: never.
  std::function<bool()> should_stop;
};

}  // namespace talus::stepping::event_driven
