#include <talus/scene/detail/sphere_table.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include <talus/base/text.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::array<std::string_view, 11> kColumns = {"x",  "y",  "z",  "r",  "vx", "vy",
                                                       "vz", "wx", "wy", "wz", "id"};
constexpr std::size_t kRequired = 4;
constexpr std::size_t kRadius = 3;
constexpr std::size_t kNumbers = 10;
constexpr std::size_t kMostMistakes = 10;

Real& component(SphereRow& row, std::size_t column) {
  if (column < 3) return row.position[static_cast<Index>(column)];
  if (column == kRadius) return row.radius;
  if (column < 7) return row.velocity[static_cast<Index>(column) - 4];
  return row.angular_velocity[static_cast<Index>(column) - 7];
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

class TableParser {
 public:
  TableParser(const std::filesystem::path& path, std::string_view text, Problems& problems)
      : path_(path), text_(text), problems_(problems) {}

  SphereTable parse() {
    std::size_t start = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    bool has_header = false;
    while (start < text_.size() && mistake_count_ < kMostMistakes) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      line_ = text_.substr(start, end - start);
      ++line_number_;
      start = end + 1;
      const std::string_view content = trimmed(line_);
      if (content.empty() || content.front() == '#') continue;
      if (!has_header) {
        if (!read_header()) return {};
        table_.rows.reserve(text_.size() / (line_.size() + 40));
        has_header = true;
      } else {
        read_row();
      }
    }
    if (!has_header)
      problems_.add(Diagnostic{{path_.string()},
                               "",
                               "the file has no line that names the columns",
                               "",
                               "begin it with id,x,y,z,r"});
    else if (table_.rows.empty() && mistake_count_ == 0)
      problems_.add(Diagnostic{{path_.string()}, "", "the file has no rows", "", ""});
    return std::move(table_);
  }

 private:
  void mistake(std::string_view cell, std::string message, std::string hint = "") {
    ++mistake_count_;
    const int column = static_cast<int>(cell.data() - line_.data()) + 1;
    // The line is at hand; its number must not cost a search from the start of a large file.
    Diagnostic diagnostic = diagnostic_at(path_, line_, 1, column);
    diagnostic.position.line = line_number_;
    diagnostic.message = std::move(message);
    diagnostic.hint = std::move(hint);
    problems_.add(std::move(diagnostic));
  }

  /// Cuts the next cell off a line.
  static std::string_view take_cell(std::string_view& rest, bool& is_last) {
    const std::size_t comma = rest.find(',');
    is_last = comma == std::string_view::npos;
    const std::string_view cell = rest.substr(0, comma);
    rest.remove_prefix(is_last ? rest.size() : comma + 1);
    return trimmed(cell);
  }

  bool read_header() {
    std::array<bool, kColumns.size()> is_there{};
    std::string_view rest = line_;
    for (bool is_last = false; !is_last;) {
      const std::string_view cell = take_cell(rest, is_last);
      const auto found = std::find(kColumns.begin(), kColumns.end(), cell);
      const std::size_t column = found - kColumns.begin();
      if (found == kColumns.end()) {
        mistake(cell,
                fmt::format(
                    "unknown column \"{}\"; allowed: id, x, y, z, r, vx, vy, vz, wx, wy, wz", cell),
                "the first line that is no comment names the columns");
      } else if (is_there[column]) {
        mistake(cell, fmt::format("the column \"{}\" is there twice", cell));
      } else {
        is_there[column] = true;
      }
      order_.push_back(column);
      if (mistake_count_ >= kMostMistakes) return false;
    }
    if (mistake_count_ > 0) return false;
    for (std::size_t column = 0; column < kRequired; ++column)
      if (!is_there[column])
        mistake(trimmed(line_), fmt::format("the column \"{}\" is missing", kColumns[column]),
                "needed are x, y, z and r");
    table_.has_velocity = std::any_of(is_there.begin() + kRequired, is_there.begin() + kNumbers,
                                      [](bool there) { return there; });
    return mistake_count_ == 0;
  }

  void read_row() {
    SphereRow row;
    std::string_view rest = line_;
    std::size_t i = 0;
    for (bool is_last = false; !is_last; ++i) {
      const std::string_view cell = take_cell(rest, is_last);
      if (i < order_.size() && order_[i] < kNumbers && !read_cell(cell, order_[i], row)) return;
    }
    if (i != order_.size())
      return mistake(trimmed(line_), fmt::format("expected {} columns as in the first line, got {}",
                                                 order_.size(), i));
    table_.rows.push_back(row);
  }

  bool read_cell(std::string_view cell, std::size_t column, SphereRow& row) {
    Real& value = component(row, column);
    const char* begin = cell.data();
    const char* end = begin + cell.size();
    if (cell.starts_with('+')) ++begin;
    const auto [rest, error] = std::from_chars(begin, end, value);
    const bool is_number = error == std::errc{} && rest == end && std::isfinite(value);
    if (is_number && (column != kRadius || value > 0)) return true;
    mistake(cell, fmt::format("expected {} in column {}, got \"{}\"",
                              column == kRadius ? "a positive length [m]" : "a finite number",
                              kColumns[column], cell.substr(0, 60)));
    return false;
  }

  const std::filesystem::path& path_;
  std::string_view text_;
  Problems& problems_;
  SphereTable table_;
  std::vector<std::size_t> order_;  ///< what each column of the file is
  std::string_view line_;
  int line_number_ = 0;
  std::size_t mistake_count_ = 0;
};

}  // namespace

SphereTable parse_sphere_table(const std::filesystem::path& path, std::string_view text,
                               Problems& problems) {
  return TableParser(path, text, problems).parse();
}

}  // namespace talus::scene::detail
