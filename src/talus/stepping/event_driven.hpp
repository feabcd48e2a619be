#pragma once

#include <memory>

#include <talus/stepping/event_driven/engine.hpp>
#include <talus/stepping/scheme.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// The event-driven scheme: event_driven::Engine advanced by the scene's step, in the plane with
/// joints, drives, force elements and every surface law, in space with machines without contacts of
/// shapes: joints, drives, force elements, limits, ropes, dry friction and motors of axes
/// (dynamics::SpatialBodies).
///
/// A step of size h may hold many internal steps and events; events() has them. State::internal
/// holds the modes of all contacts, Dahl's forces and whole turns of angles; a state without them,
/// or whose bodies have been moved, is started anew: what touches is closed, what approaches
/// collides. Those of another scheme or machine are an InputError. The certificate is that of the
/// forces and accelerations at the end of the step, found again from the machine and the laws
/// (event_driven/judge.hpp). `stalled`: an impact law raised the energy, or events followed one
/// another without time in between. `numerical_error`: Painlevé, or no step of the integrator; the
/// state is left as it was.
class EventDriven : public Scheme {
 public:
  /// Reactions of the joints and drives at the end of the last step, stabilisation left out: λ in
  /// the order of the machine's constraint rows. Empty before the first step.
  [[nodiscard]] virtual const VecX& multipliers() const = 0;
  /// F_N and F_T of contacts there, and the friction forces of joints.
  [[nodiscard]] virtual const event_driven::Forces& forces() const = 0;
  [[nodiscard]] virtual const laws::Modes& modes() const = 0;
  /// Constraints, contacts and rows behind these numbers; null before the first step.
  [[nodiscard]] virtual const dynamics::System* machine() const = 0;
  /// Largest |Φ| and |Φ̇| at the end of the last step.
  [[nodiscard]] virtual Real constraint_norm() const = 0;
  [[nodiscard]] virtual Real constraint_rate_norm() const = 0;
  /// What the last step cost, and how it went.
  [[nodiscard]] virtual const event_driven::Outcome& outcome() const = 0;
};

[[nodiscard]] std::unique_ptr<EventDriven> make_event_driven_scheme(const model::Model& model,
                                                                    const SchemeOptions& options);
/// For the registry.
[[nodiscard]] std::unique_ptr<Scheme> make_event_driven(const model::Model& model,
                                                        const SchemeOptions& options);

}  // namespace talus::stepping
