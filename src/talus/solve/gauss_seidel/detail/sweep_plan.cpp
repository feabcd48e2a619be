#include <talus/solve/gauss_seidel/detail/sweep_plan.hpp>

namespace talus::solve::detail {

void plan_central(const problem::RigidContact& problem, distribute::SweepPlan& plan) {
  plan.clear();
  for (const problem::BodyVelocity& body : problem.bodies)
    plan.is_movable.push_back(body.inverse_mass > 0 ? 1 : 0);
  for (const problem::Tile tile : problem.central.tiles) {
    std::uint32_t contacts = 0;
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const problem::CentralBatch& batch = problem.central.batches[k];
      for (const auto& bodies : {batch.body_a, batch.body_b})
        plan.bodies.insert(plan.bodies.end(), bodies, bodies + problem::kLanes);
      for (const std::uint32_t body : batch.body_a) contacts += body < problem.bodies.size() ? 1 : 0;
    }
    plan.first.push_back(static_cast<std::uint32_t>(plan.bodies.size()));
    plan.weight.push_back(contacts);
  }
  if (!problem.central.colours.empty()) plan.phases = problem.central.colours;
}

}  // namespace talus::solve::detail
