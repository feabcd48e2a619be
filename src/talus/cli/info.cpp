#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include <talus/base/error.hpp>
#include <talus/base/printable.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/problem_info.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/json/json.hpp>
#include <talus/record/checkpoint.hpp>
#include <talus/record/distribution.hpp>
#include <talus/record/layout.hpp>
#include <talus/record/provenance.hpp>
#include <talus/record/reader.hpp>
#include <talus/record/series.hpp>
#include <talus/scene/scene.hpp>
#include <talus/sim/summary.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;
using record::RecordReader;

constexpr const char* kInfoExamples = R"(Examples:
  talus info out.h5                 a record: what ran, how it went, every series and dataset
  talus info examples/four_balls    a scene
  talus info problem.hdf5           a contact problem (FCLIB)
  talus info --json out.h5 | jq .steps)";

struct InfoOptions {
  std::string file;
  RobotOptions robots;
  bool as_json = false;
};

std::string text_of(const Json& value) { return value.is_text() ? value.text() : json_text(value); }

/// A table of names and values, for people or as JSON.
void print(const Json& facts, const InfoOptions& options) {
  if (options.as_json) {
    fmt::print("{}\n", json_text(facts));
    return;
  }
  for (const auto& [name, value] : facts.members()) {
    if (!value.is_object()) {
      fmt::print("{}\n", printable(fmt::format("{:<20} {}", name, text_of(value))));
      continue;
    }
    fmt::print("{}\n", name);
    for (const auto& [key, entry] : value.members())
      fmt::print("{}\n", printable(fmt::format("  {:<34} {}", key, text_of(entry))));
  }
}

std::string shape_text(const std::vector<Index>& shape) {
  return shape.empty() ? "scalar" : '[' + join(shape, ", ") + ']';
}

/// The step with the largest residual over what it may be, and how many are uncertified. Records of
/// earlier versions have the natural map alone.
Json certificates_of(const RecordReader& reader) {
  const std::vector<Real> natural_map = reader.array("certificates/natural_map").values;
  const std::vector<Real> value =
      reader.has("certificates/excess") ? reader.array("certificates/excess").values : natural_map;
  const std::vector<Real> is_certified = reader.array("certificates/is_certified").values;
  const auto is_less = [](Real a, Real b) { return std::isnan(b) || a < b; };
  const auto worst = std::max_element(value.begin(), value.end(), is_less);
  return {
      {"uncertified_steps", std::count(is_certified.begin(), is_certified.end(), 0)},
      {"worst_natural_map",
       natural_map.empty() ? Real(0)
                           : *std::max_element(natural_map.begin(), natural_map.end(), is_less)},
      {"worst_step", worst == value.end() ? 0 : worst - value.begin() + 1}};
}

/// {"x": [low, high]} and so on for the periodic directions.
Json faces_of(const Vec3& low, const Vec3& length) {
  Json faces = Json::object();
  for (Index k = 0; k < 3; ++k)
    if (length[k] > 0) faces[std::string(1, "xyz"[k])] = {low[k], low[k] + length[k]};
  return faces;
}

Json provenance_of(const RecordReader& reader) {
  Json facts;
  for (const char* name : {"start_time", "command_line", "version", "git_commit", "compiler",
                           "flags", "machine", "scene_hash", "options"})
    facts[name] = reader.text(std::string("provenance/") + name);
  facts["sources"] = reader.texts("provenance/source_paths");
  return facts;
}

/// Who came in and went out, over all recorded steps.
Json population_of(const RecordReader& reader) {
  const auto sum = [&](const char* name) {
    const std::vector<Real> numbers = reader.array(std::string("population/") + name).values;
    return std::accumulate(numbers.begin(), numbers.end(), Real(0));
  };
  const auto late = reader.array("population/late").values;
  return {{"bodies_in", static_cast<Index>(sum("bodies_in"))},
          {"mass_in", sum("mass_in")},
          {"energy_in", sum("energy_in")},
          {"bodies_out", static_cast<Index>(sum("bodies_out"))},
          {"mass_out", sum("mass_out")},
          {"energy_out", sum("energy_out")},
          {"late_steps",
           std::count_if(late.begin(), late.end(), [](Real bodies) { return bodies > 0; })}};
}

/// How many bodies slept in the last step and in the one with most, and when the first ones did.
Json asleep_of(const RecordReader& reader, const std::vector<Real>& time) {
  const std::vector<Real> count = reader.array(std::string(record::kSleepingSeries.path)).values;
  sim::SleepAccount account;
  for (std::size_t k = 0; k < count.size(); ++k)
    account.add(static_cast<Index>(count[k]), time.at(k));
  Json facts{{"now", account.now}, {"most", account.most}};
  if (account.since) facts["since"] = *account.since;
  return facts;
}

