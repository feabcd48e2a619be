#pragma once

#include <string>
#include <vector>

#include <talus/certify/joint_residual.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/tolerances.hpp>

namespace talus::stepping::detail {

/// How far a state is off what holds at every instant, whatever a step has done: the largest
/// violation, over what it is compared with, and whose it is.
struct StateError {
  certify::JointResidual joints;  ///< the largest |Φ|, as in `position`, and |Φ̇|, of which
                                  ///< constraints; no rank
  Real position = 0;              ///< |Φ| over the smaller body's bounding radius
  Real share = 0;      ///< the overlap of a rigid contact over the smaller body's half thickness
  Real rate = 0;       ///< |Φ̇|, or the approach of a closed contact, over the speeds about
  Real overlap = 0;    ///< the largest overlap [m] ≥ 0
  Index contact = -1;  ///< of the machine; −1: a joint, the limit of one, or a drive
  std::string worst;   ///< in words, where it is one of these
};

/// "a motor is off by 0.2 of the smaller body and 0.3 of the speeds about".
[[nodiscard]] std::string to_text(const StateError& error);

/// Judges q and v at a time: Φ and Φ̇ of all joints and drives, how deep all pairs of rigid shapes
/// that may touch are in each other, how far ropes and joints with play are beyond their limits,
/// and the approach of contacts that are closed.
///
/// Φ̇ is compared with Σ |aₖ vₖ| of its row, the rate that its law prescribes, and speed_scale √(J
/// M⁻¹ Jᵀ); Φ with the bounding radius of the smaller body at the row, overlaps of shapes
/// with its half thickness. Rates that lead nowhere in a step (tolerance::kStillWay) are none.
/// @param closed per contact: whether its gap may not shrink; empty: none.
/// @param speed_scale √(2T) or so [√kg m/s] ≥ 0. @param step that has led there [s]; 0: rates are
/// not judged. Cost O(constraints + contacts).
[[nodiscard]] StateError judge_state(const dynamics::System& machine, Real time, const VecX& q,
                                     const VecX& v, const std::vector<bool>& closed,
                                     Real speed_scale, Real step);

}  // namespace talus::stepping::detail
