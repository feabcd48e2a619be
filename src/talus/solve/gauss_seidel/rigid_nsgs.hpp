#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <talus/base/unwritten.hpp>
#include <talus/distribute/hand_overs.hpp>
#include <talus/math/simd.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/detail/history.hpp>
#include <talus/solve/detail/momentum.hpp>
#include <talus/solve/gauss_seidel/detail/central_kernel.hpp>
#include <talus/solve/gauss_seidel/detail/general_contacts.hpp>
#include <talus/solve/gauss_seidel/detail/idle_batches.hpp>
#include <talus/solve/gauss_seidel/detail/single_sweeps.hpp>

namespace talus::solve {

/// Whether ranks share sweeps over so many contacts, if they are in several tiles: not with rows.
[[nodiscard]] bool is_worth_sharing(Index contacts, bool has_rows);
/// Deals the tiles of a problem out to ranks, as sweeps over it do; for estimates.
/// @return whether they would share them.
[[nodiscard]] bool deal_out_sweeps(const problem::RigidContact& problem, distribute::Ranks& ranks,
                                   distribute::HandOvers& hand_overs);

/// Deals the tiles of a problem with central contacts alone out to ranks, as sweeps share them.
/// @param colours of the contacts that sweeps visit, as in RigidNsgs::start; 0: all.
/// @return null where they would not be shared. Cost O(contacts).
[[nodiscard]] std::shared_ptr<distribute::Deal> deal_of(const problem::RigidContact& problem,
                                                        distribute::Ranks& ranks, Index colours);

struct RigidNsgsOptions {
  Real relaxation = 1.0;  ///< ω of the impulse update, in (0, 2); 1 is best together with momentum
  Real momentum_cap = 0.85;   ///< largest Nesterov weight β, in [0, 1); 0: plain sweeps
  Index check_interval = 16;  ///< sweeps between two polls of should_stop
  /// Many sweeps over contacts without resistance are of single precision where their gate is no
  /// smaller; infinity: none.
  Real single_gate = 1e-5;
};

/// Non-linear block Gauss–Seidel on body velocities, matrix-free, for friction between rigid
/// bodies: exact Coulomb, or another law of the problem. Central contacts have Coulomb's law alone,
/// which for them is maximum dissipation too: with any other law a problem has general contacts
/// only (contract).
///
/// One sweep visits the contacts in order and replaces the impulse r of each by the exact solution
/// of its one-contact problem, all other impulses held (Jourdan, Alart & Jean 1998, key
/// `jourdan_1998`), correcting the bodies' velocities at once: v += M⁻¹ Jᵀ Δr. Between sweeps
/// impulses and velocities are extrapolated together by Nesterov's momentum
///   y = r + β (r − r_old),  β = min(cap, (θ_k − 1)/θ_{k+1}),  θ_{k+1} = (1 + √(1 + 4θ_k²))/2,
/// restarted whenever the step ‖Δr‖ grows by more than 5 %, and where 200 sweeps bring no progress
/// left out for a while, then, under other laws than Coulomb's, with impulses that go half of their
/// way, which breaks cycles; the map v(r) is linear, so v stays
/// consistent with r. Answers are always the result of a sweep (every r in its cone), never an
/// extrapolated point.
///
/// A batch of central contacts that bears nothing is left out of most sweeps: it takes part in the
/// first ones, in every 64th, and in the one that meets the gate. So nothing is ever left out of
/// an answer, and a contact that closes is noticed at most 64 sweeps later.
///
/// Where no contact resists more than sliding by Coulomb's law or maximum dissipation, momentum is
/// used, and the gate is far, sweeps go on in single precision, sixteen central contacts at once,
/// which moves half of the bytes, general ones in half as many registers. Their impulses, in
/// double precision and cut back to the cones, and the velocities that follow from these alone are
/// the answer. Where they bring no progress, or where the gate becomes too small for them, sweeps
/// go on in double precision. Whether ‖Δr‖ is below the gate is found from sums in double precision
/// in both.
///
/// Central contacts come first, eight at once, tile by tile, the tiles of one colour on all
/// threads; then the general ones, all of a pair of bodies together, eight pairs at once. The order
/// is the problem's and does not depend on the number of threads or on the instruction set, and so
/// do all results to the last bit. A problem that is worth it is shared with the ranks of the
/// thread (distribute/ranks.hpp), each of which loads the same problem: they visit the tiles in the
/// same order, and have the same answers.
///
/// The object is the workspace: start() loads a problem and a guess, run() sweeps until the step is
/// below a gate, and can be called again to continue, so that a caller can certify in between.
/// Nothing is allocated in run() but what sweeps of single precision need, which is kept.
class RigidNsgs {
 public:
  /// @param simd the instruction set to use; for tests.
  explicit RigidNsgs(Simd simd = best_simd())
      : kernels_(&detail::central_kernels(simd)), general_(simd) {}

  /// Loads a problem, which must outlive the run, and a starting guess (empty = zero). A guess with
  /// r·n ≤ 0 is set to zero at that contact, and cut back to the cone elsewhere.
  /// @param history_room sweeps whose steps are to be kept for the reports; 0: none.
  /// @param colours sweeps visit the first ones of the central contacts: those of an island, whose
  /// bodies no other contact moves; impulses of other contacts are 0, and velocities of other
  /// bodies stay as they are loaded. 0: all.
  /// @param is_in_parts bodies and contacts of the problem are right where its deal has them here,
  /// and so are the impulses and velocities of the answer; with a deal only.
  void start(const problem::RigidContact& problem, const problem::ContactImpulses& guess,
             Index history_room = 0, Index colours = 0, bool is_in_parts = false);

