#pragma once

#include <array>

#include <talus/dynamics/joint_frames.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/time_law.hpp>

// Force elements between two bodies in space.

namespace talus::dynamics {

/// A force and a moment about the centre of mass, world axes [N, N m]: on A and on B.
struct Wrenches {
  Vec6 a = Vec6::Zero(), b = Vec6::Zero();
};

/// What the springs and dampers of a force element are: with rates w = S v of the two bodies they
/// exert −Sᵀ (K s + D w).
///
/// A line has the rows of for_each_line_row, a torsion element its angle, a bushing its six
/// coordinates.
struct ElasticTerms {
  Index count = 0;                  ///< 0 … 6
  std::array<JacobianRow, 6> rows;  ///< S
  Vec6 stretch = Vec6::Zero();      ///< s, from where it is without force [m, rad]
  Mat6 stiffness = Mat6::Zero();    ///< K, symmetric ≥ 0
  Mat6 damping = Mat6::Zero();      ///< D, symmetric ≥ 0
};
/// O(1), no allocation. @param near as in force_of.
[[nodiscard]] ElasticTerms elastic_terms(const model::SpatialForce& element, const BodyMotion& A,
                                         const BodyMotion& B, Real near = 0);

/// What the law of time of a force element exerts on both bodies, on average over a span: force_of
/// without springs and dampers. O(1), no allocation.
[[nodiscard]] Wrenches given_force(const model::SpatialForce& element, const model::TimeSpan& time,
                                   const BodyMotion& A, const BodyMotion& B, Real near = 0);

/// What a force element exerts on both bodies; their force and their moment about any point are
/// opposite. O(1), no allocation.
/// @param near [rad]: whole turns of the angle of a torsion element are those nearest to it.
[[nodiscard]] Wrenches force_of(const model::SpatialForce& element, const model::TimeSpan& time,
                                const BodyMotion& A, const BodyMotion& B, Real near = 0);

/// Energy stored in its springs [J]; laws of time and dampers have none.
[[nodiscard]] Real potential_energy(const model::SpatialForce& element, const BodyMotion& A,
                                    const BodyMotion& B, Real near = 0);

/// The angle of a torsion element with its row, rate and drift.
[[nodiscard]] RowTerms torsion_angle(const model::TorsionElement& torsion, Index body_a,
                                     Index body_b, const BodyMotion& A, const BodyMotion& B,
                                     Real near = 0);

/// Displacement and rotation vector of J_B in J_A, ṡ = G (u, Ω) with u, Ω the relative velocity in
/// A: the coordinates s of a bushing.
struct BushingCoordinates {
  Vec6 value;    ///< s [m, rad]
  Vec6 rate;     ///< ṡ
  Mat3 by_spin;  ///< Jₗ⁻¹(φ): φ̇ = Jₗ⁻¹ Ω
};
[[nodiscard]] BushingCoordinates bushing_coordinates(const JointFrames& frames);

}  // namespace talus::dynamics
