#include <talus/solve/newton/detail/rigid_elements.hpp>

#include <utility>

namespace talus::solve::detail {

using problem::BodyForest;
using problem::RigidContact;
using Row36 = Eigen::Matrix<Real, 3, 6>;

void RigidElements::build(const RigidContact& problem, const BodyForest& forest) {
  list.clear();
  side.clear();
  for (Index c = 0; c < problem.contact_count(); ++c) add_contact(problem, forest, c);
  if (problem::has_moments(problem))
    for (Index c = 0; c < problem.contact_count(); ++c) add_moment(problem, forest, c);
  of_row.assign(static_cast<std::size_t>(problem.rows.size()), -1);
  for (Index j = 0; j < problem.rows.size(); ++j)
    if (!problem.rows.is_constraint(j)) add_row(problem, forest, j);
}

/// An element of three unknowns.
void RigidElements::add(RigidElement element, const BodyForest& forest, Index body_a,
                        const Row36& rows_a, Index body_b, const Row36& rows_b) {
  element.first = unknown_count();
  element.begin = static_cast<std::uint32_t>(side.size());
  if (const Index node = forest.node_of(body_a); node >= 0) side.push_back({node, rows_a});
  if (const Index node = forest.node_of(body_b); node >= 0) side.push_back({node, rows_b});
  element.end = static_cast<std::uint32_t>(side.size());
  list.push_back(element);
}

void RigidElements::add_contact(const RigidContact& problem, const BodyForest& forest,
                                Index contact) {
  const problem::LocalContact local = problem::local_contact(problem, contact);
  RigidElement element;
  element.friction = problem.law == problem::FrictionLaw::frictionless ? Real(0) : local.friction;
  element.compliance = local.compliance;
  element.pull = local.pull;
  element.rate = local.bias;
  for (const auto& [body, rows] :
       {std::pair(local.body_a, &local.rows_a), std::pair(local.body_b, &local.rows_b)}) {
    const problem::BodyVelocity& velocity = problem.bodies[body];
    element.rate += rows->leftCols<3>() * velocity.v + rows->rightCols<3>() * velocity.s;
  }
  add(element, forest, local.body_a, local.rows_a, local.body_b, local.rows_b);
}

void RigidElements::add_moment(const RigidContact& problem, const BodyForest& forest,
                               Index contact) {
  const problem::GeneralContact& own = problem.general[contact];
  const problem::LocalMoment local = problem::local_moment(problem, contact);
  if (!(local.torsion > 0 || local.rolling > 0)) return;
  RigidElement element;
  element.force = contact;
  element.moment = {local.torsion, local.rolling};
  const problem::BodyVelocity &a = problem.bodies[own.body_a], &b = problem.bodies[own.body_b];
  element.rate = local.basis.transpose() *
                 (b.s / problem.length[own.body_b] - a.s / problem.length[own.body_a]);
  add(element, forest, own.body_a, local.rows_a, own.body_b, local.rows_b);
}

void RigidElements::add_row(const RigidContact& problem, const BodyForest& forest, Index row) {
  const problem::BoundedRows& rows = problem.rows;
  RigidElement element;
  element.first = unknown_count();
  element.count = 1;
  element.compliance(0, 0) = rows.compliance[row];
  element.lower = rows.lower[row];
  element.upper = rows.upper[row];
  element.rate[0] = problem::row_rate(problem, row, problem.bodies);
  element.begin = static_cast<std::uint32_t>(side.size());
  rows.for_each_part(row, [&](const problem::RowPart& of) {
    const Index node = forest.node_of(of.body);
    if (node < 0) return;
    side.push_back({node, Row36::Zero()});
    side.back().rows.row(0) = of.part.transpose();
  });
  element.end = static_cast<std::uint32_t>(side.size());
  of_row[static_cast<std::size_t>(row)] = element.first;
  list.push_back(element);
}

}  // namespace talus::solve::detail
