#include <talus/solve/gauss_seidel/detail/sweep_plan.hpp>

#include <algorithm>

namespace talus::solve::detail {
namespace {

// A general contact takes about as long as so many central ones.
constexpr std::uint32_t kGeneralWeight = 4;
// So many late contacts take about as long as another one.
constexpr std::uint32_t kLatePerContact = 4;

/// How many late contacts each batch has.
std::vector<unsigned char> late_contacts(const problem::CentralContacts& central) {
  std::vector<unsigned char> count(central.batches.size(), 0);
  for (std::size_t c = 0; c < central.is_late.size(); ++c)
    count[central.slot[c] / problem::kLanes] += central.is_late[c];
  return count;
}

}  // namespace

void ProblemPlan::begin(distribute::SweepPlan& plan) const {
  plan.clear();
  plan.is_movable.resize(problem_.bodies.size());
  std::transform(problem_.bodies.begin(), problem_.bodies.end(), plan.is_movable.begin(),
                 [](const problem::BodyVelocity& body) { return body.inverse_mass > 0 ? 1 : 0; });
  plan.add_phases(colours_);
  plan.add_phases(general_.colours());
  if (problem_.general.empty()) plan.layout = problem_.central.layout;
}

void ProblemPlan::add_tiles(distribute::SweepPlan& plan) const {
  add_central(plan);
  add_general(plan);
}

void ProblemPlan::add_central(distribute::SweepPlan& plan) const {
  const problem::CentralContacts& central = problem_.central;
  const std::vector<unsigned char> late_in = late_contacts(central);
  for (const problem::Tile tile :
       std::span(central.tiles).first(colours_.empty() ? 0 : colours_.back())) {
    std::uint32_t contacts = problem::kLanes * (tile.checked - tile.first), late = 0;
    std::size_t at = plan.bodies.size();
    plan.bodies.resize(at + 2 * problem::kLanes * std::size_t{tile.end - tile.first});
    for (std::uint32_t k = tile.first; k < tile.end; ++k) {
      const problem::CentralBatch& batch = central.batches[k];
      for (const auto& bodies : {batch.body_a, batch.body_b}) {
        std::copy_n(bodies, problem::kLanes, plan.bodies.data() + at);
        at += problem::kLanes;
      }
      for (int l = 0; k >= tile.checked && l < problem::kLanes; ++l)
        contacts += batch.body_a[l] < problem_.bodies.size() ? 1 : 0;
      late += late_in[k];
    }
    plan.add_tile(contacts - late + late / kLatePerContact);
  }
}

void ProblemPlan::add_general(distribute::SweepPlan& plan) const {
  for (std::size_t t = 0; t < general_.tiles().size(); ++t) {
    std::uint32_t contacts = 0;
    general_.for_contacts(static_cast<Index>(t), [&](std::uint32_t c) {
      plan.bodies.insert(plan.bodies.end(),
                         {problem_.general[c].body_a, problem_.general[c].body_b});
      ++contacts;
    });
    plan.add_tile(kGeneralWeight * contacts);
  }
}

}  // namespace talus::solve::detail
