#include <talus/scene/detail/time_table.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <talus/base/text.hpp>
#include <talus/scene/detail/csv_text.hpp>

namespace talus::scene::detail {
namespace {

/// A cell of the first line: `angle [deg]`.
struct Heading {
  std::string_view cell, name, unit;
};

Heading heading_of(std::string_view cell) {
  const std::size_t bracket = cell.find(" [");
  if (bracket == std::string_view::npos || !cell.ends_with(']')) return {cell, cell, {}};
  const std::size_t first = bracket + 2;
  return {cell, cell.substr(0, bracket), cell.substr(first, cell.size() - 1 - first)};
}

class TimeTableParser {
 public:
  TimeTableParser(const std::filesystem::path& path, std::string_view text,
                  const std::optional<std::string>& column, Quantity value, Problems& problems)
      : csv_(path, text, problems), column_(column), quantity_(value) {}

  TimeTable parse() {
    if (!csv_.next_line()) {
      csv_.mistake_in_file("the file has no line that names the columns",
                           "begin it with time,NAME");
      return {};
    }
    if (!read_header()) return {};
    while (csv_.next_line()) read_row();
    if (table_.times.empty() && csv_.mistake_count() == 0)
      csv_.mistake_in_file("the file has no rows");
    return csv_.mistake_count() == 0 ? std::move(table_) : TimeTable{};
  }

 private:
  bool read_header() {
    std::string_view cell;
    while (csv_.next_cell(cell)) headings_.push_back(heading_of(cell));
    const auto named_time = std::find_if(headings_.begin(), headings_.end(),
                                         [](const Heading& one) { return one.name == "time"; });
    time_ = named_time == headings_.end() ? 0 : named_time - headings_.begin();
    if (!find_values()) return false;
    time_scale_ = scale_of(headings_[time_], Quantity::time);
    value_scale_ = scale_of(headings_[value_], quantity_);
    return csv_.mistake_count() == 0;
  }

  /// Finds the column of the values.
  bool find_values() {
    std::vector<std::string_view> others;
    std::size_t count = 0;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
      if (i == time_) continue;
      others.push_back(headings_[i].name);
      if (column_ && headings_[i].name != *column_ && headings_[i].cell != *column_) continue;
      if (++count > 1 && column_) {
        csv_.mistake(headings_[i].cell, fmt::format("the column \"{}\" is there twice", *column_));
        return false;
      }
      value_ = i;
    }
    if (count == 1) return true;
    if (others.empty()) {
      csv_.mistake(csv_.line(), "expected a column of times and one of values, got one column",
                   "begin it with time,NAME");
    } else if (!column_) {
      csv_.mistake(csv_.line(),
                   fmt::format("expected one column beside the times, got {}", others.size()),
                   fmt::format("write column: one of {}", join(others, ", ")));
    } else {
      const std::string nearest = nearest_word(*column_, others);
      csv_.mistake(csv_.line(), fmt::format("there is no column \"{}\"", *column_),
                   fmt::format("{}columns: {}",
                               nearest.empty() ? "" : fmt::format("did you mean \"{}\"? ", nearest),
                               join(others, ", ")));
    }
    return false;
  }

  /// What a number of a column is multiplied by.
  Real scale_of(const Heading& heading, Quantity quantity) {
    if (heading.unit.empty() || heading.unit == "1") return 1;
    const std::string one = fmt::format("1 {}", heading.unit);
    const ParsedNumber number = parse_number(one);
    if (number.status != ParsedNumber::Status::ok)
      csv_.mistake(heading.cell, fmt::format("expected a unit, got \"{}\"", heading.unit),
                   "as in time [s], angle [deg]; without one numbers are in SI units");
    else if (number.dimension != info(quantity).dimension)
      csv_.mistake(heading.cell, fmt::format("expected a unit of {}, got \"{}\"",
                                             info(quantity).name, heading.unit));
    return number.value;
  }

  void read_row() {
    std::string_view cell, time_cell;
    std::optional<Real> time, value;
    std::size_t i = 0;
    for (; csv_.next_cell(cell); ++i) {
      if (i != time_ && i != value_) continue;
      const std::optional<Real> number = finite_number(cell);
      if (!number)
        return csv_.mistake(cell, fmt::format("expected a finite number in column {}, got \"{}\"",
                                              headings_[i].name, cell.substr(0, 60)));
      (i == time_ ? time : value) = number;
      if (i == time_) time_cell = cell;
    }
    if (i != headings_.size())
      return csv_.mistake(
          csv_.line(),
          fmt::format("expected {} columns as in the first line, got {}", headings_.size(), i));
    const Real seconds = *time * time_scale_, scaled = *value * value_scale_;
    for (const auto& [number, quantity] : {std::pair{seconds, Quantity::time}, {scaled, quantity_}})
      if (const std::string why = mistake_in_size(number, quantity); !why.empty())
        return csv_.mistake(csv_.line(), fmt::format("{:g} is too large", number), why);
    if (!table_.times.empty() && !(table_.times.back() < seconds))
      return csv_.mistake(time_cell,
                          fmt::format("expected increasing times, got {:g} s after {:g} s", seconds,
                                      table_.times.back()));
    table_.times.push_back(seconds);
    table_.values.push_back(scaled);
  }

  CsvText csv_;
  const std::optional<std::string>& column_;
  const Quantity quantity_;
  std::vector<Heading> headings_;
  std::size_t time_ = 0, value_ = 0;  ///< columns
  Real time_scale_ = 1, value_scale_ = 1;
  TimeTable table_;
};

}  // namespace

TimeTable parse_time_table(const std::filesystem::path& path, std::string_view text,
                           const std::optional<std::string>& column, Quantity value,
                           Problems& problems) {
  return TimeTableParser(path, text, column, value, problems).parse();
}

}  // namespace talus::scene::detail
