#pragma once

#include <span>
#include <vector>

#include <talus/geometry/shape.hpp>

namespace talus::geometry {

/// A body made of several convex shapes that do not move against each other; they may overlap.
class Compound {
 public:
  struct Member {
    Shape shape;
    Pose pose;        ///< of the member in the compound
    Real radius = 0;  ///< bounding radius of the member about its own origin [m]
  };

  /// @throws InputError unless there is a member and every one is convex, bounded and valid.
  [[nodiscard]] static Compound build(std::vector<Member> members);

  [[nodiscard]] std::span<const Member> members() const { return members_; }
  /// The same compound with every member moved by a shift [m].
  [[nodiscard]] Compound moved(const Vec3& shift) const;

 private:
  std::vector<Member> members_;
};

}  // namespace talus::geometry
