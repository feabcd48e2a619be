#pragma once

#include <functional>
#include <span>
#include <string>

#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/laws/step_laws.hpp>
#include <talus/stepping/detail/alone_motion.hpp>
#include <talus/stepping/detail/middle_contacts.hpp>

namespace talus::stepping::detail {

// Newton's law of restitution can raise the kinetic energy where friction, joints or several
// contacts act in one impact (`stronge_1990`). Where it does,
//   ½ Σ Λ·(u_free + u') > 0   over contacts that bear and act on each other, in any answer tried,
// all their restitutions are taken smaller by one factor, the largest (to 2⁻¹⁰) whose answer does
// not. With none, energy is lost: u' ≥ 0 ⟂ Λ. All other impacts keep every bit. Raised is what
// exceeds the tolerance of the step times ½ Σ ‖Λ‖ (‖u_free‖ + ‖u'‖), in space + h a of forces.

/// In space. Biases below 0, and slip biases, are of restitution (dynamics::contact_bias), but for
/// what they have for the turning of rows; that becomes smaller by the same factor, since it can
/// raise the energy too: a point that jumps along a line within the step has rows that turn by
/// much. With turning rows ½ Σ Λ·(J_M v + u') is bounded besides, what impulses of the midpoint
/// rule do to the energy and to the potential of gravity, up to 5·10⁻⁴ ‖Λ‖ times what forces do to
/// the velocity of the contact. With none of the turning a normal impulse does no work by it;
/// friction that ends a slip against the forces may, up to m (h g)²/8. Limits, ropes and dry
/// friction of machines are as contacts: their work counts, and biases below 0 of limits and ropes
/// become smaller, by the same factor also what the midpoint rule reflects of the rates of
/// constraints, whose impulses then count, too. All of one machine act on each other, and u_free is
/// what its other rows alone make of it (certify::raised_energy).
/// Where there is no answer (friction jams what restitution wants apart: a rod on a pin that comes
/// down steeply cannot slide back) and with none of the restitution there is, as much of it is left
/// as has one.
/// @param solve answers the problem as it is, from the solution at hand.
/// @param alone what that is, with the impulses of the rows in the solution at hand.
/// @param turns one per contact; empty: 0. @param problem biases are changed.
/// @param solution in: the answer to it; out: bounded.
/// @return sweeps that it took; 0 where nothing was raised.
Index bound_restitution(problem::RigidContact& problem, Real tolerance,
                        const std::function<void()>& solve,
                        const std::function<AloneMotion()>& alone,
                        std::span<const ContactTurn> turns, driver::RigidContactSolution& solution);

/// In the plane: shifts below 0 of rigid normals, and what rows turn by. What compliant contacts
/// store is left out.
/// @param problem shifts, turns and with them b are changed. @param solve answers it as it is.
/// @param answer in and out. Where there is no answer (friction jams what restitution wants apart)
/// it is tried with less of all of them. @return per normal the share that is left of its
/// restitution and of the turning of the rows of its contact, in [0, 1].
VecX bound_restitution(laws::StepProblem& problem, Real tolerance,
                       const std::function<laws::StepImpulses()>& solve,
                       laws::StepImpulses& answer);

/// What a step with bounded restitution may raise the energy by, over the work of its contacts to
/// and fro, and be certified: so many tolerances (certify::raised_energy, detail::JudgedStep).
inline constexpr Real kMostRaised = 10;

/// What the contacts of a set of bodies may raise in a step of the midpoint rule besides, over the
/// energy of its motion.
inline constexpr Real kRaisedShare = 1e-2;

/// Whether sets of contacts raise the energy in an answer all the same: by more than kMostRaised,
/// kRaisedShare, and m (h a)², what forces do to bodies at rest in the step. Joints whose rates the
/// midpoint rule reflects may, where contacts wedge their bodies.
[[nodiscard]] bool raises_energy(const problem::RigidContact& problem, const AloneMotion& alone,
                                 const driver::RigidContactSolution& solution, Real tolerance,
                                 std::span<const ContactTurn> turns);

/// Whether what displacements store in springs at the end of a step of the midpoint rule, and the
/// work of the step's impulses, raise the energy of a set of bodies: by more than kRaisedShare of
/// its motion's and the springs', and m (h a)².
[[nodiscard]] bool winds_springs_up(const problem::RigidContact& problem,
                                    const std::function<AloneMotion()>& alone,
                                    const driver::RigidContactSolution& solution, Real tolerance,
                                    std::span<const ContactTurn> turns,
                                    std::span<const WoundSpring> springs);

/// What is wrong with a step that raises it by more.
[[nodiscard]] std::string raises_text(Real raised);

/// Which normals are of sets of contacts that raise the energy in an answer; all where it is none.
[[nodiscard]] std::vector<bool> raises_energy(const laws::StepProblem& problem, Real tolerance,
                                              const laws::StepImpulses& answer);

}  // namespace talus::stepping::detail
