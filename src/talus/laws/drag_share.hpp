#pragma once

#include <talus/base/types.hpp>

namespace talus::laws {

/// λ of a contact's viscous force −λ h c γ' over a step: 1 where it presses, 0 where it opens, any
/// share between where it does neither. The force jumps where the pressure vanishes, and without
/// this closure (Filippov's) a step in which all of it opens a contact that none of it lets close
/// has no answer.
///
/// In part, λ is unknown, and the normal impulse is 0: 0 ≤ d ⟂ γ'_N + s ≥ 0 with d the drag.
class DragShare {
 public:
  [[nodiscard]] bool is_full() const { return kind_ == Kind::full; }
  [[nodiscard]] bool is_part() const { return kind_ == Kind::part; }
  /// Of the slip that it is in part against, ±1.
  [[nodiscard]] Real direction() const { return direction_; }
  /// What it is next, after a round. @param is_pressed whether the contact bears anything.
  /// @param slip γ' of it. @param drag its impulse [N s]. @param viscous h c [kg].
  /// @return whether that is something else.
  bool follow(bool is_pressed, Real slip, Real drag, Real viscous);
  /// One in part that leaves a step without an answer is none from now on. @return whether it was.
  bool give_up();

 private:
  enum class Kind : unsigned char { full, none, part };
  Kind kind_ = Kind::full;
  Real direction_ = 0;
  int openings_ = 0;  // under all of it
};

}  // namespace talus::laws
