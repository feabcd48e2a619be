#pragma once

#include <utility>
#include <vector>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/system.hpp>
#include <talus/laws/contact_modes.hpp>
#include <talus/linalg/aitken_relaxation.hpp>
#include <talus/linalg/minimum_norm.hpp>

#include <talus/stepping/event_driven/baumgarte.hpp>

namespace talus::stepping::event_driven {

/// Everything that is integrated.
struct Point {
  VecX q, v;  ///< of all bodies
  VecX s;     ///< Dahl's friction forces [N]
};

/// Its time derivative.
struct Rate {
  VecX a, s;    ///< v̇ and that of Dahl's forces
  VecX q = {};  ///< System::coordinate_rate
};

/// All forces of the contacts and joints at a point.
struct Forces {
  VecX lambda;        ///< of the bilateral constraints
  VecX normal;        ///< per contact
  VecX friction;      ///< per friction element
  VecX joint_normal;  ///< F_N of the joint frictions
};

/// The motion between two events: with the modes of all contacts fixed it is smooth,
///   M v̇ = Q + Φ_qᵀ λ + Σ F_N n + Σ F_T t,   Φ̈ = 0,   g̈ = 0 (closed),   γ̇ = 0 (sticking),
///   F_T = −s μ F_N − c γ (slipping).
/// The bilateral constraints are eliminated first, what is left is a small linear system in the
/// normal forces of closed and the friction forces of sticking contacts; where it is singular (two
/// corners of a flat box) the friction is shared in proportion to what each can bear, μ₀ F_N.
/// Friction in joints presses with the reaction that it changes itself: a fixed point; where that
/// does not contract, an LCP (joint_lcp). Nothing allocates in evaluate() but that LCP.
class Phase {
 public:
  Phase(const dynamics::System& machine, const laws::FrictionTable& elements);

  /// Takes modes and makes room for their rows.
  void set_modes(const laws::Modes& modes);
  [[nodiscard]] const laws::Modes& modes() const { return modes_; }
  /// Sharp corners of closed contacts stay on the sides that they are on at a point, until the
  /// modes change.
  void take_sides(const Point& x);
  /// Where forces are not unique, or hardly: of all, those nearest to these are taken until the
  /// modes change, instead of those shared by what each can bear.
  void set_reference(const VecX& normal, const VecX& friction);
  /// The same as one vector, for a run that is resumed; empty: there is none. @param reference of
  /// the present modes.
  void set_reference(const VecX& reference);
  [[nodiscard]] const VecX& reference() const { return reference_; }
  /// Whether forces were not unique in the last evaluation.
  [[nodiscard]] bool is_redundant() const { return rank_ < static_cast<Index>(unknowns_.size()); }
  void set_baumgarte(Baumgarte baumgarte) { baumgarte_ = baumgarte; }

  /// Rates and forces at a point, whose prescribed bodies are put where they belong.
  void evaluate(Real time, Point& x, Rate& rate);
  /// The same with the stabilisation left out: forces that may be reported.
  void evaluate_plain(Real time, Point& x, Rate& rate);

  /// Takes off an error estimate of the point last evaluated what a projection on the bilateral
  /// constraints takes off that point itself: its part across them, to first order, of places not
  /// across those of velocities alone. Where they have
  /// lost a rank: across those of the last point that had it, as the next one will have it again.
  void project_error(Point& error);

