#include <ode/ode.h>

#include <fmt/format.h>
#include <array>
#include <deque>

#include "peers/engine.hpp"

namespace talus::bench {
namespace {

Vec3 from_ode(const dReal* x) { return {x[0], x[1], x[2]}; }

class OdeEngine final : public Engine {
 public:
  OdeEngine(const model::Model& model, const model::State& state, const EngineOptions& options)
      : step_size_(options.step_size), friction_(model.law(0, 0).friction.coefficient) {
    static const bool is_ready = dInitODE2(0) != 0;  // once per process, never taken back
    static_cast<void>(is_ready);
    world_ = dWorldCreate();
    space_ = dHashSpaceCreate(nullptr);
    joints_ = dJointGroupCreate(0);
    dWorldSetGravity(world_, model.gravity.x(), model.gravity.y(), model.gravity.z());
    dWorldSetQuickStepNumIterations(world_, static_cast<int>(options.iterations));
    dWorldSetAutoDisableFlag(world_, 0);
    for (Index i = 0; i < model.body_count(); ++i) add(model, state, i);
  }
  ~OdeEngine() override {
    dJointGroupDestroy(joints_);
    dSpaceDestroy(space_);
    dWorldDestroy(world_);
  }

  void step() override {
    dJointGroupEmpty(joints_);
    contacts_.clear();
    dSpaceCollide(space_, this, [](void* self, dGeomID a, dGeomID b) {
      static_cast<OdeEngine*>(self)->touch(a, b);
    });
    dWorldQuickStep(world_, step_size_);
  }

  void read(model::State& state) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (bodies_[i] == nullptr) continue;
      const dReal* q = dBodyGetQuaternion(bodies_[i]);
      state.position[i] = from_ode(dBodyGetPosition(bodies_[i]));
      state.orientation[i] = Quat(q[0], q[1], q[2], q[3]);
      state.velocity[i] = from_ode(dBodyGetLinearVel(bodies_[i]));
      state.angular_velocity[i] = from_ode(dBodyGetAngularVel(bodies_[i]));
    }
  }

  void read(std::vector<stepping::StepContact>& contacts) const override {
    contacts.clear();
    for (const Touch& touch : contacts_) {
      // The normal points to the first body, on which the joint's f1 acts.
      contacts.push_back(ordered(touch.second, touch.first, from_ode(touch.geom.pos),
                                 from_ode(touch.geom.normal).normalized(), -touch.geom.depth,
                                 step_size_ * from_ode(touch.feedback.f1)));
    }
  }

  // Its surface layer is 0 unless one is set.
  [[nodiscard]] Correction correction() const override { return {dWorldGetERP(world_), 0}; }

 private:
  struct Touch {
    Index first = 0, second = 0;
    dContactGeom geom{};
    dJointFeedback feedback{};
  };

  static Index index_of(dGeomID geom) {
    return static_cast<Index>(reinterpret_cast<std::intptr_t>(dGeomGetData(geom)));
  }

  void touch(dGeomID a, dGeomID b) {
    if (dGeomGetBody(a) == nullptr) std::swap(a, b);  // a joint's first body must be one
    if (dGeomGetBody(a) == nullptr) return;
    std::array<dContact, 8> found{};
    const int count =
        dCollide(a, b, static_cast<int>(found.size()), &found[0].geom, sizeof(dContact));
    for (int k = 0; k < count; ++k) {
      dContact& contact = found[static_cast<std::size_t>(k)];
      contact.surface.mode = dContactApprox1;  // friction bounded by μ times the normal force
      contact.surface.mu = friction_;
      const dJointID joint = dJointCreateContact(world_, joints_, &contact);
      dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
      contacts_.push_back({index_of(a), index_of(b), contact.geom, {}});
      dJointSetFeedback(joint, &contacts_.back().feedback);
    }
  }

  void add(const model::Model& model, const model::State& state, Index i) {
    const model::Body& from = model.bodies[i];
    const Quat q = state.orientation[i];
    dGeomID geom = nullptr;
    if (const auto* sphere = std::get_if<geometry::Sphere>(&from.shape)) {
      geom = dCreateSphere(space_, sphere->radius);
    } else if (const auto* box = std::get_if<geometry::Box>(&from.shape)) {
      const Vec3 edge = 2 * box->half_size;
      geom = dCreateBox(space_, edge.x(), edge.y(), edge.z());
    } else {
      const Vec3 n = q * Vec3::UnitZ();
      geom = dCreatePlane(space_, n.x(), n.y(), n.z(), n.dot(state.position[i]));
    }
    dGeomSetData(geom, reinterpret_cast<void*>(static_cast<std::intptr_t>(i)));
    bodies_.push_back(nullptr);
    if (from.kind != model::BodyKind::dynamic) return;
    const dBodyID body = bodies_.back() = dBodyCreate(world_);
    const Vec3 &x = state.position[i], &v = state.velocity[i], &w = state.angular_velocity[i];
    const Mat3& inertia = from.inertia;
    dMass mass;
    dMassSetParameters(&mass, from.mass, 0, 0, 0, inertia(0, 0), inertia(1, 1), inertia(2, 2),
                       inertia(0, 1), inertia(0, 2), inertia(1, 2));
    dBodySetMass(body, &mass);
    dBodySetPosition(body, x.x(), x.y(), x.z());
    const dQuaternion quaternion = {q.w(), q.x(), q.y(), q.z()};
    dBodySetQuaternion(body, quaternion);
    dBodySetLinearVel(body, v.x(), v.y(), v.z());
    dBodySetAngularVel(body, w.x(), w.y(), w.z());
    dGeomSetBody(geom, body);
  }

  Real step_size_, friction_;
  dWorldID world_ = nullptr;
  dSpaceID space_ = nullptr;
  dJointGroupID joints_ = nullptr;
  std::vector<dBodyID> bodies_;
  std::deque<Touch> contacts_;  // feedback must stay where it is
};

}  // namespace

EngineEntry ode_engine() {
  return {"ode", "QuickStep",
          [](const model::Model& model, const model::State& state,
             const EngineOptions& options) -> std::unique_ptr<Engine> {
            return std::make_unique<OdeEngine>(model, state, options);
          }};
}

}  // namespace talus::bench
