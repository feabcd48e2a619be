#pragma once

#include <string>
#include <vector>

#include <talus/reproduce/paper.hpp>
#include <talus/reproduce/runs.hpp>

namespace talus::reproduce {

// Kinds of figures:
//   series       value over time, one curve per step size; value: velocity.x|y|z, position.x|y|z,
//                angular_velocity.x|y|z of a body, energy, energy_change, lcp_size, pivots
//   path         position of every dynamic body, axes[1] over axes[0]
//   snapshots    outlines of a planar body every so many seconds
//   impulses     size of every contact's impulse over time, one dot per step that has one
//   convergence  velocity and position error over h, against the reference

/// The figure as SVG. @throws InputError where the specification makes no sense.
[[nodiscard]] std::string draw(const FigureSpec& figure, const Runs& runs);

/// The runs that a figure needs.
[[nodiscard]] std::vector<std::pair<std::string, Real>> runs_of(const FigureSpec& figure);

}  // namespace talus::reproduce
