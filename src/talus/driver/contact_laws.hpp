#pragma once

#include <string_view>
#include <vector>

#include <talus/driver/options.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::driver {

/// Runs the solver that options name on a problem of any law.
///
/// Coulomb: all of friction_contact_solvers. Frictionless: the same, with μ = 0. Maximum
/// dissipation: "nsgs"; "auto": a while of it, then Newton. Cone complementarity: "nsgs" and the
/// solvers of cone problems; "auto": a while of "nsgs", then theirs. Polyhedral: "nsgs" and,
/// exactly, "lemke"; "auto": a while of "nsgs", then "lemke" where it fits. In 2-D polygons and
/// maximum dissipation are Coulomb's law. Any other name of a solver gives the status unsupported.
/// @param problem valid. @param external_residual,r as for SolverEntry::run.
[[nodiscard]] problem::SolveReport run_under_law(const problem::FrictionContact& problem,
                                                 const Options& options,
                                                 const solve::ExternalResidual& external_residual,
                                                 VecX& r);

/// Names of the solvers that run_under_law takes for a law, "auto" first. @param dimension 2 or 3.
[[nodiscard]] std::vector<std::string_view> solver_names(problem::FrictionLaw law, Index dimension);

}  // namespace talus::driver
