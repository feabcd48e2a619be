#pragma once

#include <unordered_set>
#include <vector>

#include <talus/driver/solve.hpp>
#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/contact_bias.hpp>

namespace talus::stepping::detail {

/// Takes penetration of rigid contacts back by displacements that have no velocity, with the
/// joints kept to first order: the planar twin of detail/push_out.hpp, one LCP per island of
/// contacts that act on each other
///   0 ≤ λ ⟂ W_Nᵀ d + h bias ≥ 0,   M d = W_N λ + Φ_qᵀ ν,   0 = Φ_q d.
/// Contacts that d would close too far are added until there is none.
///
/// Bodies that strike in the middle of a step are in each other at its end, and may be nearer to
/// the side that they were heading for: what the step took as contacts stays on the side where it
/// was, and has its gap to first order where the side nearest to it at the end is another.
class PlanarPushOut {
 public:
  /// A contact as the step took it: its row, its normal, and the gap after the step to first order.
  struct Taken {
    Index contact = 0;
    dynamics::JacobianRow normal;
    Vec3 direction = Vec3::UnitY();
    Real gap = 0;  ///< [m]
  };
  /// @param taken contacts of a step whose gaps its impulses leave open. @param slop_share
  /// penetration left alone, of the smaller body's size. @param left share of it that is left.
  /// @param before q before the step. @param q in and out: after it (may be the same).
  /// @return not_run where nothing is deeper than its slop before and after, or than
  /// tolerance::kMostOverlap after; converged; what the
  /// LCP says, and q is as it was.
  [[nodiscard]] problem::SolveStatus apply(const dynamics::System& machine, Real time,
                                           const dynamics::BiasLaw& law, Real slop_share, Real left,
                                           const VecX& before, const std::vector<Taken>& taken,
                                           VecX& q);

 private:
  void add(const dynamics::JacobianRow& normal, Index contact, Real wanted);
  [[nodiscard]] problem::SolveStatus displace(Index body_count, VecX& q) const;

  dynamics::ConstraintTerms constraints_;
  dynamics::ConstraintFactor solver_;
  std::unordered_set<Index> considered_;  // contacts
  std::vector<dynamics::JacobianRow> rows_;
  std::vector<dynamics::ConstraintFactor::Response> responses_;
  std::vector<Real> wanted_;  // h bias [m]
  VecX still_;
};

}  // namespace talus::stepping::detail
