#pragma once

#include <span>
#include <vector>

#include <talus/dynamics/system.hpp>
#include <talus/linalg/rank.hpp>

namespace talus::dynamics {

/// Bilateral constraints eliminated: everything that needs D = J M⁻¹ Jᵀ.
///
/// D is factorised by Cholesky with diagonal pivoting, scaled to a unit diagonal; a pivot below
/// `kRankTolerance` ends it. It may be small for two reasons: a constraint depends on others, or
/// the metric M⁻¹ hides that it does not, in which rows are nearly parallel that have long lever
/// arms or hold heavy bodies by light ones. Which it is independent_constraints() says, a property
/// of the rows alone; where they are independent L is found from the rows instead, D = L Lᵀ, by
/// Gram–Schmidt, and solutions are refined. Constraints beyond the rank are redundant: right sides
/// are met as well as they can be (least squares), multipliers are those with the smallest Σ Dᵢᵢ
/// λᵢ², in which no unit has a part:
///   D = S⁻¹ K Kᵀ S⁻¹, Sᵢᵢ = 1/√Dᵢᵢ, K = Q R, λ = S Q R⁻ᵀ R⁻¹ Qᵀ S r.
/// Where nothing is redundant both are the plain solution. Rows may yield, J v + C λ = given with a
/// compliance C ≥ 0 (springs taken implicitly): then D = J M⁻¹ Jᵀ + C in all that follows. Cost
/// O(m³) to factorise, O(m² n) from the rows of n velocities, O(m²) per right side; nothing is
/// allocated while the number of rows and bodies stays and D alone says the rank.
class ConstraintFactor {
 public:
  static constexpr Real kRankTolerance = linalg::kGramRank.relative;

  /// @param rows of J; must outlive the other calls. @param mass likewise.
  /// @param compliance C of each row [1/kg]; empty: 0.
  void factorise(const std::vector<JacobianRow>& rows, const MassMatrix& mass,
                 std::span<const Real> compliance = {});
  /// Independent constraints; of those that touch no movable body none is.
  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index count() const { return static_cast<Index>(scale_.size()); }
  /// The smallest pivot of the independent ones, of D scaled to a unit diagonal: how near they are
  /// to one rank less. 1 where there are none.
  [[nodiscard]] Real least_pivot() const { return least_pivot_; }

  /// λ with D λ = r. Both may be the same vector.
  void solve(const VecX& r, VecX& multipliers);

  /// v̇ and λ with M v̇ = Q + Jᵀ λ and J v̇ + drift = 0.
  /// @param acceleration in: that of prescribed bodies, 0 elsewhere; out: of all.
  void accelerate(const VecX& Q, const VecX& drift, VecX& acceleration, VecX& multipliers);

  /// What a unit force along a row does to the accelerations, and a unit impulse to the velocities,
  /// with the constraints kept: y = B wᵀ, B = M⁻¹ − M⁻¹Jᵀ D⁻¹ J M⁻¹.
  /// Exactly 0 where the constraints hold all that the row could move.
  /// @param multipliers change of λ by the unit force
  void constrained_response(const JacobianRow& w, VecX& y, VecX& multipliers);

  /// The same, of the bodies that it moves alone.
  struct Response {
    struct Part {
      Index body = 0;
      Vec3 change = Vec3::Zero();
    };
    std::vector<Part> parts;  ///< of planar bodies, rising
    VecX general;             ///< of generalized coordinates; empty: 0, or not such
    VecX multipliers;
    [[nodiscard]] bool is_zero() const { return parts.empty() && general.size() == 0; }
    /// v += s y.
    void add_to(VecX& v, Real s) const {
      if (general.size() > 0) v += s * general;
      for (const Part& part : parts) v.segment<3>(3 * part.body) += s * part.change;
    }
  };
  /// @param w of planar bodies, or in generalized coordinates. Cost O(1) where no constraint acts
  /// on its bodies, else O(m² + n).
  void constrained_response(const JacobianRow& w, Response& response);

  /// v −= M⁻¹Jᵀ D⁻¹ r: the smallest change of v, weighed with M, that takes r off its rate.
  void correct(const VecX& r, VecX& v, VecX& multipliers);

 private:
  /// C of a row.
  [[nodiscard]] Real yielding(Index row) const {
    return compliance_.empty() ? Real(0) : compliance_[static_cast<std::size_t>(row)];
  }
  [[nodiscard]] std::vector<bool> find_independent() const;
  void factorise_delassus();
  void orthogonalise(const std::vector<bool>& is_independent, Index independent);
  void factorise_columns();
  void solve_once(const VecX& r, VecX& multipliers);

  const std::vector<JacobianRow>* rows_ = nullptr;
  const MassMatrix* mass_ = nullptr;
  std::vector<Real> compliance_;  // of every row; empty: 0
  Index rank_ = 0;
  Real least_pivot_ = 1;
  bool is_graded_ = false;  // whether L is from the rows
  MatX factor_;    // rows in pivot order: L of the scaled D, lower trapezoidal m × rank; or Q
  MatX triangle_;  // where rank < m: R
  MatX graded_;    // columns: the scaled rows, less their parts along the pivots
  VecX direction_, target_, left_;
  std::vector<Index> order_;
  std::vector<Index> filled_;         // rows below the pivot that are not zero in its column
  VecX scale_;                        // 1/√D_ii; 0 where the row touches nothing that moves
  std::vector<bool> is_constrained_;  // per body
  VecX response_;
  VecX right_, work_;
};

/// What a projection on the constraints found.
struct ProjectionReport {
  bool is_converged = false;
  Index iterations = 0;
  Index rank = 0;
  Real residual = 0;  ///< the largest |Φ| or |Φ̇|, scaled with 1 + the size of coordinates or rates
};

/// Projects coordinates and velocities of a machine on its constraints.
class ConstraintProjection {
 public:
  static constexpr Real kTolerance = 1e-13;

  /// q ← q − M⁻¹Φ_qᵀ D⁻¹ Φ until |Φ| ≤ 1e-13, scaled, or no longer falling and below 1e-11; at most
  /// 50 times. Not converged: the start is too far, or the constraints contradict each other; q is
  /// where the iteration ended.
  ProjectionReport position(const System& machine, Real time, VecX& q);
  /// v ← v − M⁻¹Φ_qᵀ D⁻¹ (Φ_q v + Φ_t), twice.
  ProjectionReport velocity(const System& machine, Real time, const VecX& q, VecX& v);
  /// By which velocity() has last changed v, one per constraint.
  [[nodiscard]] const VecX& impulses() const { return impulses_; }

 private:
  ConstraintTerms terms_;
  ConstraintFactor solver_;
  VecX multipliers_, zero_, impulses_;
};

}  // namespace talus::dynamics
