#pragma once

#include <string>

#include <talus/reproduce/machine_run.hpp>
#include <talus/reproduce/paper.hpp>

namespace talus::reproduce {

/// The curves of a figure of kind `machine` as SVG; axes are its labels, the window is one of time.
/// Runs that were not made (they need --full) are left out.
/// @throws InputError where a signal does not exist.
[[nodiscard]] std::string draw_machines(const FigureSpec& figure, const MachineHistories& machines);

}  // namespace talus::reproduce
