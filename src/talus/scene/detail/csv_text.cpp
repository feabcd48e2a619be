#include <talus/scene/detail/csv_text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace talus::scene::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return text.substr(text.size());
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace

CsvText::CsvText(const std::filesystem::path& path, std::string_view text, Problems& problems)
    : path_(path),
      text_(text),
      problems_(problems),
      start_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {}

bool CsvText::next_line() {
  while (start_ < text_.size() && mistake_count_ < kMostMistakes) {
    const std::size_t end = std::min(text_.find('\n', start_), text_.size());
    line_ = rest_ = text_.substr(start_, end - start_);
    has_cell_ = true;
    ++line_number_;
    start_ = end + 1;
    if (!line().empty() && line().front() != '#') return true;
  }
  return false;
}

bool CsvText::next_cell(std::string_view& cell) {
  if (!has_cell_) return false;
  const std::size_t comma = rest_.find(',');
  cell = trimmed(rest_.substr(0, comma));
  has_cell_ = comma != std::string_view::npos;
  rest_.remove_prefix(has_cell_ ? comma + 1 : rest_.size());
  return true;
}

std::string_view CsvText::line() const { return trimmed(line_); }

void CsvText::mistake(std::string_view cell, std::string message, std::string hint) {
  ++mistake_count_;
  const int column = static_cast<int>(cell.data() - line_.data()) + 1;
  // The line is at hand; its number must not cost a search from the start of a large file.
  Diagnostic diagnostic = diagnostic_at(path_, line_, 1, column);
  diagnostic.position.line = line_number_;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  problems_.add(std::move(diagnostic));
}

void CsvText::mistake_in_file(std::string message, std::string hint) {
  ++mistake_count_;
  problems_.add(Diagnostic{{path_.string()}, "", std::move(message), "", std::move(hint)});
}

std::optional<Real> finite_number(std::string_view cell) {
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  Real value = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace talus::scene::detail
