// A program outside the project: projects (0, 1.5, 0) onto the cone of μ = 1, by hand (0.75, 0.75,
// 0).
#include <cstdio>

#include <talus/math/cone_projection.hpp>

int main() {
  const talus::Vec3 r = talus::project_friction_cone(talus::Vec3(0, 1.5, 0), 1);
  std::printf("impulse %g %g\n", r[0], r[1]);
  return 0;
}
