#include <talus/reproduce/lcp_check.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/dynamics/constraint_factor.hpp>
#include <talus/laws/contact_lcp.hpp>
#include <talus/reproduce/measured.hpp>
#include <talus/solve/pivoting/enumerate.hpp>

namespace talus::reproduce {
namespace {

constexpr Real kClosed = 1e-7;  // [m]
constexpr Real kAtRest = 1e-7;  // [m/s]
constexpr std::size_t kMost = 4;
/// Forces of a solution z of to_lcp(contacts).
VecX forces_of(const laws::ContactLcp& contacts, const VecX& z) {
  const Index k = contacts.normal_count();
  VecX force(contacts.b.size());
  force.head(k) = z.head(k);
  Index candidate = 0;
  for (std::size_t f = 0; f < contacts.frictions.size(); ++f) {
    const laws::FrictionRow& row = contacts.frictions[f];
    Real& F = force[k + static_cast<Index>(f)];
    F = row.upper + (row.normal >= 0 ? row.upper_slope * z[row.normal] : 0);
    if (row.is_candidate()) F -= z[k + candidate++];
  }
  return force;
}

}  // namespace

Real enumeration_difference(const dynamics::System& machine, Real time, const VecX& q,
                            const VecX& v) {
  std::vector<dynamics::ContactTerms> closed;
  std::vector<Index> names;
  for (Index i = 0; i < machine.contact_count(); ++i) {
    dynamics::ContactTerms terms;
    machine.contact(i, q, v, terms);
    if (std::abs(terms.gap) > kClosed || std::abs(terms.gap_rate) > kAtRest) continue;
    closed.push_back(terms);
    names.push_back(i);
  }
  if (closed.empty()) return 0;
  if (closed.size() > kMost) return kNone;

  VecX Q, at = q, speed = v, a = VecX::Zero(v.size()), lambda;
  machine.prescribe(time, at, speed, a);
  machine.force(time, at, speed, Q);
  dynamics::ConstraintTerms constraints;
  machine.constraints(time, at, speed, constraints);
  dynamics::ConstraintFactor solver;
  solver.factorise(constraints.rows, machine.mass());
  solver.accelerate(Q, constraints.drift, a, lambda);

  std::vector<const dynamics::JacobianRow*> rows;
  laws::ContactLcp contacts;
  const auto n = static_cast<Index>(2 * closed.size());
  contacts.G.resize(n, n);
  contacts.b.resize(n);
  rows.reserve(2 * closed.size());
  for (const dynamics::ContactTerms& terms : closed) rows.push_back(&terms.normal);
  for (std::size_t i = 0; i < closed.size(); ++i) {
    rows.push_back(&closed[i].tangent);
    const model::FrictionModel& law = machine.law(names[i]).friction;
    const Real mu = std::abs(closed[i].slip) <= kAtRest ? model::static_friction(law) : 0;
    const Real slide = mu > 0 ? 0 : model::slip_force(law, closed[i].slip, 1);
    contacts.frictions.push_back({static_cast<Index>(i), slide - mu, slide + mu, 0, 0});
  }
  for (Index j = 0; j < n; ++j) {
    VecX response, multipliers;
    solver.constrained_response(*rows[static_cast<std::size_t>(j)], response, multipliers);
    for (Index i = 0; i < n; ++i)
      contacts.G(i, j) = rows[static_cast<std::size_t>(i)]->times(response);
    const dynamics::ContactTerms& terms = closed[static_cast<std::size_t>(j % (n / 2))];
    contacts.b[j] = rows[static_cast<std::size_t>(j)]->times(a) +
                    (j < n / 2 ? terms.normal_drift : terms.tangent_drift);
  }

  const laws::ContactForces lemke = laws::solve(contacts);
  const std::vector<VecX> all = solve::enumerate_lcp(laws::to_lcp(contacts));
  const bool is_solved = lemke.status == problem::SolveStatus::converged;
  if (!is_solved && all.empty()) return 0;
  if (!is_solved) return kNone;
  Real nearest = std::numeric_limits<Real>::infinity();
  for (const VecX& z : all) {
    const VecX rate = contacts.G * forces_of(contacts, z) + contacts.b;
    nearest = std::min(nearest, (rate - lemke.rate).lpNorm<Eigen::Infinity>());
  }
  return nearest / (1 + lemke.rate.lpNorm<Eigen::Infinity>());
}

}  // namespace talus::reproduce
