#include <talus/sim/study.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <exception>

#include <talus/base/error.hpp>
#include <talus/base/hash.hpp>
#include <talus/record/provenance.hpp>
#include <talus/sim/simulation.hpp>

namespace talus::sim {
namespace {

constexpr Index kMostValues = 1'000'000;

[[noreturn]] void reject(const std::string& text) {
  throw InputError(Diagnostic{
      {"command line"},
      "--vary",
      fmt::format("expected PATH=FROM:TO:COUNT or PATH=[VALUE, …], got \"{}\"", text),
      "",
      "as in --vary contacts.default.friction=0.1:0.5:5 or --vary \"time.step=1:4:4 ms\""});
}

std::string stripped(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// The parts between colons, up to the first blank; what follows that is the unit.
std::vector<std::string> parts_of(const std::string& range) {
  std::vector<std::string> parts(1);
  for (const char c : range) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

Real number_of(const std::string& word, const std::string& text) {
  Real value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
    reject(text);
  return value;
}

/// "[x, y, [z, w]]": what stands between the commas that no bracket or quote holds.
std::vector<std::string> items_of(const std::string& list, const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  char quote = 0;
  for (const char c : list.substr(1, list.size() - 2)) {
    if (quote != 0 || c == '"' || c == '\'') {
      quote = quote == 0 ? c : (quote == c ? char{0} : quote);
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.emplace_back();
      continue;
    }
    items.back().push_back(c);
  }
  for (std::string& item : items)
    if ((item = stripped(item)).empty()) reject(text);
  if (depth != 0 || quote != 0) reject(text);
  return items;
}

std::vector<std::string> range_of(const std::string& range, const std::string& text) {
  const std::size_t blank = range.find(' ');
  const std::string unit = blank == std::string::npos ? "" : range.substr(blank);
  const std::vector<std::string> parts = parts_of(range.substr(0, blank));
  const bool is_log = parts.size() == 4 && parts[3] == "log";
  if (parts.size() != 3 && !is_log) reject(text);
  const Real from = number_of(parts[0], text), to = number_of(parts[1], text);
  const Real count = number_of(parts[2], text);
  if (!(count >= 1) || count > kMostValues || count != std::floor(count)) reject(text);
  if (is_log && !(from * to > 0)) reject(text);
  std::vector<std::string> values;
  for (Index i = 0; i < static_cast<Index>(count); ++i) {
    const Real share = count > 1 ? static_cast<Real>(i) / (count - 1) : 0;
    Real value = is_log ? from * std::pow(to / from, share) : from + share * (to - from);
    if (share == 1) value = to;
    values.push_back(fmt::format("{}{}", value, unit));
  }
  return values;
}

/// The scene of a point.
scene::Overrides overrides_of(const Study& study, Index number) {
  scene::Overrides overrides = study.overrides;
  const std::vector<std::string> values = study.point(number);
  for (std::size_t i = 0; i < values.size(); ++i)
    overrides.settings.push_back({study.variations[i].path, values[i]});
  return overrides;
}

/// @throws InputError if it cannot be read, or is over before probes are averaged.
scene::Scene scene_of(const Study& study, Index number) {
  scene::Scene scene = scene::load(study.scene, overrides_of(study, number));
  if (study.mean_from > 0 && study.mean_from >= scene.end_time)
    throw InputError(Diagnostic{{},
                                "--mean-from",
                                fmt::format("expected a time before the end, {:g} s, got {:g} s",
                                            scene.end_time, study.mean_from),
                                "",
                                "take a later end with --until"});
  return scene;
}

std::vector<std::string> probe_columns(const Simulation& simulation) {
  std::vector<std::string> names;
  for (const record::ProbeTable& table : simulation.tables())
    for (const record::ProbeColumn& column : table.columns) {
      const std::string name = table.name + "." + column.name;
      if (column.labels.empty()) names.push_back(name);
      for (const std::string& label : column.labels)
        names.push_back(fmt::format("{}.{}", name, label));
    }
  return names;
}

/// Time means of all probes from a time on.
class Means {
 public:
  Means(Simulation& simulation, Real from) : simulation_(simulation), from_(from) { sample(); }

  void sample() {
    const Real time = simulation_.state().time;
    const bool counts = count_ > 0 || time >= from_ - 1e-9 * simulation_.scene().step_size;
    std::size_t at = 0;
    for (const model::Probe& probe : simulation_.scene().probes)
      for (const Real value : simulation_.measure(probe.name)) {
        if (at == sum_.size()) sum_.push_back(0), last_.push_back(0);
        sum_[at] += counts ? value : 0;
        last_[at++] = value;
      }
    count_ += counts ? 1 : 0;
  }
  [[nodiscard]] Real last(std::size_t i) const { return last_[i]; }
  [[nodiscard]] Real mean(std::size_t i) const { return sum_[i] / static_cast<Real>(count_); }

 private:
  Simulation& simulation_;
  Real from_;
  Index count_ = 0;
  std::vector<Real> sum_, last_;
};

Cells cells_of(const Summary& s) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  return {{"steps", number(s.steps)},
          {"time", number(s.time)},
          {"uncertified_steps", number(s.uncertified_steps)},
          {"worst_residual", number(s.worst_residual())},
          {"max_contacts", number(s.max_contacts)},
          {"max_penetration", number(s.max_penetration)},
          {"energy_initial", number(s.energy.initial)},
          {"energy_final", number(s.energy.final)},
          {"energy_max_rise", number(s.energy.max_rise_in_a_step)},
          {"state_hash", record::to_hex(s.state_hash)},
          {"wall_seconds", fmt::format("{:.3f}", s.wall_seconds)}};
}

std::string mean_of(const std::string& column) { return "mean(" + column + ")"; }

Cells finished_point(Simulation& simulation, Real mean_from,
                     const std::function<bool()>& should_stop) {
  Means means(simulation, mean_from);
  simulation.observe([&](const Simulation&) { means.sample(); });
  const Summary& summary = simulation.run(should_stop);
  Cells cells{{"status", std::string(record::to_string(summary.status))},
              {"message", simulation.failure() ? simulation.failure()->message : ""}};
  const std::vector<std::string> columns = probe_columns(simulation);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    cells.emplace_back(columns[i], fmt::format("{}", means.last(i)));
    cells.emplace_back(mean_of(columns[i]), fmt::format("{}", means.mean(i)));
  }
  for (auto& cell : cells_of(summary)) cells.push_back(std::move(cell));
  return cells;
}

}  // namespace

Variation variation_of(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0) reject(text);
  const std::string values = stripped(text.substr(sign + 1));
  const bool is_list = values.size() > 2 && values.front() == '[' && values.back() == ']';
  return {text.substr(0, sign), is_list ? items_of(values, text) : range_of(values, text)};
}

