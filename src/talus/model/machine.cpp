#include <talus/model/machine.hpp>

#include <algorithm>
#include <cmath>

#include <talus/model/spatial_machine.hpp>

namespace talus::model {
namespace {

/// Whether a machine keeps two bodies from touching, be it one in the plane or in space.
template <class AnyMachine>
bool keeps_apart(const AnyMachine& machine, Index a, Index b) {
  const auto is_one = [&](Index body) { return body == a || body == b; };
  return std::any_of(machine.visual_only.begin(), machine.visual_only.end(), is_one) ||
         std::any_of(machine.joints.begin(), machine.joints.end(), [&](const auto& joint) {
           return !joint.collides && is_one(joint.body_a) && is_one(joint.body_b);
         });
}

}  // namespace

bool can_touch(const Model& model, Index a, Index b) {
  const auto moves = [&](Index body) { return model.bodies[body].kind == BodyKind::dynamic; };
  if (!moves(a) && !moves(b)) return false;
  if (model.machine && keeps_apart(*model.machine, a, b)) return false;
  if (!model.spatial_machine) return true;
  const auto has_both = [&](const std::vector<Index>& list) {
    return std::find(list.begin(), list.end(), a) != list.end() &&
           std::find(list.begin(), list.end(), b) != list.end();
  };
  const auto& apart = model.spatial_machine->apart;
  return !keeps_apart(*model.spatial_machine, a, b) &&
         std::none_of(apart.begin(), apart.end(), has_both);
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
