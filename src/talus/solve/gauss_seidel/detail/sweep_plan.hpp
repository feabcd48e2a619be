#pragma once

#include <talus/distribute/hand_overs.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/solve/gauss_seidel/detail/general_schedule.hpp>

namespace talus::solve::detail {

/// What a sweep over a problem touches, tile by tile, as a plan: central contacts, then general
/// ones in their order.
void plan_sweep(const problem::RigidContact& problem, const GeneralSchedule& general,
                distribute::SweepPlan& plan);

}  // namespace talus::solve::detail
