#pragma once

#include <memory>

#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// A scheme that cuts steps in two.
///
/// A step that is not certified, or in which bodies strike that impacts of the same step set in
/// motion (StepReport::second_impacts: the law of one impact per contact and step makes them
/// plastic), is taken as two of half the size, and so on, `max_halvings` times at most. Where a
/// part of the smallest size is not certified still, the whole step is taken as it was,
/// uncertified. contacts() are those of the last part. Cost: bodies + contacts per step, and the
/// steps repeated.
/// @param max_halvings ≥ 1.
[[nodiscard]] std::unique_ptr<Scheme> halving(std::unique_ptr<Scheme> scheme, Index max_halvings);

}  // namespace talus::stepping
