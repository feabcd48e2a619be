#include <talus/stepping/detail/machine_limits.hpp>

#include <variant>

namespace talus::stepping::detail {

std::vector<model::SurfaceLaw> surfaces_of(const model::Machine& machine) {
  std::vector<model::SurfaceLaw> surfaces = machine.surfaces;
  for (const model::Joint& joint : machine.joints) {
    if (const auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind))
      surfaces.push_back(pin->surface);
    if (const auto* block = std::get_if<model::TranslationalClearance>(&joint.kind))
      surfaces.push_back(block->surface);
  }
  return surfaces;
}

std::string beyond_set_valued(const model::Machine& machine) {
  for (const model::Joint& joint : machine.joints)
    if (joint.friction)
      return "knows no friction in joints: what presses on it are impulses of the LCP itself (take "
             "moreau_midpoint)";
  for (const model::SurfaceLaw& surface : surfaces_of(machine)) {
    const model::FrictionLaw& friction = surface.friction;
    if (!model::has_stick(friction) || friction.viscous > 0)
      return "knows friction of Coulomb and Stribeck only: a force that is a function of the "
             "velocity is no part of an LCP (take moreau_midpoint)";
    if (friction.rolling > 0) return "knows no rolling resistance (take moreau_midpoint)";
    if (!std::holds_alternative<model::RigidNormal>(surface.normal))
      return "knows rigid contacts only: it meets gaps at the end of a step exactly (take "
             "moreau_midpoint)";
  }
  return "";
}

}  // namespace talus::stepping::detail
