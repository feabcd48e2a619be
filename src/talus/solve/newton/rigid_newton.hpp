#pragma once

#include <memory>

#include <talus/problem/rigid_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>
#include <talus/solve/newton/proximal_newton.hpp>

namespace talus::solve {

/// The proximal-point iteration of ProximalNewton on the velocities of rigid bodies, constraints
/// eliminated exactly, never assembled over the contacts.
///
/// Unknowns are the impulses x of the contacts (three each, local form of problem::local_contact;
/// three more where a contact resists rolling or spinning, problem::local_moment) and of the rows
/// that are no constraints (BoundedRows::is_constraint). Their velocities are
///   [M −Jᵀ; J 0] [v − v_free; λ] = [Hᵀ x; −w_free],   u = H v + b,
/// w_free the rates of the constraints J without impulses. A Newton step linearises each law to
/// dx = e − B du with the proximal term α in B (the moment of a contact depends on its pressure:
/// B has a block for these two, which is not symmetric) and solves for increments
///   [M + Hᵀ B H  −Jᵀ; J 0] [dv; dλ] = [Hᵀ e; 0]
/// by linalg::NodeLu, a node being a body with the constraints of the joint to its parent; rows
/// that close loops are eliminated last. Contacts are scaled by their blocks with the constraints
/// kept, tr (H K⁻¹ Hᵀ)/3, K the first matrix. Cost of a step: linear in bodies for trees, whatever
/// the number of contacts with the world. Source: `alart_1991`, `rockafellar_1976`.
///
/// start() eliminates the constraints; what only Newton steps need is computed where the first of
/// them is asked for. run() may be called from several points. Deterministic.
class RigidNewton {
 public:
  RigidNewton();
  ~RigidNewton();
  RigidNewton(RigidNewton&&) noexcept;
  RigidNewton& operator=(RigidNewton&&) noexcept;

  /// Whether a problem is one of those: without central contacts, law Coulomb, or, if no contact
  /// has a moment, cone complementarity or frictionless.
  [[nodiscard]] static bool takes(const problem::RigidContact& problem);

  /// @param problem that it takes (contract); read until the next start. @return false if its
  /// constraints depend on each other.
  [[nodiscard]] bool start(const problem::RigidContact& problem);

  /// Replaces the impulses of constraints by those that keep them beside all others.
  /// @param impulse of contacts and rows; lists of another size than the problem's count as 0.
  /// @param velocity out: of the bodies with these impulses.
  void complete(problem::ContactImpulses& impulse, std::vector<problem::BodyVelocity>& velocity);

  /// Unknowns of impulses, 0 where these are empty.
  [[nodiscard]] VecX unknowns(const problem::ContactImpulses& impulse) const;
  /// A start that favours no contact: r̃_N = 0.2/√m for all m, of the scaled problem.
  [[nodiscard]] VecX uniform_pressure() const;
  /// The impulses of unknowns, those of constraints being solved for, and the velocities that the
  /// bodies have with them.
  void impulses(const VecX& x, problem::ContactImpulses& impulse,
                std::vector<problem::BodyVelocity>& velocity);

  /// @param options equation is ignored: the problem's law decides. @param external_residual of
  /// unknowns; must not be empty. @param x in: where to start; out: the iterate with the smallest
  /// external residual.
  /// @return as ProximalNewton::run; stalled where there are constraints alone, and no unknowns.
  problem::SolveReport run(const ProximalNewtonOptions& options,
                           const ExternalResidual& external_residual,
                           const StopRequest& should_stop, VecX& x);

  /// Block products that the last run took, and whether it ended because the next factorisation
  /// was too dear (ProximalNewtonOptions::most_products).
  [[nodiscard]] double products() const;
  [[nodiscard]] bool was_too_dear() const;

  /// One Newton step with a small α from where the laws nearly hold: what the proximal term has
  /// left of them is squared. @return false if it failed; x is then as it was.
  [[nodiscard]] bool refine(VecX& x);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace talus::solve
