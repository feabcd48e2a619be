#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/problem/cone_problem.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/rolling_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::driver {

/// A solver of one class of problems: runs from the guess in x, stops where the external residual
/// is within tolerance or its own residual is at its end, leaves the answer there, and reports its
/// own claim.
template <class Problem>
struct SolverEntry {
  std::string_view name;
  problem::SolveReport (*run)(const Problem& problem, const Options& options,
                              const solve::ExternalResidual& external_residual, VecX& x);
};

// One table per class, in registry.cpp, registry_lcp.cpp and registry_classes.cpp: a new solver
// adds one line there.
[[nodiscard]] std::span<const SolverEntry<problem::Lcp>> lcp_solvers();
[[nodiscard]] std::span<const SolverEntry<problem::FrictionContact>> friction_contact_solvers();
[[nodiscard]] std::span<const SolverEntry<problem::ConeProblem>> cone_solvers();
[[nodiscard]] std::span<const SolverEntry<problem::RollingFrictionContact>> rolling_solvers();

/// Names of the solvers of a table, in its order.
template <class Problem>
[[nodiscard]] std::vector<std::string_view> names_of(
    std::span<const SolverEntry<Problem>> solvers) {
  std::vector<std::string_view> names;
  for (const SolverEntry<Problem>& entry : solvers) names.push_back(entry.name);
  return names;
}

}  // namespace talus::driver
