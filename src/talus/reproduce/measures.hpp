#pragma once

#include <string>
#include <vector>

#include <talus/reproduce/paper.hpp>
#include <talus/reproduce/runs.hpp>

namespace talus::reproduce {

// What can be measured in the runs of a paper. With v the velocity components (linear and angular)
// of all dynamic bodies and q their positions and ∫ω dt:
//   variation          the largest total variation Σ|v^{l+1} − v^l| of any one component
//   velocity_error     ∫ ‖v_h − v_ref‖_∞ dt, v_h = v^{l+1} on (t_l, t_{l+1}]; needs a reference
//   position_error     max ‖q_h − q_ref‖_∞ at the times of the coarser run; needs a reference
//   velocity_order, position_order   slope of log error over log h, least squares over the steps
//   impact             label of the step [s] in which the number-th contact first bears an impulse
//   slide              from the end of the last impact's step until the body's slip is over [s]
//   final_position, largest_spin     of a body; component x, y, z, or of |ω|
//   rest               end of the step [s] after which nothing moves any more
//   reopening          the largest gap [m] of a contact of the body after it first bore an impulse
//   support            vertical impulse of fixed bodies over the weight's, both over the whole run
//   largest_lcp, most_pivots, lcp_residual, cone_violation, energy_rise, penetration, uncertified
// and those of step_measures.hpp and rotation_measures.hpp. Where a row names several step sizes
// the largest value counts. A run that did not get to its end measures NaN.

/// The names above, in their order.
[[nodiscard]] std::vector<std::string> measure_names();

/// True if a measure looks at the contact problems of a run's steps.
[[nodiscard]] bool measures_problems(const std::string& name);

/// The measure of a row. @throws InputError where the row lacks what it needs.
[[nodiscard]] Real measure(const RowSpec& row, const Runs& runs);

/// The runs that a row needs.
[[nodiscard]] std::vector<std::pair<std::string, Real>> runs_of(const RowSpec& row);

/// The errors of the run with step h against the one with step h_ref ≤ h, a whole part of it.
struct Errors {
  Real velocity = 0, position = 0;
};
[[nodiscard]] Errors errors(const History& run, const History& reference);

/// Velocity components of all dynamic bodies, six each.
[[nodiscard]] VecX velocities(const model::Model& model, const model::State& state);

}  // namespace talus::reproduce
