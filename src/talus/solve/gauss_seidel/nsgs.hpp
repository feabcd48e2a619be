#pragma once

#include <functional>
#include <memory>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>

namespace talus::solve {

/// Non-linear block Gauss–Seidel for friction on an assembled Delassus matrix, exact Coulomb or any
/// other law (local/contact_law).
///
/// One sweep visits the contacts in order and replaces rᵢ by the exact solution of its one-contact
/// problem A = W_ii, b = bᵢ + Σ_{j≠i} W_ij rⱼ (Jourdan, Alart & Jean 1998, key `jourdan_1998`),
/// then rᵢ ← P_K(rᵢ + ω(new − rᵢ)) if ω ≠ 1. W may be unsymmetric and rank-deficient; on
/// hyperstatic problems the sweeps converge slowly or not at all.
///
/// The object is the workspace: start() loads a problem and a guess, run() sweeps until its own
/// residual is below a gate and can be called again to continue, so that a caller certifies in
/// between. Its own residual is the scaled natural map, each contact taken just before it is
/// relaxed, √Σ‖rᵢ − P_K(rᵢ − ρᵢûᵢ)‖² / ‖r‖, ρᵢ = d/tr W_ii: one extra projection per visit, no
/// extra pass. With maximum dissipation and polygons it is instead √Σ‖rᵢ − its contact's answer‖² /
/// ‖r‖; with cone complementarity û is u. Nothing is allocated in run(). Deterministic: a fixed
/// order, one thread.
class Nsgs {
 public:
  Nsgs();
  ~Nsgs();
  Nsgs(Nsgs&&) noexcept;
  Nsgs& operator=(Nsgs&&) noexcept;

  /// Loads a valid problem (problem/validate), 2-D or 3-D. @param guess r, dm [N·s], projected on
  /// the cones contact by contact; empty: zero. The problem may be destroyed afterwards.
  /// @param history_room sweeps whose residuals are to be kept for the reports; 0: none.
  void start(const problem::FrictionContact& problem, const VecX& guess, Index history_room = 0);

  /// Sweeps until the residual is at most `gate` or the sweeps since start() reach max_sweeps.
  /// @param relaxation ω in (0, 2). @param should_stop polled before every sweep; may be empty.
  /// @return converged: the gate was met (a claim, to be certified) · stalled: a whole sweep
  /// changed
  ///   no bit · max_iterations · interrupted · numerical_error: not finite any more. iterations =
  ///   sweeps since start(), as counts and history; residual = that of the last sweep.
  problem::SolveReport run(Real gate, Index max_sweeps, Real relaxation,
                           const std::function<bool()>& should_stop);

  /// r, dm [N·s], in the cones.
  [[nodiscard]] const VecX& impulse() const { return impulse_; }

 private:
  struct Work;
  std::unique_ptr<Work> work_;
  VecX impulse_;
};

}  // namespace talus::solve
