#pragma once

#include <memory>
#include <span>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/certify/detail/kept_rows.hpp>
#include <talus/certify/detail/rigid_islands.hpp>
#include <talus/math/simd.hpp>
#include <talus/problem/rigid_contact.hpp>

namespace talus::certify {

/// Certificate of candidate impulses and velocities for a rigid contact problem under its law
/// (law_residual.hpp). A problem with central contacts under a law that is not Coulomb's for them
/// is assembled for it.
///
/// Recomputes v = v_free + M⁻¹ Jᵀ r and u = J v + bias n from the impulses alone; the solver's
/// velocities enter only equation_of_motion, the largest over the islands of ‖v − velocity‖_M /
/// max(‖v‖_M, ‖v_free‖_M), so that an answer whose velocities drifted from its impulses is caught.
/// Blocks A are formed here again; the derived fields of the contacts are not trusted. Islands are
/// bodies that contacts join, through movable ones.
class RigidContactCertifier {
 public:
  /// The problem outlives it and is not changed. What does not depend on impulses is kept: 30 B
  /// per contact and row, 16 B more per row, 48 B per part of it, with rows 8 B per body. Cost:
  /// about one pass over the contacts.
  /// @param simd the instruction set to use; nothing depends on it.
  explicit RigidContactCertifier(const problem::RigidContact& problem, Simd simd = best_simd());
  /// The numbers that decide, and worst_velocity; the others are NaN.
  /// @param impulse   r of every contact.
  /// @param velocity  the bodies' velocities as the solver leaves them; empty: not judged.
  /// @param simd      the instruction set to use; the answer does not depend on it.
  /// Cost: two passes over the contacts, one over the bodies, on all threads; keeps a row of 64 B
  /// per body between calls.
  [[nodiscard]] Certificate operator()(const problem::ContactImpulses& impulse,
                                       std::span<const problem::BodyVelocity> velocity,
                                       Simd simd = best_simd()) const;
  /// The same, and what decides of every island alone: its natural map, equation of motion,
  /// violation and work. @param islands out, one each.
  [[nodiscard]] Certificate operator()(const problem::ContactImpulses& impulse,
                                       std::span<const problem::BodyVelocity> velocity,
                                       std::vector<Certificate>& islands) const;
  /// All numbers, at twice the cost of a pass.
  [[nodiscard]] Certificate in_full(const problem::ContactImpulses& impulse,
                                    std::span<const problem::BodyVelocity> velocity,
                                    Simd simd = best_simd()) const;

  /// Whether it judges tiles by the deal of the problem's central contacts, and reads bodies,
  /// contacts and impulses only where that has them here.
  [[nodiscard]] bool is_dealt() const { return islands_.share().deal() != nullptr; }
  /// How many islands there are, at least one.
  [[nodiscard]] Index island_count() const { return islands_.count(); }
  /// The island of a contact, or of a row where the number is the count of contacts and more.
  [[nodiscard]] Index island_of(Index contact) const {
    return islands_.island(islands_.slot_of(contact));
  }
  /// The island of a movable body; −1 for bodies without contacts and rows, and immovable ones.
  [[nodiscard]] Index island_of_body(Index body) const { return islands_.island_of_body(body); }
  /// Who touches whom: the same object where that is the same as in a problem before it.
  [[nodiscard]] const std::shared_ptr<const detail::ContactIslands>& shape() const {
    return islands_.shape();
  }
  /// Whether impulses of 0 are an answer in an island.
  [[nodiscard]] bool is_idle(Index island) const {
    return problem_.law != problem::FrictionLaw::cone_complementarity && islands_.is_idle(island);
  }

 private:
  [[nodiscard]] Certificate judge(const problem::ContactImpulses& impulse,
                                  std::span<const problem::BodyVelocity> velocity, Simd simd,
                                  bool in_full, std::vector<Certificate>* islands) const;

  const problem::RigidContact& problem_;
  detail::KeptRows rows_;
  detail::RigidIslands islands_;
  std::vector<Real>
      most_;  // per body: the largest speed that impulses are judged at; empty: no rows
};

/// The same for one candidate, in full.
[[nodiscard]] Certificate certify(const problem::RigidContact& problem,
                                  const problem::ContactImpulses& impulse,
                                  std::span<const problem::BodyVelocity> velocity,
                                  Simd simd = best_simd());

}  // namespace talus::certify
