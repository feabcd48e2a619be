#include <talus/solve/gauss_seidel/detail/sweep_plan.hpp>

namespace talus::solve::detail {
namespace {

// A general contact takes about as long as so many central ones.
constexpr std::uint32_t kGeneralWeight = 4;

void add_central(const problem::RigidContact& problem, std::size_t tiles,
                 distribute::SweepPlan& plan) {
  for (const problem::Tile tile : std::span(problem.central.tiles).first(tiles)) {
    std::uint32_t contacts = 0;
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const problem::CentralBatch& batch = problem.central.batches[k];
      for (const auto& bodies : {batch.body_a, batch.body_b})
        plan.bodies.insert(plan.bodies.end(), bodies, bodies + problem::kLanes);
      for (const std::uint32_t body : batch.body_a)
        contacts += body < problem.bodies.size() ? 1 : 0;
    }
    plan.add_tile(contacts);
  }
}

void add_general(const problem::RigidContact& problem, const GeneralSchedule& general,
                 distribute::SweepPlan& plan) {
  for (std::size_t t = 0; t < general.tiles().size(); ++t) {
    std::uint32_t contacts = 0;
    general.for_contacts(static_cast<Index>(t), [&](std::uint32_t c) {
      plan.bodies.insert(plan.bodies.end(), {problem.general[c].body_a, problem.general[c].body_b});
      ++contacts;
    });
    plan.add_tile(kGeneralWeight * contacts);
  }
}

}  // namespace

void plan_sweep(const problem::RigidContact& problem, std::span<const std::uint32_t> colours,
                const GeneralSchedule& general, distribute::SweepPlan& plan) {
  plan.clear();
  for (const problem::BodyVelocity& body : problem.bodies)
    plan.is_movable.push_back(body.inverse_mass > 0 ? 1 : 0);
  add_central(problem, colours.empty() ? 0 : colours.back(), plan);
  plan.add_phases(colours);
  add_general(problem, general, plan);
  plan.add_phases(general.colours());
}

}  // namespace talus::solve::detail
