#pragma once

#include <talus/certify/rigid_contact_residual.hpp>
#include <talus/driver/solve_rigid_contact.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::driver::detail {

/// Whether an answer is at least as good as another; one that is not finite never is.
[[nodiscard]] bool is_better(const certify::Certificate& one, const certify::Certificate& other,
                             Real tolerance);

/// Completes impulses to an answer: velocities that follow from them, and its certificate.
void complete(const problem::RigidContact& problem, const certify::RigidContactCertifier& certify,
              RigidContactSolution& solution);

/// The assembled local form of a rigid contact problem, whose answers are certified on the rigid
/// one.
class AssembledContact {
 public:
  /// @param problem, certify must outlive this object.
  AssembledContact(const problem::RigidContact& problem,
                   const certify::RigidContactCertifier& certify, Real tolerance);

  [[nodiscard]] const problem::FrictionContact& local() const { return local_; }

  /// Impulses in the frames of the contacts; zero for none.
  [[nodiscard]] VecX to_local(const problem::ContactImpulses& impulse) const;

  /// The impulses as an answer to the rigid problem with its certificate; the report is left alone.
  void certify(const VecX& r, RigidContactSolution& solution) const;

  /// Residual of the rigid certificate over the tolerance.
  [[nodiscard]] solve::ExternalResidual external_residual() const;

 private:
  const problem::RigidContact& rigid_;
  const certify::RigidContactCertifier& certify_;
  Real tolerance_;
  problem::FrictionContact local_;
};

}  // namespace talus::driver::detail
