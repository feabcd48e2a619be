#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/base/printable.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/spinner.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/dynamics/mobility.hpp>
#include <talus/json/json.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/scene/reference.hpp>
#include <talus/scene/scene.hpp>
#include <talus/scene/warnings.hpp>
#include <talus/stepping/capabilities.hpp>

namespace talus::cli {
namespace {

struct CheckOptions {
  std::string scene;
  bool as_json = false;
  bool is_strict = false;  ///< about robots' files
  RobotOptions robots;
  bool wants_schema = false;
  bool wants_reference = false;
  bool wants_schemes = false;
};

Index count_of(const model::Model& model, model::BodyKind kind) {
  Index count = 0;
  for (const model::Body& body : model.bodies) count += body.kind == kind ? 1 : 0;
  return count;
}

/// Steps of a run: the last one ends at the end time or after it.
Index step_count(const scene::Scene& scene) {
  return static_cast<Index>(std::ceil(scene.end_time / scene.step_size - 1e-9));
}

Json summary_of(const scene::Scene& scene) {
  using model::BodyKind;
  Json materials = Json::array();
  for (const model::Material& material : scene.model.materials) materials.push_back(material.name);
  return {{"valid", true},
          {"title", scene.title},
          {"file", scene.path.string()},
          {"bodies", scene.model.body_count()},
          {"dynamic_bodies", count_of(scene.model, BodyKind::dynamic)},
          {"fixed_bodies", count_of(scene.model, BodyKind::fixed)},
          {"kinematic_bodies", count_of(scene.model, BodyKind::kinematic)},
          {"materials", materials},
          {"scheme", scene.scheme.scheme},
          {"step_size", scene.step_size},
          {"end_time", scene.end_time},
          {"steps", step_count(scene)},
          {"solver", scene.scheme.solver.solver},
          {"tolerance", scene.scheme.solver.tolerance}};
}

std::string counted(std::size_t number, const char* what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

/// "2 joints, 1 drive, …": the parts of a machine.
std::string parts_text(const model::Model& model) {
  if (!model.spatial_machine)
    return fmt::format("{}, {}, {}", counted(model.machine->joints.size(), "joint"),
                       counted(model.machine->drives.size(), "drive"),
                       counted(model.machine->forces.size(), "force element"));
  const model::SpatialMachine& machine = *model.spatial_machine;
  return fmt::format("{}, {}, {}, {}", counted(machine.joints.size(), "joint"),
                     counted(machine.drives.size(), "drive"),
                     counted(machine.couplings.size(), "coupling"),
                     counted(machine.forces.size(), "force element"));
}

/// The parts of a machine and what its constraints leave free at the start.
std::string machine_text(const scene::Scene& scene) {
  const dynamics::Mobility mobility = dynamics::mobility(scene.model, scene.initial);
  std::string text =
      fmt::format("{}; {}, ", parts_text(scene.model),
                  counted(static_cast<std::size_t>(mobility.constraints), "constraint"));
  if (!mobility.is_consistent) return text + "which contradict each other at the start";
  if (mobility.redundant > 0) {
    std::string names;
    for (const dynamics::RedundantConstraints& one : mobility.redundant_in)
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", one.of,
                           one.count == 1 ? "" : fmt::format(": {}", one.count));
    text += fmt::format("{} of them redundant ({}), ", mobility.redundant, names);
  }
  if (mobility.loops > 0) text += counted(static_cast<std::size_t>(mobility.loops), "loop") + ", ";
  const Index freedom = mobility.degrees_of_freedom;
  return fmt::format("{}{} degree{} of freedom", text, freedom, freedom == 1 ? "" : "s");
}

void print_summary(const scene::Scene& scene) {
  using model::BodyKind;
  std::string materials;
  for (const model::Material& material : scene.model.materials)
    materials += (materials.empty() ? "" : ", ") + material.name;
  fmt::print("{}: {}\n", scene.path.string(),
             scene.title.empty() ? "(no title)" : printable(scene.title));
  fmt::print("bodies     {} dynamic, {} fixed, {} kinematic\n",
             count_of(scene.model, BodyKind::dynamic), count_of(scene.model, BodyKind::fixed),
             count_of(scene.model, BodyKind::kinematic));
  fmt::print("materials  {}\n", printable(materials));
  if (scene.model.machine || scene.model.spatial_machine)
    fmt::print("machine    {}\n", printable(machine_text(scene)));
  fmt::print("time       {:g} s in steps of {:g} s, {} steps\n", scene.end_time, scene.step_size,
             step_count(scene));
  fmt::print("scheme     {}\n", scene.scheme.scheme);
  fmt::print("solver     {}, tolerance {:g}\n", scene.scheme.solver.solver,
             scene.scheme.solver.tolerance);
  for (const scene::RobotNote& note : scene.robot_notes)
    fmt::print("{}\n", printable(to_string(note)));
  for (const std::string& warning : scene::limit_warnings(scene))
    fmt::print("warning: {}\n", printable(warning));
  fmt::print("no mistakes found\n");
}

Json mistakes_of(const InputError& error) {
  Json mistakes = Json::array();
  for (const Diagnostic& mistake : error.diagnostics())
    mistakes.push_back({{"file", mistake.position.file},
                        {"line", mistake.position.line},
                        {"column", mistake.position.column},
                        {"path", mistake.path},
                        {"message", mistake.message},
                        {"hint", mistake.hint}});
  return {{"valid", false}, {"mistakes", mistakes}};
}

/// Parts of robots' files that are left out as mistakes.
void refuse_left_out(const scene::Scene& scene) {
  std::vector<Diagnostic> mistakes;
  for (const scene::RobotNote& note : scene.robot_notes)
    if (note.kind == scene::RobotNoteKind::ignored || note.kind == scene::RobotNoteKind::refused)
      mistakes.push_back(
          {note.where, "",
           (note.kind == scene::RobotNoteKind::ignored ? "ignored: " : "refused: ") + note.text, "",
           ""});
  if (!mistakes.empty()) throw InputError(std::move(mistakes));
}

/// The summary with the report on robots' files, where there are some.
Json with_notes(Json summary, const scene::Scene& scene) {
  for (const scene::RobotNote& note : scene.robot_notes)
    summary["robot_notes"].push_back(to_string(note));
  for (const std::string& warning : scene::limit_warnings(scene))
    summary["warnings"].push_back(warning);
  return summary;
}

scene::Scene scene_of(const CheckOptions& options) {
  const Spinner spinner(stderr, "reading " + options.scene);
  return scene::load(options.scene, overrides_of(options.robots));
}

int check(const CheckOptions& options) {
  if (options.wants_schema || options.wants_reference || options.wants_schemes) {
    fmt::print("{}", options.wants_schema      ? scene::json_schema()
                     : options.wants_reference ? scene::reference_page()
                                               : stepping::capability_page());
    return kDone;
  }
  if (options.scene.empty())
    throw InputError(Diagnostic{{"command line"},
                                "",
                                "check needs a scene",
                                "",
                                "talus check SCENE, or talus check --help"});
  try {
    const scene::Scene scene = scene_of(options);
    if (options.is_strict) refuse_left_out(scene);
    if (options.as_json)
      fmt::print("{}\n", json_text(with_notes(summary_of(scene), scene)));
    else
      print_summary(scene);
    return kDone;
  } catch (const InputError& error) {
    if (!options.as_json) throw;
    fmt::print("{}\n", json_text(mistakes_of(error)));
    return kInputError;
  }
}

}  // namespace

void add_check(Verb program) {
  auto options = std::make_shared<CheckOptions>();
  Verb verb = program.add_verb("check", "Reads a scene and reports every mistake in it");
  verb.footer(
      "Examples:\n  talus check examples/four_balls\n  talus check --json scene.yaml\n  talus "
      "check --schema > scene.schema.json");
  verb.add_option("scene", options->scene, "Scene file, or a folder with scene.yaml");
  add_robot_options(verb, options->robots);
  verb.add_flag("--strict", options->is_strict,
                "Parts of robots' files that are ignored or refused are mistakes");
  verb.add_flag("--json", options->as_json, "Print one JSON object");
  verb.add_flag("--schema", options->wants_schema, "Print the JSON schema of scenes, for editors");
  verb.add_flag("--reference", options->wants_reference, "Print the reference page of scenes");
  verb.add_flag("--schemes", options->wants_schemes, "Print what each scheme supports, as a page");
  verb.action([options] { return check(*options); });
}

}  // namespace talus::cli
