#pragma once

#include <memory>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// Whether a model is a machine with springs or armatures (in the plane: springs, dampers or drag),
/// and nothing in it that gives energy: no drives, motors, moving bodies, forces of time, sources;
/// and no compliant, cohesive or other laws of surfaces that store some.
[[nodiscard]] bool is_passive_machine(const model::Model& model);

/// A scheme that judges its steps by the energy of a passive machine.
///
/// Laws of joints and springs are taken along coordinates at one place of the step. Where a
/// coordinate turns far within it (a torsion spring whose axes become opposed, a rotation past half
/// a turn, a line that passes near its anchor) the laws are met there, and the energy grows without
/// limit. A step is not certified in which
///   E' − E > 0.01 (T + T' + U + U')  or  E' − min E > 0.05 max (T + T' + U + U'),
/// E with gravity, U of the springs, and rounding of the largest such sum of the run (10⁻¹²), where
/// no contact, limit or end of a rope acts: those may lift bodies out of each other. The minimum is
/// since one of them has acted or a step was not certified, so that what rises little by little is
/// told each time that it has risen by that. Cost: O(bodies) a step.
/// @param model outlives it; is_passive_machine (contract).
[[nodiscard]] std::unique_ptr<Scheme> judge_energy(std::unique_ptr<Scheme> scheme,
                                                   const model::Model& model);

}  // namespace talus::stepping
