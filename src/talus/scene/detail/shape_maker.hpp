#pragma once

#include <map>
#include <optional>

#include <talus/geometry/shape.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Makes shapes of what a scene says; reads the files they name, adds them to the scene's sources
/// and keeps them, so that the members of a set share one shape.
class ShapeMaker {
 public:
  ShapeMaker(Scene& scene, Problems& problems) : scene_(scene), problems_(problems) {}

  /// The shape, scaled; hulls and clumps about their centre of mass. A plane's normal is not in it:
  /// see plane_rotation. Nothing, and the reason in the problems, when it cannot be made.
  [[nodiscard]] std::optional<geometry::Shape> make(const ShapeSpec& spec, Real scale = 1);
  /// A clump about a point [m], seen from where the positions of its members are.
  [[nodiscard]] std::optional<geometry::Shape> clump_about(const ShapeSpec& spec,
                                                           const Vec3& origin);

 private:
  [[nodiscard]] std::optional<geometry::Shape> load(const ShapeSpec& spec);
  [[nodiscard]] std::optional<geometry::Shape> hull(const HullSpec& spec);
  [[nodiscard]] std::optional<geometry::Shape> mesh(const MeshSpec& spec);
  [[nodiscard]] std::optional<geometry::Shape> ground(const MeshSpec& spec);
  [[nodiscard]] std::optional<geometry::Shape> clump(const std::vector<ClumpMemberSpec>& members,
                                                     const std::optional<Vec3>& origin,
                                                     const Place& place);
  [[nodiscard]] std::string read(const Spec& spec, const std::string& file,
                                 std::filesystem::path& path);
  void note(const InputError& error, const Place& place);

  Scene& scene_;
  Problems& problems_;
  std::map<const ShapeSpec*, std::optional<geometry::Shape>> loaded_;  // at scale 1
};

/// The rotation a scene describes, none if it says nothing; no value, and the reason in the
/// problems, for a zero axis or quaternion.
[[nodiscard]] std::optional<Quat> rotation_of(const std::optional<OrientationSpec>& spec,
                                              Problems& problems);

/// Whether a vector is long enough to have a direction.
[[nodiscard]] bool has_direction(const Eigen::Ref<const VecX>& vector);

}  // namespace talus::scene::detail
