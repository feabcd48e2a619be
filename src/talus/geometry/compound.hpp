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
  /// Appends the numbers of all members whose bounding ball may touch a ball, in order.
  /// @param centre in the compound's frame [m]. @param radius [m], may be infinite.
  /// Cost: the members between the ball's ends along x.
  void near(const Vec3& centre, Real radius, std::vector<int>& found) const;
  /// The same compound with every member moved by a shift [m].
  [[nodiscard]] Compound moved(const Vec3& shift) const;

 private:
  void sort_along_x();

  std::vector<Member> members_;
  std::vector<int> along_x_;  ///< members by the x of their origins
  Real largest_radius_ = 0;
};

}  // namespace talus::geometry
