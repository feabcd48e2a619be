#include <talus/sim/resume.hpp>

#include <fmt/format.h>

#include <algorithm>

#include <talus/json/json.hpp>
#include <talus/record/reader.hpp>

namespace talus::sim {
namespace {

/// Members of two objects that differ, by their path.
void compare(const Json& before, const Json& now, const std::string& path,
             std::vector<std::string>& lines) {
  for (const auto& [key, value] : now.members()) {
    if (path.empty() && (key == "end_time" || key.starts_with("record_"))) continue;
    const std::string name = path + key;
    const Json* old = before.find(key);
    if (old == nullptr)
      lines.push_back(fmt::format("{} is {}, the record does not have it", name, json_text(value)));
    else if (value.is_object() && old->is_object())
      compare(*old, value, name + ".", lines);
    else if (value != *old)
      lines.push_back(fmt::format("{} is {}, it was {}", name, json_text(value), json_text(*old)));
  }
}

}  // namespace

std::string options_as_json(const scene::Scene& scene) {
  const stepping::SchemeOptions& scheme = scene.scheme;
  const bool stops = scene.on_uncertified == scene::OnUncertified::stop;
  Json json{{"step_size", scene.step_size},
            {"end_time", scene.end_time},
            {"record_every", scene.record_every},
            {"record_contacts_every", scene.record_contacts_every},
            {"record_precision", scene.is_recorded_in_single ? "single" : "double"},
            {"on_uncertified", stops ? "stop" : "accept"},
            {"scheme", scheme.scheme},
            {"theta", scheme.theta},
            {"directions", scheme.directions},
            {"error_reduction", scheme.error_reduction},
            {"slop", scheme.slop},
            {"sleeping", scheme.sleeping},
            {"law", std::string(problem::to_string(scheme.law))},
            {"tangents", scheme.tangents},
            {"overlap", scheme.overlap},
            {"fixed_point", scheme.fixed_point},
            {"max_halvings", scheme.max_halvings},
            {"solver",
             {{"name", scheme.solver.solver},
              {"tolerance", scheme.solver.tolerance},
              {"max_iterations", scheme.solver.max_iterations},
              {"relaxation", scheme.solver.relaxation},
              {"directions", scheme.solver.directions}}}};
  if (scheme.scheme == "event_driven") {
    const stepping::event_driven::MachineOptions& machine = scheme.machine;
    json["machine"] = {{"integrator", machine.integrator},
                       {"tolerance", machine.tolerance},
                       {"internal_step", machine.step},
                       {"radius", machine.rho_infinity},
                       {"stabilisation", machine.stabilisation},
                       {"alpha", machine.alpha},
                       {"beta", machine.beta},
                       {"squared", machine.is_baumgarte_squared},
                       {"impacts", machine.impacts},
                       {"restitution", machine.restitution},
                       {"on_painleve", machine.on_painleve}};
  }
  return json_text(json);
}

Resumption read_resumption(const std::filesystem::path& path) {
  Resumption from;
  from.checkpoint = record::read_checkpoint(path);
  from.is_record = record::kind_of(path) == record::FileKind::record;
  if (!from.is_record) return from;
  const record::RecordReader reader(path);
  const std::vector<std::string> sources = reader.texts("provenance/source_paths");
  if (!sources.empty()) from.scene = sources.front();
  from.source_texts = reader.texts("provenance/source_texts");
  from.options = reader.text("provenance/options");
  const std::optional<Json> options = parse_json(from.options);
  const Json* step_size = options ? options->find("step_size") : nullptr;
  // Frames alone do not keep it, then it is that of the scene; else its last part's, if halved.
  if (step_size != nullptr && from.checkpoint.memory.step_size == 0)
    from.checkpoint.memory.step_size = step_size->number();
  return from;
}

std::vector<std::string> differences(const Resumption& from, const scene::Scene& scene) {
  std::vector<std::string> lines;
  if (!from.checkpoint.has_memory)
    lines.emplace_back(
        "the file does not tell what the last step left to the next: the first step starts cold");
  if (!from.is_record) return lines;
  bool is_same = from.source_texts.size() == scene.sources.size();
  for (std::size_t i = 0; is_same && i < scene.sources.size(); ++i)
    is_same = from.source_texts[i] == scene.sources[i].text;
  if (!is_same) lines.emplace_back("the files of the scene are not those of the record");
  const std::optional<Json> before = parse_json(from.options);
  const auto files_end = static_cast<std::ptrdiff_t>(lines.size());
  if (before && before->is_object())
    compare(*before, *parse_json(options_as_json(scene)), "", lines);
  std::sort(lines.begin() + files_end, lines.end());
  return lines;
}

}  // namespace talus::sim
