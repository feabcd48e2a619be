#pragma once

#include <vector>

#include <talus/dynamics/system.hpp>

namespace talus::laws {

/// What a unilateral contact does between two events.
enum class NormalMode : unsigned char {
  open,      ///< no force
  closed,    ///< rigid: g = 0, F_N ≥ 0 is unknown
  pressing,  ///< compliant: F_N ≥ 0 is a function of the gap and its rate
  released,  ///< compliant: g < 0, but the surfaces part faster than they can press
};

/// What a friction element does between two events.
enum class FrictionMode : unsigned char {
  none,        ///< no normal force
  slip_plus,   ///< slips, slip velocity ≥ 0
  slip_minus,  ///< slips, slip velocity ≤ 0
  stick,       ///< held: the slip velocity stays 0, the force is unknown
  smooth,      ///< the force is a smooth function of the slip velocity
};

[[nodiscard]] inline Real sign_of(FrictionMode mode) {
  return mode == FrictionMode::slip_plus ? 1 : mode == FrictionMode::slip_minus ? -1 : 0;
}

/// A place where friction acts: the tangent of a contact, its rolling, or a joint. Elements are
/// numbered: tangents of all contacts, rollings of all contacts, joint frictions.
struct FrictionElement {
  enum class Kind : unsigned char { tangent, rolling, joint };
  Kind kind = Kind::tangent;
  Index index = 0;  ///< contact, or joint friction
  const model::FrictionModel* law = nullptr;
  Real static_friction = 0;   ///< μ₀, or ρ [m]
  Real kinetic_friction = 0;  ///< μ, or ρ [m]
  bool has_stick = false;
  Index dahl = -1;      ///< its place among the Dahl states, or −1
  Real preload = 0;     ///< [N], of joints
  Real moment_arm = 0;  ///< of guides: ℓ/2 where the second reaction is a moment, 0: no matter
  bool is_guide = false;
  bool is_pressed = true;  ///< by the reaction of its joint too
  /// Whether there is any friction at all.
  [[nodiscard]] bool is_there() const {
    return static_friction > 0 || (kind != Kind::rolling && law->viscous > 0);
  }
};

/// The frictions of a machine, each made where it is asked for.
struct FrictionElements {
  /// @param machine must outlive this.
  explicit FrictionElements(const dynamics::System& machine);
  Index contact_count = 0, joint_count = 0;
  [[nodiscard]] Index count() const { return 2 * contact_count + joint_count; }
  [[nodiscard]] Index tangent(Index contact) const { return contact; }
  [[nodiscard]] Index rolling(Index contact) const { return contact_count + contact; }
  [[nodiscard]] Index joint(Index i) const { return 2 * contact_count + i; }
  /// @param element 0 ≤ element < count(). Of Dahl's frictions dahl is 0.
  [[nodiscard]] FrictionElement operator[](Index element) const;

 private:
  [[nodiscard]] FrictionElement of_contact(FrictionElement::Kind kind, Index contact) const;
  const dynamics::System* machine_;
  std::vector<FrictionElement> joints_;
};

/// All of them in one list, which numbers Dahl's states.
struct FrictionTable : FrictionElements {
  explicit FrictionTable(const dynamics::System& machine);
  std::vector<FrictionElement> list;
  Index dahl_count = 0;
};

/// F_N of a joint's friction: ‖λ‖ in a pin; |λ₁/2 + λ₂/ℓ| + |λ₁/2 − λ₂/ℓ| in a guide, the forces at
/// its two ends; and the preload. The preload alone where no reaction presses.
[[nodiscard]] Real joint_normal_force(const FrictionElement& element, Real lambda_1, Real lambda_2);

/// The friction coefficient and the rest of F_T = −s μ(v) F_N − c v in slip in the direction s (or
/// the sign of v); continued smoothly past v = 0.
struct SlipLaw {
  Real slope = 0;   ///< ∂F_T/∂F_N
  Real offset = 0;  ///< F_T at F_N = 0
};
[[nodiscard]] SlipLaw slip_law(const FrictionElement& element, FrictionMode mode, Real slip);

/// The modes of all contacts and frictions, with what a compliant contact remembers.
struct Modes {
  std::vector<NormalMode> normal;      ///< per contact
  std::vector<FrictionMode> friction;  ///< per friction element
  std::vector<Real> impact_rate;       ///< δ̇ where a compliant contact began [m/s], per contact
  /// Per contact, the side of A that a closed one has in this phase (System::contact_on_side); −1:
  /// whichever is there, and so where this is empty.
  std::vector<Index> side = {};
  [[nodiscard]] Index side_of(Index contact) const {
    return side.empty() ? -1 : side[static_cast<std::size_t>(contact)];
  }
};

}  // namespace talus::laws
