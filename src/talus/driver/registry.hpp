#pragma once

#include <span>
#include <string_view>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/solution.hpp>

namespace talus::driver {

/// A solver of one class of problems: runs from the guess in x (empty: its own start), leaves the
/// answer there, and reports its own claim.
template <class Problem>
struct SolverEntry {
  std::string_view name;
  problem::SolveReport (*run)(const Problem& problem, const Options& options, VecX& x);
};

/// Sweeps of Gauss–Seidel that cost about as much as Newton's method on a problem of this many
/// contacts: "auto" changes over after so many.
[[nodiscard]] Index newton_pays_after(Index contact_count);

// One table per class, in registry.cpp: a new solver adds one line there.
[[nodiscard]] std::span<const SolverEntry<problem::Lcp>> lcp_solvers();
[[nodiscard]] std::span<const SolverEntry<problem::FrictionContact>> friction_contact_solvers();

}  // namespace talus::driver
