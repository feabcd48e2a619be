#include <talus/model/interface_law.hpp>

namespace talus::model {

bool InterfaceLaw::resists_more() const {
  return impact.tangential_restitution > 0 || friction.rolling > 0 || friction.torsion > 0 ||
         cohesion > 0 || !friction.grain.isZero(0);
}

bool InterfaceLaw::is_function() const {
  return !is_rigid(normal) || !has_stick(friction) || friction.viscous > 0 ||
         static_friction(friction) > friction.coefficient;
}

InterfaceLaw coulomb_law(Real friction, Real restitution) {
  InterfaceLaw law;
  law.friction.coefficient = friction;
  law.impact.restitution = restitution;
  return law;
}

}  // namespace talus::model
