#pragma once

#include <memory>
#include <string>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/driver/options.hpp>
#include <talus/laws/solve_polyhedral.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {

/// Which member of the family of one-LCP-per-step methods.
enum class Variant : unsigned char {
  stewart_trinkle,            ///< position level, linearised at the predictor q + h v
  anitescu_potra,             ///< velocity level: n·v' ≥ 0 where f(q) ≤ 0, linearised at q
  anitescu_potra_stabilised,  ///< f(q)/h + n·v' ≥ 0, linearised at q: drift is taken back
};

/// What a caller may set about an implicit step.
struct ImplicitOptions {
  Variant variant = Variant::stewart_trinkle;
  Index directions = 8;      ///< k of contacts with two tangents: even, ≥ 4
  bool fixed_point = false;  ///< re-linearise at q' until f(q') ≥ 0 ⟂ c_n ≥ 0 holds (section 3.6)
  Real fixed_point_tolerance = 1e-12;  ///< on the gaps [m] and on the last move of q', > 0
  Index max_passes = 50;               ///< linearisations of one step, ≥ 1
  bool gives_velocity = true;          ///< gaps below 0 are taken back by n·v' > 0, as printed;
                                       ///< else n·v' ≥ 0, and the caller moves the bodies apart
  Index max_halvings = 0;              ///< how often a step that fails is cut in two, ≥ 0
  driver::Options solver = laws::lcp_solver();
};

/// What one implicit step did. Certified means: the last LCP has its certificate, no contact was
/// left out and the fixed point (if asked for) has been reached.
struct [[nodiscard]] ImplicitReport {
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< worst_contact: position in the contacts of the step
  std::string detail;                ///< one line for people when something went wrong
  laws::LcpStatistics lcp;
  Index additions = 0;  ///< rounds in which contacts were added
  FixedPointReport fixed_point;
  Real penetration = 0;  ///< [m] ≥ 0, the largest at the end of the step
  Index halvings = 0;    ///< how often this step was cut in two
  [[nodiscard]] bool is_certified() const { return status == problem::SolveStatus::converged; }
};

/// Whether c_n > 0: more than what rounding makes of the largest normal impulse of a step.
[[nodiscard]] inline bool bears(Real normal, Real largest) {
  return normal > tolerance::kImpulseRounding * largest;
}

/// Where an implicit step gets its numbers from: the text of the algorithm is implicit_step, the
/// sources are systems in generalized coordinates and the 3-D engine. A source holds q, v and h of
/// the step, the point of linearisation, the set of active contacts, and v', q' of its last solve.
class StepSource {
 public:
  enum class Point : unsigned char { start, predictor, end };  ///< q, q + h v, the last q'

  virtual ~StepSource() = default;
  /// Takes the point at which n, D and f are formed until the next call.
  virtual void linearise(Point point) = 0;
  /// Makes active those contacts that bore an impulse in the last step.
  virtual void activate_previous() = 0;
  /// Makes active those that are closed or violated, f ≤ 0, at the point; true if any is new.
  virtual bool activate_at_point() = 0;
  /// Forms and solves the problem of the active contacts; v' and q' follow from its impulses.
  /// @param is_level the gap is part of the problem (position level), else n·v' ≥ 0 alone.
  virtual void solve(bool is_level, ImplicitReport& report) = 0;
  /// Makes active those that are violated at q'; true if any is new.
  virtual bool activate_at_end() = 0;
  /// Whether bodies go through each other on the way to q'. What they meet there is active from
  /// then on at Point::start.
  virtual bool meets_on_the_way() { return false; }
  /// False if q' or v' is not finite.
  [[nodiscard]] virtual bool is_finite() const = 0;
  /// The largest of −f(q') over all contacts and |f(q')| over those that bear an impulse [m].
  [[nodiscard]] virtual Real gap_residual() const = 0;
  /// Distance of q' from the point, largest coordinate.
  [[nodiscard]] virtual Real move() const = 0;
  /// The largest penetration at q' [m] ≥ 0.
  [[nodiscard]] virtual Real penetration() const = 0;
};

/// One step of the family `stewart_1996`, `anitescu_1997`, `anitescu_2004`: the only text of it.
///
///   M (v' − v) = n c_n + D β + G ν + h k,   q' = q + h v',
///   0 ≤ λ e + Dᵀ v' ⟂ β ≥ 0,   0 ≤ f(q̄)/h + n·(v' − v̄) ⟂ c_n ≥ 0,   0 ≤ μ c_n − eᵀβ ⟂ λ ≥ 0,
///   0 = Φ(q̄)/h + G·(v' − v̄)
/// (eqs. (17) and (29); nᵀq' − α₀ = f(q̄) + h n·(v' − v̄) because α₀ is formed at q̄). n, D, G and f
/// are taken at q̄ = q + h v̄: v̄ = v for Stewart–Trinkle, 0 for Anitescu–Potra, the last v' in the
/// fixed point of section 3.6. In the problem are the contacts that were active in the last step
/// and those violated at q̄; contacts violated at q' are added until there is none, and the problem
/// is solved again. Deviation: a step in which bodies would go through each other is linearised at
/// q instead, with what they meet on the way. Where the linearised gap at q, f(q̄) − h n·v̄, is below
/// 0 (bodies that overlap, or whose surfaces curve), the law asks for n·v' > 0 and gives bodies
/// kinetic energy; without gives_velocity it is 0 ≤ n·v' ⟂ c_n ≥ 0 there, and as Dᵀv'·β ≤ 0 no
/// impulse raises the energy: Σ c·(n, D)(v + v') = 2 Σ c·(n, D) v' − Σ cᵀW c. At velocity level f
/// and Φ are left out, active is f(q) ≤ 0, nothing is added. Statuses: converged; what the solver
/// says; stalled where contacts remain violated after 50 additions or the fixed point is not
/// reached in max_passes; numerical_error.
[[nodiscard]] ImplicitReport implicit_step(StepSource& source, const ImplicitOptions& options);

}  // namespace talus::stepping
