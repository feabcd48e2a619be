#pragma once

#include <functional>

#include <talus/math/vector.hpp>

namespace talus::solve {

/// The residual of a candidate over what is asked for, computed outside the solver: at most 1 means
/// solved. A solver evaluates it, stops on it, and cannot influence it. Argument: the
/// impulses r, dm, in the problem's own units.
using ExternalResidual = std::function<Real(const VecX& r)>;

/// Polled by a solver between its steps, and within long ones; true makes it stop with the status
/// interrupted, and a cascade of solvers asks again: once true it must stay true. May be empty.
using StopRequest = std::function<bool()>;

}  // namespace talus::solve
