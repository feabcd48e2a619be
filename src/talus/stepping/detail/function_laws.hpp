#pragma once

#include <span>
#include <tuple>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/problem/rigid_contact.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping::detail {

/// Contacts in space whose law is a function of place and velocity, or has a memory, in the problem
/// of a step, which supports set-valued laws alone:
///
///   compliant normals     r_N = h F_N(δ̄, δ̄'),  δ̄ = −g − θ h ū_N, δ̄' = −ū_N, ū = θ u' + (1 − θ) u,
///   regularised friction  r_T = −h F_T(‖u_T'‖, r_N/h) u_T'/‖u_T'‖,
///   viscous friction      −r_T ∈ μ r_N Sgn(u_T') + λ h c u_T',  λ = 1 where r_N > 0, 0 where
///                         u_N' > 0, and any share between where both are 0,
///   static friction       μ₀ instead of μ where the contact stuck when the step began; one that
///                         slips falls to μ and the step is solved again; Stribeck's μ is that of
///                         ‖u_T‖,
/// u before and u' after the impulses, Sgn(x) = x/‖x‖ or the unit ball. Newton's method: a function
/// is replaced by its tangent at a point (u_p, Λ_p), r = Λ_p − K (u' − u_p), which is a contact
/// with the compliance C = K⁻¹ and the bias −u_p − C Λ_p (problem::Resistance). The point is the
/// one of the graph that the contact alone would take from the last answer (u_k, r_k), with its own
/// block w,
///   u_p − w Λ(u_p) = u_k − w r_k;
/// it is the answer itself where that meets the law, and there alone. So the certificate of the
/// problem whose tangents are drawn from its answer is that of the laws: a miss of a tangent is
/// felt by the bodies as u_k − u_p. Sources: `alart_1991` (Newton's method for laws of contact),
/// `rockafellar_1976` (the point). docs/adr/0028.
class FunctionLaws {
 public:
  /// The bodies outlive it.
  FunctionLaws(const dynamics::RigidBodies& bodies, Real theta)
      : bodies_(bodies), gravity_(bodies.model().gravity.norm()), theta_(theta) {}

  /// Begins the contacts of a problem, in a step of h.
  void start(Real step_size);
  /// Adds the last general contact of a problem, whose law is a function
  /// (InterfaceLaw::is_function).
  /// @param before the relative velocity before the impulses [m/s]. @param rounding of it [m/s].
  /// @param slip_bias that set-valued friction has (problem::Resistance).
  void add(const collision::Contact& contact, const Vec3& before, Real rounding,
           const Vec3& slip_bias, Index general);
  [[nodiscard]] bool is_empty() const { return contacts_.empty(); }

  /// Tangents from an answer, or from a guess; or secants through the velocity without a force,
  /// which lead on slowly where tangents lead back and forth. @param velocity of the bodies after
  /// the impulses.
  void linearise(const problem::ContactImpulses& impulse,
                 std::span<const problem::BodyVelocity> velocity, bool is_secant,
                 problem::RigidContact& problem);
  /// Shortens the ways of shares of viscous friction that go back and forth.
  /// @return whether there are any: tangents are to be drawn again.
  [[nodiscard]] bool shorten_ways();
  /// Contacts that were held by μ₀ and slip are held no more. A point that bears μ₀ r_N and does
  /// not slip is held: what its neighbours on a face bear instead is not unique.
  /// @param velocity of the bodies after the impulses, an answer that meets the laws to a
  /// tolerance: slip counts from 100 of it on, of what friction at its bound stops in a step.
  /// @return whether there are any.
  [[nodiscard]] bool let_go(const problem::RigidContact& problem,
                            const problem::ContactImpulses& impulse,
                            std::span<const problem::BodyVelocity> velocity, Real tolerance);

  /// Keeps what laws remember of a finished step. @param gap_after of every general contact, at the
  /// end of the step [m].
  void remember(const problem::ContactImpulses& impulse, std::span<const Real> gap_after);
  /// Takes up what remember() kept, in another run perhaps.
  void recall(std::span<const StepContact> contacts);
  /// Writes what is remembered of a contact into it.
  void write(StepContact& contact) const;

 private:
  /// What is remembered of a contact, by its name.
  struct Memory {
    Index body_a = 0, body_b = 0;
    geometry::FeatureId feature = 0;
    ContactMemory of;
    [[nodiscard]] std::tuple<Index, Index, geometry::FeatureId> name() const {
      return {body_a, body_b, feature};
    }
  };
  struct Contact {
    Memory memory;  // of the last step, then of this one
    const model::InterfaceLaw* law = nullptr;
    Index general = 0;
    Vec3 normal = Vec3::UnitZ();
    Real gap = 0;
    Vec3 before = Vec3::Zero(), slip_bias = Vec3::Zero();  // of set-valued friction
    Real kinetic = 0;                                      // μ of set-valued friction in slip
    bool is_held = false;                                  // by μ₀
    bool slips = false;                                    // in the answer
    Real share = 1;                                        // λ of the next problem
    // λ of the last problem, the pressure of its answer as in find_share, how it falls with λ, and
    // the last and the largest change of λ.
    Real last_share = 1, pressure = 0, fall = 0, way = 0, most_way = 1;
    Real own_normal = 0, own_slip = 0;  // w along n, and across it in the mean [1/kg]
  };
  /// A force that falls with a velocity, and by how much: −∂Λ/∂u.
  struct Line {
    Real value = 0, slope = 0;
  };

  void order_memory();
  [[nodiscard]] const Memory* find(Index a, Index b, geometry::FeatureId feature) const;
  [[nodiscard]] Line normal_line(const Contact& contact, Real rate) const;
  [[nodiscard]] Line slip_line(const Contact& contact, Real speed, Real normal) const;
  [[nodiscard]] Real largest_rate(const Contact& contact) const;
  [[nodiscard]] Real set_normal(const Contact& contact, Real alone, bool is_secant,
                                problem::RigidContact& problem) const;
  void find_share(Contact& contact, Real pressure, Real most) const;
  void set_friction(const Contact& contact, const Vec3& alone, Real normal, bool is_secant,
                    problem::RigidContact& problem) const;
  /// μ of set-valued friction.
  [[nodiscard]] Real bound(const Contact& contact) const {
    return contact.is_held ? model::static_friction(contact.law->friction) : contact.kinetic;
  }

  const dynamics::RigidBodies& bodies_;
  const Real gravity_;
  const Real theta_;
  Real h_ = 0;
  std::vector<Contact> contacts_;
  std::vector<Memory> memory_;  // of the last step, ordered by name
};

}  // namespace talus::stepping::detail
