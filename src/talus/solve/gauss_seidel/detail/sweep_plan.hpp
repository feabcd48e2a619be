#pragma once

#include <talus/distribute/hand_overs.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::solve::detail {

/// What sweeps over the central contacts of a problem touch, tile by tile, as a plan.
void plan_central(const problem::RigidContact& problem, distribute::SweepPlan& plan);

}  // namespace talus::solve::detail
