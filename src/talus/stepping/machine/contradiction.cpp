#include <talus/stepping/machine/contradiction.hpp>

#include <cmath>
#include <vector>

#include <talus/dynamics/constraint_solver.hpp>
#include <talus/model/machine.hpp>

namespace talus::stepping::machine {
namespace {

constexpr Real kViolated = 1e-6;  // of 1 + the size of what is constrained

/// Names of the joints and drives whose rows are violated, in their order.
std::string owners(const dynamics::PlanarMachine& machine, const model::Model& model,
                   const VecX& violation, Real size) {
  std::vector<std::string> names;
  const auto look = [&](const dynamics::PlanarMachine::RowRange& rows, const std::string& name) {
    for (Index i = rows.first; i < rows.first + rows.count; ++i)
      if (std::abs(violation[i]) > kViolated * (1 + size)) {
        names.push_back(name);
        return;
      }
  };
  const auto& joints = model.machine->joints;
  for (std::size_t i = 0; i < joints.size(); ++i)
    look(machine.rows_of_joint(static_cast<Index>(i)), "joint " + joints[i].name);
  const auto& drives = model.machine->drives;
  for (std::size_t i = 0; i < drives.size(); ++i)
    look(machine.rows_of_drive(static_cast<Index>(i)), "drive " + drives[i].name);
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

}  // namespace

std::string contradiction(const dynamics::PlanarMachine& machine, const model::Model& model,
                          Real time, const VecX& q, const VecX& v) {
  if (!model.machine) return {};
  VecX at = q, velocity = v, acceleration = VecX::Zero(q.size());
  machine.prescribe(time, at, velocity, acceleration);
  dynamics::ConstraintTerms terms;
  machine.constraints(time, at, velocity, terms);
  dynamics::ConstraintSolver solver;
  solver.factorise(terms.rows, machine.inverse_mass());
  if (solver.rank() == solver.count()) return {};

  dynamics::Projection projection;
  if (!projection.position(machine, time, at).is_converged) {
    machine.constraints(time, at, velocity, terms);
    std::string all = owners(machine, model, terms.value, at.lpNorm<Eigen::Infinity>());
    if (!all.empty()) return all;
  }
  (void)projection.velocity(machine, time, at, velocity);
  machine.constraints(time, at, velocity, terms);
  std::string all = owners(machine, model, terms.rate, velocity.lpNorm<Eigen::Infinity>());
  if (!all.empty()) return all;

  VecX multipliers;
  solver.factorise(terms.rows, machine.inverse_mass());
  solver.accelerate(VecX::Zero(q.size()), terms.drift, acceleration, multipliers);
  VecX left = terms.drift;
  for (std::size_t i = 0; i < terms.rows.size(); ++i)
    left[static_cast<Index>(i)] += terms.rows[i].times(acceleration);
  return owners(machine, model, left, acceleration.lpNorm<Eigen::Infinity>());
}

}  // namespace talus::stepping::machine