Index Study::point_count() const {
  Index count = 1;
  for (const Variation& variation : variations)
    count *= static_cast<Index>(variation.values.size());
  return count;
}

std::vector<std::string> Study::point(Index number) const {
  std::vector<std::string> values(variations.size());
  for (std::size_t i = variations.size(); i-- > 0;) {
    const auto count = static_cast<Index>(variations[i].values.size());
    values[i] = variations[i].values[static_cast<std::size_t>(number % count)];
    number /= count;
  }
  return values;
}

std::vector<std::string> result_names(const Study& study) {
  const Simulation simulation(scene::load(study.scene, study.overrides));
  std::vector<std::string> names = {"status", "message"};
  for (const std::string& column : probe_columns(simulation)) {
    names.push_back(column);
    names.push_back(mean_of(column));
  }
  for (const auto& [name, value] : cells_of(Summary{})) names.push_back(name);
  return names;
}

void check_readable(const Study& study) {
  std::optional<InputError> first;
  for (Index number = 0; number < study.point_count(); ++number) try {
      static_cast<void>(scene_of(study, number));
      return;
    } catch (const InputError& error) {
      if (!first) first = error;
    }
  if (first) throw InputError(*first);
}

std::string inputs_of(const Study& study, const scene::Scene& scene, Index number) {
  StateHash hash;
  for (const scene::SourceFile& source : scene.sources) {
    hash.add(source.text);
    hash.add(std::string_view("\0", 1));
  }
  const scene::Overrides overrides = overrides_of(study, number);
  for (const scene::Setting& setting : overrides.settings)
    hash.add(setting.path + "=" + setting.value + "\n");
  if (!overrides.keyframe.empty()) hash.add("keyframe=" + overrides.keyframe + "\n");
  hash.add(scene.end_time);
  hash.add(scene.step_size);
  hash.add(scene.scheme.scheme + "\n" + scene.scheme.solver.solver);
  hash.add(scene.scheme.solver.tolerance);
  hash.add(study.mean_from);
  return record::to_hex(hash.value());
}

Cells run_point(const Study& study, Index number, const std::filesystem::path& stem,
                const std::function<bool()>& should_stop) {
  try {
    Simulation simulation(scene_of(study, number));
    simulation.save_failures_as(stem);
    return finished_point(simulation, study.mean_from, should_stop);
  } catch (const InputError& error) {
    return {{"status", "input_error"}, {"message", error.what()}};
  } catch (const std::exception& error) {
    return {{"status", "internal_error"}, {"message", error.what()}};
  }
}

}  // namespace talus::sim
