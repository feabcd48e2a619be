// Bullet counts in units of 1 cm here: its tolerances are made for bodies of a size near 1.

#include <btBulletDynamicsCommon.h>

#include <fmt/format.h>
#include <cmath>

#include "peers/engine.hpp"

namespace talus::bench {
namespace {

constexpr Real kUnit = 0.01;  // [m]

btVector3 to_bullet(const Vec3& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}
Vec3 from_bullet(const btVector3& x) { return {x.x(), x.y(), x.z()}; }

class BulletEngine final : public Engine {
 public:
  BulletEngine(const model::Model& model, const model::State& state, const EngineOptions& options)
      : step_size_(options.step_size), dispatcher_(&configuration_) {
    configuration_.setPlaneConvexMultipointIterations(3, 3);
    world_ = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher_, &broad_phase_, &solver_,
                                                       &configuration_);
    world_->setGravity(to_bullet(model.gravity / kUnit));
    btContactSolverInfo& info = world_->getSolverInfo();
    info.m_numIterations = static_cast<int>(options.iterations);
    info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    for (Index i = 0; i < model.body_count(); ++i) add(model, state, i);
  }
  ~BulletEngine() override {
    for (const auto& body : bodies_) world_->removeRigidBody(body.get());
  }

  void step() override { world_->stepSimulation(static_cast<btScalar>(step_size_), 0); }

  void read(model::State& state) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const btTransform& pose = bodies_[i]->getWorldTransform();
      if (bodies_[i]->isStaticObject()) continue;
      const btQuaternion q = pose.getRotation();
      state.position[i] = kUnit * from_bullet(pose.getOrigin());
      state.orientation[i] = Quat(q.w(), q.x(), q.y(), q.z()).normalized();
      state.velocity[i] = kUnit * from_bullet(bodies_[i]->getLinearVelocity());
      state.angular_velocity[i] = from_bullet(bodies_[i]->getAngularVelocity());
    }
  }

  void read(std::vector<stepping::StepContact>& contacts) const override {
    contacts.clear();
    for (int m = 0; m < dispatcher_.getNumManifolds(); ++m) {
      const btPersistentManifold* manifold = dispatcher_.getManifoldByIndexInternal(m);
      for (int k = 0; k < manifold->getNumContacts(); ++k) {
        const btManifoldPoint& point = manifold->getContactPoint(k);
        const Vec3 impulse =
            Real(point.m_appliedImpulse) * from_bullet(point.m_normalWorldOnB) +
            Real(point.m_appliedImpulseLateral1) * from_bullet(point.m_lateralFrictionDir1) +
            Real(point.m_appliedImpulseLateral2) * from_bullet(point.m_lateralFrictionDir2);
        const Vec3 middle =
            (from_bullet(point.getPositionWorldOnA()) + from_bullet(point.getPositionWorldOnB())) /
            2;
        // Bullet's normal points from its body 1 to its body 0; the impulse acts on body 0.
        contacts.push_back(ordered(manifold->getBody1()->getUserIndex(),
                                   manifold->getBody0()->getUserIndex(), kUnit * middle,
                                   from_bullet(point.m_normalWorldOnB).normalized(),
                                   kUnit * Real(point.getDistance()), kUnit * impulse));
      }
    }
  }

  // Its slop is 0 unless one is set.
  [[nodiscard]] Correction correction() const override {
    return {Real(world_->getSolverInfo().m_erp2), 0};
  }

 private:
  void add(const model::Model& model, const model::State& state, Index i) {
    const model::Body& from = model.bodies[i];
    const Quat q = state.orientation[i];
    btTransform pose(btQuaternion(static_cast<btScalar>(q.x()), static_cast<btScalar>(q.y()),
                                  static_cast<btScalar>(q.z()), static_cast<btScalar>(q.w())),
                     to_bullet(state.position[i] / kUnit));
    if (const auto* sphere = std::get_if<geometry::Sphere>(&from.shape)) {
      shapes_.push_back(
          std::make_unique<btSphereShape>(static_cast<btScalar>(sphere->radius / kUnit)));
    } else if (const auto* box = std::get_if<geometry::Box>(&from.shape)) {
      shapes_.push_back(std::make_unique<btBoxShape>(to_bullet(box->half_size / kUnit)));
    } else {
      const Vec3 normal = q * Vec3::UnitZ();
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(
          to_bullet(normal), static_cast<btScalar>(normal.dot(state.position[i]) / kUnit)));
      pose.setIdentity();
    }
    const bool moves = from.kind == model::BodyKind::dynamic;
    const auto mass = static_cast<btScalar>(moves ? from.mass : 0);
    btVector3 inertia(0, 0, 0);
    if (moves) shapes_.back()->calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shapes_.back().get(), inertia);
    info.m_startWorldTransform = pose;
    // Bullet multiplies the coefficients of the two bodies.
    info.m_friction = static_cast<btScalar>(std::sqrt(model.law(0, 0).friction.coefficient));
    info.m_restitution = 0;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    btRigidBody& body = *bodies_.back();
    body.setUserIndex(static_cast<int>(i));
    body.setActivationState(DISABLE_DEACTIVATION);
    body.setLinearVelocity(to_bullet(state.velocity[i] / kUnit));
    body.setAngularVelocity(to_bullet(state.angular_velocity[i]));
    world_->addRigidBody(&body);
  }

  Real step_size_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_;
};

}  // namespace

EngineEntry bullet_engine() {
  return {"bullet",
          fmt::format("{}.{:02}, {} bit, sequential impulses, units of 1 cm",
                      BT_BULLET_VERSION / 100, BT_BULLET_VERSION % 100, 8 * sizeof(btScalar)),
          [](const model::Model& model, const model::State& state,
             const EngineOptions& options) -> std::unique_ptr<Engine> {
            return std::make_unique<BulletEngine>(model, state, options);
          }};
}

}  // namespace talus::bench
