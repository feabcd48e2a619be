#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <talus/base/types.hpp>
#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {

/// A CSV text, line by line and cell by cell: commas between cells, blanks about them left out.
/// Lines that are blank or start with # are skipped, and so is a byte order mark. Mistakes go to
/// the problems with file, line and column. O(bytes), no allocation but for mistakes.
class CsvText {
 public:
  static constexpr std::size_t kMostMistakes = 10;

  /// All three stay where they are as long as this lives.
  CsvText(const std::filesystem::path& path, std::string_view text, Problems& problems);

  /// Goes to the next line; false at the end, and after kMostMistakes mistakes.
  [[nodiscard]] bool next_line();
  /// Cuts the next cell off the line; false if there is none.
  [[nodiscard]] bool next_cell(std::string_view& cell);
  /// The whole line, without blanks about it.
  [[nodiscard]] std::string_view line() const;

  /// Notes what is wrong with a cell, or with the whole of line().
  void mistake(std::string_view cell, std::string message, std::string hint = "");
  /// Notes what is wrong with the file as a whole.
  void mistake_in_file(std::string message, std::string hint = "");
  [[nodiscard]] std::size_t mistake_count() const { return mistake_count_; }

 private:
  const std::filesystem::path& path_;
  std::string_view text_, line_, rest_;
  Problems& problems_;
  std::size_t start_ = 0;  ///< of the next line, in the text
  bool has_cell_ = false;
  int line_number_ = 0;
  std::size_t mistake_count_ = 0;
};

/// The finite number that a cell is, all of it; nothing if it is none.
[[nodiscard]] std::optional<Real> finite_number(std::string_view cell);

}  // namespace talus::scene::detail
