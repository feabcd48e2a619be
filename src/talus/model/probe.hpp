#pragma once

#include <string>
#include <variant>
#include <vector>

#include <talus/model/region.hpp>

namespace talus::model {

/// Mass and number of bodies whose centres cross a plane, or an opening in it.
struct MassFlow {
  Vec3 point = Vec3::Zero();    ///< of the plane, centre of the opening [m]
  Vec3 normal = Vec3::UnitZ();  ///< unit: crossing along it counts positive
  Vec3 along = Vec3::UnitX();   ///< unit, ⊥ normal: first edge of a rectangular opening
  Vec2 size = Vec2::Zero();     ///< edges of the opening [m]; zero: no edges
  Real radius = 0;              ///< of a round opening [m]; 0: none
};
/// Share of the region that bodies fill: balls as cut by its faces, other shapes whole where their
/// centre is inside.
struct SolidFraction {};
/// How many bodies a body in the region touches.
struct Coordination {};
/// Normal forces of the contacts in the region.
struct ContactForces {
  Index bins = 20;  ///< of the histogram
  Real range = 5;   ///< where its last bin ends, in mean forces
};
/// ⟨n ⊗ n⟩ over the contacts in the region that carry a force.
struct Fabric {};
/// Stress in the region, compression positive.
struct Stress {};
/// Slope of the free surface.
struct Repose {
  bool is_cone = true;         ///< a heap about a vertical axis; otherwise a plane
  Real cell = 0;               ///< width of the columns whose highest body makes the surface [m]
  Real low = 0.2, high = 0.8;  ///< part of the height that is fitted
};
/// Lacey's mixing index of tracers among all bodies.
struct Mixing {
  std::vector<Index> tracers;      ///< sorted
  Vec3 cells = Vec3::Constant(4);  ///< into which the region is cut
};
struct KineticEnergy {};
struct CentreOfMass {};

using Measure = std::variant<MassFlow, SolidFraction, Coordination, ContactForces, Fabric, Stress,
                             Repose, Mixing, KineticEnergy, CentreOfMass>;

/// What is measured during a run: data only; sim/probe.hpp measures.
struct Probe {
  std::string name;
  Index every = 1;            ///< steps from one sample to the next
  std::vector<Index> bodies;  ///< that count, sorted
  Region region;
  Measure measure;
};

}  // namespace talus::model