Json facts_of(const RecordReader& reader, const InfoOptions& options) {
  const std::string status = reader.status();
  const std::vector<Real> time = reader.array("steps/time").values;
  const std::vector<Real> energy = reader.array("energies/total").values;
  const Real initial = reader.attribute("energies", "initial_kinetic", 0) +
                       reader.attribute("energies", "initial_potential", 0);
  Json facts{
      {"kind", "record"},
      {"title", reader.title()},
      {"status", status == "running" && !options.as_json
                     ? "running, or killed: this holds all up to its last flush"
                     : status},
      {"steps", reader.step_count()},
      {"time", time.empty() ? Real(0) : time.back()},
      {"frames", reader.frame_count()},
      {"frame_precision",
       reader.precision() == record::Precision::single_precision ? "single" : "double"},
      {"contacts_every", reader.contacts_every()},
      {"bodies", reader.body_count()},
      {"energy", {{"initial", initial}, {"final", energy.empty() ? initial : energy.back()}}},
      {"certificates", certificates_of(reader)},
      {"provenance", provenance_of(reader)}};
  if (reader.has("periodic_cell")) {  // later than the first records
    const std::vector<Real> cell = reader.array("periodic_cell").values;
    const Json faces = faces_of({cell[0], cell[1], cell[2]}, {cell[3], cell[4], cell[5]});
    if (!faces.empty()) facts["periodic"] = faces;
  }
  if (const Real pushed = reader.attribute("/", "pushed_steps", 0); pushed > 0)
    facts["steps_pushed_by_hand"] = static_cast<Index>(pushed);
  if (reader.has("population/late")) facts["population"] = population_of(reader);
  if (reader.has(record::kSleepingSeries.path)) facts["asleep"] = asleep_of(reader, time);
  Json series;
  for (const record::SeriesName& one : record::series_names(reader)) series[one.name] = one.unit;
  for (const record::SeriesName& one : record::body_series_names())
    series["body.NAME." + one.name] = one.unit;
  facts["series"] = series;
  Json distributions;
  for (const record::SeriesName& one : record::distribution_names())
    distributions[one.name] = one.unit;
  facts["distributions"] = distributions;
  Json datasets;
  for (const std::string& name : reader.datasets()) datasets[name] = shape_text(reader.shape(name));
  facts["datasets"] = datasets;
  return facts;
}

Json facts_of(const scene::Scene& scene) {
  const auto count = [&](model::BodyKind kind) {
    return std::count_if(scene.model.bodies.begin(), scene.model.bodies.end(),
                         [kind](const model::Body& body) { return body.kind == kind; });
  };
  std::vector<std::string> materials, sources, sinks;
  for (const model::Material& material : scene.model.materials) materials.push_back(material.name);
  for (const scene::SourceFile& source : scene.sources) sources.push_back(source.path.string());
  Index of_sources = 0;
  for (const model::Source& source : scene.model.sources) of_sources += source.count();
  for (const model::Sink& sink : scene.model.sinks) sinks.push_back(sink.name);
  Json facts{{"kind", "scene"},
             {"title", scene.title},
             {"bodies",
              {{"dynamic", count(model::BodyKind::dynamic)},
               {"fixed", count(model::BodyKind::fixed)},
               {"kinematic", count(model::BodyKind::kinematic)},
               {"of_sources", of_sources}}},
             {"sinks", sinks},
             {"materials", materials},
             {"step_size", scene.step_size},
             {"end_time", scene.end_time},
             {"scheme", scene.scheme.scheme},
             {"solver", scene.scheme.solver.solver},
             {"tolerance", scene.scheme.solver.tolerance},
             {"record_every", scene.record_every},
             {"record_contacts_every", scene.record_contacts_every},
             {"record_precision", scene.is_recorded_in_single ? "single" : "double"},
             {"sources", sources}};
  const Json faces = faces_of(scene.model.cell.low(), scene.model.cell.length());
  if (!faces.empty()) facts["periodic"] = faces;
  return facts;
}

Json facts_of(const model::State& state) {
  return {{"kind", "state"},
          {"time", state.time},
          {"bodies", state.body_count()},
          {"state_hash", record::to_hex(state.hash())}};
}

int info(const InfoOptions& options) {
  const fs::path path = options.file;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) throw file_error(path.string(), "there is no such file");
  const record::FileKind kind = record::kind_of(path);
  if (kind != record::FileKind::not_hdf5) demand_none(options.robots, "talus info", options.file);
  switch (kind) {
    case record::FileKind::record:
      print(facts_of(RecordReader(path), options), options);
      break;
    case record::FileKind::state:
      print(facts_of(record::read_state(path)), options);
      break;
    case record::FileKind::damaged_hdf5:
      record::demand_hdf5(path);
      break;
    case record::FileKind::other_hdf5:
      if (!print_problem_info(path.string(), options.as_json))
        throw file_error(path.string(), "this HDF5 file is no record, no state and no problem",
                         "a problem has a group fclib_local or fclib_global");
      break;
    case record::FileKind::not_hdf5:
      print(facts_of(scene::load(path, overrides_of(options.robots))), options);
      break;
  }
  return kDone;
}

}  // namespace

void add_info(Verb program) {
  auto options = std::make_shared<InfoOptions>();
  Verb verb = program.add_verb("info", "Prints what is in a record, a scene or a problem");
  verb.footer(kInfoExamples);
  verb.add_option("file", options->file, "Record, state, scene or problem file").required();
  add_robot_options(verb, options->robots);
  verb.add_flag("--json", options->as_json, "Print one JSON object");
  verb.action([options] { return info(*options); });
}

}  // namespace talus::cli
