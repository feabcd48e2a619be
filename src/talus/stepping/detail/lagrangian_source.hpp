#pragma once

#include <map>
#include <set>
#include <vector>

#include <talus/linalg/block_cholesky.hpp>
#include <talus/stepping/lagrangian_stepper.hpp>

namespace talus::stepping::detail {

/// A Lagrangian system as the source of one implicit step.
class LagrangianSource final : public StepSource {
 public:
  LagrangianSource(const model::LagrangianSystem& system, const ImplicitOptions& options,
                   const LagrangianState& state, Real h,
                   const std::vector<LagrangianImpulse>& previous);

  void linearise(Point point) override;
  void activate_previous() override;
  bool activate_at_point() override { return activate(point_, true); }
  void solve(bool is_level, ImplicitReport& report) override;
  bool activate_at_end() override { return activate(q_end_, false); }
  bool meets_on_the_way() override;
  [[nodiscard]] bool is_finite() const override;
  [[nodiscard]] Real gap_residual() const override;
  [[nodiscard]] Real move() const override;
  [[nodiscard]] Real penetration() const override;

  [[nodiscard]] const VecX& q_end() const { return q_end_; }
  [[nodiscard]] const VecX& v_end() const { return v_end_; }
  [[nodiscard]] const std::vector<LagrangianImpulse>& impulses() const { return impulses_; }
  [[nodiscard]] const VecX& bilateral_impulse() const { return bilateral_impulse_; }
  [[nodiscard]] const VecX& joint_impulse() const { return joint_impulse_; }

 private:
  bool activate(const VecX& q, bool with_closed);
  bool factorise_mass();
  /// Where a contact is formed: q̄, where it was met, or at q where it holds.
  [[nodiscard]] const VecX& place_of(Index contact);
  /// n · what moves the system there within h.
  [[nodiscard]] Real approach(Index active, const model::LagrangianContact& contact);
  void load_bilateral();
  [[nodiscard]] std::vector<model::LagrangianContact> load_contacts();
  void form_bilateral(bool is_level, VecX& bias);
  void form_springs(const model::LagrangianSprings& springs, VecX& bias);
  void form_contacts(const std::vector<model::LagrangianContact>& contacts, bool is_level,
                     VecX& bias);
  void form_joints(const std::vector<model::LagrangianJoint>& joints);
  void add_row(const std::vector<Index>& coordinates, const Eigen::Ref<const VecX>& entries);
  void assemble(bool is_level);
  void take_redundant(ImplicitReport& report);

  const model::LagrangianSystem& system_;
  const ImplicitOptions& options_;
  const LagrangianState& state_;
  const Real h_;
  const std::vector<LagrangianImpulse>& previous_;

  VecX point_, point_velocity_;  // q̄ = q + h v̄
  std::vector<Index> near_;      // contacts that may be closed
  std::set<Index> active_;
  bool is_at_start_ = false;     // q̄ = q
  std::map<Index, VecX> met_;    // on the way: where their gaps and normals hold
  std::map<Index, Real> ahead_;  // when the same holds of contacts that are passed, at q̄ = q
  VecX place_;                   // of one of them
  int rounds_ = 0;               // in which something was met
  bool has_lost_gap_ = false;    // some gap was not a number
  linalg::BlockCholesky mass_;
  bool has_mass_ = false;
  VecX free_velocity_;                // v + h M⁻¹ k
  linalg::SparseRows jacobian_;       // rows × coordinates
  Index row_ = 0;                     // of it, the next to be formed
  std::vector<Index> tangent_count_;  // per active contact, in the order of active_
  model::LagrangianBilateral bilateral_;
  std::vector<Index> independent_;  // constraints in the problem
  VecX compliance_;                 // of the springs in it, after them
  problem::PolyhedralContact problem_;
  VecX q_end_, v_end_;
  std::vector<LagrangianImpulse> impulses_;
  VecX bilateral_impulse_, joint_impulse_;
};

}  // namespace talus::stepping::detail
