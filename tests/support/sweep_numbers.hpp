#pragma once

#include <vector>

#include <talus/solve/gauss_seidel/rigid_nsgs.hpp>

namespace talus::test {

/// All numbers of an answer of sweeps, to be compared to the last bit.
[[nodiscard]] inline std::vector<Real> numbers(const solve::RigidNsgs& nsgs) {
  std::vector<Real> list;
  for (const problem::BodyVelocity& body : nsgs.velocity())
    for (int k = 0; k < 3; ++k) list.insert(list.end(), {body.v[k], body.s[k]});
  for (const problem::ImpulseBatch& batch : nsgs.impulse().central)
    for (const auto& row : batch.r) list.insert(list.end(), row, row + problem::kLanes);
  for (const Vec3& r : nsgs.impulse().general) list.insert(list.end(), r.begin(), r.end());
  return list;
}

}  // namespace talus::test
