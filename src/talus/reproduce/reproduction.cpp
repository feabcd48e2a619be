#include <talus/reproduce/reproduction.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/files/own_kinds.hpp>
#include <talus/json/json.hpp>
#include <talus/reproduce/contact_measures.hpp>
#include <talus/reproduce/figures.hpp>
#include <talus/reproduce/flow_report.hpp>
#include <talus/reproduce/machine_figures.hpp>
#include <talus/reproduce/machine_measures.hpp>
#include <talus/reproduce/measures.hpp>

namespace talus::reproduce {
namespace {

/// Round-off of a comparison with a tolerance, relative to it.
constexpr Real kEdge = 1e-9;

std::string paper_text(const Row& row) {
  return fmt::format("{:g}{}", row.spec.paper, row.spec.is_printed ? "" : " *");
}

const Row* find(const Reproduction& reproduction, const std::string& quantity) {
  for (const Row& row : reproduction.rows)
    if (row.spec.quantity == quantity) return &row;
  return nullptr;
}

std::string markdown_table(const TableSpec& table, const Reproduction& reproduction) {
  std::string text = fmt::format("## {}\n\nPaper | Talus.\n\n| h |", table.title);
  std::string rule = "|---|";
  for (const auto& [heading, quantity] : table.columns) {
    text += fmt::format(" {} | |", heading);
    rule += "---|---|";
  }
  text += fmt::format("\n{}\n", rule);
  for (const std::string& step : table.steps) {
    text += fmt::format("| {} |", step);
    for (const auto& [heading, quantity] : table.columns) {
      const Row* row = find(reproduction, fmt::format("{}.{}", quantity, step));
      text += row == nullptr ? std::string(" – | – |")
                             : fmt::format(" {:.4f} | {:.4f} |", row->spec.paper, row->talus);
    }
    text += "\n";
  }
  return text + "\n";
}

/// The paper without what is not asked for.
Paper selected(Paper paper, const Options& options) {
  const auto is_left_out = [&](const std::string& name) {
    return !options.only.empty() &&
           std::none_of(options.only.begin(), options.only.end(),
                        [&](const std::string& start) { return name.starts_with(start); });
  };
  std::erase_if(paper.flows, [&](const Flow& flow) {
    return is_left_out(flow.name) || (flow.needs_full && !options.is_full);
  });
  std::erase_if(paper.figures, [&](const FigureSpec& figure) { return is_left_out(figure.name); });
  const auto has_flow = [&](const RowSpec& row) {
    return std::any_of(paper.flows.begin(), paper.flows.end(),
                       [&](const Flow& flow) { return flow.name == row.flow; });
  };
  std::erase_if(paper.rows, [&](const RowSpec& row) {
    if (row.needs_full && !options.is_full) return true;
    return row.flow.empty() ? is_left_out(row.quantity) : !has_flow(row);
  });
  return paper;
}

/// What --only may name: quantities up to their first dot, figures, flows.
std::vector<std::string> names_in(const Paper& paper) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const RowSpec& row : paper.rows)
    add(row.flow.empty() ? row.quantity.substr(0, row.quantity.find('.')) : row.flow);
  for (const FigureSpec& figure : paper.figures) add(figure.name);
  return names;
}

/// The machines of rows and figures.
std::vector<std::string> machines_of(const Paper& paper, bool is_full) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
    if (is_full || !paper.machines.at(name).needs_full) names.push_back(name);
  };
  for (const RowSpec& row : paper.rows) add(row.machine.machine);
  for (const FigureSpec& figure : paper.figures)
    for (const CurveSpec& curve : figure.curves) add(curve.machine);
  return names;
}

