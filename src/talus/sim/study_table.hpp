#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <talus/files/output_file.hpp>
#include <talus/sim/study.hpp>

namespace talus::sim {

/// Tables of studies, told by their columns.
[[nodiscard]] const files::OwnKind& study_table_kind();

/// The results of a study as a CSV file that grows by a row whenever a point is done, so that what
/// is done is there whatever happens. Columns: the varied paths, `inputs` (inputs_of), results.
class StudyTable {
 public:
  /// Takes up the rows of a file that is there, or starts one.
  /// @throws InputError if the file is no table of these columns, or cannot be written.
  StudyTable(std::filesystem::path path, std::vector<std::string> varied,
             std::vector<std::string> results);

  /// Whether a point has a row. @throws InputError if it has one of other inputs: the scene has
  /// changed since.
  [[nodiscard]] bool has(const std::vector<std::string>& point, const std::string& inputs) const;
  /// Appends a row and flushes it. Results of unknown names are left out, missing ones empty.
  void add(const std::vector<std::string>& point, const std::string& inputs, const Cells& results);
  /// Takes rows out whose status is not one of these.
  void keep_only(const std::string& status);
  /// Writes the rows anew in the order of the points; others, of an earlier study, before them.
  void sort(const Study& study);

  [[nodiscard]] const std::vector<std::string>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const { return rows_; }
  /// How many points of a study have a row.
  [[nodiscard]] Index done_count(const Study& study) const;
  /// Index of a column; −1 if there is none.
  [[nodiscard]] Index column(const std::string& name) const;
  /// An entry of a point's row; contract: has(point).
  [[nodiscard]] const std::string& cell(const std::vector<std::string>& point,
                                        const std::string& name) const;

 private:
  void read();
  void write() const;

  std::filesystem::path path_;
  std::size_t varied_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::map<std::vector<std::string>, std::size_t> row_of_;
};

}  // namespace talus::sim
