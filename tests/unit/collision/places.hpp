#pragma once

#include <span>
#include <vector>

#include <talus/collision/contact_detector.hpp>

namespace talus::collision {

/// Poses as the detector takes them.
class Places {
 public:
  explicit Places(std::span<const Pose> poses) {
    for (const Pose& pose : poses) {
      position_.push_back(pose.p);
      orientation_.push_back(pose.q);
    }
  }
  operator Placement() const { return {position_, orientation_}; }

 private:
  std::vector<Vec3> position_;
  std::vector<Quat> orientation_;
};

}  // namespace talus::collision
