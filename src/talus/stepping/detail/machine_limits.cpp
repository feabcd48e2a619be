#include <talus/stepping/detail/machine_limits.hpp>

#include <variant>

namespace talus::stepping::detail {

std::span<const model::Joint> joints_of(const model::Model& model) {
  if (!model.machine) return {};
  return model.machine->joints;
}

std::vector<model::InterfaceLaw> laws_of(const model::Model& model) {
  std::vector<model::InterfaceLaw> laws = model.laws;
  for (const model::Joint& joint : joints_of(model)) {
    if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind))
      laws.push_back(pin->law);
    if (const auto* block = std::get_if<model::TranslationalClearance>(&joint.kind))
      laws.push_back(block->law);
  }
  return laws;
}

std::string beyond_set_valued(const model::Model& model) {
  for (const model::Joint& joint : joints_of(model))
    if (joint.friction)
      return "does not support joint friction: its normal force is an unknown of the same LCP "
             "(take "
             "moreau_midpoint)";
  for (const model::InterfaceLaw& law : laws_of(model)) {
    const model::FrictionModel& friction = law.friction;
    if (!model::has_stick(friction) || friction.viscous > 0)
      return "supports friction of Coulomb and Stribeck only: a force that is a function of the "
             "velocity is no part of an LCP (take moreau_midpoint)";
    if (friction.rolling > 0) return "does not support rolling resistance (take moreau_midpoint)";
    if (!std::holds_alternative<model::RigidNormal>(law.normal))
      return "supports rigid contacts only: gaps are enforced at the end of the step (take "
             "moreau_midpoint)";
  }
  return "";
}

}  // namespace talus::stepping::detail
