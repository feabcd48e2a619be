#include "solutions.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include <talus/problem/lcp.hpp>

#include "arrays.hpp"

namespace talus::python {
namespace {

/// A class of talus/solutions.py. The module, once imported, stays: importing takes microseconds.
py::object class_of(const char* name) {
  static const py::handle module = py::module_::import("talus.solutions").release();
  return module.attr(name);
}

py::array owned_numbers(std::vector<Real>&& values) {
  const auto size = static_cast<Index>(values.size());
  return owned(std::move(values), {size});
}

py::object to_counts(const problem::SolveCounts& counts) {
  return class_of("Counts")(counts.products, counts.projections, counts.factorisations);
}

py::object to_history(problem::SolveHistory&& history) {
  return class_of("History")(owned_numbers(std::move(history.residual)),
                             owned_numbers(std::move(history.energy)));
}

py::tuple to_stages(std::vector<problem::SolveStage>&& stages) {
  py::tuple tuple(stages.size());
  for (std::size_t k = 0; k < stages.size(); ++k) {
    problem::SolveStage& stage = stages[k];
    tuple[k] = class_of("Stage")(stage.solver, stage.iterations, stage.residual, stage.seconds,
                                 to_counts(stage.counts), to_history(std::move(stage.history)));
  }
  return tuple;
}

py::object to_ray(const problem::LcpRay* ray) {
  if (ray == nullptr) return py::none();
  return class_of("Ray")(owned(VecX(ray->z)), owned(VecX(ray->direction)), ray->z0, ray->direction0,
                         owned(VecX(ray->covering)), ray->violation, ray->proves_infeasible);
}

/// A solution of a class of talus/solutions.py with its unknowns by name.
template <class Solution>
py::object make(const char* name, std::initializer_list<std::pair<const char*, VecX*>> unknowns,
                Solution& solution, double seconds) {
  problem::SolveReport& report = solution.report;
  py::dict fields;
  for (const auto& [unknown, values] : unknowns) fields[unknown] = owned(std::move(*values));
  fields["status"] = std::string(to_string(report.status));
  fields["iterations"] = report.iterations;
  fields["residual"] = report.residual;
  fields["detail"] = report.detail;
  fields["seconds"] = seconds;
  fields["certificate"] = solution.certificate;
  fields["counts"] = to_counts(report.counts);
  fields["stages"] = to_stages(std::move(report.stages));
  fields["history"] = to_history(std::move(report.history));
  fields["ray"] = to_ray(report.ray.get());
  return class_of(name)(**fields);
}

template <class Solution>
py::object make_impulses(Solution& s, double seconds) {
  return make("ImpulseSolution", {{"r", &s.impulse}, {"u", &s.velocity}}, s, seconds);
}
template <class Solution>
py::object make_global_impulses(Solution& s, double seconds) {
  return make("GlobalImpulseSolution", {{"r", &s.impulse}, {"u", &s.velocity}, {"v", &s.v}}, s,
              seconds);
}

}  // namespace

py::object to_solution(driver::LcpSolution&& s, double seconds) {
  return make("LcpSolution", {{"z", &s.z}, {"w", &s.w}}, s, seconds);
}
py::object to_solution(driver::MlcpSolution&& s, double seconds) {
  return make("MlcpSolution", {{"x", &s.x}, {"z", &s.z}, {"w", &s.w}}, s, seconds);
}
py::object to_solution(driver::BoxQpSolution&& s, double seconds) {
  return make("BoxQpSolution", {{"x", &s.x}, {"y", &s.y}}, s, seconds);
}
py::object to_solution(driver::ConeSolution&& s, double seconds) {
  return make("ImpulseSolution", {{"r", &s.r}, {"u", &s.u}}, s, seconds);
}
py::object to_solution(driver::FrictionContactSolution&& s, double seconds) {
  return make_impulses(s, seconds);
}
py::object to_solution(driver::ImpulseSolution&& s, double seconds) {
  return make_impulses(s, seconds);
}
py::object to_solution(driver::GlobalFrictionContactSolution&& s, double seconds) {
  return make_global_impulses(s, seconds);
}
py::object to_solution(driver::GlobalImpulseSolution&& s, double seconds) {
  return make_global_impulses(s, seconds);
}

}  // namespace talus::python
