#include <talus/driver/detail/rest.hpp>

namespace talus::driver::detail {

bool is_nearly_at_rest(const problem::RigidContact& problem,
                       std::span<const problem::BodyVelocity> velocity) {
  constexpr Real kShare = 0.3;
  if (problem.general.empty()) return false;
  Real motion = 0, mass = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Real inverse = problem.bodies[i].inverse_mass;
    const problem::BodyVelocity& free = problem.bodies[i];
    if (inverse == 0 || (velocity[i].v == free.v && velocity[i].s == free.s)) continue;
    motion += (velocity[i].v.squaredNorm() + velocity[i].s.squaredNorm()) / inverse;
    mass += 1 / inverse;
  }
  const Real slow = kShare * problem.force_speed;
  return motion <= slow * slow * mass;
}

}  // namespace talus::driver::detail
