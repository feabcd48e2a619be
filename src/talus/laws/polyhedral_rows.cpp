#include <talus/laws/polyhedral_rows.hpp>

#include <cmath>

namespace talus::laws {
namespace {

using problem::BoundedRows;
using problem::RigidContact;

enum class BoundsKind : unsigned char { free, one_bound, two_bounds };

BoundsKind kind_of(const BoundedRows& rows, Index j) {
  const int bounds = int(std::isfinite(rows.lower[j])) + int(std::isfinite(rows.upper[j]));
  return bounds == 0   ? BoundsKind::free
         : bounds == 1 ? BoundsKind::one_bound
                       : BoundsKind::two_bounds;
}

/// Their order in the polyhedral problem: constraints, contacts, then bounds.
std::vector<PolyhedralRows::Place> places_of(const RigidContact& bodies) {
  const BoundedRows& rows = bodies.rows;
  std::vector<PolyhedralRows::Place> places(static_cast<std::size_t>(rows.size()));
  Index next = 0;
  for (const BoundsKind kind : {BoundsKind::free, BoundsKind::one_bound, BoundsKind::two_bounds}) {
    for (Index j = 0; j < rows.size(); ++j) {
      if (kind_of(rows, j) != kind) continue;
      const bool is_above = kind != BoundsKind::free && !std::isfinite(rows.lower[j]);
      const Real bound = is_above ? rows.upper[j] : rows.lower[j];
      places[j] = {next++, is_above ? Real(-1) : Real(1),
                   kind == BoundsKind::free ? Real(0) : bound};
    }
    if (kind == BoundsKind::free) next += 3 * bodies.contact_count();
  }
  return places;
}

using Entries = std::vector<Eigen::Triplet<Real>>;

template <class Part>
void add(Index row, Index body, const Part& part, Entries& entries) {
  for (Index k = 0; k < 6; ++k)
    entries.emplace_back(static_cast<int>(row), static_cast<int>(6 * body + k), part[k]);
}

/// J of all rows of the polyhedral problem over (v, s) of all bodies.
problem::SparseMatrix jacobian_of(const RigidContact& bodies,
                                  const std::vector<PolyhedralRows::Place>& places,
                                  problem::FrameRule frame, Index first_contact) {
  const BoundedRows& rows = bodies.rows;
  Entries entries;
  for (Index j = 0; j < rows.size(); ++j)
    rows.for_each_part(j, [&](const auto& part) {
      add(places[j].row, part.body, Vec6(places[j].sign * part.part), entries);
    });
  for (Index c = 0; c < bodies.contact_count(); ++c) {
    const problem::LocalContact contact = problem::local_contact(bodies, c, frame);
    for (Index k = 0; k < 3; ++k) {
      const Index row = first_contact + 3 * c + k;
      add(row, contact.body_a, contact.rows_a.row(k), entries);
      add(row, contact.body_b, contact.rows_b.row(k), entries);
    }
  }
  problem::SparseMatrix J(rows.size() + 3 * bodies.contact_count(),
                          6 * static_cast<Index>(bodies.bodies.size()));
  J.setFromTriplets(entries.begin(), entries.end());
  return J;
}

/// M⁻¹ over (v, s) of all bodies.
problem::SparseMatrix inverse_mass_of(const RigidContact& bodies) {
  Entries entries;
  const auto size = 6 * static_cast<Index>(bodies.bodies.size());
  for (std::size_t i = 0; i < bodies.bodies.size(); ++i) {
    const Real inverse = bodies.bodies[i].inverse_mass;
    const auto first = static_cast<int>(6 * i);
    for (int k = 0; k < 3 && inverse > 0; ++k) {
      entries.emplace_back(first + k, first + k, inverse);
      for (int l = 0; l < 3; ++l)
        entries.emplace_back(first + 3 + k, first + 3 + l, bodies.inverse_inertia[i](k, l));
    }
  }
  problem::SparseMatrix inverse(size, size);
  inverse.setFromTriplets(entries.begin(), entries.end());
  return inverse;
}

/// Contacts alone: W as to_local assembles it, contact by contact.
PolyhedralRows of_contacts(const RigidContact& bodies, problem::FrameRule frame, Index directions) {
  const problem::FrictionContact local = problem::to_local(bodies, frame);
  PolyhedralRows all;
  all.problem.W = local.W;
  all.problem.b = local.b;
  all.problem.friction = local.friction;
  all.problem.contact_directions.assign(static_cast<std::size_t>(local.contact_count()),
                                        problem::friction_directions(2, directions));
  return all;
}

}  // namespace

PolyhedralRows to_polyhedral(const RigidContact& bodies, problem::FrameRule frame,
                             Index directions) {
  if (bodies.rows.empty()) return of_contacts(bodies, frame, directions);
  const BoundedRows& rows = bodies.rows;
  PolyhedralRows all;
  all.places = places_of(bodies);
  problem::PolyhedralContact& p = all.problem;
  for (Index j = 0; j < rows.size(); ++j) p.bilateral_count += kind_of(rows, j) == BoundsKind::free;
  const problem::SparseMatrix J = jacobian_of(bodies, all.places, frame, p.bilateral_count);
  const problem::SparseMatrix by_mass = J * inverse_mass_of(bodies);
  p.W = by_mass * problem::SparseMatrix(J.transpose());

  // Velocities with the impulses that the bounds are.
  VecX v(6 * static_cast<Index>(bodies.bodies.size())), shift = VecX::Zero(J.rows());
  for (std::size_t i = 0; i < bodies.bodies.size(); ++i)
    v.segment<6>(6 * static_cast<Index>(i)) << bodies.bodies[i].v, bodies.bodies[i].s;
  for (const PolyhedralRows::Place& place : all.places) shift[place.row] = place.sign * place.shift;
  p.b = J * v + p.W * shift;

  std::vector<Real> friction;
  for (Index c = 0; c < bodies.contact_count(); ++c) {
    const problem::LocalContact contact = problem::local_contact(bodies, c, frame);
    p.b.segment<3>(p.bilateral_count + 3 * c) += contact.bias;
    friction.push_back(contact.friction);
    p.contact_directions.push_back(problem::friction_directions(2, directions));
  }
  std::vector<Real> bounds;
  std::vector<Index> with_two;
  for (Index j = 0; j < rows.size(); ++j) {
    const PolyhedralRows::Place& place = all.places[j];
    if (rows.compliance[j] != 0) p.W.coeffRef(place.row, place.row) += rows.compliance[j];
    p.b[place.row] += place.sign * (rows.bias[j] + rows.compliance[j] * place.shift);
    if (kind_of(rows, j) == BoundsKind::one_bound) {
      friction.push_back(0);
      p.contact_directions.emplace_back(0, 0);
      all.bounded.push_back(j);
    } else if (kind_of(rows, j) == BoundsKind::two_bounds) {
      bounds.push_back(rows.upper[j] - rows.lower[j]);
      p.joint_directions.push_back(MatX::Ones(1, 1));
      with_two.push_back(j);
    }
  }
  all.bounded.insert(all.bounded.end(), with_two.begin(), with_two.end());
  p.friction = VecX::Map(friction.data(), static_cast<Index>(friction.size()));
  p.bound = VecX::Map(bounds.data(), static_cast<Index>(bounds.size()));
  return all;
}

problem::ContactImpulses impulses_of(const PolyhedralRows& rows, const RigidContact& bodies,
                                     problem::FrameRule frame, const VecX& r) {
  const VecX of_contacts = r.segment(rows.problem.bilateral_count, 3 * bodies.contact_count());
  problem::ContactImpulses impulse = problem::impulses_to_world(bodies, of_contacts, frame);
  impulse.row.resize(rows.places.size());
  for (std::size_t j = 0; j < rows.places.size(); ++j) {
    const PolyhedralRows::Place& place = rows.places[j];
    impulse.row[j] = place.shift + place.sign * r[place.row];
  }
  return impulse;
}

}  // namespace talus::laws
