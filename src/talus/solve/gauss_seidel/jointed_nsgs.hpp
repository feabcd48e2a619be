#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <talus/problem/constraint_elimination.hpp>
#include <talus/problem/solution.hpp>
#include <talus/solve/detail/momentum.hpp>
#include <talus/solve/gauss_seidel/local/contact_law.hpp>

namespace talus::solve {

/// Non-linear block Gauss–Seidel over contacts of grains and machines: bodies that joints connect
/// are one block, whose response to an impulse is exact.
///
/// Rows without bounds (joints, springs and PD motors taken implicitly) are eliminated from the
/// masses of the bodies that they connect. Of each such machine, with n bodies,
///   K = (M⁻¹)_{J v = 0},   K ← K − K g gᵀ K/(gᵀ K g + C)   for every row g with a compliance C,
/// is kept as a dense matrix of 6n × 6n; of a single body K = M⁻¹. A contact, or a row with bounds,
/// with the rows H then has the block A = Σ H K Hᵀ, and a sweep replaces its impulse by
///   r ← the solution of the law for (A, u − A r),   λ ← P_[lower, upper] (A λ − w)/(A + C),
/// all others held, and corrects the velocities of the whole machine at once: v += K Hᵀ Δr
/// (`jourdan_1998`). Nesterov's momentum and its restart are those of RigidNsgs.
///
/// Cost of a sweep: O(contacts + Σ over contacts of machines their n); of start(): n solves of the
/// machine's constraints. Meant for a few machines of tens of bodies among many grains. Sequential:
/// the same bits on any number of threads. Nothing is allocated in run().
class JointedNsgs {
 public:
  /// Whether its contacts are of laws known here: general ones without resistance, exact friction,
  /// none, or cone complementarity.
  [[nodiscard]] static bool takes(const problem::RigidContact& problem);

  /// @param problem taken (contract); outlives the runs. @param guess empty: zero. A guess outside
  /// of its cone is cut back to it. @return false if its constraints depend on each other.
  [[nodiscard]] bool start(const problem::RigidContact& problem,
                           const problem::ContactImpulses& guess);

  /// Sweeps until ‖Δr‖ ≤ gate·‖r‖ or the total of sweeps since start() reaches max_sweeps.
  /// @return as RigidNsgs::run.
  problem::SolveReport run(Real gate, Index max_sweeps, const std::function<bool()>& should_stop);

  /// The impulses of all contacts and rows; those of the eliminated ones are solved for.
  void impulses(problem::ContactImpulses& impulse);

 private:
  using Row6 = Eigen::Matrix<Real, 1, 6>;
  using Row36 = Eigen::Matrix<Real, 3, 6>;

  /// H of a contact or row in one body.
  struct Side {
    Index place = 0;  // of its velocity in v_
    Row36 rows = Row36::Zero();
  };
  /// K Hᵀ of a contact or row in one machine.
  struct Response {
    Index place = 0, size = 0;  // of the machine's velocities in v_
    std::size_t first = 0;      // in response_, column by column
  };
  /// A contact, or a row with bounds.
  struct Element {
    Index first = 0;  // unknown
    int count = 3;    // 1 of a row
    std::uint32_t side_begin = 0, side_end = 0, response_begin = 0, response_end = 0;
    Mat3 block = Mat3::Zero(), basis = Mat3::Identity();
    Vec3 bias = Vec3::Zero();  // u where no movable body moves
    Real friction = 0, compliance = 0, lower = 0, upper = 0;
  };
  struct Machine {
    Index place = 0;            // of its velocities in v_
    std::vector<Index> bodies;  // in the order of these
    MatX K;
  };

  [[nodiscard]] bool is_movable(Index body) const {
    return problem_->bodies[static_cast<std::size_t>(body)].inverse_mass > 0;
  }
  void find_machines();
  void find_response(Machine& machine);
  void eliminate(Machine& machine, Index row);
  void add_contact(Index contact);
  void add_row(Index row);
  void add_side(Element& element, Index body, const Row36& rows);
  void close(Element& element);
  [[nodiscard]] Real free_block(const Element& element) const;
  void apply(const Element& element, const Vec3& change);
  [[nodiscard]] Vec3 rate(const Element& element) const;
  [[nodiscard]] Vec3 answer(const Element& element, const Vec3& u, const Vec3& r) const;
  [[nodiscard]] Vec3 unknown(const Element& element) const;
  void extrapolate();

  const problem::RigidContact* problem_ = nullptr;
  problem::ConstraintElimination joints_;
  LocalLaw law_;
  std::vector<problem::BodyVelocity> velocity_;
  std::vector<Real> scratch_;            // of rows
  std::vector<Index> place_;             // of every body in v_; −1: immovable
  std::vector<std::size_t> machine_of_;  // of every movable body
  std::vector<Mat6> inverse_mass_;       // of every body in v_
  std::vector<Machine> machines_;
  std::vector<Element> elements_;
  std::vector<Side> sides_;
  std::vector<Response> responses_;
  std::vector<Real> response_;
  VecX v_, v_old_, r_, r_old_, y_;
  detail::Momentum momentum_;
  Real last_step_ = 0;
  Index sweeps_ = 0;
};

}  // namespace talus::solve
