#include <talus/record/detail/fixed_part.hpp>

#include <algorithm>
#include <vector>

#include <talus/hdf5/hdf5.hpp>
#include <talus/record/detail/machine_part.hpp>
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
  write_machine(file, model);
  write_provenance(file, provenance);
  write_group_attributes(file, initial, tolerance);
  if (model.dimension == 2 || model.spatial_machine) write_event_kinds(file);
}

}  // namespace talus::record::detail
