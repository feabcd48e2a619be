#include <talus/sim/problem_dump.hpp>

#include <fmt/format.h>

#include <utility>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/stepping/scheme.hpp>

namespace talus::sim {

ProblemDump::ProblemDump(std::filesystem::path stem, Index every)
    : stem_(std::move(stem)), every_(every) {
  TALUS_DEMAND(every >= 1);
}

void ProblemDump::operator()(const Simulation& simulation) {
  const Index step = simulation.summary().steps;
  if (step % every_ != 0) return;
  const auto problem = simulation.scheme().last_problem();
  if (!problem && simulation.summary().max_contacts > 0)
    throw InputError(Diagnostic{
        {},
        "--dump-problems",
        "the problems of this scene have no file format",
        "",
        "planar scenes, machines and contacts that resist more than friction have none"});
  if (!problem || problem->contact_count() == 0) return;
  std::filesystem::path path = stem_;
  path += fmt::format(".problem_{:07}.hdf5", step);
  exchange::write_fclib(path.string(), *problem,
                        fmt::format("{}, step {}, t = {:.9g} s", stem_.filename().string(), step,
                                    simulation.state().time));
}

}  // namespace talus::sim
