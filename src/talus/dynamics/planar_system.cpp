#include <talus/dynamics/planar_system.hpp>

#include <algorithm>

#include <talus/base/contract.hpp>
#include <talus/dynamics/planar_meeting.hpp>

namespace talus::dynamics {

PlanarSystem::PlanarSystem(const model::Model& model, const model::State& state)
    : model_(model), machine_(model, state), rest_(VecX::Zero(machine_.coordinate_count())) {
  for (const model::Body& body : model.bodies)
    TALUS_DEMAND(body.kind != model::BodyKind::kinematic);
}

ContactTerms PlanarSystem::meet(Index i, const VecX& q) const {
  ContactTerms terms;
  machine_.contact(i, q, rest_, terms);
  return terms;
}

model::LagrangianContact PlanarSystem::contact(Index i, const VecX& q) const {
  const ContactTerms terms = meet(i, q);
  const BodyPair pair = machine_.bodies_of(i);
  model::LagrangianContact contact;
  contact.gap = terms.gap;
  contact.friction = friction_ ? friction_(i) : machine_.law(i).friction.coefficient;
  for (const Index body : {std::min(pair.body_a, pair.body_b), std::max(pair.body_a, pair.body_b)})
    for (Index k = 0; k < 3 && machine_.mass().moves(body); ++k)
      contact.coordinates.push_back(3 * body + k);
  const auto entries = static_cast<Index>(contact.coordinates.size());
  contact.normal.resize(entries);
  contact.tangents.resize(entries, 1);
  for (Index k = 0; k < entries; k += 3) {
    const Index body = contact.coordinates[static_cast<std::size_t>(k)] / 3;
    contact.normal.segment<3>(k) = terms.normal.part(body);
    contact.tangents.col(0).segment<3>(k) = terms.tangent.part(body);
  }
  return contact;
}

void PlanarSystem::near_contacts(const VecX& q, std::vector<Index>& contacts) const {
  machine_.near_contacts(q, VecX::Zero(machine_.body_count()), contacts);
}

std::vector<model::LagrangianMeeting> PlanarSystem::meetings(const VecX& q, const VecX& q_end,
                                                             Real tolerance) const {
  std::vector<PlanarMeeting> found;
  find_meetings(machine_, q, q_end, tolerance, found);
  std::vector<model::LagrangianMeeting> meetings;
  for (const PlanarMeeting& meeting : found) {
    VecX at = q;
    on_the_way(meeting.pair, q, q_end, meeting.share, at);
    for (const Index contact : corners_inside(machine_, meeting.pair, at))
      meetings.push_back({contact, at});
  }
  return meetings;
}

model::LagrangianBilateral PlanarSystem::bilateral_at(const VecX& q, Real time) const {
  ConstraintTerms terms;
  machine_.constraints(time, q, rest_, terms);
  model::LagrangianBilateral bilateral{
      terms.value, MatX::Zero(coordinate_count(), machine_.constraint_count()), terms.rate};
  for (Index i = 0; i < machine_.constraint_count(); ++i)
    terms.rows[static_cast<std::size_t>(i)].for_each([&](Index body, const auto& part) {
      if (machine_.mass().moves(body)) bilateral.gradient.col(i).segment(3 * body, 3) += part;
    });
  return bilateral;
}

MatX PlanarSystem::step_mass(const VecX& /*q*/, Real h) const {
  MatX blocks = MatX::Zero(coordinate_count(), 3);
  const VecX& inverse = machine_.step_mass(h, 1).inverse_diagonal();
  for (Index i = 0; i < coordinate_count(); ++i)
    blocks(i, i % 3) = machine_.mass().moves(i / 3) ? 1 / inverse[i] : 1;
  return blocks;
}

VecX PlanarSystem::step_force(const VecX& q, const VecX& v, Real time, Real h) const {
  VecX Q;
  machine_.given_force({time, time + h}, q, v, Q);
  for (Index body = 0; body < machine_.body_count(); ++body)
    if (!machine_.mass().moves(body)) Q.segment<3>(3 * body).setZero();
  return Q;
}

model::LagrangianSprings PlanarSystem::springs(const VecX& q) const {
  std::vector<ElasticRow> rows;
  machine_.elastic_rows(q, rows);
  const auto count = static_cast<Index>(rows.size());
  model::LagrangianSprings springs{VecX(count), MatX::Zero(coordinate_count(), count), VecX(count),
                                   VecX(count)};
  for (Index i = 0; i < count; ++i) {
    const ElasticRow& spring = rows[static_cast<std::size_t>(i)];
    springs.stretch[i] = spring.stretch;
    springs.stiffness[i] = spring.stiffness;
    springs.damping[i] = spring.damping;
    spring.row.for_each([&](Index body, const auto& part) {
      if (machine_.mass().moves(body)) springs.gradient.col(i).segment(3 * body, 3) += part;
    });
  }
  return springs;
}

Real PlanarSystem::potential(const VecX& q) const { return machine_.potential_energy(0, q); }

void PlanarSystem::store(const VecX& q, const VecX& v, model::State& state) const {
  machine_.store(q, v, state);
  if (!model_.machine) state.internal.clear();
}

}  // namespace talus::dynamics
