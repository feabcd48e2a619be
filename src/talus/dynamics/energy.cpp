#include <talus/dynamics/energy.hpp>

#include <talus/dynamics/machine_terms.hpp>
#include <talus/dynamics/system.hpp>

namespace talus::dynamics {
namespace {

template <class Visit>
void for_each_dynamic(const model::Model& model, const model::State& state, Visit visit) {
  for (Index i = 0; i < model.body_count(); ++i)
    if (model.bodies[i].kind == model::BodyKind::dynamic && state.is_present(i))
      visit(model.bodies[i], i);
}

/// I ω in the world frame, from the inertia in the body's.
Vec3 spin_momentum(const model::Body& body, const Quat& q, const Vec3& angular_velocity) {
  return q * (body.inertia * (q.conjugate() * angular_velocity));
}

}  // namespace

Real kinetic_energy(const model::Body& body, const Quat& orientation, const Vec3& velocity,
                    const Vec3& angular_velocity) {
  return 0.5 * body.mass * velocity.squaredNorm() +
         0.5 * angular_velocity.dot(spin_momentum(body, orientation, angular_velocity));
}

Energy energy_of(const model::Model& model, const model::State& state, Index i) {
  const model::Body& body = model.bodies[i];
  return {kinetic_energy(body, state.orientation[i], state.velocity[i], state.angular_velocity[i]),
          -body.mass * model.gravity.dot(state.position[i])};
}

Energy energy(const model::Model& model, const model::State& state) {
  Energy sum;
  for_each_dynamic(model, state, [&](const model::Body&, Index i) {
    const Energy own = energy_of(model, state, i);
    sum.kinetic += own.kinetic;
    sum.potential += own.potential;
  });
  if (model.spatial_machine) {
    const MachineTerms terms(*model.spatial_machine, model.body_count());
    const MotionOfState of(terms, state);
    sum.potential += terms.potential_energy(of.motion());
    sum.kinetic += terms.kinetic_energy(of.motion());
  }
  if (!model.machine || model.machine->forces.empty()) return sum;
  const auto system = make_system(model, state);
  VecX q, v;
  system->load(state, q, v);
  sum.potential = system->potential_energy(state.time, q);
  return sum;
}

Vec3 linear_momentum(const model::Model& model, const model::State& state) {
  Vec3 sum = Vec3::Zero();
  for_each_dynamic(model, state,
                   [&](const model::Body& body, Index i) { sum += body.mass * state.velocity[i]; });
  return sum;
}

Vec3 angular_momentum(const model::Model& model, const model::State& state) {
  Vec3 sum = Vec3::Zero();
  for_each_dynamic(model, state, [&](const model::Body& body, Index i) {
    sum += state.position[i].cross(body.mass * state.velocity[i]) +
           spin_momentum(body, state.orientation[i], state.angular_velocity[i]);
  });
  return sum;
}

}  // namespace talus::dynamics
