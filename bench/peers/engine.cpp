#include "peers/engine.hpp"

namespace talus::bench {

std::vector<EngineEntry> engines() {
  std::vector<EngineEntry> found{talus_engine()};
#ifdef TALUS_PEER_BULLET
  found.push_back(bullet_engine());
#endif
#ifdef TALUS_PEER_ODE
  found.push_back(ode_engine());
#endif
#ifdef TALUS_PEER_MUJOCO
  found.push_back(mujoco_engine());
#endif
  return found;
}

stepping::StepContact ordered(Index body_a, Index body_b, const Vec3& position, const Vec3& normal,
                              Real gap, const Vec3& impulse) {
  const bool is_turned = body_a > body_b;
  const Real sign = is_turned ? -1 : 1;
  return {is_turned ? body_b : body_a,
          is_turned ? body_a : body_b,
          position,
          sign * normal,
          gap,
          sign * impulse,
          0};
}

}  // namespace talus::bench
