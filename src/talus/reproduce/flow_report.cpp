#include <talus/reproduce/flow_report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/base/text.hpp>
#include <talus/json/json.hpp>
#include <talus/reproduce/svg_plot.hpp>

namespace talus::reproduce {
namespace {

/// C of a slot over C of the round opening that flows alike per area and hydraulic diameter.
constexpr Real kSlotOverRound = 1.8006326323142121;  // 4√2/π

/// value ± error, the error to two digits and the value to the same place.
std::string shown(const Estimate& estimate) {
  if (!(estimate.error > 0)) return fmt::format("{:.4g}", estimate.value);
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(estimate.error))), 0, 9);
  return fmt::format("{:.{}f} ± {:.{}f}", estimate.value, digits, estimate.error, digits);
}

std::string heading(const Observable& what) {
  return what.unit == "1" ? what.name : fmt::format("{} [{}]", what.name, what.unit);
}

/// Head and lines of the table, cell by cell.
std::vector<std::vector<std::string>> cells(const FlowStudy& study) {
  std::vector<std::vector<std::string>> table = {{"law", study.flow.parameter}};
  for (const Observable& what : study.flow.observables) table[0].push_back(heading(what));
  for (const char* cost : {"contacts", "sweeps", "ms/step"}) table[0].emplace_back(cost);
  for (const FlowLine& line : study.lines) {
    std::vector<std::string> row = {line.law, fmt::format("{:g}", line.value)};
    for (const Estimate& estimate : line.observables) row.push_back(shown(estimate));
    row.push_back(fmt::format("{:.0f}", line.mean_contacts));
    row.push_back(fmt::format("{:.0f}", line.sweeps));
    row.push_back(fmt::format("{:.2f}", line.milliseconds));
    table.push_back(std::move(row));
  }
  return table;
}

/// Code points of UTF-8 text, for what lies under one another.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::vector<std::string> findings(const FlowStudy& study) {
  std::vector<std::string> lines;
  for (const auto& [law, fit] : study.fits)
    lines.push_back(
        fmt::format("Beverloo's law under {}: C = {} (as of a round opening: {:.3f}), k = {}", law,
                    shown(fit.C), fit.C.value / kSlotOverRound, shown(fit.k)));
  Index grains = 0, steps = 0, pairs = 0;
  Real outside = 0, certificate = 0, mass_error = 0, penetration = 0, judged = -1;
  for (const FlowRun& run : study.runs) {
    grains = std::max(grains, run.grains);
    steps += run.steps;
    outside += run.outside;
    certificate = std::max(certificate, run.certificate);
    mass_error = std::max(mass_error, run.mass_error);
    penetration = std::max(penetration, run.penetration);
    if (run.judged >= 0) judged = std::max(judged, run.judged);
    if (run.law != "maximum_dissipation") continue;
    pairs += std::any_of(study.runs.begin(), study.runs.end(), [&](const FlowRun& other) {
      return other.law == "coulomb" && other.flow_case == run.flow_case && other.seed == run.seed;
    });
  }
  lines.push_back(fmt::format(
      "{} grains, {} runs, {} steps, {} uncertified (largest natural map {:.1e}), deepest "
      "penetration {:.1f} um",
      grains, study.runs.size(), steps, study.uncertified(), certificate, 1e6 * penetration));
  lines.push_back(
      fmt::format("grains lost: {}; mass not accounted for: {:.1e} of all", outside, mass_error));
  if (pairs > 0)
    lines.push_back(
        fmt::format("coulomb and maximum_dissipation: last states differ in {} of {} pairs of runs",
                    study.differing_states(), pairs));
  if (judged >= 0)
    lines.push_back(fmt::format(
        "coulomb's impulses judged as answers of maximum_dissipation: natural map up to {:.1e}",
        judged));
  return lines;
}

}  // namespace

