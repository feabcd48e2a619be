#include <talus/scene/detail/sphere_table.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <talus/scene/detail/csv_text.hpp>
#include <talus/scene/quantity.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::array<std::string_view, 11> kColumns = {"x",  "y",  "z",  "r",  "vx", "vy",
                                                       "vz", "wx", "wy", "wz", "id"};
constexpr std::size_t kRequired = 4;
constexpr std::size_t kRadius = 3;
constexpr std::size_t kNumbers = 10;

Real& component(SphereRow& row, std::size_t column) {
  if (column < 3) return row.position[static_cast<Index>(column)];
  if (column == kRadius) return row.radius;
  if (column < 7) return row.velocity[static_cast<Index>(column) - 4];
  return row.angular_velocity[static_cast<Index>(column) - 7];
}

Quantity quantity_of(std::size_t column) {
  return column <= kRadius ? Quantity::length
         : column < 7      ? Quantity::velocity
                           : Quantity::angular_velocity;
}

class TableParser {
 public:
  TableParser(const std::filesystem::path& path, std::string_view text, Problems& problems)
      : csv_(path, text, problems), size_(text.size()) {}

  SphereTable parse() {
    if (!csv_.next_line()) {
      csv_.mistake_in_file("the file has no line that names the columns",
                           "begin it with id,x,y,z,r");
      return {};
    }
    if (!read_header()) return {};
    table_.rows.reserve(size_ / (csv_.line().size() + 40));
    while (csv_.next_line()) read_row();
    if (table_.rows.empty() && csv_.mistake_count() == 0)
      csv_.mistake_in_file("the file has no rows");
    return std::move(table_);
  }

 private:
  bool read_header() {
    std::array<bool, kColumns.size()> is_there{};
    std::string_view cell;
    while (csv_.next_cell(cell)) {
      const auto found = std::find(kColumns.begin(), kColumns.end(), cell);
      const std::size_t column = found - kColumns.begin();
      if (found == kColumns.end()) {
        csv_.mistake(
            cell,
            fmt::format("unknown column \"{}\"; allowed: id, x, y, z, r, vx, vy, vz, wx, wy, wz",
                        cell),
            "the first line that is no comment names the columns");
      } else if (is_there[column]) {
        csv_.mistake(cell, fmt::format("the column \"{}\" is there twice", cell));
      } else {
        is_there[column] = true;
      }
      order_.push_back(column);
      if (csv_.mistake_count() >= CsvText::kMostMistakes) return false;
    }
    if (csv_.mistake_count() > 0) return false;
    for (std::size_t column = 0; column < kRequired; ++column)
      if (!is_there[column])
        csv_.mistake(csv_.line(), fmt::format("the column \"{}\" is missing", kColumns[column]),
                     "needed are x, y, z and r");
    table_.has_velocity = std::any_of(is_there.begin() + kRequired, is_there.begin() + kNumbers,
                                      [](bool there) { return there; });
    return csv_.mistake_count() == 0;
  }

  void read_row() {
    SphereRow row;
    std::string_view cell;
    std::size_t i = 0;
    for (; csv_.next_cell(cell); ++i)
      if (i < order_.size() && order_[i] < kNumbers && !read_cell(cell, order_[i], row)) return;
    if (i != order_.size())
      return csv_.mistake(
          csv_.line(),
          fmt::format("expected {} columns as in the first line, got {}", order_.size(), i));
    table_.rows.push_back(row);
  }

  bool read_cell(std::string_view cell, std::size_t column, SphereRow& row) {
    const std::optional<Real> number = finite_number(cell);
    const std::string why = number ? mistake_in_size(*number, quantity_of(column)) : "";
    if (number && why.empty() && (column != kRadius || *number > 0)) {
      component(row, column) = *number;
      return true;
    }
    csv_.mistake(cell,
                 fmt::format("expected {} in column {}, got \"{}\"",
                             column == kRadius ? "a positive length [m]" : "a finite number",
                             kColumns[column], cell.substr(0, 60)),
                 why);
    return false;
  }

  CsvText csv_;
  std::size_t size_;  ///< of the text
  SphereTable table_;
  std::vector<std::size_t> order_;  ///< what each column of the file is
};

}  // namespace

SphereTable parse_sphere_table(const std::filesystem::path& path, std::string_view text,
                               Problems& problems) {
  return TableParser(path, text, problems).parse();
}

}  // namespace talus::scene::detail
