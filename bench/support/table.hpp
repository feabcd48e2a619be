#pragma once

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

namespace talus::bench {

/// Rows of text under headings, printed for people (columns as rows where there are many) or as
/// CSV.
class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  void add(std::vector<std::string> row) {
    TALUS_DEMAND(row.size() == headings_.size());
    rows_.push_back(std::move(row));
  }

  /// One line per heading, one column per row of the table.
  [[nodiscard]] std::string as_text() const {
    std::string text;
    for (std::size_t k = 0; k < headings_.size(); ++k) {
      text += fmt::format("{:<16}", headings_[k]);
      for (const auto& row : rows_) text += fmt::format(" {:>18}", row[k]);
      text += '\n';
    }
    return text;
  }

  /// One line per row of the table.
  [[nodiscard]] std::string as_lines() const {
    std::string text = join(headings_);
    for (const auto& row : rows_) text += join(row);
    return text;
  }

  /// "bed lattice_1000, bodies 1000, …".
  [[nodiscard]] std::string last_row_as_text() const {
    std::string text;
    for (std::size_t k = 0; k < headings_.size(); ++k)
      text += fmt::format("{}{} {}", k == 0 ? "" : ", ", headings_[k], rows_.back()[k]);
    return text;
  }

  void write_csv(const std::string& path) const {
    std::ofstream file(path);
    const auto write = [&](const std::vector<std::string>& cells) {
      for (std::size_t k = 0; k < cells.size(); ++k) file << (k == 0 ? "" : ",") << cells[k];
      file << '\n';
    };
    write(headings_);
    for (const auto& row : rows_) write(row);
    if (!file) throw file_error(path, "cannot be written");
  }

 private:
  [[nodiscard]] std::string join(const std::vector<std::string>& cells) const {
    std::string line;
    for (std::size_t k = 0; k < cells.size(); ++k) {
      std::size_t width = headings_[k].size();
      for (const auto& row : rows_) width = std::max(width, row[k].size());
      line += k == 0 ? fmt::format("{:<{}}", cells[k], width)
                     : fmt::format("  {:>{}}", cells[k], width);
    }
    return line + '\n';
  }

  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace talus::bench
