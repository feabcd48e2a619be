#pragma once

#include <limits>
#include <memory>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/external_residual.hpp>

namespace talus::solve {

/// What a Newton step linearises.
enum class ContactEquation : unsigned char {
  alart_curnier,   ///< Coulomb's law itself (detail/alart_curnier)
  lagged_desaxce,  ///< the cone law with the De Saxcé term of the last outer step: convex inside an
                   ///< outer step, a fixed point across them (detail/lagged_desaxce)
  cone,                 ///< the cone law itself: the same without a De Saxcé term
  maximum_dissipation,  ///< that law as Coulomb's with a turned slip velocity (detail/turned_slip)
};

struct ProximalNewtonOptions {
  Index max_factorisations = 200;  ///< ≥ 1
  Real regularisation = 1e-3;      ///< first α of the proximal term, scaled problem, > 0
  Real decrease = 1e-2;  ///< factor of α after an outer step whose Newton converged, in (0, 1)
  Real largest_decrease = 0.8;  ///< what that factor may grow to after failures, in (decrease, 1)
  ContactEquation equation = ContactEquation::alart_curnier;
  bool keep_history = false;
  /// Factorisations in which the best external residual must have been halved, ≥ 1; else the run
  /// ends.
  Index patience = std::numeric_limits<Index>::max();
  /// Block products of all factorisations together (linalg/block_lu). One costs about what one
  /// contact costs in a sweep.
  double most_products = std::numeric_limits<double>::infinity();
  /// External residual of the start, if it is known: it is not evaluated there then. Else NaN.
  Real start_residual = std::numeric_limits<Real>::quiet_NaN();
};

/// Proximal-point iteration around a semismooth Newton method, for exact Coulomb friction and, by
/// the other equations, for the cone law and maximum dissipation; 2-D and 3-D.
///
/// The problem is scaled per contact, sᵢ = 1/√(tr W_ii/d), r = γ S r̃ with γ = ‖S b‖, so that blocks
/// are near the identity and α means the same everywhere. An outer step from r_k solves, by
/// undamped Newton steps,
///   F(r, v) = 0,   v = W r + b + α (r − r_k),   F of Alart & Curnier (or another, see options),
/// on the contacts that are not open, with a sparse LU of their blocks (linalg/block_lu); α > 0
/// keeps the matrix regular where W is rank-deficient (Rockafellar 1976, key `rockafellar_1976`),
/// and falls as the outer steps succeed. A Newton run that grows or stagnates is given up and
/// repeated with a larger α instead of being damped; after three failures in a row ten Gauss–Seidel
/// sweeps are tried, and kept where they reduce ‖F‖.
///
/// start() copies a problem; run() may then be called again from other points. Nothing is allocated
/// in a step but when the set of active contacts outgrows the pattern of the factors.
/// Deterministic.
class ProximalNewton {
 public:
  ProximalNewton();
  ~ProximalNewton();
  ProximalNewton(ProximalNewton&&) noexcept;
  ProximalNewton& operator=(ProximalNewton&&) noexcept;

  /// @param problem valid (problem/validate); need not be symmetric or of full rank.
  void start(const problem::FrictionContact& problem);

  /// Chooses order and pattern of the factors for all contacts, which a run begins with.
  /// @return block products of a factorisation with all of them.
  double analyse();

  /// @param external_residual evaluated after every Newton step; must not be empty. @param r dm,
  /// in: starting impulse, feasible or not; out: the point with the smallest external residual.
  /// @return converged if external_residual(r) ≤ 1, stalled when α grew without progress or the
  /// residual is round-off, max_iterations (also where the patience has ended, or the next
  /// factorisation would exceed most_products: it is not begun), interrupted, numerical_error;
  /// iterations = factorisations, residual = ‖F(r, W r + b)‖ of the scaled problem at the last
  /// point; the history has it at the start and after every Newton step, also of those that are
  /// taken back.
  problem::SolveReport run(const ProximalNewtonOptions& options,
                           const ExternalResidual& external_residual,
                           const StopRequest& should_stop, VecX& r);

  /// A start that favours no contact, r̃ = (0.2/√m, 0, 0) for all m: often better than an iterate
  /// that has led a Newton method astray.
  [[nodiscard]] VecX uniform_pressure() const;

  /// Block products that the last run took.
  [[nodiscard]] double products() const;
  /// Whether the last run ended because the next factorisation was too dear.
  [[nodiscard]] bool was_too_dear() const;

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace talus::solve
