#include <talus/scene/detail/spec.hpp>

// How shapes are written.

namespace talus::scene::detail {
namespace {

constexpr std::size_t kMostHeights = 10'000;

Typed<SphereSpec> sphere_type() {
  return Object<SphereSpec>("sphere", "A ball about the body's origin.")
      .field("radius", &SphereSpec::radius, number(Quantity::length, kPositive), required(),
             "Radius.")
      .shorthand("radius")
      .done();
}

Typed<PlaneSpec> plane_type() {
  return Object<PlaneSpec>(
             "plane",
             "The half-space below a plane through the body's origin, without end: for "
             "fixed and kinematic bodies.")
      .field("normal", &PlaneSpec::normal, vector3(Quantity::ratio), with_default("[0, 0, 1]"),
             "Direction out of the half-space, any length but zero; turned by the body's "
             "orientation.")
      .done();
}

Typed<BoxSpec> box_type() {
  return Object<BoxSpec>("box", "A box about the body's origin, edges along its axes.")
      .field("size", &BoxSpec::size, vector3(Quantity::length, kPositive, true), required(),
             "Full edge lengths; one number makes a cube.")
      .shorthand("size")
      .done();
}

Typed<CapsuleSpec> capsule_type() {
  return Object<CapsuleSpec>(
             "capsule",
             "A cylinder with a half ball on each end, about the body's origin, its "
             "axis along the body's z.")
      .field("radius", &CapsuleSpec::radius, number(Quantity::length, kPositive), required(),
             "Radius of the cylinder and the balls.")
      .field("length", &CapsuleSpec::length, number(Quantity::length, kNonNegative), required(),
             "Length of the cylinder, without the ends.")
      .done();
}

Typed<DiscSpec> disc_type() {
  return Object<DiscSpec>("disc", "A disc about the body's origin.")
      .field("radius", &DiscSpec::radius, number(Quantity::length, kPositive), required(),
             "Radius.")
      .shorthand("radius")
      .done();
}

Typed<RodSpec> rod_type() {
  return Object<RodSpec>("rod",
                         "A rod with round ends about the body's origin, along the body's x.")
      .field("length", &RodSpec::length, number(Quantity::length, kPositive), required(),
             "Length without the ends.")
      .field("radius", &RodSpec::radius, number(Quantity::length, kPositive), required(),
             "Radius of the ends, half the thickness.")
      .done();
}

Typed<PolygonSpec> polygon_type() {
  return Object<PolygonSpec>("polygon",
                             "A convex polygon; it is moved so that its centroid is the "
                             "body's origin.")
      .field("corners", &PolygonSpec::corners, list(vector2(Quantity::length), 3, 64), required(),
             "Corners, in any order.")
      .done();
}

Typed<HalfPlaneSpec> half_plane_type() {
  return Object<HalfPlaneSpec>("half-plane",
                               "The side of a line through the body's origin, without "
                               "end: for fixed bodies.")
      .field("normal", &HalfPlaneSpec::normal, vector2(Quantity::ratio), with_default("[0, 1]"),
             "Direction out of the half-plane, any length but zero; turned by the body's "
             "orientation.")
      .done();
}

Typed<CylinderSpec> cylinder_type() {
  return Object<CylinderSpec>("cylinder",
                              "A cylinder about the body's origin, its axis along the body's z.")
      .field("radius", &CylinderSpec::radius, number(Quantity::length, kPositive), required(),
             "Radius.")
      .field("length", &CylinderSpec::length, number(Quantity::length, kPositive), required(),
             "Length along the axis.")
      .done();
}

Typed<PipeSpec> pipe_type() {
  return Object<PipeSpec>("pipe",
                          "The inside of a cylinder about the body's origin, its axis along the "
                          "body's z: a drum, a silo. For fixed and kinematic bodies.")
      .field("radius", &PipeSpec::radius, number(Quantity::length, kPositive), required(),
             "Inner radius.")
      .field("length", &PipeSpec::length, number(Quantity::length, kPositive), required(),
             "Length along the axis.")
      .field("ends", &PipeSpec::ends, boolean(), with_default("true"),
             "Whether both ends are closed; then everything outside is solid. An open pipe is felt "
             "along its length only, and not by bodies outside it.")
      .done();
}

Typed<HullSpec> hull_type() {
  return Object<HullSpec>("hull",
                          "The convex hull of points, moved so that its centre of mass is the "
                          "body's origin.")
      .field("points", &HullSpec::points, list(vector3(Quantity::length), 4, 100'000), optional(),
             "Points in any order; those inside are left out.")
      .field("file", &HullSpec::file, text(), optional(),
             "An STL or OBJ file with the points, relative to the file that names it.")
      .field("scale", &HullSpec::scale, vector3(Quantity::ratio, kAny, /*scalar_fills=*/true),
             with_default("1"),
             "Factor on all lengths, 0.001 for a file in millimetres; or one for each axis, below "
             "zero for a mirror image.")
      .field("centred", &HullSpec::centred, boolean(), with_default("true"),
             "Whether it is moved so that its centre of mass is its origin; if not, the origin is "
             "that of the points: for members of a clump, and bodies with a mass_centre.")
      .exactly_one({"points", "file"})
      .done();
}

Typed<MeshSpec> mesh_type() {
  return Object<MeshSpec>("mesh",
                          "A surface of triangles, for fixed and kinematic bodies. Its coordinates "
                          "are those of the body's frame. The corners of the triangles go "
                          "counter-clockwise seen from outside; matter is behind them, but for an "
                          "open surface.")
      .field("file", &MeshSpec::file, text(), optional(),
             "An STL (ASCII or binary) or OBJ file, or another format that assimp reads (PLY, OFF, "
             "GLB, "
             "DAE, 3MF), relative to the file that names it. It is read "
             "exactly, equal vertices are made one, and every defect is refused by name.")
      .field("scale", &MeshSpec::scale, number(Quantity::ratio, kPositive), with_default("1"),
             "Factor on all lengths, 0.001 for a file in millimetres.")
      .field("open", &MeshSpec::open, boolean(), with_default("false"),
             "Whether the surface may have a rim: a sheet, a hopper without thickness. It is felt "
             "from both sides: a body is on the side where its middle is. One without a rim is a "
             "solid.")
      .field("heights", &MeshSpec::heights,
             list(list(number(Quantity::length), 2, kMostHeights), 2, kMostHeights), optional(),
             "Ground as heights over a grid, felt from above: rows of numbers along x, one after "
             "another along y, in the middle of which the origin is.")
      .field("size", &MeshSpec::size, vector2(Quantity::length), optional(),
             "Lengths of the grid along x and y.")
      .exactly_one({"file", "heights"})
      .needs("scale", {"file"})
      .needs("open", {"file"})
      .needs("heights", {"size"})
      .needs("size", {"heights"})
      .shorthand("file")
      .done();
}

Typed<ClumpMemberSpec> clump_member_type() {
  return Object<ClumpMemberSpec>(
             "clump member", "One of the shapes that a clump is made of, and where it is in it.")
      .field("sphere", &ClumpMemberSpec::sphere, sphere_type(), optional(), "A ball.")
      .field("box", &ClumpMemberSpec::box, box_type(), optional(), "A box.")
      .field("capsule", &ClumpMemberSpec::capsule, capsule_type(), optional(), "A capsule.")
      .field("cylinder", &ClumpMemberSpec::cylinder, cylinder_type(), optional(), "A cylinder.")
      .field("hull", &ClumpMemberSpec::hull, hull_type(), optional(),
             "A convex hull, about its own centre of mass unless it is not centred.")
      .field("position", &ClumpMemberSpec::position, vector3(Quantity::length),
             with_default("[0, 0, 0]"), "Where the member's origin is.")
      .field("orientation", &ClumpMemberSpec::orientation, orientation_type(), optional(),
             "How the member is turned.")
      .exactly_one({"sphere", "box", "capsule", "cylinder", "hull"})
      .done();
}

}  // namespace

Typed<ShapeSpec> shape_type() {
  return Object<ShapeSpec>("shape", "The shape of a body: exactly one of these.")
      .field("sphere", &ShapeSpec::sphere, sphere_type(), optional(), "A ball.")
      .field("plane", &ShapeSpec::plane, plane_type(), optional(), "A half-space.")
      .field("box", &ShapeSpec::box, box_type(), optional(), "A box.")
      .field("capsule", &ShapeSpec::capsule, capsule_type(), optional(), "A capsule.")
      .field("cylinder", &ShapeSpec::cylinder, cylinder_type(), optional(), "A cylinder.")
      .field("hull", &ShapeSpec::hull, hull_type(), optional(), "A convex hull.")
      .field("pipe", &ShapeSpec::pipe, pipe_type(), optional(), "The inside of a cylinder.")
      .field("mesh", &ShapeSpec::mesh, mesh_type(), optional(), "A surface of triangles.")
      .field("clump", &ShapeSpec::clump, list(clump_member_type(), 1, 10'000), optional(),
             "Shapes that hold together as one body, moved so that its centre of mass (or the "
             "mass_centre that is given) is the body's origin. Where members overlap, their mass "
             "counts twice.")
      .field("disc", &ShapeSpec::disc, disc_type(), optional(), "A disc, in a planar scene.")
      .field("rod", &ShapeSpec::rod, rod_type(), optional(),
             "A rod with round ends, in a planar scene.")
      .field("polygon", &ShapeSpec::polygon, polygon_type(), optional(),
             "A convex polygon, in a planar scene.")
      .field("half_plane", &ShapeSpec::half_plane, half_plane_type(), optional(),
             "A half-plane, in a planar scene.")
      .exactly_one({"sphere", "plane", "box", "capsule", "cylinder", "hull", "pipe", "mesh",
                    "clump", "disc", "rod", "polygon", "half_plane"})
      .done();
}

Typed<OrientationSpec> orientation_type() {
  return Object<OrientationSpec>("orientation",
                                 "How a body is turned: a quaternion, or an angle about an axis.")
      .field("quaternion", &OrientationSpec::quaternion, vector4(Quantity::ratio), optional(),
             "[w, x, y, z], any length but zero (it is normalised).")
      .field("axis", &OrientationSpec::axis, vector3(Quantity::ratio), optional(),
             "Axis in the frame it is turned in (for a body, the world's), any length but zero.")
      .field("angle", &OrientationSpec::angle, number(Quantity::angle), optional(),
             "Angle about the axis, right-handed.")
      .field("turn", &OrientationSpec::turn, number(Quantity::angle), in_plane(optional()),
             "Angle about z.")
      .exactly_one({"quaternion", "axis", "turn"})
      .needs("axis", {"angle"})
      .needs("angle", {"axis"})
      .shorthand("turn")
      .done();
}

}  // namespace talus::scene::detail
