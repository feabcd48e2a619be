#pragma once

#include <string>

#include <talus/driver/options.hpp>
#include <talus/problem/friction_law.hpp>
#include <talus/stepping/event_driven/options.hpp>

namespace talus::stepping {

/// What a scene or a caller may set about a scheme. Fields a scheme does not use are rejected by
/// the scene reader.
struct SchemeOptions {
  std::string scheme = "moreau_jean";  ///< a registry name: scheme_names()
  Real theta = 1.0;  ///< Moreau–Jean's θ in [1/2, 1]; 1 keeps gaps non-negative to first order
  Index directions = 8;      ///< Stewart–Trinkle's k: even, ≥ 4
  bool fixed_point = false;  ///< the implicit schemes: re-linearise at q' (ImplicitOptions)
  std::string overlap = "displacement";  ///< how stewart_trinkle and anitescu_potra_stabilised
                                         ///< take gaps below 0 back: "displacement", without
                                         ///< velocity, or "velocity", as their papers
  Index max_halvings = 0;  ///< how often a step that fails, or has second impacts, is cut in two
                           ///< (stepping::halving); not event-driven's
  std::string tangents = "paper";  ///< frame of the k directions: "paper" or "contact_frame"
  Real slop = 1e-3;  ///< penetration left alone, as a share of the smaller body's size, ≥ 0
  Real error_reduction = 1;  ///< share of what is deeper than half the slop that a step removes
                             ///< where some contact is deeper than all of it, in [0, 1]
  bool sleeping = false;     ///< Moreau–Jean's with θ = 1: islands at rest are left out of steps
  problem::FrictionLaw law =
      problem::FrictionLaw::coulomb;     ///< of all contacts; Moreau–Jean's only
  event_driven::MachineOptions machine;  ///< event-driven's, but for restitution
  driver::Options solver = step_solver();

  /// Steps are certified at 1e-6 by default.
  [[nodiscard]] static driver::Options step_solver() {
    driver::Options options;
    options.tolerance = 1e-6;
    return options;
  }
};

}  // namespace talus::stepping
