#pragma once

#include "peers/engine.hpp"
#include "support/step_problem.hpp"

namespace talus::bench {

/// What Talus's certificate says of a step of any engine.
struct Verdict {
  Real natural_map = 0;         // of the engine's impulses
  Real worst_velocity = 0;      // the violation of the worst contact [m/s]
  Real equation_of_motion = 0;  // between the engine's velocities and its impulses
};

/// Judges steps by the impulses that an engine says it applied at the contacts that it saw.
///
/// The problem has the engine's own contacts (points, normals, gaps), velocities before the step
/// plus h g as free velocities, exact Coulomb friction, and a bias gap/h where the gap is open. At
/// a penetration two are tried, the engine's own correction and none, and the smaller natural map
/// counts: whichever law the engine comes nearer to. Balls that bear nothing and pass each other on
/// their ways are no contact.
class Judge {
 public:
  /// The model must outlive this object.
  explicit Judge(const model::Model& model) : model_(model), step_(model) {}

  [[nodiscard]] Verdict judge(const model::State& before, const model::State& after,
                              std::span<const stepping::StepContact> contacts,
                              const Correction& correction, Real step_size);
  /// Largest penetration [m] of a state, by Talus's collision detection.
  [[nodiscard]] Real penetration(const model::State& state);

 private:
  const model::Model& model_;
  StepProblem step_;
  std::vector<problem::BodyVelocity> velocity_;
};

}  // namespace talus::bench
