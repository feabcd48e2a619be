#include <talus/record/detail/fixed_part.hpp>

#include <array>
#include <type_traits>
#include <vector>

#include <talus/geometry/shape.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/record/layout.hpp>

namespace talus::record::detail {
namespace {

using hdf5::write_array;
using hdf5::write_attribute;
using hdf5::write_text;
using hdf5::write_texts;
using model::Body;

/// Codes of /bodies/shape; the numbers that go with them are in /bodies/shape_size.
enum ShapeCode : std::uint8_t {
  kSphere,
  kPlane,
  kBox,
  kCapsule,
  kPolytope,
  kMesh,
  kCompound,
  kCylinder,
  kPipe
};

struct ShapeRow {
  std::uint8_t code = kPolytope;
  std::array<double, 3> size{};
};

ShapeRow describe(const geometry::Shape& shape) {
  return std::visit(
      [](const auto& s) -> ShapeRow {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, geometry::Sphere>)
          return {kSphere, {s.radius, 0, 0}};
        else if constexpr (std::is_same_v<S, geometry::Plane>)
          return {kPlane, {}};
        else if constexpr (std::is_same_v<S, geometry::Box>)
          return {kBox, {s.half_size.x(), s.half_size.y(), s.half_size.z()}};
        else if constexpr (std::is_same_v<S, geometry::Capsule>)
          return {kCapsule, {s.radius, s.half_length, 0}};
        else if constexpr (std::is_same_v<S, geometry::Cylinder>)
          return {kCylinder, {s.radius, s.half_length, 0}};
        else if constexpr (std::is_same_v<S, geometry::Pipe>)
          return {kPipe, {s.radius, s.half_length, s.has_ends ? 1.0 : 0.0}};
        else if constexpr (std::is_same_v<S, std::shared_ptr<const geometry::TriangleMesh>>)
          return {kMesh, {}};
        else if constexpr (std::is_same_v<S, std::shared_ptr<const geometry::Compound>>)
          return {kCompound, {}};
        else
          return {kPolytope, {}};
      },
      shape);
}

void write_names(hid_t file, const std::string& path, const std::vector<std::string>& names,
                 const char* meaning) {
  // Fixed length, so that 10⁵ names compress; NumPy reads them as bytes.
  std::size_t width = 1;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string block;
  for (const std::string& name : names) {
    block += name;
    block.append(width - name.size(), '\0');
  }
  const hdf5::Type type = hdf5::text_type(width);
  write_array(file, path, type.get(), {names.size()}, block.data(), "none", meaning);
}

void write_bodies(hid_t file, const model::Model& model) {
  const std::size_t count = model.bodies.size();
  std::vector<std::string> names;
  std::vector<std::uint8_t> kind, shape;
  std::vector<std::int32_t> material;
  std::vector<double> mass, inertia, size, position, orientation;
  for (std::size_t i = 0; i < count; ++i) {
    const Body& body = model.bodies[i];
    const ShapeRow row = describe(body.shape);
    names.push_back(model.body_name(static_cast<Index>(i)));
    kind.push_back(static_cast<std::uint8_t>(body.kind));
    material.push_back(body.material);
    mass.push_back(body.mass);
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) inertia.push_back(body.inertia(a, b));
    shape.push_back(row.code);
    size.insert(size.end(), row.size.begin(), row.size.end());
    for (const double p : {body.X_BS.p.x(), body.X_BS.p.y(), body.X_BS.p.z()})
      position.push_back(p);
    for (const double q : {body.X_BS.q.w(), body.X_BS.q.x(), body.X_BS.q.y(), body.X_BS.q.z()})
      orientation.push_back(q);
  }
  const hsize_t n = count;
  write_names(file, "bodies/name", names, "name of each body; a member of a set is name[k]");
  write_array(file, "bodies/kind", H5T_STD_U8LE, {n}, kind.data(), "1",
              "0 dynamic, 1 fixed, 2 kinematic");
  write_array(file, "bodies/material", H5T_STD_I32LE, {n}, material.data(), "1",
              "index in /materials");
  write_array(file, "bodies/mass", H5T_IEEE_F64LE, {n}, mass.data(), "kg",
              "ignored for bodies that are not dynamic");
  write_array(file, "bodies/inertia", H5T_IEEE_F64LE, {n, 3, 3}, inertia.data(), "kg m^2",
              "about the centre of mass, body frame");
  write_array(
      file, "bodies/shape", H5T_STD_U8LE, {n}, shape.data(), "1",
      "0 sphere, 1 plane, 2 box, 3 capsule, 4 polytope, 5 mesh, 6 compound, 7 cylinder, 8 pipe");
  write_array(file, "bodies/shape_size", H5T_IEEE_F64LE, {n, 3}, size.data(), "m",
              "sphere: radius; box: half edge lengths; capsule: radius, half length of its segment "
              "along z; cylinder: radius, half length; pipe: radius, half length, 1 if it has "
              "ends; all others: zeros (a plane is z = 0 with outward +z)");
  write_array(file, "bodies/shape_position", H5T_IEEE_F64LE, {n, 3}, position.data(), "m",
              "origin of the shape's frame in the body's frame");
  write_array(file, "bodies/shape_orientation", H5T_IEEE_F64LE, {n, 4}, orientation.data(), "1",
              "unit quaternion w, x, y, z: shape frame to body frame");
}

