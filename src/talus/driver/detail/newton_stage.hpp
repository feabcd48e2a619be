#pragma once

#include <memory>

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::driver::detail {

/// Newton's method on a rigid contact problem without rows, as a stage of a cascade.
class NewtonStage {
 public:
  NewtonStage() = default;
  NewtonStage(const NewtonStage&) = delete;
  NewtonStage& operator=(const NewtonStage&) = delete;
  virtual ~NewtonStage() = default;

  /// @param options equation is that of the stage. @param from its impulses are the start.
  /// @param to impulses, velocities, certificate and report.
  virtual void run(const solve::ProximalNewtonOptions& options,
                   const solve::StopRequest& should_stop, const RigidContactSolution& from,
                   RigidContactSolution& to) = 0;
  /// Block products that the last run took, and whether it ended because the next factorisation
  /// was too dear.
  [[nodiscard]] virtual double products() const = 0;
  [[nodiscard]] virtual bool was_too_dear() const = 0;
};

/// The method for a problem: on the assembled form of contacts (ProximalNewton) where each has its
/// own local form, else on the velocities of the bodies (RigidNewton).
/// @param problem of which has_newton_stage() (contract). @param problem, certify must outlive the
/// stage.
/// @param equation what is solved on the assembled form.
[[nodiscard]] std::unique_ptr<NewtonStage> make_newton_stage(
    const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
    Real tolerance, solve::ContactEquation equation);

/// Whether there is one for a problem with so many contacts: the factors of larger beds cost more
/// than the sweeps they save.
[[nodiscard]] bool has_newton_stage(const problem::RigidContact& problem, Index contacts);

}  // namespace talus::driver::detail
