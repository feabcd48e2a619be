#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <talus/certify/certificate.hpp>
#include <talus/certify/joint_residual.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/geometry/manifold.hpp>
#include <talus/laws/lcp_statistics.hpp>
#include <talus/math/spatial.hpp>
#include <talus/problem/solution.hpp>

namespace talus::stepping {

using dynamics::Energy;

/// What the law of a contact in space remembers of a step.
struct ContactMemory {
  Real impact_rate = 0;  ///< with which a damped compliant contact began [m/s]
  bool sticks = false;   ///< whether friction with a static coefficient of its own held it
};

/// A contact of the last step with its impulse, for recorders, viewers and tests.
struct StepContact {
  Index body_a = 0, body_b = 0;  ///< model indices; the impulse acts on B, its reverse on A
  Vec3 position = Vec3::Zero();  ///< [m], world
  Vec3 normal = Vec3::UnitZ();   ///< unit, from A to B, world
  Real gap = 0;                  ///< [m] at the start of the step
  Vec3 impulse = Vec3::Zero();   ///< [N·s], world
  geometry::FeatureId feature =
      0;  ///< features of the two shapes that touch: the contact's name across steps
  Vec3 moment = Vec3::Zero();  ///< on B, its reverse on A [N·s·m], world: of rolling and spinning
  /// Coefficient μ of sliding friction, for messages; NaN: that of the materials.
  Real friction = std::numeric_limits<Real>::quiet_NaN();
  ContactMemory memory = {};
};

/// What the judge of the energy of passive machines (judge_energy) has seen of one of them.
struct EnergyMemory {
  Real lowest = std::numeric_limits<Real>::infinity();  ///< of E since anything could raise it [J]
  Real largest = 0;                                     ///< of S of judge_energy() [J]
};

/// All that a scheme remembers from one step to the next, besides the state.
struct SchemeMemory {
  std::vector<StepContact> contacts;  ///< of the last step, in its order
  Real step_size = 0;                 ///< of the last step [s]; 0: there was none
  /// Where the last search for contacts saw the bodies and how far from there it holds: the order
  /// in which contacts are solved follows from it. Empty where that does not matter.
  std::vector<Pose> search_pose;
  std::vector<Real> search_reach;         ///< [m]; negative: the body was not there
  std::vector<EnergyMemory> energy = {};  ///< of each passive machine
};

/// How the fixed point of a step went; empty without one.
struct FixedPointReport {
  std::vector<Real> gap_residual;  ///< per pass: the largest of −f(q') and, where c_n > 0, |f(q')|
  std::vector<Real> move;          ///< per pass: distance of q' from where it was linearised
  bool is_converged = false;
};

/// What one step did, certified. A step whose status is not `converged` is uncertified.
struct [[nodiscard]] StepReport {
  problem::SolveStatus status = problem::SolveStatus::not_run;
  certify::Certificate certificate;  ///< worst_contact indexes contacts() of the scheme; −1 where a
                                     ///< joint or the law of an axis is the worst
  certify::JointResidual joints;  ///< of machines in space: constraints in the order of
                                  ///< dynamics::MachineTerms
  Index contact_count = 0;
  Index sleeping = 0;        ///< bodies that lie still and were left out of it
  Index iterations = 0;      ///< sweeps or pivots
  Real max_penetration = 0;  ///< [m] ≥ 0, the largest that the scheme saw in this step
  Index halvings = 0;        ///< how often it was cut in two
  Index second_impacts =
      0;                    ///< of contacts with restitution, that other impacts of the step caused
  Energy energy;            ///< after the step
  std::string detail;       ///< one line for people when something went wrong
  laws::LcpStatistics lcp;  ///< of the implicit schemes with Lemke's method
  FixedPointReport fixed_point;
  [[nodiscard]] bool is_certified() const { return status == problem::SolveStatus::converged; }
};

}  // namespace talus::stepping
