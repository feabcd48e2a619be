#include <talus/dynamics/planar_system.hpp>

#include <talus/base/contract.hpp>
#include <talus/dynamics/planar_meeting.hpp>

namespace talus::dynamics {

PlanarSystem::PlanarSystem(const model::Model& model, const model::State& state)
    : model_(model), machine_(model, state) {
  for (Index i = 0; i < model.body_count(); ++i) {
    TALUS_DEMAND(model.bodies[i].kind != model::BodyKind::kinematic);
    if (model.bodies[i].kind == model::BodyKind::dynamic) dynamic_.push_back(i);
  }
  VecX v;
  machine_.load(state, fixed_, v);
  for (const Index body : dynamic_) fixed_.segment<3>(3 * body).setZero();
}

VecX PlanarSystem::of_all(const VecX& q) const {
  VecX all = fixed_;
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    all.segment<3>(3 * dynamic_[i]) = q.segment<3>(3 * static_cast<Index>(i));
  return all;
}

VecX PlanarSystem::velocity_of_all(const VecX& v) const {
  VecX all = VecX::Zero(machine_.coordinate_count());
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    all.segment<3>(3 * dynamic_[i]) = v.segment<3>(3 * static_cast<Index>(i));
  return all;
}

VecX PlanarSystem::of_dynamic(const VecX& all) const {
  VecX part(coordinate_count());
  for (std::size_t i = 0; i < dynamic_.size(); ++i)
    part.segment<3>(3 * static_cast<Index>(i)) = all.segment<3>(3 * dynamic_[i]);
  return part;
}

VecX PlanarSystem::of_dynamic(const JacobianRow& row) const {
  VecX all = VecX::Zero(machine_.coordinate_count());
  row.add_to(all, 1);
  return of_dynamic(all);
}

ContactTerms PlanarSystem::meet(Index i, const VecX& q) const {
  ContactTerms terms;
  machine_.contact(i, of_all(q), VecX::Zero(machine_.coordinate_count()), terms);
  return terms;
}

model::LagrangianContact PlanarSystem::contact(Index i, const VecX& q) const {
  const ContactTerms terms = meet(i, q);
  model::LagrangianContact contact;
  contact.gap = terms.gap;
  contact.normal = of_dynamic(terms.normal);
  contact.tangents = of_dynamic(terms.tangent);
  contact.friction = friction_ ? friction_(i) : machine_.law(i).friction.coefficient;
  return contact;
}

void PlanarSystem::near_contacts(const VecX& q, std::vector<Index>& contacts) const {
  machine_.near_contacts(of_all(q), VecX::Zero(machine_.body_count()), contacts);
}

std::vector<model::LagrangianMeeting> PlanarSystem::meetings(const VecX& q, const VecX& q_end,
                                                             Real tolerance) const {
  const VecX start = of_all(q), end = of_all(q_end);
  std::vector<PlanarMeeting> found;
  find_meetings(machine_, start, end, tolerance, found);
  std::vector<model::LagrangianMeeting> meetings;
  for (const PlanarMeeting& meeting : found) {
    VecX at = start;
    on_the_way(meeting.pair, start, end, meeting.share, at);
    for (const Index contact : corners_inside(machine_, meeting.pair, at))
      meetings.push_back({contact, of_dynamic(at)});
  }
  return meetings;
}

model::LagrangianBilateral PlanarSystem::bilateral_at(const VecX& q, Real time) const {
  ConstraintTerms terms;
  machine_.constraints(time, of_all(q), VecX::Zero(machine_.coordinate_count()), terms);
  model::LagrangianBilateral bilateral{
      terms.value, MatX(coordinate_count(), machine_.constraint_count()), terms.rate};
  for (Index i = 0; i < machine_.constraint_count(); ++i)
    bilateral.gradient.col(i) = of_dynamic(terms.rows[static_cast<std::size_t>(i)]);
  return bilateral;
}

MatX PlanarSystem::mass(const VecX& /*q*/) const {
  return of_dynamic(machine_.mass().inverse_diagonal()).cwiseInverse().asDiagonal();
}

VecX PlanarSystem::force(const VecX& q, const VecX& v, Real time) const {
  VecX Q;
  machine_.force(time, of_all(q), velocity_of_all(v), Q);
  return of_dynamic(Q);
}

Real PlanarSystem::potential(const VecX& q) const {
  return machine_.potential_energy(0, of_all(q));
}

VecX PlanarSystem::coordinates(const model::State& state) const {
  VecX q, v;
  machine_.load(state, q, v);
  return of_dynamic(q);
}

VecX PlanarSystem::velocities(const model::State& state) const {
  VecX q, v;
  machine_.load(state, q, v);
  return of_dynamic(v);
}

void PlanarSystem::store(const VecX& q, const VecX& v, model::State& state) const {
  const VecX all = of_all(q);
  machine_.store(all, velocity_of_all(v), state);
  if (!model_.machine) state.internal.clear();
}

}  // namespace talus::dynamics
