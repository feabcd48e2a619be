#include <talus/sim/study_table.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <talus/base/contract.hpp>
#include <talus/base/csv_cell.hpp>
#include <talus/base/error.hpp>

namespace talus::sim {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

/// A line of cells; line breaks inside of one become "; ".
std::string line_of(const Texts& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    std::string text;
    for (const char c : row[i]) {
      if (c == '\n')
        text += text.empty() ? "" : "; ";
      else if (c != '\r')
        text += c;
    }
    line += csv_cell(text);
  }
  return line + '\n';
}

Texts row_of(const std::string& line) {
  Texts row(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      row.back() += '"';
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      row.emplace_back();
    } else {
      row.back() += c;
    }
  }
  return row;
}

}  // namespace

const files::OwnKind& study_table_kind() {
  static const files::OwnKind kind{"a table of a study",
                                   [](const fs::path& path) {
                                     std::ifstream file(path, std::ios::binary);
                                     std::string heading;
                                     std::getline(file, heading);
                                     return heading.find(",inputs,status") != std::string::npos;
                                   },
                                   true};
  return kind;
}

StudyTable::StudyTable(fs::path path, Texts varied, Texts results)
    : path_(files::followed(std::move(path))), varied_(varied.size()), columns_(std::move(varied)) {
  columns_.emplace_back("inputs");
  columns_.insert(columns_.end(), results.begin(), results.end());
  if (fs::exists(path_) && !fs::is_empty(path_))
    read();
  else
    write();
}

void StudyTable::read() {
  std::ifstream file(path_, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::size_t begin = 0;
  bool is_heading = true;
  // A line without its end was cut off by the end of the program: its point is not done.
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    Texts row = row_of(text.substr(begin, end - begin));
    if (is_heading && row != columns_)
      throw file_error(path_.string(), "is not a table of this study: it has other columns",
                       "name another with -o, or start anew with --fresh");
    if (!is_heading && row.size() != columns_.size())
      throw file_error(path_.string(), "has a row that does not fit its heading",
                       "name another with -o, or start anew with --fresh");
    if (!is_heading) {
      row_of_[Texts(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(varied_))] =
          rows_.size();
      rows_.push_back(std::move(row));
    }
    is_heading = false;
  }
  if (is_heading || begin < text.size()) {
    if (is_heading)
      throw file_error(path_.string(), "is not a table of a study",
                       "name another with -o, or start anew with --fresh");
    write();
  }
}

void StudyTable::write() const {
  std::string text = line_of(columns_);
  for (const Texts& row : rows_) text += line_of(row);
  files::write_file(path_, study_table_kind(), text);
}

bool StudyTable::has(const Texts& point, const std::string& inputs) const {
  const auto found = row_of_.find(point);
  if (found == row_of_.end()) return false;
  if (rows_[found->second][varied_] != inputs)
    throw file_error(path_.string(), "has rows of another scene or other options",
                     "name another with -o, or start anew with --fresh");
  return true;
}

void StudyTable::add(const Texts& point, const std::string& inputs, const Cells& results) {
  Texts row = point;
  row.push_back(inputs);
  for (std::size_t i = row.size(); i < columns_.size(); ++i) {
    const auto found = std::find_if(results.begin(), results.end(),
                                    [&](const auto& cell) { return cell.first == columns_[i]; });
    row.push_back(found == results.end() ? "" : found->second);
  }
  const std::string line = line_of(row);
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file << line << std::flush;
  if (!file) throw file_error(path_.string(), "cannot be written");
  row_of_[point] = rows_.size();
  rows_.push_back(row_of(line.substr(0, line.size() - 1)));
}

void StudyTable::keep_only(const std::string& status) {
  const auto at = static_cast<std::size_t>(column("status"));
  std::erase_if(rows_, [&](const Texts& row) { return row[at] != status; });
  row_of_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    row_of_[Texts(rows_[i].begin(), rows_[i].begin() + static_cast<std::ptrdiff_t>(varied_))] = i;
  write();
}

void StudyTable::sort(const Study& study) {
  std::vector<Texts> sorted;
  std::set<Texts> mine;
  for (Index i = 0; i < study.point_count(); ++i) mine.insert(study.point(i));
  for (const auto& [point, row] : row_of_)
    if (!mine.contains(point)) sorted.push_back(rows_[row]);
  std::set<Texts> done;  // the same value may be asked for twice
  for (Index i = 0; i < study.point_count(); ++i)
    if (const auto found = row_of_.find(study.point(i));
        found != row_of_.end() && done.insert(found->first).second)
      sorted.push_back(rows_[found->second]);
  rows_ = std::move(sorted);
  row_of_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i)
    row_of_[Texts(rows_[i].begin(), rows_[i].begin() + static_cast<std::ptrdiff_t>(varied_))] = i;
  write();
}

Index StudyTable::done_count(const Study& study) const {
  Index count = 0;
  for (Index i = 0; i < study.point_count(); ++i) count += row_of_.contains(study.point(i)) ? 1 : 0;
  return count;
}

Index StudyTable::column(const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  return found == columns_.end() ? -1 : static_cast<Index>(found - columns_.begin());
}

const std::string& StudyTable::cell(const Texts& point, const std::string& name) const {
  const auto found = row_of_.find(point);
  const Index at = column(name);
  TALUS_DEMAND(found != row_of_.end() && at >= 0);
  return rows_[found->second][static_cast<std::size_t>(at)];
}

}  // namespace talus::sim