/// Makes all runs of the machines; false if stopped.
bool run_machines(const Options& options, Reproduction& result) {
  const std::vector<std::string> names = machines_of(result.paper, options.is_full);
  Real done = 0, all = 0;
  for (const std::string& name : names)
    all += static_cast<Real>(result.paper.machines.at(name).value_count());
  for (const std::string& name : names) {
    const MachineCase& machine = result.paper.machines.at(name);
    for (Index value = 0; value < machine.value_count(); ++value, done += 1) {
      const auto progress = [&](Real share) {
        if (options.progress) options.progress(name, (done + share) / all);
      };
      progress(0);
      result.machines[name].push_back(run_machine(machine, value, progress, options.should_stop));
      if (options.should_stop && options.should_stop()) return false;
    }
  }
  return true;
}

Real measured(const RowSpec& row, const Reproduction& result, const Runs& runs) {
  if (const std::string& name = row.machine.machine; !name.empty())
    return measure_machine(row.measure, row.machine, result.machines.at(name),
                           result.paper.machines.at(name));
  if (!row.flow.empty()) {
    const auto of = std::find_if(result.flows.begin(), result.flows.end(),
                                 [&](const FlowStudy& s) { return s.flow.name == row.flow; });
    return measure_flow(*of, row.measure, row.law, row.value);
  }
  return row.contact.empty() ? measure(row, runs) : measure_contact(row, result.paper);
}

}  // namespace

bool Row::is_ok() const { return std::abs(difference()) <= spec.tolerance * (1 + kEdge); }

bool Reproduction::is_ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.is_ok(); });
}

Reproduction reproduce(const Paper& asked_paper, const Options& options) {
  Reproduction result;
  result.paper = selected(asked_paper, options);
  if (!options.only.empty() && result.paper.rows.empty() && result.paper.flows.empty() &&
      result.paper.figures.empty())
    throw InputError(Diagnostic{{"command line"},
                                "--only",
                                fmt::format("nothing of {} has a name that begins with {}",
                                            asked_paper.name, join(options.only, " or ")),
                                "",
                                fmt::format("it has {}{}", join(names_in(asked_paper), ", "),
                                            options.is_full ? "" : "; what is long needs --full")});
  const Paper& paper = result.paper;
  std::vector<std::pair<std::string, Real>> asked;
  for (const RowSpec& row : paper.rows) {
    result.rows.push_back({row, 0});
    if (!row.contact.empty() || !row.flow.empty() || !row.machine.machine.empty()) continue;
    const auto runs = runs_of(row);
    asked.insert(asked.end(), runs.begin(), runs.end());
  }
  for (const FigureSpec& figure : paper.figures) {
    if (!figure.contact.empty() || !figure.curves.empty()) continue;
    const auto runs = runs_of(figure);
    asked.insert(asked.end(), runs.begin(), runs.end());
  }
  Runs runs(paper, options.progress, options.should_stop);
  result.is_interrupted = !runs.make(asked);
  if (result.is_interrupted) return result;
  for (const Flow& flow : paper.flows) {
    result.flows.push_back(study(flow, options.progress, options.should_stop));
    result.is_interrupted = options.should_stop && options.should_stop();
    if (result.is_interrupted) return result;
  }
  result.is_interrupted = !run_machines(options, result);
  if (result.is_interrupted) return result;
  for (Row& row : result.rows) row.talus = measured(row.spec, result, runs);
  for (const FigureSpec& figure : paper.figures)
    result.figures.emplace_back(figure.name + ".svg",
                                !figure.curves.empty()   ? draw_machines(figure, result.machines)
                                : figure.contact.empty() ? draw(figure, runs)
                                                         : draw_contact(figure, paper));
  for (const FlowStudy& flow : result.flows)
    for (auto& figure : draw(flow)) result.figures.push_back(std::move(figure));
  return result;
}

