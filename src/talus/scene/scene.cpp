#include <talus/scene/scene.hpp>

#include <fmt/format.h>

#include <talus/scene/detail/build.hpp>
#include <talus/scene/detail/files.hpp>
#include <talus/scene/detail/overlap.hpp>
#include <talus/scene/detail/periodic.hpp>
#include <talus/scene/detail/probes.hpp>
#include <talus/scene/detail/read.hpp>
#include <talus/stepping/assembly.hpp>
#include <talus/stepping/inconsistent_constraints.hpp>
#include <talus/stepping/scheme_registry.hpp>

namespace talus::scene {
namespace {

namespace fs = std::filesystem;
using namespace detail;

fs::path main_file_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  fs::path file = path / "scene.yaml";
  if (!fs::exists(file, error))
    throw file_error(path.string(), "the folder has no file scene.yaml",
                     "give the scene file itself");
  return file;
}

void take_settings(const SceneSpec& spec, Scene& scene) {
  scene.title = spec.title;
  scene.model.dimension = static_cast<int>(spec.dimension);
  const bool is_flat = spec.dimension == 2 && !spec.has("gravity");
  scene.model.gravity = is_flat ? Vec3(0, -9.81, 0) : spec.gravity;
  scene.model.linear_damping = spec.damping.linear;
  scene.model.angular_damping = spec.damping.angular;
  scene.step_size = spec.time.step;
  scene.end_time = spec.time.end;
  scene.on_uncertified = spec.on_uncertified;
  scene.scheme.scheme = spec.scheme.name;
  scene.scheme.theta = spec.scheme.theta;
  scene.scheme.error_reduction = spec.scheme.error_reduction;
  scene.scheme.slop = spec.scheme.slop;
  scene.scheme.sleeping = spec.scheme.sleeping;
  scene.scheme.directions = spec.scheme.directions;
  scene.scheme.tangents = spec.scheme.tangents;
  scene.scheme.overlap = spec.scheme.overlap;
  scene.scheme.fixed_point = spec.scheme.fixed_point;
  scene.scheme.max_halvings = spec.scheme.max_halvings;
  stepping::event_driven::MachineOptions& machine = scene.scheme.machine;
  machine.integrator = spec.scheme.integrator;
  machine.tolerance = spec.scheme.tolerance;
  machine.step = spec.scheme.internal_step.value_or(0);
  machine.rho_infinity = spec.scheme.radius;
  machine.stabilisation = spec.scheme.stabilisation;
  machine.alpha = spec.scheme.baumgarte.alpha.value_or(0);
  machine.beta = spec.scheme.baumgarte.beta.value_or(0);
  machine.is_baumgarte_squared = spec.scheme.baumgarte.is_baumgarte_squared;
  machine.impacts = spec.scheme.impacts;
  machine.restitution = spec.scheme.restitution;
  machine.on_painleve = spec.scheme.on_painleve;
  scene.scheme.solver.solver = spec.solver.name;
  scene.scheme.solver.tolerance = spec.solver.tolerance;
  scene.scheme.solver.max_iterations = spec.solver.max_iterations;
  scene.scheme.solver.relaxation = spec.solver.relaxation;
  scene.scheme.solver.directions = spec.solver.directions;
}

/// Records of many bodies are for looking, unless the scene says otherwise.
void take_record(const RecordSpec& spec, Scene& scene) {
  constexpr Index kMostInDouble = 1000, kMostWithContacts = 10'000, kSeldom = 10;
  const Index bodies = scene.model.body_count();
  scene.record_every = spec.every;
  scene.record_contacts_every =
      spec.contacts_every.value_or(bodies > kMostWithContacts ? kSeldom : 1);
  scene.is_recorded_in_single = spec.has("precision") ? spec.is_single : bodies > kMostInDouble;
}

/// The law of friction, which one of the files may set. Without friction Coulomb's law with μ = 0
/// is the same, and faster.
void take_law(const SceneFiles& files, Scene& scene, Problems& problems) {
  const ContactsSpec* chosen = nullptr;
  const auto look_at = [&](const FragmentSpec& fragment) {
    if (!fragment.contacts || !fragment.contacts->law) return;
    if (chosen != nullptr)
      problems.add(fragment.contacts->place, "the law of friction is already set",
                   "set it in one file");
    chosen = &*fragment.contacts;
  };
  look_at(files.scene);
  for (const FragmentSpec& fragment : files.included) look_at(fragment);
  if (chosen == nullptr) return;
  if (*chosen->law != problem::FrictionLaw::frictionless) {
    scene.scheme.law = *chosen->law;
    return;
  }
  for (model::InterfaceLaw& law : scene.model.laws) law.friction = {};
  if (!scene.model.machine) return;
  auto machine = std::make_shared<model::Machine>(*scene.model.machine);
  for (model::Joint& joint : machine->joints) {
    if (auto* pin = std::get_if<model::RevoluteClearance>(&joint.kind)) pin->law.friction = {};
    if (auto* block = std::get_if<model::TranslationalClearance>(&joint.kind))
      block->law.friction = {};
  }
  scene.model.machine = std::move(machine);
}

/// Replaces a setting by what the command line says, if the schema's field allows it.
template <class T>
void override_with(const std::optional<T>& value, T& setting, const char* flag, const char* object,
                   const char* key, Problems& problems) {
  if (!value) return;
  const Type& type = *scene_schema().type->find(object)->type->find(key)->type;
  const std::string mistake = mistake_in(type, *value);
  if (mistake.empty())
    setting = *value;
  else
    problems.add(Diagnostic{{"command line"}, flag, mistake, "", ""});
}

void apply(const Overrides& overrides, Scene& scene, Problems& problems) {
  override_with(overrides.end_time, scene.end_time, "--until", "time", "end", problems);
  override_with(overrides.step_size, scene.step_size, "--step-size", "time", "step", problems);
  override_with(overrides.scheme, scene.scheme.scheme, "--scheme", "scheme", "name", problems);
  override_with(overrides.solver, scene.scheme.solver.solver, "--solver", "solver", "name",
                problems);
  override_with(overrides.tolerance, scene.scheme.solver.tolerance, "--tolerance", "solver",
                "tolerance", problems);
  override_with(overrides.sweeps, scene.scheme.solver.max_iterations, "--sweeps", "solver",
                "max_iterations", problems);
}

void check_time(const Scene& scene, const SceneSpec& spec, const Overrides& overrides,
                Problems& problems) {
  if (!spec.time.is_sound) return;
  const auto note = [&](std::string message) {
    if (overrides.end_time || overrides.step_size)
      problems.add(Diagnostic{{"command line"},
                              overrides.end_time ? "--until" : "--step-size",
                              std::move(message),
                              "",
                              ""});
    else
      problems.add(spec.has("time") ? spec.time.place.at("end") : spec.place, std::move(message));
  };
  if (scene.step_size > scene.end_time)
    note(fmt::format("the time step, {} s, is longer than the time to simulate, {} s",
                     scene.step_size, scene.end_time));
  if (scene.end_time / scene.step_size > kMostSteps)
    note(fmt::format("a run has at most {:g} steps, {} s in steps of {} s are more", kMostSteps,
                     scene.end_time, scene.step_size));
}

void check_gravity(const Scene& scene, const SceneSpec& spec, Problems& problems) {
  if (scene.model.dimension == 2 && scene.model.gravity.z() != 0)
    problems.add(spec.place.at("gravity"),
                 fmt::format("expected z = 0 in a planar scene, got {:g}", scene.model.gravity.z()),
                 "down is -y: [0, -9.81, 0]; seen from above there is none: [0, 0, 0]");
}

void check_sleeping(const Scene& scene, const SceneSpec& spec, Problems& problems) {
  const stepping::SchemeOptions& options = scene.scheme;
  if (!options.sleeping) return;
  const Place place = spec.scheme.place.at("sleeping");
  if (options.scheme != "moreau_jean" && spec.scheme.name == "moreau_jean")  // --scheme
    problems.add(place, options.scheme + " does not let bodies sleep", "take moreau_jean");
  if (options.scheme == "moreau_jean" && options.theta != 1)
    problems.add(place, fmt::format("bodies sleep with theta 1 only, it is {}", options.theta),
                 "set theta to 1, or sleeping to false");
}

/// The place of the entry with a name, in whatever file; that of the scene if there is none.
template <class T>
const Place& place_of(const std::string& name, std::vector<T> FragmentSpec::*list,
                      const SceneFiles& files) {
  const auto find = [&](const FragmentSpec& fragment) -> const Place* {
    for (const T& spec : fragment.*list)
      if (spec.name == name) return &spec.place;
    return nullptr;
  };
  if (const Place* place = find(files.scene)) return *place;
  for (const FragmentSpec& fragment : files.included)
    if (const Place* place = find(fragment)) return *place;
  return files.scene.place;
}

/// The place of the entry that made a body.
const Place& place_of(Index body, const Scene& scene, const SceneFiles& files) {
  const std::string name = scene.model.body_name(body);
  return place_of(name.substr(0, name.find('[')), &FragmentSpec::bodies, files);
}

/// Joints and drives that cannot all be kept from the start on.
void check_contradictions(const Scene& scene, const SceneFiles& files, Problems& problems) {
  if (!scene.model.machine) return;
  const model::Machine& machine = *scene.model.machine;
  const auto system = dynamics::make_system(scene.model, scene.initial);
  VecX q, v;
  system->load(scene.initial, q, v);
  const auto who = stepping::contradiction(*system, scene.initial.time, q, v);
  if (who.is_empty()) return;
  const Place& place =
      who.drives.empty()
          ? place_of(machine.joints[who.joints.back()].name, &FragmentSpec::joints, files)
          : place_of(machine.drives[who.drives.back()].name, &FragmentSpec::drives, files);
  problems.add(place, "no motion satisfies these together at the start: " + who.names(),
               "remove one of them, or change what it says");
}

void check_overlaps(const Scene& scene, const SceneFiles& files, Problems& problems) {
  constexpr int kMostReported = 10;
  int count = 0;
  const Real limit = files.scene.overlap_limit;
  find_overlaps(scene.model, scene.initial, limit, [&](const Overlap& overlap) {
    problems.add(
        place_of(overlap.body_b, scene, files),
        fmt::format("\"{}\" and \"{}\" overlap by {:.3g} m, allowed are {:.3g} m: {:g} % of "
                    "the smaller one's thickness, {:.3g} m",
                    scene.model.body_name(overlap.body_a), scene.model.body_name(overlap.body_b),
                    overlap.depth, limit * overlap.size, 100 * limit, overlap.size),
        scene.model.cell.is_periodic()
            ? "move them apart, across the faces of the cell too, or raise overlap_limit"
            : "move them apart, or raise overlap_limit");
    return ++count < kMostReported;
  });
}

/// Whether a scheme, with the settings of the scene, supports all that is in it.
bool supports(std::string_view scheme, const Scene& scene) {
  stepping::SchemeOptions other = scene.scheme;
  other.scheme = scheme;
  return stepping::unsupported(scene.model, other).empty();
}

/// The schemes that do, "a, b or c"; empty: none does.
std::string supporting_schemes(const Scene& scene) {
  std::vector<std::string_view> names;
  for (const std::string_view name : stepping::scheme_names())
    if (supports(name, scene)) names.push_back(name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text += names[i];
  }
  return text;
}

/// Another setting of the scheme, or two, with which it supports all that is in a scene; empty: no
/// two do.
std::string setting_that_helps(const Scene& scene) {
  struct Setting {
    const char* hint;
    void (*apply)(stepping::SchemeOptions&);
  };
  using Options = stepping::SchemeOptions;
  constexpr Setting kSettings[] = {
      {"write restitution: as_given under scheme",
       [](Options& o) { o.machine.restitution = "as_given"; }},
      {"remove fixed_point", [](Options& o) { o.fixed_point = false; }},
      {"remove sleeping", [](Options& o) { o.sleeping = false; }},
      {"take the law coulomb", [](Options& o) { o.law = problem::FrictionLaw::coulomb; }},
      {"take the solver auto", [](Options& o) { o.solver.solver = "auto"; }},
      {"take moreau_jean", [](Options& o) { o.scheme = "moreau_jean"; }}};
  const auto helps = [&](const Setting& one, const Setting& two) {
    Options other = scene.scheme;
    one.apply(other);
    two.apply(other);
    return stepping::unsupported(scene.model, other).empty();
  };
  for (const Setting& one : kSettings)
    if (helps(one, one)) return one.hint;
  for (const Setting& one : kSettings)
    for (const Setting& two : kSettings)
      if (helps(one, two)) return std::string(one.hint) + ", and " + two.hint;
  return "";
}

/// Whether the scheme supports all that is in the scene.
void check_scheme(const Scene& scene, const SceneSpec& spec, Problems& problems) {
  const std::string reason = stepping::unsupported(scene.model, scene.scheme);
  if (reason.empty()) return;
  const std::string setting = setting_that_helps(scene);
  const bool is_of_cell = reason.find("periodic") != std::string::npos;
  std::string hint;
  if (const std::string others = scene.model.spatial_machine ? supporting_schemes(scene) : "";
      !others.empty()) {
    hint = "take " + others;
  } else if (is_of_cell) {
    hint = supports("moreau_jean", scene) ? "take moreau_jean"
           : scene.model.dimension == 2
               ? "remove periodic, or take moreau_jean and discs without joints"
               : "take moreau_jean, or remove periodic";
  } else if (scene.model.dimension == 2) {
    if (reason.find("planar scenes") == std::string::npos && supports("event_driven", scene))
      hint = "take event_driven";
  } else if (scene.scheme.scheme == "event_driven") {
    hint = scene.model.spatial_machine
               ? "take moreau_jean"
               : "take moreau_jean, or write dimension: 2 at the top of a planar scene";
  } else if ((scene.model.has_functions() || scene.model.spatial_machine) && !setting.empty()) {
    hint = setting;
  } else if (scene.model.has_functions()) {
    hint = "take rigid surfaces and Coulomb's friction";
  } else if (scene.scheme.scheme == "moreau_jean" || scene.scheme.scheme == "moreau_midpoint") {
    hint = "set these coefficients to 0, or take the law coulomb and the solver auto";
  } else if (scene.scheme.law != problem::FrictionLaw::coulomb) {
    hint = "take the law coulomb, or the scheme moreau_jean";
  } else {
    hint = "set these coefficients to 0, or take moreau_jean";
  }
  problems.add(spec.has("scheme")            ? spec.scheme.place
               : is_of_cell && spec.periodic ? spec.periodic->place
                                             : spec.place,
               reason, hint);
}

Scene read(const fs::path& main_file, std::optional<std::string> text, const Overrides& overrides) {
  Scene scene;
  scene.path = main_file;
  SceneFiles files;
  Problems problems;
  read_files(scene.path, std::move(text), overrides, files, problems);
  take_settings(files.scene, scene);
  scene.model.cell = cell_of(files.scene, problems);
  apply(overrides, scene, problems);
  if (files.scene.place.node != nullptr) check_time(scene, files.scene, overrides, problems);
  if (files.scene.place.node != nullptr) check_gravity(scene, files.scene, problems);
  if (files.scene.place.node != nullptr) check_sleeping(scene, files.scene, problems);
  if (files.scene.place.node != nullptr) build_model(files, scene, problems);
  take_record(files.scene.record, scene);
  take_law(files, scene, problems);
  if (problems.empty()) build_probes(files.scene.probes, scene, problems);
  // First: how long a cell must be does not matter where the scheme supports none.
  if (problems.empty()) check_scheme(scene, files.scene, problems);
  if (problems.empty())
    check_periodic(
        scene, [&](Index body) -> const Place& { return place_of(body, scene, files); }, problems);
  if (problems.empty()) check_overlaps(scene, files, problems);
  if (problems.empty()) check_contradictions(scene, files, problems);
  if (problems.empty() && scene.model.machine)
    (void)stepping::assemble_velocities(scene.model, scene.initial);
  problems.throw_if_any();
  const std::vector<RobotNote>& notes = files.report.notes();
  scene.robot_notes.insert(scene.robot_notes.begin(), notes.begin(), notes.end());
  std::vector<SourceFile> texts;
  for (Document& document : files.documents)
    texts.push_back({document.path, std::move(document.text)});
  scene.sources.insert(scene.sources.begin(), std::make_move_iterator(texts.begin()),
                       std::make_move_iterator(texts.end()));
  return scene;
}

}  // namespace

Scene load(const fs::path& path, const Overrides& overrides) {
  return read(main_file_of(path), std::nullopt, overrides);
}

Scene load_text(std::string text, const fs::path& name, const Overrides& overrides) {
  return read(name, std::move(text), overrides);
}

}  // namespace talus::scene
