#pragma once

#include <string>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::problem {

// The door: what a solver may take for granted is checked here, once. Each function throws
// InputError with one diagnostic per mistake: the quantity as place, what was found, what is
// allowed, a hint. `file` names the source in the message and may be empty. Cost O(non-zeros).

/// M square of the size of q, everything finite.
void validate(const Lcp& lcp, const std::string& file = "");

/// d ∈ {2, 3}; W dm×dm and b dm; everything finite; μ ≥ 0; W_NN > 0 and W_TT ≥ 0 in every diagonal
/// block.
void validate(const FrictionContact& problem, const std::string& file = "");

/// d ∈ {2, 3}; M n×n, H n×dm, f n, w dm; everything finite; μ ≥ 0. That M is non-singular and every
/// contact moves something is found by LocalForm (problem/convert).
void validate(const GlobalFrictionContact& problem, const std::string& file = "");

}  // namespace talus::problem
