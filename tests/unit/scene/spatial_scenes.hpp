#pragma once

#include <gtest/gtest.h>

#include <string>

#include "scene_folder.hpp"

namespace talus::scene {

/// Two bodies, the second one turned by 90° about z and at (1, 2, 3).
inline Scene load_spatial(const std::string& rest) {
  return SceneFolder().load(R"(
gravity: [0, 0, 0]
bodies:
  - {name: a, shape: {sphere: 10 cm}, mass: 2 kg}
  - name: b
    shape: {box: [0.4, 0.2, 0.1]}
    mass: 3 kg
    position: [1, 2, 3]
    orientation: {axis: [0, 0, 1], angle: 90 deg}
)" + rest);
}

inline void expect_near(const Vec3& a, const Vec3& b, Real tolerance = 1e-14) {
  EXPECT_LT((a - b).norm(), tolerance) << a.transpose() << "\n" << b.transpose();
}

}  // namespace talus::scene
