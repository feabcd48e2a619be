#pragma once

#include <memory>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::stepping {

/// Which passive machines are judged: those with springs or armatures, of which fixed steps may
/// make energy; or all, where joints are kept by a rule that may make some.
enum class Judged : unsigned char { storing, all };

/// Whether a model has such a machine with nothing in it that gives energy whose work is not
/// measured: no drives, motors of a rule without impulses (all), forces of time, joints or springs
/// to bodies that are moved; and no sources. A machine is what joints, couplings and force elements
/// connect; there may be others. In the plane it is all of the model, with springs, dampers or
/// drag, no motors, and no laws of surfaces that store energy; so is a system of its own that
/// is_passive().
[[nodiscard]] bool has_passive_machine(const model::Model& model, Judged which);

/// A scheme that judges its steps by the energy of every passive machine.
///
/// Laws of joints and springs are taken along coordinates at one place of the step. Where a
/// coordinate turns far within it (a torsion spring whose axes become opposed, a rotation past half
/// a turn, a line that passes near its anchor) the laws are met there, and the energy grows without
/// limit. A step is not certified in which
///   E' − E > 0.01 S  or  E' − min E > 0.05 max S,
///   S = T + T' + U + U' + ½ h Σ m ‖g‖ (‖v‖ + ‖v'‖)
/// of a machine, E with gravity, U of the springs (where there are none, and of a system of its
/// own, 0.01 of the largest S of the run), and what rounding of 10⁻¹² makes of the largest S of the
/// run and of the places of bodies. Where a contact, a limit, the end of a rope or a motor acts on
/// it in the step, it is not certified where
///   E' − E > max(0, W) + L + 0.1 S,
/// W what contacts and motors did, r·(u + u')/2 of an impulse r and its body's point and at most
/// h |τ| (|β̇| + |β̇'|)/2 of an effort, L what bodies are lifted by beyond h v and h v', as where
/// they are moved out of each other, and 10⁻³ m (h g)² of each. The minimum is since one of them
/// has acted or a step was not certified, so that what rises little by little is told each time
/// that it has risen by that. Of a system of its own steps with contacts are not judged. Cost:
/// O(bodies, contacts and axes) a step.
/// @param model outlives it; has_passive_machine (contract).
[[nodiscard]] std::unique_ptr<Scheme> judge_energy(std::unique_ptr<Scheme> scheme,
                                                   const model::Model& model, Judged which);

}  // namespace talus::stepping
