#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <talus/laws/step_laws.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::laws {

/// A step of planar bodies without constraints as a contact problem of bodies in space.
///
/// A body has the inertia J about every axis, its length is √(J/m); nothing turns it or moves it
/// out of the plane, as all arms and normals are in it. Normal n and slip direction t are those of
/// the step's rows, arms r follow from their last entries, r × n and r × t.
class PlanarRigidContact {
 public:
  /// @param step is_contact_problem(), with its bodies (contract); must outlive this. @param
  /// friction of each normal: its friction in the step; −1: none.
  PlanarRigidContact(const StepProblem& step, std::span<const Index> friction);

  [[nodiscard]] const problem::RigidContact& problem() const { return problem_; }
  /// Impulses of the step's rows as those of contacts. @param step one per row, or empty: none.
  [[nodiscard]] problem::ContactImpulses impulses(const VecX& step) const;
  /// The reverse.
  [[nodiscard]] VecX step_impulses(const problem::ContactImpulses& impulses) const;

 private:
  [[nodiscard]] std::uint32_t place_of(Index body);
  void add(std::size_t normal, Index friction);

  const StepProblem& step_;
  std::vector<Index> friction_;
  std::unordered_map<Index, std::uint32_t> place_;  // of a body of the model in the problem
  std::vector<Vec3> tangent_;                       // per contact
  problem::RigidContact problem_;
};

}  // namespace talus::laws
