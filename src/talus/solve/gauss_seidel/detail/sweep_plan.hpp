#pragma once

#include <cstdint>
#include <span>

#include <talus/distribute/hand_overs.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>

namespace talus::solve::detail {

/// What a sweep over a problem touches, tile by tile, as a plan: central contacts, then general
/// ones in their order. @param colours of the central contacts that are visited, from the first.
void plan_sweep(const problem::RigidContact& problem, std::span<const std::uint32_t> colours,
                const GeneralSchedule& general, distribute::SweepPlan& plan);

}  // namespace talus::solve::detail