std::string to_text(const Reproduction& reproduction) {
  const Paper& paper = reproduction.paper;
  std::string text = fmt::format("{}\n{}\n\n", paper.title, paper.citation);
  text += fmt::format("{:<34} {:>12} {:>14} {:>11} {:>10}\n", "quantity", "paper", "talus",
                      "difference", "tolerance");
  bool has_unprinted = false;
  for (const Row& row : reproduction.rows) {
    has_unprinted = has_unprinted || !row.spec.is_printed;
    text += fmt::format("{:<34} {:>12} {:>14.7g} {:>11.2e} {:>10.2g}  {}\n", row.spec.quantity,
                        paper_text(row), row.talus, row.difference(), row.spec.tolerance,
                        row.is_ok() ? "ok" : "DIFFERS");
  }
  for (const FlowStudy& flow : reproduction.flows) text += fmt::format("\n{}", to_text(flow));
  if (!reproduction.flows.empty()) text += "\n";
  if (has_unprinted) text += "* not printed in the paper: what is expected of the method\n";
  if (!paper.inferred.empty()) text += "\nInputs that the paper does not print:\n";
  for (const Inferred& input : paper.inferred)
    text += fmt::format("  {}: {} ({})\n", input.what, input.value, input.why);
  const auto ok = std::count_if(reproduction.rows.begin(), reproduction.rows.end(),
                                [](const Row& row) { return row.is_ok(); });
  text += fmt::format("\n{} of {} within tolerance\n", ok, reproduction.rows.size());
  return text;
}

std::string to_json(const Reproduction& reproduction) {
  const auto number = [](Real value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json rows = Json::array();
  for (const Row& row : reproduction.rows)
    rows.push_back({{"quantity", row.spec.quantity},
                    {"paper", row.spec.paper},
                    {"talus", number(row.talus)},
                    {"difference", number(row.difference())},
                    {"tolerance", row.spec.tolerance},
                    {"ok", row.is_ok()}});
  Json flows = Json::array();
  for (const FlowStudy& flow : reproduction.flows) flows.push_back(*parse_json(to_json(flow)));
  Json all({{"paper", reproduction.paper.name}, {"rows", rows}});
  if (!flows.empty()) all["flows"] = flows;
  return json_text(all);
}

std::string to_markdown(const Reproduction& reproduction) {
  const Paper& paper = reproduction.paper;
  std::string text = fmt::format("# {}\n\n{}\n\n", paper.title, paper.citation);
  if (!paper.inferred.empty()) {
    text += "Inputs that the paper does not print:\n\n";
    for (const Inferred& input : paper.inferred)
      text += fmt::format("- {}: {}. {}\n", input.what, input.value, input.why);
    text += "\n";
  }
  for (const TableSpec& table : paper.tables) text += markdown_table(table, reproduction);
  for (const FlowStudy& flow : reproduction.flows) text += to_markdown(flow);
  text += "## All numbers\n\n| quantity | paper | Talus | difference | tolerance | |\n";
  text += "|---|---|---|---|---|---|\n";
  for (const Row& row : reproduction.rows)
    text += fmt::format("| `{}` | {} | {:.7g} | {:.2e} | {:.2g} | {} |\n", row.spec.quantity,
                        paper_text(row), row.talus, row.difference(), row.spec.tolerance,
                        row.is_ok() ? "ok" : "**differs**");
  text += "\n\\* not printed in the paper: what is expected of the method.\n";
  if (!reproduction.figures.empty()) text += "\n## Figures\n";
  for (std::size_t i = 0; i < reproduction.figures.size(); ++i)
    text += fmt::format(
        "\n![{}]({})\n",
        i < paper.figures.size() ? paper.figures[i].title : reproduction.figures[i].first,
        reproduction.figures[i].first);
  return text;
}

std::filesystem::path write_report(const Reproduction& reproduction,
                                   const std::filesystem::path& folder) {
  files::make_folder(folder);
  for (const auto& [name, svg] : reproduction.figures)
    files::write_file(folder / name, files::drawing_kind(), files::xml_marked(svg));
  files::write_file(folder / "report.md", files::report_kind(),
                    files::xml_marked(to_markdown(reproduction)));
  return folder / "report.md";
}

}  // namespace talus::reproduce
