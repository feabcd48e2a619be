#pragma once

#include <memory>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// Whether laws of time of a model have kinks at all: whether parts_at_kinks() has anything to cut.
[[nodiscard]] bool has_kinks(const model::Model& model);

/// Where a part of a step begins: a scheme that takes the rate of a law within its step meets a
/// jump of the rate there, one that takes what holds at the start of a step meets it at the start.
enum class PartStart { before_kink, at_kink };

/// A scheme that takes a step in parts where laws of time change in less than a step.
///
/// A scheme at the level of velocities takes the rate of a law at one place of the step. A kink
/// alone it meets (a rate that is given jumps once, dynamics::jumps_once); of a value that changes
/// in a time shorter than the step, as a table writes a jump, 0 at 0.1 s, 1 at 0.1001 s, it would
/// see the rate of an instant for all of the step, or nothing. So steps end at such kinks k₁, k₂,
/// …, all within less than a step and apart from others by more, and half-way between two of them,
/// by which k₂ is no sample of a curve:
///   t, k₁, (k₁ + k₂)/2, k₂, …, t + h.
/// A part begins at its kink, or 10⁻⁷ h before it, by which the kink lies within it; so does a step
/// that begins at one, and the step before ends there. Kinks that go on for longer are samples of a
/// curve and cut nothing; kinks within 10⁻⁶ h are one. The report is of all parts: the worst
/// certificate, and why the first part that is not certified is not. contacts() and
/// reactions() are those of the step (detail::SumOfParts). Cost: O(laws) a step more, of
/// tables that are even for long O(entries), and of each kink about a step.
/// @param model outlives it.
[[nodiscard]] std::unique_ptr<Scheme> parts_at_kinks(std::unique_ptr<Scheme> scheme,
                                                     const model::Model& model, PartStart parts);

}  // namespace talus::stepping
