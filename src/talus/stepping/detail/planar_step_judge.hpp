#pragma once

#include <array>
#include <string>

#include <talus/certify/certificate.hpp>
#include <talus/dynamics/contact_bias.hpp>
#include <talus/laws/contact_modes.hpp>
#include <talus/laws/sparse_values.hpp>
#include <talus/stepping/detail/planar_late_contacts.hpp>

namespace talus::stepping::detail {

/// A step of planar_moreau as it is judged: what it started from, and the impulses that it found.
struct PlanarStep {
  bool is_midpoint = false;
  dynamics::BiasLaw bias;  ///< h, θ
  Real time = 0;           ///< at the start [s]
  const VecX& v;           ///< at the start
  const VecX& contact_q;   ///< configuration of contacts and forces
  const VecX& joint_q;     ///< of the constraints
  Real joint_time = 0;     ///< of their rates [s]
  const VecX& free;        ///< velocities under applied forces, constraints and springs alone
  const VecX& q;           ///< at the start
  const laws::SparseValues&
      restitution;  ///< per contact: what is left of e and of what rows turn by, in [0, 1]
  const laws::SparseValues& memory;  ///< per friction element: Dahl's force, or 1 where it stuck
  const laws::SparseValues& impact_rate;  ///< per contact: δ̇ where it began
  laws::SparseValues normal, friction;    ///< impulses per contact, per friction element
  VecX lambda;                            ///< of the constraints, then of System::elastic_rows
  VecX q_end, v_end;                      ///< what the scheme made of them, before any projection
  laws::SparseValues memory_end;          ///< Dahl's forces after the step, per friction element
  const PlanarLateContacts* late = nullptr;             ///< that came about within it; null: none
  const std::unordered_set<Index>* unturned = nullptr;  ///< StepPlace::unturned
};

struct JudgedStep {
  certify::Certificate certificate;  ///< worst_contact: a contact of the machine, or −1
  std::string worst;                 ///< who, in words, where that is no contact of shapes
  Real raised = 0;  ///< what impulses of rigid contacts do to the energy of an island, over
                    ///< ½ Σ |r| (|u_free| + |u'| + h a): the largest
  /// Two bodies that contacts of theirs squeeze between them by more than forces do in the step;
  /// −1: none. Convex bodies lie on one side of each other, but as a corner passes a corner, sides
  /// may be taken that face away from each other.
  std::array<Index, 2> squeezed = {-1, -1};
};

/// What is wrong with a step that is not certified. @param worst its worst contact, in the list of
/// the scheme.
[[nodiscard]] std::string to_text(const JudgedStep& judged, Index worst);

/// Judges a step by the laws alone. Rows and forces are formed anew, v' = v + M⁻¹(h Q + Φ_qᵀ Λ +
/// W r) is summed from all impulses, and with it every law is evaluated: bilateral constraints,
/// springs and dampers (implicit_spring.hpp), gaps of rigid contacts (also of those that the
/// constraints hold and that take no impulse), compliant normals, every friction law with the
/// sticking and sliding coefficient that apply, and the friction of joints under the reactions
/// given. Nothing of the eliminated problem is used. Cost O(contacts + constraints).
[[nodiscard]] JudgedStep judge(const dynamics::System& machine,
                               const laws::FrictionElements& elements, const PlanarStep& step);

}  // namespace talus::stepping::detail
