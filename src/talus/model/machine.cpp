#include <talus/model/machine.hpp>

#include <algorithm>
#include <cmath>

namespace talus::model {

bool can_touch(const Model& model, Index a, Index b) {
  const auto moves = [&](Index body) { return model.bodies[body].kind == BodyKind::dynamic; };
  if (!moves(a) && !moves(b)) return false;
  if (!model.machine) return true;
  for (const Index body : model.machine->untouchable)
    if (body == a || body == b) return false;
  return std::none_of(model.machine->joints.begin(), model.machine->joints.end(),
                      [&](const Joint& joint) {
                        return !joint.collides && ((joint.body_a == a && joint.body_b == b) ||
                                                   (joint.body_a == b && joint.body_b == a));
                      });
}

Quat upright_orientation(const Model& model, const State& state, Index body) {
  const Body& one = model.bodies[body];
  if (one.kind == BodyKind::dynamic || !std::holds_alternative<geometry::Plane>(one.shape))
    return Quat::Identity();
  for (const Motion& motion : model.motions)
    if (motion.body == body) return motion.rest.q;
  return state.orientation[body];
}

Real planar_angle(const Quat& orientation, const Quat& upright) {
  const Quat turn = orientation * upright.conjugate();
  return 2 * std::atan2(turn.z(), turn.w());
}

}  // namespace talus::model