  /// Of the last evaluation.
  [[nodiscard]] Real time() const { return time_; }
  [[nodiscard]] const Forces& forces() const { return forces_; }
  [[nodiscard]] const dynamics::ConstraintTerms& constraints() const { return constraints_; }
  /// Valid for contacts that are not open or released.
  [[nodiscard]] const dynamics::ContactTerms& contact(Index i) const { return terms_[i]; }
  /// Row, slip and drift of a friction element that is not in the mode `none`.
  [[nodiscard]] const dynamics::JacobianRow& row(Index element) const { return rows_[element]; }
  [[nodiscard]] Real slip(Index element) const { return slip_[element]; }
  [[nodiscard]] Real drift(Index element) const { return drift_[element]; }
  [[nodiscard]] Index rank() const { return constraint_factor_.rank(); }
  /// Whether an evaluation since the last call was in a singular position, or so near to one that
  /// accelerations are round-off across it: the bilateral constraints have lost a rank, or all but.
  [[nodiscard]] bool take_singular() { return std::exchange(is_singular_, false); }
  /// Least ∂g̈/∂F_N of a slipping rigid contact over its value without friction; 1 where there is
  /// none. At or below 0: Painlevé.
  [[nodiscard]] Real painleve_indicator() const { return painleve_indicator_; }
  /// Whether a joint's friction jams it: no force fits its law.
  [[nodiscard]] bool is_jammed() const { return is_jammed_; }
  /// The largest of all forces and moments about, applied or reacting.
  [[nodiscard]] Real force_scale() const { return force_scale_; }
  /// What acts whatever the reactions are, as √(Qᵀ M⁻¹ Q) [√kg m/s²]: applied forces, known ones of
  /// contacts and joints, and what friction under a preload can hold.
  [[nodiscard]] Real applied_force_norm() const;
  /// What acts whatever the reactions are, per coordinate.
  [[nodiscard]] const VecX& applied_force() const { return Q_; }
  /// Per coordinate: 1 if forces move it, 0 if not.
  [[nodiscard]] const VecX& free() const { return free_; }

 private:
  struct Unknown {
    Index contact = -1;  ///< a normal force, or
    Index element = -1;  ///< a friction force in stick
  };
  void gather(Real time, Point& x);
  void gather_contact(Index i, const Point& x);
  void gather_joint(Index i, Real time, const Point& x);
  void add_friction(Index element, Index contact, const Point& x);
  void factor();
  void solve(VecX& a, VecX& lambda, VecX& y, bool is_response);
  void share(VecX& y, VecX& a);
  void move_to(VecX& y, VecX& a, const VecX* weight);
  void solve_joint_friction(VecX& a);
  void solve_jammed();
  void finish(const Point& x, Rate& rate);

  const dynamics::System& machine_;
  const laws::FrictionTable& elements_;
  laws::Modes modes_;
  Baumgarte baumgarte_;
  bool is_plain_ = false;
  Real time_ = 0;

  std::vector<Index> active_;  // contacts that may bear a force
  std::vector<Index> joints_;  // joint frictions whose force is a function of the reaction
  std::vector<Unknown> unknowns_;
  std::vector<dynamics::JacobianRow> test_, force_;  // per unknown: rate's row, force's row
  VecX target_;                                      // per unknown: what the rate must not be

  dynamics::ConstraintFactor constraint_factor_;
  dynamics::ConstraintFactor full_rank_factor_;  ///< of a point of full rank
  std::vector<dynamics::JacobianRow> full_rank_rows_;
  linalg::MinimumNorm contact_system_;
  MatX X_, test_phi_, S_;
  VecX scale_, weight_, y_, r_, work_;
  Index rank_ = 0;
  VecX reference_;  // per unknown; empty: none

  VecX Q_, free_;
  dynamics::ConstraintTerms constraints_;
  std::vector<dynamics::ContactTerms> terms_;
  std::vector<dynamics::JacobianRow> rows_;
  VecX slip_, drift_, slope_, offset_;  // per element; F_T = slope F_N + offset in slip
  std::vector<dynamics::JointSlip> joint_slips_;
  Forces forces_;
  struct Response {
    VecX a, lambda, y;
  };
  std::vector<Response> responses_;  // to a unit force in each of joints_
  VecX joint_force_, joint_miss_;
  linalg::AitkenRelaxation relaxation_;
  Real painleve_indicator_ = 1, force_scale_ = 0;
  Real brakes_ = 0;  // squared, of friction under a preload [kg m²/s⁴]
  bool is_jammed_ = false;
  Index full_rank_ = 0;
  Real full_pivot_ = 0;
  bool is_singular_ = false;
};

}  // namespace talus::stepping::event_driven
