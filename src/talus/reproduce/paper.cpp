#include <talus/reproduce/paper.hpp>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>

#include <talus/base/error.hpp>
#include <talus/base/text.hpp>
#include <talus/reproduce/contact_measures.hpp>
#include <talus/reproduce/flow_reader.hpp>
#include <talus/reproduce/flow_study.hpp>
#include <talus/reproduce/machine_measures.hpp>
#include <talus/reproduce/machine_reader.hpp>
#include <talus/reproduce/measures.hpp>
#include <talus/reproduce/paper_reader.hpp>

namespace talus::reproduce {
namespace {

namespace fs = std::filesystem;
using detail::Reader;

RowSpec read_row(Reader reader) {
  RowSpec row;
  row.quantity = reader.get<std::string>("quantity");
  row.measure = reader.get<std::string>("measure");
  row.contact = reader.get<std::string>("contact", "");
  row.flow = reader.get<std::string>("flow", "");
  row.law = reader.get<std::string>("law", "");
  row.value = reader.get<Real>("value", 0);
  row.machine = detail::read_machine_measure(reader);
  const bool is_machine = !row.machine.machine.empty();
  const bool has_run = row.contact.empty() && row.flow.empty() && !is_machine;
  row.run = has_run ? reader.get<std::string>("case") : "";
  row.steps = reader.numbers("step");
  row.reference = reader.get<Real>("reference", 0);
  row.number = reader.get<Index>("number", 1);
  row.body = reader.get<std::string>("body", "");
  row.component = reader.get<std::string>("component", "");
  row.at = reader.get<std::string>("at", "start");
  row.paper = reader.get<Real>("paper");
  row.tolerance = reader.get<Real>("tolerance", -1);
  const Real relative = reader.get<Real>("relative", -1);
  row.is_printed = reader.get<bool>("printed", true);
  row.needs_full = reader.get<bool>("full", false);
  if (row.number < 1) reader.fail(reader.node(), "expected a number of at least 1");
  if (row.at != "start" && row.at != "end")
    reader.fail(reader.node(), "expected at: start or end, got " + row.at);
  if ((row.tolerance < 0) == (relative < 0))
    reader.fail(reader.node(), "expected either tolerance or relative, not negative");
  if (relative >= 0) row.tolerance = relative * std::abs(row.paper);
  row.machine.number = row.number;
  row.machine.value = static_cast<Index>(row.value);
  const auto names = is_machine            ? machine_measure_names()
                     : row.contact.empty() ? measure_names()
                                           : contact_measure_names();
  if (row.flow.empty() && std::find(names.begin(), names.end(), row.measure) == names.end())
    reader.fail(reader.node(), "unknown measure " + row.measure,
                fmt::format("known: {}", join(names, ", ")));
  if (row.steps.empty() && has_run) reader.fail(reader.node(), "the key step is missing");
  for (const Real step : row.steps)
    if (!(step > 0)) reader.fail(reader.node(), "expected positive step sizes");
  reader.finish();
  return row;
}

FigureSpec read_figure(Reader reader) {
  FigureSpec figure;
  figure.name = reader.get<std::string>("name");
  figure.title = reader.get<std::string>("title");
  figure.kind = reader.get<std::string>("kind");
  figure.contact = reader.get<std::string>("contact", "");
  const bool is_machine = figure.kind == "machine";
  for (Reader& curve : reader.list("curves")) {
    figure.curves.push_back({curve.get<std::string>("machine"), curve.get<std::string>("x", "time"),
                             curve.get<std::string>("y"), curve.get<std::string>("label", ""),
                             curve.get<Index>("value", 0)});
    curve.finish();
  }
  if (is_machine == figure.curves.empty())
    reader.fail(reader.node(), "expected curves with kind: machine, and only there");
  figure.run = figure.contact.empty() && !is_machine ? reader.get<std::string>("case") : "";
  figure.steps = reader.numbers("step");
  figure.reference = reader.get<Real>("reference", 0);
  figure.body = reader.get<std::string>("body", "");
  figure.value = reader.get<std::string>("value", "");
  const auto axes = reader.get<std::vector<std::string>>("axes", {"x", "y"});
  const auto window = reader.get<std::vector<Real>>("window", {0, 0});
  figure.every = reader.get<Real>("every", 0);
  if (axes.size() != 2 || window.size() != 2 ||
      (figure.steps.empty() && figure.contact.empty() && !is_machine))
    reader.fail(reader.node(), "expected two axes, a window of two times and a step");
  figure.axes = {axes[0], axes[1]};
  figure.window = {window[0], window[1]};
  reader.finish();
  return figure;
}

ContactCase read_contact(Reader& reader) {
  ContactCase contact;
  const auto rows = reader.get<std::vector<std::vector<Real>>>("A");
  const auto b = reader.get<std::vector<Real>>("b");
  contact.friction = reader.get<Real>("friction");
  const bool is_square = rows.size() == 3 && rows[0].size() == 3 && rows[1].size() == 3 &&
                         rows[2].size() == 3 && b.size() == 3;
  if (!is_square) reader.fail(reader.node(), "expected a 3×3 matrix A and three numbers b");
  for (std::size_t i = 0; i < 3; ++i) {
    contact.b[static_cast<Index>(i)] = b[i];
    for (std::size_t j = 0; j < 3; ++j)
      contact.A(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
  }
  if (!(contact.b[0] < 0 && contact.friction > 0))
    reader.fail(reader.node(), "expected a contact that closes, b[0] < 0, with friction");
  reader.finish();
  return contact;
}

Population read_population(Reader& reader) {
  Population population;
  population.aspect = reader.get<Real>("aspect");
  population.friction = reader.get<Real>("friction");
  population.samples = reader.get<Index>("samples");
  population.seed = reader.get<Index>("seed");
  if (population.samples < 1 || !(population.aspect >= 1) || !(population.friction > 0))
    reader.fail(reader.node(), "expected samples ≥ 1, aspect ≥ 1, friction > 0");
  reader.finish();
  return population;
}

TableSpec read_table(Reader reader) {
  TableSpec table;
  table.title = reader.get<std::string>("title");
  table.steps = reader.get<std::vector<std::string>>("step");
  for (Reader column : reader.list("columns")) {
    table.columns.push_back(
        {column.get<std::string>("heading"), column.get<std::string>("quantity")});
    column.finish();
  }
  reader.finish();
  return table;
}

/// Every name that a row, a figure or a curve refers to exists; a row that needs a long run is
/// marked so.
void check_references(Paper& paper, const std::string& file) {
  const auto check_case = [&](const std::string& what, const std::string& name) {
    if (!paper.cases.contains(name)) throw file_error(file, what + ": there is no case " + name);
  };
  const auto check_contact = [&](const std::string& what, const std::string& name) {
    if (!paper.contacts.contains(name) && !paper.populations.contains(name))
      throw file_error(file, what + ": there is no contact or population " + name);
  };
  const auto check_machine = [&](const std::string& what, const std::string& name, Index value) {
    const auto machine = paper.machines.find(name);
    if (machine == paper.machines.end())
      throw file_error(file, what + ": there is no machine " + name);
    if (value < 0 || value >= std::max<Index>(1, machine->second.value_count()))
      throw file_error(file, what + ": the machine has not so many values");
  };
  const auto check = [&](const std::string& what, const auto& spec) {
    spec.contact.empty() ? check_case(what, spec.run) : check_contact(what, spec.contact);
  };
  for (RowSpec& row : paper.rows) {
    if (!row.machine.machine.empty()) {
      check_machine(row.quantity, row.machine.machine, row.machine.value);
      row.needs_full = row.needs_full || paper.machines.at(row.machine.machine).needs_full;
      continue;
    }
    if (row.flow.empty()) {
      check(row.quantity, row);
      continue;
    }
    const auto flow = std::find_if(paper.flows.begin(), paper.flows.end(),
                                   [&](const Flow& f) { return f.name == row.flow; });
    if (flow == paper.flows.end())
      throw file_error(file, row.quantity + ": there is no flow " + row.flow);
    const std::string mistake = mistake_in(*flow, row.measure, row.law, row.value);
    if (!mistake.empty()) throw file_error(file, row.quantity + ": " + mistake);
    row.needs_full = row.needs_full || flow->needs_full;
  }
  for (const FigureSpec& figure : paper.figures) {
    if (figure.curves.empty()) check(figure.name, figure);
    for (const CurveSpec& curve : figure.curves)
      check_machine(figure.name, curve.machine, curve.value);
  }
}

}  // namespace

Paper load_paper(const fs::path& folder) {
  const fs::path file = folder / "expected.yaml";
  Paper paper;
  paper.folder = folder;
  paper.name = fs::absolute(folder).lexically_normal().filename().string();
  YAML::Node root;
  try {
    root = YAML::LoadFile(file.string());
  } catch (const YAML::Exception& error) {
    throw InputError(Diagnostic{
        {file.string(), error.mark.line + 1, error.mark.column + 1}, "", error.msg, "", ""});
  }
  Reader reader(root, file.string(), "");
  paper.title = reader.get<std::string>("title");
  paper.citation = reader.get<std::string>("citation");
  paper.seconds = reader.get<Real>("seconds", 0);
  for (Reader entry : reader.list("inferred")) {
    paper.inferred.push_back({entry.get<std::string>("what"), entry.get<std::string>("value"),
                              entry.get<std::string>("why")});
    entry.finish();
  }
  for (auto& [name, entry] : reader.table("cases")) {
    paper.cases[name] = {folder / entry.get<std::string>("scene"), entry.get<Real>("end", 0)};
    entry.finish();
  }
  for (auto& [name, entry] : reader.table("contacts")) paper.contacts[name] = read_contact(entry);
  for (auto& [name, entry] : reader.table("populations"))
    paper.populations[name] = read_population(entry);
  for (auto& [name, entry] : reader.table("flows"))
    paper.flows.push_back(detail::read_flow(name, folder, entry));
  for (auto& [name, entry] : reader.table("machines"))
    paper.machines[name] = detail::read_machine(name, folder, entry);
  for (Reader& entry : reader.list("rows")) paper.rows.push_back(read_row(std::move(entry)));
  for (Reader& entry : reader.list("figures"))
    paper.figures.push_back(read_figure(std::move(entry)));
  for (Reader& entry : reader.list("tables")) paper.tables.push_back(read_table(std::move(entry)));
  reader.finish();
  check_references(paper, file.string());
  return paper;
}

std::vector<std::string> paper_names(const fs::path& papers) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(papers, error))
    if (fs::exists(entry.path() / "expected.yaml"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace talus::reproduce