void write_materials(hid_t file, const model::Model& model) {
  std::vector<std::string> names;
  std::vector<double> density, friction, restitution;
  for (const model::Material& material : model.materials) {
    names.push_back(material.name);
    density.push_back(material.density);
  }
  for (const model::ContactLaw& law : model.laws) {
    friction.push_back(law.friction);
    restitution.push_back(law.restitution);
  }
  const hsize_t n = names.size();
  write_names(file, "materials/name", names, "name of each material");
  write_array(file, "materials/density", H5T_IEEE_F64LE, {n}, density.data(), "kg/m^3",
              "density of each material");
  write_array(file, "materials/friction", H5T_IEEE_F64LE, {n, n}, friction.data(), "1",
              "friction coefficient between two materials");
  write_array(file, "materials/restitution", H5T_IEEE_F64LE, {n, n}, restitution.data(), "1",
              "restitution coefficient between two materials");
}

void write_provenance(hid_t file, const Provenance& from) {
  std::vector<std::string> paths, texts;
  for (const Provenance::Source& source : from.sources) {
    paths.push_back(source.path);
    texts.push_back(source.text);
  }
  write_text(file, "provenance/version", from.version, "version of Talus");
  write_text(file, "provenance/git_commit", from.git_commit, "commit of the build, if known");
  write_text(file, "provenance/compiler", from.compiler, "compiler of the build");
  write_text(file, "provenance/flags", from.flags, "build type and compiler flags");
  write_text(file, "provenance/machine", from.machine, "machine the run was on");
  write_text(file, "provenance/command_line", from.command_line, "the command that was given");
  write_text(file, "provenance/start_time", from.start_time, "start of the run, UTC, ISO 8601");
  write_text(file, "provenance/options", from.options, "scheme, solver and time options as JSON");
  write_text(file, "provenance/scene_hash", from.scene_hash, "FNV-1a hash of all source texts");
  write_text(file, "provenance/scene", texts.empty() ? "" : texts.front(),
             "text of the scene file");
  write_texts(file, "provenance/source_paths", paths, "files the scene was made from");
  write_texts(file, "provenance/source_texts", texts, "their content, in the same order");
}

void write_event_kinds(hid_t file) {
  const hdf5::Group events(H5Gcreate2(file, "events", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           "events");
  std::string names;
  for (int i = 0; i <= static_cast<int>(stepping::EventKind::corner); ++i)
    names +=
        (i > 0 ? " " : "") + std::string(stepping::to_string(static_cast<stepping::EventKind>(i)));
  write_attribute(events.get(), "values", names);
}

void write_group_attributes(hid_t file, stepping::Energy initial) {
  const hdf5::Group energies(H5Gcreate2(file, "energies", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             "energies");
  write_attribute(energies.get(), "initial_kinetic", static_cast<double>(initial.kinetic));
  write_attribute(energies.get(), "initial_potential", static_cast<double>(initial.potential));
  const hdf5::Group solver(H5Gcreate2(file, "solver", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           "solver");
  std::string names;
  for (int i = 0; i <= static_cast<int>(problem::SolveStatus::interrupted); ++i)
    names +=
        (i > 0 ? " " : "") + std::string(problem::to_string(static_cast<problem::SolveStatus>(i)));
  write_attribute(solver.get(), "values", names);
}

}  // namespace

void write_fixed_part(hid_t file, const model::Model& model, stepping::Energy initial,
                      const Provenance& provenance) {
  write_attribute(file, "format", std::string(kFormat));
  write_attribute(file, "record_version", static_cast<long long>(kRecordVersion));
  write_attribute(file, "title", provenance.title);
  write_attribute(file, "status", std::string("running"));
  const double gravity[3] = {model.gravity.x(), model.gravity.y(), model.gravity.z()};
  write_array(file, "gravity", H5T_IEEE_F64LE, {3}, gravity, "m/s^2", "gravity, world frame");
  const PeriodicCell& cell = model.cell;
  const double faces[6] = {cell.low().x(),    cell.low().y(),    cell.low().z(),
                           cell.length().x(), cell.length().y(), cell.length().z()};
  write_array(file, "periodic_cell", H5T_IEEE_F64LE, {2, 3}, faces, "m",
              "low faces and lengths along x, y, z; length 0: not periodic. Positions are not "
              "wrapped into it");
  write_bodies(file, model);
  write_materials(file, model);
  write_provenance(file, provenance);
  write_group_attributes(file, initial);
  if (model.machine) write_event_kinds(file);
}

}  // namespace talus::record::detail
