#include <talus/dynamics/mobility.hpp>

#include <algorithm>

#include <talus/dynamics/constraint_solver.hpp>

namespace talus::dynamics {

Mobility mobility(const model::Model& model, const model::State& state) {
  const auto system = make_system(model, state);
  VecX q, v;
  system->load(state, q, v);
  Projection projection;
  const ProjectionReport start = projection.position(*system, state.time, q);
  Mobility result;
  result.constraints = system->constraint_count();
  result.is_consistent = start.is_converged;
  if (!start.is_converged) return result;
  const auto dynamic_bodies =
      std::count_if(model.bodies.begin(), model.bodies.end(),
                    [](const model::Body& body) { return body.kind == model::BodyKind::dynamic; });
  result.redundant = result.constraints - start.rank;
  result.degrees_of_freedom = 3 * dynamic_bodies - start.rank;
  return result;
}

}  // namespace talus::dynamics