  /// Continues with the island by itself, bit by bit as before, where it was a part.
  /// @param island central contacts in the same batches. @param bodies in the problem before.
  void narrow(const problem::RigidContact& island, std::span<const Index> bodies);

  /// Sweeps until ‖Δr‖ ≤ gate·‖r‖ or the total of sweeps since start() reaches max_sweeps.
  /// @param should_stop polled every check_interval sweeps; may be empty.
  /// @return converged: the gate was met (a claim about the step, not about the residual: certify
  /// the answer);
  ///         max_iterations; interrupted; numerical_error when something is no longer finite.
  ///         iterations = sweeps since start(), as counts and history; residual = ‖Δr‖/‖r‖ of the
  ///         last sweep, which the start does not have: the history begins with NaN.
  problem::SolveReport run(Real gate, Index max_sweeps, const RigidNsgsOptions& options,
                           const std::function<bool()>& should_stop);

  /// Of the last run, or of start().
  [[nodiscard]] const problem::ContactImpulses& impulse() const { return impulse_; }
  [[nodiscard]] std::span<const problem::BodyVelocity> velocity() const {
    return std::span(velocity_).first(problem_->bodies.size());
  }
  /// The same, to be completed by what sweeps do not visit: other contacts and bodies.
  [[nodiscard]] problem::ContactImpulses& whole_impulse() { return impulse_; }
  [[nodiscard]] std::span<problem::BodyVelocity> whole_velocity() {
    return std::span(velocity_).first(problem_->bodies.size());
  }
  /// Hands impulses and velocities over, and takes the buffers in exchange where they are as large:
  /// start() before the next run().
  void take(problem::ContactImpulses& impulse, std::vector<problem::BodyVelocity>& velocity);

  /// How sweeps are shared; for tests.
  [[nodiscard]] distribute::HandOvers& hand_overs() { return hand_overs_; }

 private:
  void find_phases();
  void share();
  void copy_central(std::span<const problem::ImpulseBatch> from,
                    std::span<problem::ImpulseBatch> to) const;
  void lay_out_general(const problem::ContactImpulses& guess);
  void settle();
  void settle(std::vector<problem::BodyVelocity>& velocity,
              std::span<problem::ImpulseBatch> central);
  [[nodiscard]] Real* rows() { return reinterpret_cast<Real*>(velocity_.data()); }
  /// What momentum extrapolates.
  template <class T>
  struct Bodies {
    T *now, *old;
    detail::CentralKernels::ExtrapolateOf<T> extrapolate;
  };
  [[nodiscard]] Bodies<Real> body_rows() {
    return {rows(), reinterpret_cast<Real*>(velocity_old_.data()), kernels_->extrapolate};
  }
  template <class T, class Visit>
  void for_tiles(const Bodies<T>& bodies, const detail::SweepPace& pace, bool has_holders,
                 const Visit& visit);
  [[nodiscard]] Real* row(std::uint32_t body) {
    return reinterpret_cast<Real*>(velocity_.data() + body);
  }
  template <class Visit>
  void for_own_tiles(const Visit& visit) const;
  [[nodiscard]] Real begin_momentum(Real cap);
  void remember();
  void drop_momentum();
  void watch_progress(Real step);
  void choose_batches(bool is_decisive);
  [[nodiscard]] detail::CentralSweep central_sweep(Real beta, Real relaxation);
  void begin(std::span<const problem::ImpulseBatch> guess);
  detail::SweepStep sweep(const detail::SweepPace& pace);
  template <class T>
  detail::SweepStep sweep(const detail::CentralSweepOf<T>& central,
                          detail::CentralKernels::SweepOf<T> kernel,
                          std::span<const problem::Tile> tiles, const Bodies<T>& bodies,
                          const detail::SweepPace& pace);
  void load_bodies();
  [[nodiscard]] bool may_begin_single(Real gate, const RigidNsgsOptions& options) const;
  void begin_single();
  void take_single();
  void leave_single();
  [[nodiscard]] detail::SweepStep step_of_tiles();

  const problem::RigidContact* problem_ = nullptr;
  std::span<const problem::Tile> tiles_;    // of the central contacts that are visited
  std::span<const std::uint32_t> colours_;  // of these
  const detail::CentralKernels* kernels_;
  detail::GeneralContacts general_;
  problem::ContactImpulses impulse_;
  UnwrittenList<problem::ImpulseBatch> old_central_;  // of the tiles that this rank visits
  std::vector<problem::BodyVelocity> velocity_, velocity_old_;  // and a row for empty lanes
  std::vector<std::uint32_t> phases_;  // pieces of bodies, central tiles, general ones, by colours
  distribute::HandOvers hand_overs_;
  std::vector<detail::SweepStep> tile_steps_;  // of all tiles
  detail::IdleBatches idle_;
  bool is_in_parts_ = false;
  detail::SingleSweeps single_;  // where loaded, velocity_ and impulse_ are behind until run() ends
  bool may_be_single_ = true;    // sweeps of single precision have not failed
  bool is_whole_ = true;         // whether the sweep has all batches
  Index sweeps_ = 0;
  detail::History history_;
  detail::Momentum momentum_;
  Real last_step_ = 0;
  bool has_old_ = false;
  Real best_step_ = 0;    // smallest ‖Δr‖/‖r‖ since the last change of pace
  Index since_best_ = 0;  // sweeps since then
  enum class Pace : unsigned char { momentum, plain, damped };
  Pace pace_ = Pace::momentum;  // for now
};

}  // namespace talus::solve
