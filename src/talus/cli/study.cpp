#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <thread>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/cli/interrupt.hpp>
#include <talus/cli/override_options.hpp>
#include <talus/cli/progress_bar.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/setting_text.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/cli/workers.hpp>
#include <talus/files/file_names.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/json/json.hpp>
#include <talus/parallel/executor.hpp>
#include <talus/reproduce/svg_plot.hpp>
#include <talus/sim/simulation.hpp>
#include <talus/sim/study_table.hpp>

namespace talus::cli {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

constexpr Real kMostStudyPoints = 1e6;

constexpr const char* kStudyExamples = R"help(Examples:
  talus study scene.yaml --vary contacts.default.friction=0.1:0.5:9
  talus study scene.yaml --vary time.step=1e-4:1e-2:5:log --vary "scheme.name=[moreau_jean, stewart_trinkle]"
  talus study scene.yaml --vary drives.motor.speed=10:30:21 --mean-from 2 --plot "mean(way.x)" -o box.csv

Runs a scene for every combination of values, each in a process of its own, and writes a table (CSV)
that has a row as soon as a point is done, and a diagram (SVG). Started again it continues where it
was: points with a row are kept, whatever their status. A run that fails, crashes or cannot be read
is a row with that status and a message. Columns: the varied values, a hash of all inputs, status,
message, the last value and the time mean of every probe, and what talus run --json says.

Exit codes: 0 all points done and certified, 1 internal error, 2 usage or input error, 3 some points
failed or have uncertified steps, 130 interrupted.)help";

struct StudyOptions {
  sim::Study study;
  std::string scene, output, plot;
  Texts varied, settings;
  RobotOptions robots;
  int jobs = 0;  ///< 0: one per processor
  bool as_json = false, is_fresh = false, is_retry = false, is_quiet = false;
};

sim::Study study_of(const StudyOptions& options) {
  sim::Study study = options.study;
  study.scene = options.scene;
  take(options.robots, study.overrides);
  for (const std::string& text : options.settings)
    study.overrides.settings.push_back(setting_of(text));
  Real points = 1;
  for (const std::string& text : options.varied) {
    study.variations.push_back(sim::variation_of(text));
    for (std::size_t i = 0; i + 1 < study.variations.size(); ++i)
      if (study.variations[i].path == study.variations.back().path)
        throw InputError(Diagnostic{
            {"command line"}, "--vary", study.variations.back().path + " is varied twice", "", ""});
    points *= static_cast<Real>(study.variations.back().values.size());
  }
  if (points > kMostStudyPoints)
    throw usage_error("--vary", fmt::format("{:g} points are too many", points),
                      fmt::format("a study has at most {:g}", kMostStudyPoints));
  return study;
}

std::string to_text(const sim::Cells& cells) {
  Json json = Json::object();
  for (const auto& [name, value] : cells) json[name] = value;
  return json_text(json);
}

sim::Cells cells_of(const Workers::Result& result) {
  const std::optional<Json> json = parse_json(result.text);
  if (result.signal == 0 && json) {
    sim::Cells cells;
    for (const auto& [name, value] : json->members()) cells.emplace_back(name, value.text());
    return cells;
  }
  return {{"status", "crashed"},
          {"message", result.signal != 0 ? fmt::format("ended by signal {}", result.signal)
                                         : "ended without a result"}};
}