std::string to_text(const FlowStudy& study) {
  const auto table = cells(study);
  std::vector<std::size_t> width(table[0].size(), 0);
  for (const auto& row : table)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], width_of(row[i]));
  std::string text = study.flow.title + "\n";
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += row[i] + std::string(width[i] - width_of(row[i]) + 2, ' ');
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  for (const std::string& line : findings(study)) text += "  " + line + "\n";
  return text;
}

std::string to_markdown(const FlowStudy& study) {
  std::string text = fmt::format("## {}\n\n", study.flow.title);
  bool is_head = true;
  for (const auto& row : cells(study)) {
    text += "| " + join(row, " | ") + " |\n";
    for (std::size_t i = 0; is_head && i < row.size(); ++i) text += "|---";
    if (is_head) text += "|\n";
    is_head = false;
  }
  text += "\n";
  for (const std::string& line : findings(study)) text += "- " + line + "\n";
  return text + "\n";
}

std::string to_json(const FlowStudy& study) {
  const auto number = [](Real value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto estimate = [&](const Estimate& e) {
    return Json({{"value", number(e.value)}, {"error", number(e.error)}});
  };
  Json lines = Json::array(), fits = Json::object();
  for (const FlowLine& line : study.lines) {
    Json observables = Json::object();
    for (std::size_t k = 0; k < line.observables.size(); ++k)
      observables[study.flow.observables[k].name] = estimate(line.observables[k]);
    lines.push_back({{"law", line.law},
                     {"value", line.value},
                     {"observables", observables},
                     {"sweeps", line.sweeps},
                     {"milliseconds", line.milliseconds},
                     {"contacts", line.mean_contacts}});
  }
  for (const auto& [law, fit] : study.fits)
    fits[law] = {{"C", estimate(fit.C)}, {"k", estimate(fit.k)}};
  return json_text({{"flow", study.flow.name},
                    {"grains", study.runs.empty() ? 0 : study.runs.front().grains},
                    {"uncertified", study.uncertified()},
                    {"differing_states", study.differing_states()},
                    {"lines", lines},
                    {"fits", fits}});
}

std::vector<std::pair<std::string, std::string>> draw(const FlowStudy& study) {
  std::vector<std::pair<std::string, std::string>> figures;
  const Flow& flow = study.flow;
  if (flow.cases.size() < 2) return figures;
  for (std::size_t k = 0; k < flow.observables.size(); ++k) {
    SvgPlot plot(flow.title, flow.parameter, heading(flow.observables[k]));
    int colour = 0;
    for (const std::string& law : flow.laws) {
      std::vector<Vec2> points;
      for (const FlowLine& line : study.lines) {
        if (line.law != law) continue;
        const Estimate& y = line.observables[k];
        points.emplace_back(line.value, y.value);
        if (y.error > 0)
          plot.line({{line.value, y.value - y.error}, {line.value, y.value + y.error}}, "", colour);
      }
      const auto fit = study.fits.find(law);
      if (fit != study.fits.end() && flow.observables[k].name == flow.slot.rate &&
          points.size() >= 2 && std::isfinite(fit->second.C.value)) {
        // The fitted line through the first point's size: W = c (B − k d)^{3/2}.
        const Real zero = fit->second.k.value * flow.slot.diameter / flow.slot.unit;
        std::vector<Vec2> curve;
        Real size = 0;
        for (const Vec2& p : points)
          size += p.y() / std::pow(p.x() - zero, 1.5) / static_cast<Real>(points.size());
        for (int i = 0; i <= 60; ++i) {
          const Real x = zero + (points.back().x() - zero) * i / 60;
          curve.emplace_back(x, size * std::pow(x - zero, 1.5));
        }
        plot.line(std::move(curve), "", colour, 1);
      }
      plot.dots(std::move(points), law, colour++);
    }
    figures.emplace_back(fmt::format("{}_{}.svg", flow.name, flow.observables[k].name), plot.svg());
  }
  return figures;
}

}  // namespace talus::reproduce
