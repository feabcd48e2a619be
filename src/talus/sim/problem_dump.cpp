#include <talus/sim/problem_dump.hpp>

#include <fmt/format.h>

#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/stepping/planar_grains.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::sim {

namespace {

[[noreturn]] void refuse() {
  throw InputError(
      Diagnostic{{},
                 "--dump-problems",
                 "the problems of this scene have no file format",
                 "",
                 "planar scenes, machines and contacts that resist more than friction have none"});
}

}  // namespace

ProblemDump::ProblemDump(const scene::Scene& scene, std::filesystem::path stem, Index every)
    : stem_(std::move(stem)), every_(every) {
  TALUS_DEMAND(every >= 1);
  const model::Model& model = scene.model;
  const bool is_in_plane =
      model.dimension == 2 && !stepping::are_planar_grains(model, scene.scheme);
  if (is_in_plane || model.spatial_machine || model.resists_more() || model.has_functions())
    refuse();
}

void ProblemDump::operator()(const Simulation& simulation) {
  const Index step = simulation.summary().steps;
  if (step % every_ != 0) return;
  const auto problem = simulation.scheme().last_problem();
  if (!problem && simulation.summary().max_contacts > 0) refuse();
  if (!problem || problem->contact_count() == 0) return;
  std::filesystem::path path = stem_;
  path += fmt::format(".problem_{:07}.hdf5", step);
  exchange::write_fclib(path.string(), *problem,
                        fmt::format("{}, step {}, t = {:.9g} s", stem_.filename().string(), step,
                                    simulation.state().time));
}

}  // namespace talus::sim
