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

std::string beyond_rigid_coulomb(const model::Machine& machine) {
  for (const model::Joint& joint : machine.joints)
    if (joint.friction) return "knows no friction in joints";
  for (const model::SurfaceLaw& surface : surfaces_of(machine)) {
    const model::FrictionLaw& friction = surface.friction;
    const auto* coulomb = std::get_if<model::CoulombFriction>(&friction.kind);
    if (coulomb == nullptr || friction.viscous > 0 || friction.rolling > 0)
      return "knows Coulomb friction only";
    if (coulomb->static_friction > friction.friction)
      return "knows no static friction above the kinetic one";
    if (!std::holds_alternative<model::RigidNormal>(surface.normal))
      return "knows rigid contacts only";
  }
  return "";
}

}  // namespace talus::stepping::detail
