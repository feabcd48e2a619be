#pragma once

#include <cstddef>
#include <string>

#include <talus/base/types.hpp>

namespace talus::cli {

/// How far a run is.
struct ProgressFigures {
  Index steps = 0, step_count = 0;  ///< taken, and of the whole run
  Real time = 0, end_time = 0;      ///< simulated [s]
  double steps_per_second = 0;      ///< 0: not known yet
  Index contact_count = 0;          ///< of the last step
  Real worst_residual = 0;          ///< of all steps, to compare with the tolerance
  Index uncertified_steps = 0;
};

/// One line of ASCII, what matters most first: share done, simulated time, time left, worst
/// certificate, uncertified steps if there are any, contacts, steps per second. What follows from
/// the rate is left out while that is not known.
[[nodiscard]] std::string progress_line(const ProgressFigures& figures);

/// The same for a terminal, after a bar as long as there is room for; cut where the terminal is
/// narrower still, because a line that wraps cannot be redrawn.
/// @param columns of the terminal, ≥ 1.
[[nodiscard]] std::string progress_bar(const ProgressFigures& figures, std::size_t columns);

}  // namespace talus::cli
