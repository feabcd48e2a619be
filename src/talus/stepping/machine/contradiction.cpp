#include <talus/stepping/machine/contradiction.hpp>

#include <cmath>
#include <vector>

#include <talus/dynamics/constraint_solver.hpp>
#include <talus/model/machine.hpp>

namespace talus::stepping::machine {
namespace {

constexpr Real kViolated = 1e-6;  // of 1 + the size of what is constrained

/// Those whose rows are violated.
Contradiction owners(const dynamics::PlanarMachine& machine, const model::Machine& parts,
                     const VecX& violation, Real size) {
  const auto is_violated = [&](const dynamics::PlanarMachine::RowRange& rows) {
    return rows.count > 0 && violation.segment(rows.first, rows.count).lpNorm<Eigen::Infinity>() >
                                 kViolated * (1 + size);
  };
  Contradiction found;
  for (std::size_t i = 0; i < parts.joints.size(); ++i)
    if (is_violated(machine.rows_of_joint(static_cast<Index>(i)))) found.joints.push_back(i);
  for (std::size_t i = 0; i < parts.drives.size(); ++i)
    if (is_violated(machine.rows_of_drive(static_cast<Index>(i)))) found.drives.push_back(i);
  return found;
}

}  // namespace

std::string Contradiction::names(const model::Machine& machine) const {
  std::string all;
  const auto add = [&](const std::string& what, const std::string& name) {
    all += (all.empty() ? "" : ", ") + what + name;
  };
  for (const std::size_t i : joints) add("joint ", machine.joints[i].name);
  for (const std::size_t i : drives) add("drive ", machine.drives[i].name);
  return all;
}

Contradiction contradiction(const dynamics::PlanarMachine& machine, const model::Model& model,
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
    Contradiction all = owners(machine, *model.machine, terms.value, at.lpNorm<Eigen::Infinity>());
    if (!all.is_empty()) return all;
  }
  (void)projection.velocity(machine, time, at, velocity);
  machine.constraints(time, at, velocity, terms);
  Contradiction all =
      owners(machine, *model.machine, terms.rate, velocity.lpNorm<Eigen::Infinity>());
  if (!all.is_empty()) return all;

  VecX multipliers;
  solver.factorise(terms.rows, machine.inverse_mass());
  solver.accelerate(VecX::Zero(q.size()), terms.drift, acceleration, multipliers);
  VecX left = terms.drift;
  for (std::size_t i = 0; i < terms.rows.size(); ++i)
    left[static_cast<Index>(i)] += terms.rows[i].times(acceleration);
  return owners(machine, *model.machine, left, acceleration.lpNorm<Eigen::Infinity>());
}

}  // namespace talus::stepping::machine
