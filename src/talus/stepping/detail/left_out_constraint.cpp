#include <talus/stepping/detail/left_out_constraint.hpp>

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <talus/certify/joint_residual.hpp>
#include <talus/laws/tolerances.hpp>

namespace talus::stepping::detail {
namespace {

/// Independent constraints, counted by a certifier from the rows and from who moves.
Index certified_rank(const dynamics::System& machine, const dynamics::ConstraintTerms& terms) {
  const dynamics::MassMatrix& mass = machine.mass();
  std::vector<problem::BodyVelocity> bodies(static_cast<std::size_t>(mass.body_count()));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[i].inverse_mass = mass.inverse_mass(static_cast<Index>(i));
  problem::BoundedRows rows;
  for (const dynamics::JacobianRow& row : terms.rows) {
    row.for_each([&](Index body, const auto& part) {
      Vec6 in_space = Vec6::Zero();
      if (mass.is_planar())
        in_space << part[0], part[1], 0, 0, 0, part[2];
      else
        in_space = part;
      rows.parts.push_back({in_space, static_cast<std::uint32_t>(body)});
    });
    rows.close(0);
  }
  return certify::JointCertifier().rank(rows, bodies);
}

}  // namespace

std::string why_left_out(const dynamics::System& machine, const dynamics::ConstraintTerms& terms,
                         Index rank, const VecX& motion, const VecX& given) {
  if (rank == static_cast<Index>(terms.rows.size()) || machine.mass().is_general()) return "";
  Index worst = -1;
  Real most = tolerance::kViolated;
  for (std::size_t k = 0; k < terms.rows.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const dynamics::JacobianRow& row = terms.rows[k];
    const Real size = row.magnitude(motion) + std::abs(given[i]);
    const Real missed = std::abs(row.times(motion) + given[i]);
    if (!(missed > most * size)) continue;
    most = missed / size;
    worst = i;
  }
  if (worst < 0) return "";
  const Index independent = certified_rank(machine, terms);
  if (independent <= rank) return "";
  return fmt::format(
      "{} does not hold: {} of {} constraints are independent, but only {} can be told apart in "
      "the metric of the masses; a lever arm is too long for its body, or a body too light for "
      "what it holds",
      machine.constraint_name(worst), independent, terms.rows.size(), rank);
}

}  // namespace talus::stepping::detail