const std::string& cell(const sim::Cells& cells, const std::string& name) {
  static const std::string kNone;
  const auto found = std::find_if(cells.begin(), cells.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == cells.end() ? kNone : found->second;
}

/// Runs what has no row yet; false if interrupted. `ran` counts.
bool run_points(const sim::Study& study, const StudyOptions& options, const fs::path& stem,
                sim::StudyTable& table, Index& ran) {
  const InterruptGuard guard;
  ProgressBar bar(stderr);
  const scene::Scene scene = scene::load(study.scene, study.overrides);
  const Index count = study.point_count();
  const int processors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  Workers workers(options.jobs > 0 ? options.jobs : processors);
  Index next = 0, done = 0;
  const auto take = [&] {
    const Workers::Result result = workers.wait();
    const sim::Cells cells = cells_of(result);
    if (cell(cells, "status") == "interrupted") return;
    if (InterruptGuard::is_interrupted() && result.signal != 0) return;
    table.add(study.point(result.task), sim::inputs_of(study, scene, result.task), cells);
    ++ran;
    if (!options.is_quiet)
      bar.show(fmt::format("{} points", count),
               static_cast<Real>(++done) / static_cast<Real>(count));
  };
  for (; next < count && !InterruptGuard::is_interrupted(); ++next) {
    if (table.has(study.point(next), sim::inputs_of(study, scene, next))) {
      ++done;
      continue;
    }
    if (workers.is_full()) take();
    if (InterruptGuard::is_interrupted()) break;
    workers.start(next, [&study, &stem, next] {
      fs::path own = stem;
      own += fmt::format(".point_{}", next);
      return to_text(sim::run_point(study, next, own, InterruptGuard::is_interrupted));
    });
  }
  while (!workers.is_idle()) {
    if (InterruptGuard::is_interrupted()) workers.stop();
    take();
  }
  return !InterruptGuard::is_interrupted();
}

Real number_of(const std::string& text) {
  Real value = std::numeric_limits<Real>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// A column against the first variation, one curve per value of the others. Values that are no
/// numbers count 1, 2, ….
std::string draw(const sim::Study& study, const sim::StudyTable& table, const std::string& column) {
  const sim::Variation& first = study.variations.front();
  reproduce::SvgPlot plot(fs::path(study.scene).filename().string(), first.path, column);
  const auto values = static_cast<Index>(first.values.size());
  const Index curves = study.point_count() / values;
  for (Index c = 0; c < curves; ++c) {
    std::vector<Vec2> points;
    std::string label;
    for (Index i = 0; i < values; ++i) {
      const Texts point = study.point(i * curves + c);
      label.clear();
      for (std::size_t k = 1; k < point.size(); ++k) label += (k > 1 ? ", " : "") + point[k];
      const Real x = number_of(point.front()), y = number_of(table.cell(point, column));
      if (std::isfinite(y)) points.emplace_back(std::isfinite(x) ? x : static_cast<Real>(i + 1), y);
    }
    plot.line(points, label, static_cast<int>(c));
    plot.dots(points, "", static_cast<int>(c));
  }
  return plot.svg();
}

/// The column to draw: as asked, or the first mean of a probe.
std::string plotted(const StudyOptions& options, const Texts& paths, const Texts& results) {
  if (options.plot.empty()) {
    const auto mean = std::find_if(results.begin(), results.end(),
                                   [](const auto& name) { return name.starts_with("mean("); });
    return mean == results.end() ? "energy_final" : *mean;
  }
  for (const Texts& names : {paths, results})
    if (std::find(names.begin(), names.end(), options.plot) != names.end()) return options.plot;
  throw InputError(Diagnostic{{"command line"},
                              "--plot",
                              fmt::format("there is no column \"{}\"", options.plot),
                              "",
                              "known: " + join(results, ", ")});
}

int report_study(const sim::Study& study, const StudyOptions& options, const sim::StudyTable& table,
                 Index ran, const fs::path& csv, const fs::path& svg) {
  Index failed = 0, uncertified = 0;
  Json rows = Json::array();
  for (Index i = 0; i < study.point_count(); ++i) {
    const Texts point = study.point(i);
    const bool is_done = table.cell(point, "status") == "finished";
    failed += is_done ? 0 : 1;
    uncertified += is_done && table.cell(point, "uncertified_steps") != "0" ? 1 : 0;
    Json row;
    for (std::size_t k = 0; k < table.columns().size(); ++k)
      row[table.columns()[k]] = table.cell(point, table.columns()[k]);
    rows.push_back(row);
  }
  if (options.as_json) {
    const Json json{{"points", study.point_count()},
                    {"ran", ran},
                    {"failed", failed},
                    {"uncertified", uncertified},
                    {"table", csv.string()},
                    {"plot", svg.string()},
                    {"rows", rows}};
    fmt::print("{}\n", json_text(json));
  } else if (!options.is_quiet) {
    fmt::print("{} points, {} run now, {} failed, {} with uncertified steps\n", study.point_count(),
               ran, failed, uncertified);
    fmt::print("table: {}\nplot:  {}\n", csv.string(), svg.string());
  }
  return failed > 0 || uncertified > 0 ? kUncertified : kDone;
}

int study(const StudyOptions& options) {
  parallel::set_thread_count(1);  // a process per point; and no threads when they are started
  const sim::Study study = study_of(options);
  const fs::path csv = options.output.empty()
                           ? fs::path(sim::default_name(options.scene) + "_study.csv")
                           : fs::path(options.output);
  fs::path stem = csv, svg = csv;
  stem.replace_extension();
  svg.replace_extension(".svg");
  Texts paths;
  for (const sim::Variation& variation : study.variations) paths.push_back(variation.path);
  const Texts results = sim::result_names(study);
  const std::string column = plotted(options, paths, results);
  sim::check_readable(study);
  if (svg == csv)
    throw usage_error("-o", "the diagram is written to " + svg.string(),
                      "give the table another ending, as in .csv");
  files::refuse_to_destroy(svg, files::drawing_kind());
  files::refuse_to_destroy(csv, sim::study_table_kind());
  const files::FileLock lock(csv);
  std::error_code error;
  if (options.is_fresh) fs::remove(files::followed(csv), error);
  sim::StudyTable table(csv, paths, results);
  if (options.is_retry) table.keep_only("finished");
  Index ran = 0;
  if (!run_points(study, options, stem, table, ran)) {
    if (!options.is_quiet)
      fmt::print(stderr, "talus: {} of {} points are done: start again to continue\n",
                 table.done_count(study), study.point_count());
    return kInterrupted;
  }
  table.sort(study);
  files::write_file(svg, files::drawing_kind(), files::xml_marked(draw(study, table, column)));
  return report_study(study, options, table, ran, csv, svg);
}

}  // namespace

void add_study(Verb program) {
  auto options = std::make_shared<StudyOptions>();
  scene::Overrides& change = options->study.overrides;
  Verb verb = program.add_verb("study", "Runs a scene for many values of its parameters");
  verb.footer(kStudyExamples);
  verb.add_option("scene", options->scene, "Scene file, or a folder with scene.yaml").required();
  verb.add_option("--vary", options->varied,
                  "PATH=FROM:TO:COUNT[:log] [UNIT] or PATH=[VALUE, …]; paths as in run --set")
      .required()
      .one_word_each();
  verb.add_option("--set", options->settings, "PATH=VALUE for all points, as in run")
      .one_word_each();
  add_robot_options(verb, options->robots);
  verb.add_option("-o,--output", options->output,
                  "Table to write; otherwise the scene's name with _study.csv, in this folder");
  verb.add_option("--plot", options->plot, "Column to draw; otherwise the first probe's mean");
  verb.add_option("--mean-from", options->study.mean_from,
                  "Time from which probes are averaged [s]")
      .in_seconds()
      .non_negative();
  verb.add_option("-j,--jobs", options->jobs, "Processes, 0: one per processor").in_range(0, 1024);
  add_override_options(verb, change);
  verb.add_flag("--fresh", options->is_fresh, "Forget the rows of an earlier study");
  verb.add_flag("--retry", options->is_retry, "Run again what did not finish");
  verb.add_flag("--json", options->as_json, "Print one JSON object, the last line of stdout");
  verb.add_flag("--quiet", options->is_quiet, "No progress and no summary; mistakes are printed");
  verb.action([options] { return study(*options); });
}

}  // namespace talus::cli
