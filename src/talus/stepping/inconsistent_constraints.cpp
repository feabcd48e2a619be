#include <talus/stepping/inconsistent_constraints.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/dynamics/energy.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/model/machine.hpp>
#include <talus/stepping/detail/row_length.hpp>

namespace talus::stepping {
namespace {

/// What moves a machine is measured in √kg m (and per s, per s²): coordinates, rates and
/// accelerations over √(M⁻¹), rows over √(J M⁻¹ Jᵀ). No unit has a part in it.
struct Measure {
  std::vector<Real> own;  ///< √(J M⁻¹ Jᵀ) per row
  Measure(const dynamics::System& machine, const dynamics::ConstraintTerms& terms) {
    for (const dynamics::JacobianRow& row : terms.rows)
      own.push_back(std::sqrt(inverse_effective_mass(row, machine.mass())));
  }
  /// The largest of some rows' violations; rows that nothing moves do not count.
  [[nodiscard]] Real largest(const VecX& violation) const {
    Real most = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (own[i] > 0) most = std::max(most, std::abs(violation[static_cast<Index>(i)]) / own[i]);
    return most;
  }
  [[nodiscard]] bool is_violated(Index row, const VecX& violation, Real size) const {
    return std::abs(violation[row]) >
           tolerance::kViolated * size * own[static_cast<std::size_t>(row)];
  }
};

/// √(xᵀ M x) over what forces move; at least that of one radian, where angles are.
Real norm(const dynamics::System& machine, const VecX& x, bool is_position) {
  Real sum = 0;
  const dynamics::MassMatrix& mass = machine.mass();
  const Index width = mass.width();
  const Index first_angle = mass.is_planar() ? 2 : mass.is_spatial() ? 3 : 0;
  for (Index k = 0; k < x.size(); ++k) {
    const Real inverse = mass.inverse_diagonal()[k];
    const Real part =
        is_position && k % width >= first_angle ? std::max(std::abs(x[k]), Real(1)) : x[k];
    if (inverse > 0) sum += part * part / inverse;
  }
  return std::sqrt(sum);
}

/// Those whose rows are violated.
InconsistentConstraints owners(const dynamics::System& machine, const Measure& measure,
                               const VecX& violation, Real size) {
  const model::Machine& parts = machine.parts();
  const auto is_violated = [&](const dynamics::RowRange& rows) {
    for (Index i = rows.first; i < rows.first + rows.count; ++i)
      if (measure.is_violated(i, violation, size)) return true;
    return false;
  };
  InconsistentConstraints found;
  for (Index i = 0; i < machine.constraint_count(); ++i) {
    if (!measure.is_violated(i, violation, size)) continue;
    const std::string name = machine.constraint_name(i);
    if (std::find(found.owners.begin(), found.owners.end(), name) == found.owners.end())
      found.owners.push_back(name);
  }
  for (std::size_t i = 0; i < parts.joints.size(); ++i)
    if (is_violated(machine.rows_of_joint(static_cast<Index>(i)))) found.joints.push_back(i);
  for (std::size_t i = 0; i < parts.drives.size(); ++i)
    if (is_violated(machine.rows_of_drive(static_cast<Index>(i)))) found.drives.push_back(i);
  return found;
}

}  // namespace

std::string InconsistentConstraints::names() const {
  std::string all;
  for (const std::string& owner : owners) all += (all.empty() ? "" : ", ") + owner;
  return all;
}

InconsistentConstraints contradiction(const dynamics::System& machine, Real time, const VecX& q,
                                      const VecX& v) {
  if (machine.constraint_count() == 0) return {};
  VecX at = q, velocity = v, acceleration = VecX::Zero(q.size());
  machine.prescribe(time, at, velocity, acceleration);
  machine.take_mass(at);
  dynamics::ConstraintTerms terms;
  machine.constraints(time, at, velocity, terms);
  if (!terms.couplings.empty()) return {};
  dynamics::ConstraintFactor solver;
  solver.factorise(terms.rows, machine.mass());
  if (solver.rank() == solver.count()) return {};

  const Measure start(machine, terms);
  const Real rate_size = std::max(norm(machine, velocity, false), start.largest(terms.rate));
  dynamics::ConstraintProjection projection;
  if (!projection.position(machine, time, at).is_converged) {
    machine.constraints(time, at, velocity, terms);
    InconsistentConstraints all =
        owners(machine, Measure(machine, terms), terms.value, norm(machine, at, true));
    if (!all.is_empty()) return all;
  }
  (void)projection.velocity(machine, time, at, velocity);
  machine.constraints(time, at, velocity, terms);
  const Measure measure(machine, terms);
  InconsistentConstraints all = owners(machine, measure, terms.rate, rate_size);
  if (!all.is_empty()) return all;

  VecX multipliers;
  solver.factorise(terms.rows, machine.mass());
  solver.accelerate(VecX::Zero(q.size()), terms.drift, acceleration, multipliers);
  VecX left = terms.drift;
  for (std::size_t i = 0; i < terms.rows.size(); ++i)
    left[static_cast<Index>(i)] += terms.rows[i].times(acceleration);
  // Where all accelerations are 0, as in a shaft that turns evenly, drifts are what rounding leaves
  // of those that velocities make.
  return owners(machine, measure, left,
                std::max({norm(machine, acceleration, false), measure.largest(terms.drift),
                          detail::turning_acceleration(machine, velocity)}));
}

std::string why_no_motion(const dynamics::System& machine, Real time, const VecX& q,
                          const VecX& v) {
  const InconsistentConstraints who = contradiction(machine, time, q, v);
  return who.is_empty() ? "" : no_motion_satisfies(who.names());
}

std::string no_motion_satisfies(const std::string& names) {
  return "no motion satisfies these together, they contradict each other: " + names;
}

bool ends_unmet(const std::string& why, const model::Model& model, const model::State& before,
                StepReport& report) {
  report.status = problem::SolveStatus::stalled;
  report.detail = "the constraints cannot be met: h is too large";
  if (why.empty()) return false;
  report.status = problem::SolveStatus::numerical_error;
  report.detail = why;
  report.energy = dynamics::energy(model, before);
  return true;
}

}  // namespace talus::stepping
