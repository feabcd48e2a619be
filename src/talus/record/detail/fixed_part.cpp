#include <talus/record/detail/fixed_part.hpp>

#include <algorithm>
#include <vector>

#include <talus/hdf5/hdf5.hpp>
#include <talus/model/machine.hpp>
#include <talus/record/detail/shapes_part.hpp>
#include <talus/record/layout.hpp>
#include <talus/stepping/event.hpp>

namespace talus::record::detail {
namespace {

using hdf5::write_array;
using hdf5::write_attribute;
using hdf5::write_text;
using hdf5::write_texts;
using model::Body;

void write_bodies(hid_t file, const model::Model& model) {
  const std::size_t count = model.bodies.size();
  std::vector<std::string> names;
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> material;
  std::vector<double> mass, inertia;
  for (std::size_t i = 0; i < count; ++i) {
    const Body& body = model.bodies[i];
    names.push_back(model.body_name(static_cast<Index>(i)));
    kind.push_back(static_cast<std::uint8_t>(body.kind));
    material.push_back(body.material);
    mass.push_back(body.mass);
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) inertia.push_back(body.inertia(a, b));
  }
  const hsize_t n = count;
  write_texts(file, "bodies/name", names, "name of each body; a member of a set is name[k]");
  write_array(file, "bodies/kind", H5T_STD_U8LE, {n}, kind.data(), "1",
              "0 dynamic, 1 fixed, 2 kinematic");
  write_array(file, "bodies/material", H5T_STD_I32LE, {n}, material.data(), "1",
              "index in /materials");
  write_array(file, "bodies/mass", H5T_IEEE_F64LE, {n}, mass.data(), "kg",
              "ignored for bodies that are not dynamic");
  write_array(file, "bodies/inertia", H5T_IEEE_F64LE, {n, 3, 3}, inertia.data(), "kg m^2",
              "about the centre of mass, body frame");
  write_shapes(file, model);
}

/// The colour of each body: its own, else its material's. Nothing where the scene names none.
void write_colours(hid_t file, const model::Model& model) {
  std::vector<std::uint32_t> colour(model.bodies.size(), model::kNoColour);
  for (const model::BodyGroup& group : model.groups)
    for (Index i = group.first; i < group.first + group.count; ++i) {
      const auto body = static_cast<std::size_t>(i);
      colour[body] = group.colour != model::kNoColour
                         ? group.colour
                         : model.materials[model.bodies[body].material].colour;
    }
  if (std::all_of(colour.begin(), colour.end(),
                  [](model::Colour c) { return c == model::kNoColour; }))
    return;
  write_array(file, "bodies/colour", H5T_STD_U32LE, {colour.size()}, colour.data(), "1",
              "0xRRGGBB; 2^24: as the picture's maker likes");
}

void write_camera(hid_t file, const model::Model& model) {
  if (!model.camera) return;
  const auto& [eye, target] = *model.camera;
  const double points[6] = {eye.x(), eye.y(), eye.z(), target.x(), target.y(), target.z()};
  write_array(file, "camera", H5T_IEEE_F64LE, {2, 3}, points, "m",
              "where pictures are taken from at first: the eye, and what it looks at");
}

void write_materials(hid_t file, const model::Model& model) {
  std::vector<std::string> names;
  std::vector<double> density, friction, restitution;
  for (const model::Material& material : model.materials) {
    names.push_back(material.name);
    density.push_back(material.density);
  }
  for (const model::InterfaceLaw& law : model.laws) {
    friction.push_back(law.friction.coefficient);
    restitution.push_back(law.impact.restitution);
  }
  const hsize_t n = names.size();
  write_texts(file, "materials/name", names, "name of each material");
  write_array(file, "materials/density", H5T_IEEE_F64LE, {n}, density.data(), "kg/m^3",
              "density of each material");
  write_array(file, "materials/friction", H5T_IEEE_F64LE, {n, n}, friction.data(), "1",
              "friction coefficient between two materials");
  write_array(file, "materials/restitution", H5T_IEEE_F64LE, {n, n}, restitution.data(), "1",
              "restitution coefficient between two materials");
  if (!model.resists_more()) return;
  const auto write_more = [&](const char* path, auto value_of, const char* unit,
                              const char* meaning) {
    std::vector<double> values;
    for (const model::InterfaceLaw& law : model.laws) values.push_back(value_of(law));
    write_array(file, path, H5T_IEEE_F64LE, {n, n}, values.data(), unit, meaning);
  };
  using Law = model::InterfaceLaw;
  write_more(
      "materials/tangential_restitution",
      [](const Law& law) { return law.impact.tangential_restitution; }, "1",
      "restitution of the tangential velocity");
  write_more(
      "materials/rolling_friction", [](const Law& law) { return law.friction.rolling; }, "m",
      "largest rolling moment over the normal force");
  write_more(
      "materials/torsional_friction", [](const Law& law) { return law.friction.torsion; }, "m",
      "largest moment about the normal over the normal force");
  write_more(
      "materials/cohesion", [](const Law& law) { return law.cohesion; }, "N",
      "largest pull of one contact point");
  write_more(
      "materials/friction_across", [](const Law& law) { return law.friction.across; }, "1",
      "friction coefficient across the grain, where there is one");
}

/// Where a joint holds its bodies; (0, 0) of a body for those that hold an angle only. The axis is
/// that of a guide, else (0, 0); the clearance is 0 where there is none.
struct JointGeometry {
  Vec2 a = Vec2::Zero(), b = Vec2::Zero(), axis = Vec2::Zero();
  Real clearance = 0;
};

template <class J>
JointGeometry geometry_of(const J& joint) {
  JointGeometry geometry;
  if constexpr (requires { joint.p_A; }) {
    geometry.a = joint.p_A;
    geometry.b = joint.p_B;
  }
  if constexpr (requires { joint.axis_A; }) geometry.axis = joint.axis_A;
  if constexpr (requires { joint.clearance; }) geometry.clearance = joint.clearance;
  return geometry;
}

void write_joints(hid_t file, const model::Model& model) {
  if (model.machine == nullptr || model.machine->joints.empty()) return;
  std::vector<std::string> names;
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<double> point_a, point_b, axis_a, clearance;
  for (const model::Joint& joint : model.machine->joints) {
    names.push_back(joint.name);
    kind.push_back(static_cast<std::uint8_t>(joint.kind.index()));
    body_a.push_back(static_cast<std::int32_t>(joint.body_a));
    body_b.push_back(static_cast<std::int32_t>(joint.body_b));
    const JointGeometry points =
        std::visit([](const auto& j) { return geometry_of(j); }, joint.kind);
    for (const double p : {points.a.x(), points.a.y(), 0.0}) point_a.push_back(p);
    for (const double p : {points.b.x(), points.b.y(), 0.0}) point_b.push_back(p);
    for (const double p : {points.axis.x(), points.axis.y(), 0.0}) axis_a.push_back(p);
    clearance.push_back(points.clearance);
  }
  const hsize_t n = names.size();
  write_texts(file, "machine/joint", names, "name of each joint");
  write_array(file, "machine/kind", H5T_STD_U8LE, {n}, kind.data(), "1",
              "0 revolute, 1 prismatic, 2 weld, 3 distance, 4 rope, 5 gear, 6 revolute with "
              "clearance, 7 translational with clearance, 8 slot");
  write_array(file, "machine/body_a", H5T_STD_I32LE, {n}, body_a.data(), "1",
              "index of body A in /bodies");
  write_array(file, "machine/body_b", H5T_STD_I32LE, {n}, body_b.data(), "1",
              "index of body B in /bodies");
  write_array(file, "machine/point_a", H5T_IEEE_F64LE, {n, 3}, point_a.data(), "m",
              "where the joint holds body A, in its frame");
  write_array(file, "machine/point_b", H5T_IEEE_F64LE, {n, 3}, point_b.data(), "m",
              "where the joint holds body B, in its frame");
  write_array(file, "machine/axis_a", H5T_IEEE_F64LE, {n, 3}, axis_a.data(), "1",
              "direction of a guide in the frame of body A; 0 where there is none");
  write_array(file, "machine/clearance", H5T_IEEE_F64LE, {n}, clearance.data(), "m",
              "play of the joint; 0 where there is none");
}

void write_drives(hid_t file, const model::Model& model) {
  if (model.machine == nullptr || model.machine->drives.empty()) return;
  std::vector<std::string> names;
  std::vector<std::uint8_t> quantity;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<double> point_b, axis_a;
  for (const model::Drive& drive : model.machine->drives) {
    names.push_back(drive.name);
    quantity.push_back(static_cast<std::uint8_t>(drive.quantity));
    body_a.push_back(static_cast<std::int32_t>(drive.body_a));
    body_b.push_back(static_cast<std::int32_t>(drive.body_b));
    for (const double p : {drive.p_B.x(), drive.p_B.y(), 0.0}) point_b.push_back(p);
    for (const double p : {drive.axis_A.x(), drive.axis_A.y(), 0.0}) axis_a.push_back(p);
  }
  const hsize_t n = names.size();
  write_texts(file, "machine/drive", names, "name of each drive");
  write_array(file, "machine/drive_quantity", H5T_STD_U8LE, {n}, quantity.data(), "1",
              "what it drives: 0 an angle or its speed, 1 a displacement or its speed");
  write_array(file, "machine/drive_body_a", H5T_STD_I32LE, {n}, body_a.data(), "1",
              "index of body A in /bodies");
  write_array(file, "machine/drive_body_b", H5T_STD_I32LE, {n}, body_b.data(), "1",
              "index of body B in /bodies");
  write_array(file, "machine/drive_point_b", H5T_IEEE_F64LE, {n, 3}, point_b.data(), "m",
              "of a displacement: the driven point, in the frame of body B");
  write_array(file, "machine/drive_axis_a", H5T_IEEE_F64LE, {n, 3}, axis_a.data(), "1",
              "of a displacement: its direction, in the frame of body A");
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
  for (int i = 0; i <= static_cast<int>(stepping::kLastEventKind); ++i) {
    if (i > 0) names += ' ';
    names += stepping::to_string(static_cast<stepping::EventKind>(i));
  }
  write_attribute(events.get(), "values", names);
}

void write_group_attributes(hid_t file, stepping::Energy initial, Real tolerance) {
  const hdf5::Group certificates(
      H5Gcreate2(file, "certificates", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "certificates");
  write_attribute(certificates.get(), "tolerance", static_cast<double>(tolerance));
  const hdf5::Group energies(H5Gcreate2(file, "energies", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                             "energies");
  write_attribute(energies.get(), "initial_kinetic", static_cast<double>(initial.kinetic));
  write_attribute(energies.get(), "initial_potential", static_cast<double>(initial.potential));
  const hdf5::Group solver(H5Gcreate2(file, "solver", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                           "solver");
  std::string names;
  for (int i = 0; i <= static_cast<int>(problem::SolveStatus::interrupted); ++i)
    names.append(i > 0 ? " " : "").append(problem::to_string(static_cast<problem::SolveStatus>(i)));
  write_attribute(solver.get(), "values", names);
}

}  // namespace

void write_fixed_part(hid_t file, const model::Model& model, stepping::Energy initial,
                      Real tolerance, const Provenance& provenance) {
  write_attribute(file, "format", std::string(kFormat));
  write_attribute(file, "record_version", static_cast<long long>(kRecordVersion));
  write_attribute(file, "title", provenance.title);
  write_attribute(file, "status", std::string("running"));
  write_attribute(file, "dimension", static_cast<long long>(model.dimension));
  const double gravity[3] = {model.gravity.x(), model.gravity.y(), model.gravity.z()};
  write_array(file, "gravity", H5T_IEEE_F64LE, {3}, gravity, "m/s^2", "gravity, world frame");
  const PeriodicCell& cell = model.cell;
  const double faces[6] = {cell.low().x(),    cell.low().y(),    cell.low().z(),
                           cell.length().x(), cell.length().y(), cell.length().z()};
  write_array(file, "periodic_cell", H5T_IEEE_F64LE, {2, 3}, faces, "m",
              "low faces and lengths along x, y, z; length 0: not periodic. Positions are not "
              "wrapped into it");
  write_bodies(file, model);
  write_colours(file, model);
  write_camera(file, model);
  write_materials(file, model);
  write_joints(file, model);
  write_drives(file, model);
  write_provenance(file, provenance);
  write_group_attributes(file, initial, tolerance);
  if (model.dimension == 2) write_event_kinds(file);
}

}  // namespace talus::record::detail
