#pragma once

#include <span>
#include <vector>

#include <talus/dynamics/reaction.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping::detail {

/// What acted in a step that was taken in parts: impulses of contacts are their sums over the
/// parts, reactions of joints and drives, of schemes that have impulses, their means over the step.
class SumOfParts {
 public:
  void clear();
  /// Adds the last step of a scheme. @param share of it in the whole step.
  void add(const Scheme& scheme, Real share);

  /// Those of the last part first, in its order, then others.
  [[nodiscard]] const std::vector<StepContact>& contacts() const { return contacts_; }
  [[nodiscard]] std::span<const dynamics::Reaction> reactions() const { return reactions_; }
  [[nodiscard]] std::span<const dynamics::AxisReaction> axes() const { return axes_; }

 private:
  std::vector<StepContact> contacts_;
  std::vector<dynamics::Reaction> reactions_;
  std::vector<dynamics::AxisReaction> axes_;
};

}  // namespace talus::stepping::detail
