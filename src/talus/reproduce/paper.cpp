#include <talus/reproduce/paper.hpp>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>

#include <talus/base/error.hpp>
#include <talus/reproduce/measures.hpp>

namespace talus::reproduce {
namespace {

namespace fs = std::filesystem;

/// One mapping of the file: every key is asked for once, what is left over is a mistake.
class Reader {
 public:
  Reader(const YAML::Node& node, std::string file, std::string path)
      : node_(node), file_(std::move(file)), path_(std::move(path)) {
    if (!node_.IsMap()) fail(node_, "expected a mapping");
  }

  [[noreturn]] void fail(const YAML::Node& at, const std::string& message,
                         const std::string& hint = "") const {
    throw InputError(
        Diagnostic{{file_, at.Mark().line + 1, at.Mark().column + 1}, path_, message, "", hint});
  }

  template <class T>
  T get(const std::string& key) {
    const YAML::Node value = node_[key];
    if (!value) fail(node_, "the key " + key + " is missing");
    return convert<T>(key, value);
  }
  template <class T>
  T get(const std::string& key, T otherwise) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    return value ? convert<T>(key, value) : otherwise;
  }
  /// Step sizes: one number or a list.
  std::vector<Real> numbers(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    if (!value) return {};
    if (value.IsSequence()) return convert<std::vector<Real>>(key, value);
    return {convert<Real>(key, value)};
  }
  /// The entries of a list of mappings; empty where the key is not there.
  std::vector<Reader> list(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    std::vector<Reader> entries;
    if (!value) return entries;
    if (!value.IsSequence()) fail(value, key + ": expected a list");
    for (std::size_t i = 0; i < value.size(); ++i)
      entries.emplace_back(value[i], file_, fmt::format("{}[{}]", key, i));
    return entries;
  }
  /// The entries of a mapping of mappings.
  std::vector<std::pair<std::string, Reader>> table(const std::string& key) {
    const YAML::Node value = node_[key];
    known_.push_back(key);
    std::vector<std::pair<std::string, Reader>> entries;
    if (!value || !value.IsMap()) fail(node_, key + ": expected a mapping");
    for (const auto& entry : value)
      entries.emplace_back(entry.first.as<std::string>(),
                           Reader(entry.second, file_, key + "." + entry.first.as<std::string>()));
    return entries;
  }
  void finish() const {
    for (const auto& entry : node_) {
      const auto key = entry.first.as<std::string>();
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        fail(entry.first, "unknown key " + key);
    }
  }
  [[nodiscard]] const YAML::Node& node() const { return node_; }

 private:
  template <class T>
  T convert(const std::string& key, const YAML::Node& value) {
    known_.push_back(key);
    try {
      return value.as<T>();
    } catch (const YAML::Exception& error) {
      fail(value, key + ": " + error.msg);
    }
  }

  YAML::Node node_;
  std::string file_, path_;
  std::vector<std::string> known_;
};

RowSpec read_row(Reader reader) {
  RowSpec row;
  row.quantity = reader.get<std::string>("quantity");
  row.measure = reader.get<std::string>("measure");
  row.run = reader.get<std::string>("case");
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
  const auto names = measure_names();
  if (std::find(names.begin(), names.end(), row.measure) == names.end())
    reader.fail(reader.node(), "unknown measure " + row.measure,
                fmt::format("known: {}", fmt::join(names, ", ")));
  if (row.steps.empty()) reader.fail(reader.node(), "the key step is missing");
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
  figure.run = reader.get<std::string>("case");
  figure.steps = reader.numbers("step");
  figure.reference = reader.get<Real>("reference", 0);
  figure.body = reader.get<std::string>("body", "");
  figure.value = reader.get<std::string>("value", "");
  const auto axes = reader.get<std::vector<std::string>>("axes", {"x", "y"});
  const auto window = reader.get<std::vector<Real>>("window", {0, 0});
  figure.every = reader.get<Real>("every", 0);
  if (axes.size() != 2 || window.size() != 2 || figure.steps.empty())
    reader.fail(reader.node(), "expected two axes, a window of two times and a step");
  figure.axes = {axes[0], axes[1]};
  figure.window = {window[0], window[1]};
  reader.finish();
  return figure;
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
  for (Reader entry : reader.list("inferred")) {
    paper.inferred.push_back({entry.get<std::string>("what"), entry.get<std::string>("value"),
                              entry.get<std::string>("why")});
    entry.finish();
  }
  for (auto& [name, entry] : reader.table("cases")) {
    paper.cases[name] = {folder / entry.get<std::string>("scene"), entry.get<Real>("end", 0)};
    entry.finish();
  }
  for (Reader& entry : reader.list("rows")) paper.rows.push_back(read_row(std::move(entry)));
  for (Reader& entry : reader.list("figures"))
    paper.figures.push_back(read_figure(std::move(entry)));
  for (Reader& entry : reader.list("tables")) paper.tables.push_back(read_table(std::move(entry)));
  reader.finish();
  const auto check_case = [&](const std::string& what, const std::string& name) {
    if (!paper.cases.contains(name))
      throw file_error(file.string(), what + ": there is no case " + name);
  };
  for (const RowSpec& row : paper.rows) check_case(row.quantity, row.run);
  for (const FigureSpec& figure : paper.figures) check_case(figure.name, figure.run);
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
