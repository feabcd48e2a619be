#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <talus/dynamics/mobility.hpp>
#include <talus/scene/convert.hpp>
#include <talus/scene/scene.hpp>
#include <talus/scene/scene_text.hpp>
#include <talus/sim/command.hpp>
#include <talus/sim/joint_coordinates.hpp>
#include <talus/sim/summary.hpp>

#include "arrays.hpp"
#include "binding.hpp"
#include "scene.hpp"

// Scenes for talus/scenes.py: files and texts go through the one reader of scene/.

namespace talus::python {
namespace {

namespace fs = std::filesystem;

std::optional<Real> number_or_none(const char* name, const py::object& value) {
  if (value.is_none()) return std::nullopt;
  return to_number(name, value);
}

std::optional<std::string> text_or_none(const char* name, const py::object& value) {
  if (value.is_none()) return std::nullopt;
  return to_text(name, value);
}

/// @param given by talus/scenes.py: every value in its form.
scene::Overrides overrides_of(const py::dict& given) {
  scene::Overrides overrides;
  for (const auto& [path, value] : given["set"].cast<std::map<std::string, std::string>>())
    overrides.settings.push_back({path, value});
  overrides.end_time = number_or_none("until", given["until"]);
  overrides.step_size = number_or_none("step", given["step"]);
  overrides.scheme = text_or_none("scheme", given["scheme"]);
  overrides.solver = text_or_none("solver", given["solver"]);
  overrides.tolerance = number_or_none("tolerance", given["tolerance"]);
  for (const auto& [name, folder] : given["packages"].cast<std::map<std::string, std::string>>())
    overrides.packages[name] = folder;
  overrides.keyframe = given["keyframe"].cast<std::string>();
  return overrides;
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return names;
}

std::vector<std::string> body_names(const scene::Scene& scene) {
  std::vector<std::string> names;
  for (Index i = 0; i < scene.model.body_count(); ++i) names.push_back(scene.model.body_name(i));
  return names;
}

std::vector<std::string> joint_names(const scene::Scene& scene) {
  if (scene.model.machine) return names_of(scene.model.machine->joints);
  if (scene.model.spatial_machine) return names_of(scene.model.spatial_machine->joints);
  return {};
}

py::list masses(const scene::Scene& scene) {
  py::list all;
  for (const model::Body& body : scene.model.bodies)
    all.append(body.kind == model::BodyKind::dynamic ? body.mass
                                                     : std::numeric_limits<Real>::infinity());
  return all;
}

/// What the constraints of a machine leave free at the start.
py::dict mobility_of(const scene::Scene& scene) {
  py::dict numbers;
  if (!scene.model.machine && !scene.model.spatial_machine) return numbers;
  const dynamics::Mobility mobility = dynamics::mobility(scene.model, scene.initial);
  numbers["degrees_of_freedom"] = mobility.degrees_of_freedom;
  numbers["constraints"] = mobility.constraints;
  numbers["redundant"] = mobility.redundant;
  numbers["loops"] = mobility.loops;
  numbers["is_consistent"] = mobility.is_consistent;
  return numbers;
}

}  // namespace

void bind_scene(py::module_& module) {
  py::class_<PyScene>(module, "Scene", "A scene as it was read (talus.Scene).")
      .def_property_readonly("title", [](const PyScene& s) { return s->title; })
      .def_property_readonly("dimension", [](const PyScene& s) { return s->model.dimension; })
      .def_property_readonly("step", [](const PyScene& s) { return s->step_size; })
      .def_property_readonly("end", [](const PyScene& s) { return s->end_time; })
      .def_property_readonly("scheme", [](const PyScene& s) { return s->scheme.scheme; })
      .def_property_readonly("solver", [](const PyScene& s) { return s->scheme.solver.solver; })
      .def_property_readonly("tolerance",
                             [](const PyScene& s) { return s->scheme.solver.tolerance; })
      .def_property_readonly("text", [](const PyScene& s) { return s->sources.front().text; })
      .def_property_readonly("body_names", [](const PyScene& s) { return body_names(*s); })
      .def_property_readonly("joint_names", [](const PyScene& s) { return joint_names(*s); })
      .def_property_readonly("probe_names", [](const PyScene& s) { return names_of(s->probes); })
      .def_property_readonly("sensor_names",
                             [](const PyScene& s) { return names_of(s->model.sensors); })
      .def_property_readonly("masses", [](const PyScene& s) { return masses(*s); })
      .def_property_readonly("mobility", [](const PyScene& s) { return mobility_of(*s); });
  module.def(
      "load_scene",
      [](const fs::path& path, const py::dict& given) {
        const scene::Overrides overrides = overrides_of(given);
        const py::gil_scoped_release unlocked;
        return PyScene(scene::load(path, overrides));
      },
      py::arg("path"), py::arg("overrides"));
  module.def(
      "load_scene_text",
      [](std::string text, const fs::path& name, const py::dict& given) {
        const scene::Overrides overrides = overrides_of(given);
        const py::gil_scoped_release unlocked;
        return PyScene(scene::load_text(std::move(text), name, overrides));
      },
      py::arg("text"), py::arg("name"), py::arg("overrides"));
  module.def(
      "convert",
      [](const fs::path& robot, const fs::path& target, const py::dict& given) {
        return scene::convert(robot, target, overrides_of(given));
      },
      py::arg("robot"), py::arg("target"), py::arg("overrides"));
  module.def(
      "with_overrides",
      [](std::string text, const fs::path& name, const fs::path& target, const py::dict& given) {
        return scene::with_overrides(std::move(text), name, target, overrides_of(given));
      },
      py::arg("text"), py::arg("name"), py::arg("target"), py::arg("overrides"));
  module.def("tidy_yaml", &scene::tidy_yaml, py::arg("text"), py::arg("name"));
  module.def("yaml_as_json", &scene::yaml_as_json, py::arg("text"), py::arg("name"));
}

}  // namespace talus::python
