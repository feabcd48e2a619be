#include <talus/dynamics/rigid_bodies.hpp>

#include <Eigen/LU>

#include <cmath>

#include <talus/base/contract.hpp>
#include <talus/dynamics/free_motion.hpp>

namespace talus::dynamics {
namespace {

std::vector<collision::Collider> colliders(const model::Model& model) {
  std::vector<collision::Collider> list;
  list.reserve(model.bodies.size());
  for (const model::Body& body : model.bodies)
    list.push_back({&body.shape, body.X_BS, body.kind == model::BodyKind::dynamic});
  return list;
}

}  // namespace

RigidBodies::RigidBodies(const model::Model& model) : model_(&model), detector_(colliders(model)) {
  for (Index i = 0; i < model.body_count(); ++i) {
    const model::Body& body = model.bodies[i];
    const bool is_sphere = detector_.is_centred_sphere(i);
    const bool dynamic = is_dynamic(i);
    const geometry::Aabb box = geometry::bounds(body.shape, Pose{});
    size_.push_back((box.upper - box.lower).minCoeff() / 2);
    // A length that makes spins comparable with velocities: a sphere's radius, else the radius of
    // gyration.
    const Real reach = detector_.reach(i);
    const Real length = is_sphere ? reach
                        : dynamic ? std::sqrt(body.inertia.trace() / (2 * body.mass))
                                  : (std::isfinite(reach) && reach > 0 ? reach : Real(1));
    length_.push_back(length);
    turning_reach_.push_back(is_sphere || !std::isfinite(reach) ? 0 : reach);
    inverse_mass_.push_back(dynamic ? 1 / body.mass : 0);
    inverse_inertia_.push_back(dynamic ? length * length / body.inertia(0, 0) : 0);
    body_inverse_inertia_.push_back(dynamic ? Mat3(length * length * body.inertia.inverse())
                                            : Mat3(Mat3::Zero()));
    const bool is_central = body.kind == model::BodyKind::fixed ||
                            (is_sphere && (!dynamic || is_isotropic(body.inertia)));
    is_central_.push_back(is_central);
    if (!is_central) needs_general_ = true;
  }
}

void RigidBodies::free_velocities(const model::State& state, Real step_size,
                                  std::vector<Vec3>& velocity,
                                  std::vector<Vec3>& angular_velocity) const {
  velocity = state.velocity;
  angular_velocity = state.angular_velocity;
  for (Index i = 0; i < model_->body_count(); ++i) {
    if (!is_dynamic(i)) continue;
    velocity[i] =
        velocity[i] / (1 + step_size * model_->linear_damping) + step_size * model_->gravity;
    angular_velocity[i] /= 1 + step_size * model_->angular_damping;
  }
}

void RigidBodies::load(const model::State& pose, std::span<const Vec3> velocity,
                       std::span<const Vec3> angular_velocity,
                       problem::RigidContact& problem) const {
  const Index count = model_->body_count();
  problem.clear();
  problem.bodies.resize(count);
  problem.length = length_;
  for (Index i = 0; i < count; ++i)
    problem.bodies[i] = {velocity[i], inverse_mass_[i], length_[i] * angular_velocity[i],
                         inverse_inertia_[i]};
  if (!needs_general_) return;
  problem.inverse_inertia.resize(count);
  for (Index i = 0; i < count; ++i) {
    const Mat3 rotation = pose.orientation[i].toRotationMatrix();
    const Mat3 world = rotation * body_inverse_inertia_[i] * rotation.transpose();
    problem.inverse_inertia[i] = 0.5 * (world + world.transpose());
  }
}

void RigidBodies::add(std::span<const collision::Contact> contacts,
                      std::span<const ContactTerm> terms, std::span<const Vec3> position,
                      problem::RigidContact& problem, std::vector<Index>& order) const {
  TALUS_DEMAND(contacts.size() == terms.size());
  order.clear();
  // A central contact needs its normal along both arms. Fixed bodies neither turn nor are turned,
  // so their arm is free; the other body must be a sphere about its centre of mass.
  const auto is_central = [&](const collision::Contact& contact) {
    return is_central_[contact.a] && is_central_[contact.b];
  };
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    if (!is_central(contacts[c])) continue;
    problem.add_central(
        {contacts[c].normal, terms[c].bias, 0, 0, terms[c].friction, contacts[c].a, contacts[c].b});
    order.push_back(static_cast<Index>(c));
  }
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const collision::Contact& contact = contacts[c];
    if (is_central(contact)) continue;
    problem.general.push_back({contact.normal, terms[c].bias,
                               (contact.position - position[contact.a]) / length_[contact.a],
                               (contact.position - position[contact.b]) / length_[contact.b],
                               terms[c].friction, contact.a, contact.b});
    order.push_back(static_cast<Index>(c));
  }
}

Real RigidBodies::normal_velocity(const collision::Contact& contact, std::span<const Vec3> position,
                                  std::span<const Vec3> velocity,
                                  std::span<const Vec3> angular_velocity) {
  const auto at_contact = [&](std::uint32_t body) -> Vec3 {
    return velocity[body] + angular_velocity[body].cross(contact.position - position[body]);
  };
  return contact.normal.dot(at_contact(contact.b) - at_contact(contact.a));
}

void RigidBodies::store(std::span<const problem::BodyVelocity> solved, std::vector<Vec3>& velocity,
                        std::vector<Vec3>& angular_velocity) const {
  for (std::size_t i = 0; i < solved.size(); ++i) {
    if (inverse_mass_[i] == 0) continue;  // prescribed
    velocity[i] = solved[i].v;
    angular_velocity[i] = solved[i].s / length_[i];
  }
}

}  // namespace talus::dynamics
