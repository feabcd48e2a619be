#include <talus/exchange/matrix_market.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <talus/base/error.hpp>
#include <talus/problem/validate.hpp>

namespace talus::exchange {
namespace {

using problem::SparseMatrix;

/// Most rows or columns: an empty matrix of this size takes 0.5 GB.
constexpr long long kLargestSize = 1LL << 26;
/// Rows or columns that may all be empty; of more, the file has a byte for each at least.
constexpr long long kLargestEmptySize = 1LL << 20;

/// One line of a file as words, with its number for messages.
class Lines {
 public:
  explicit Lines(const std::string& file) : file_(file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) throw file_error(file, "no such file");
    if (std::filesystem::is_directory(status))
      throw file_error(file, "expected a Matrix Market file, got a directory");
    in_.open(file, std::ios::binary);
    if (!in_) throw file_error(file, "the file cannot be read");
  }

  /// Goes to the next line; false at the end of the file.
  bool next() {
    if (!std::getline(in_, line_)) return false;
    ++number_;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    words_.clear();
    for (std::size_t at = 0; at < line_.size();) {
      const std::size_t begin = line_.find_first_not_of(" \t", at);
      if (begin == std::string::npos) break;
      at = std::min(line_.find_first_of(" \t", begin), line_.size());
      words_.emplace_back(line_.data() + begin, at - begin);
    }
    return true;
  }
  /// Goes to the next line that is neither blank nor a comment.
  bool next_data() {
    while (next())
      if (!words_.empty() && words_.front().front() != '%') return true;
    return false;
  }

  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }

  /// Throws at a word of the current line (−1: the line itself).
  [[noreturn]] void fail(int word, const std::string& message, const std::string& hint = "") const {
    const bool has_word = word >= 0 && static_cast<std::size_t>(word) < words_.size();
    const auto column =
        has_word
            ? static_cast<int>(words_[static_cast<std::size_t>(word)].data() - line_.data()) + 1
            : 1;
    throw InputError(Diagnostic{{file_, number_, column}, "", message, line_.substr(0, 200), hint});
  }
  [[noreturn]] void fail_at_end(const std::string& message) const {
    throw InputError(Diagnostic{{file_, number_, 1}, "", message, "", "is the file cut off?"});
  }

  long long integer(int word, const char* what, long long least, long long most) const {
    const std::string_view text = words_[static_cast<std::size_t>(word)];
    long long value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < least ||
        value > most)
      fail(word, fmt::format("expected {} from {} to {}, got '{}'", what, least, most, text));
    return value;
  }
  /// A number of rows or columns, which are stored also where nothing is in them.
  long long size(int word, const char* what) const {
    const long long value = integer(word, what, 0, kLargestSize);
    std::error_code error;  // at a pipe, whose length nothing tells
    const auto bytes = std::filesystem::file_size(file_, error);
    if (!error && value > kLargestEmptySize && static_cast<std::uintmax_t>(value) > bytes)
      fail(word,
           fmt::format("expected {} that a file of {} bytes can fill, got {}", what, bytes, value),
           "is the file cut off?");
    return value;
  }
  Real number(int word, bool is_integer) const {
    std::string_view text = words_[static_cast<std::size_t>(word)];
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    Real value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
        !std::isfinite(value))
      fail(word, fmt::format("expected a finite number, got '{}'",
                             words_[static_cast<std::size_t>(word)]));
    if (is_integer && (text.find_first_not_of("-0123456789") != std::string_view::npos))
      fail(word, fmt::format("expected an integer, as the first line says, got '{}'", text));
    return value;
  }

 private:
  std::string file_, line_;
  std::ifstream in_;
  int number_ = 0;
  std::vector<std::string_view> words_;
};

struct Head {
  bool is_array = false, is_integer = false;
  MatrixSymmetry symmetry = MatrixSymmetry::general;
};

/// The word in small letters; the format does not tell them apart.
std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Head read_head(Lines& lines) {
  if (!lines.next()) lines.fail_at_end("expected '%%MatrixMarket matrix …', got an empty file");
  const auto& words = lines.words();
  if (words.size() != 5 || lower(words[0]) != "%%matrixmarket")
    lines.fail(-1,
               "expected '%%MatrixMarket matrix coordinate|array real|integer "
               "general|symmetric|skew-symmetric'");
  const auto choice = [&](int word, const char* allowed) {
    lines.fail(
        word, fmt::format("expected {}, got '{}'", allowed, words[static_cast<std::size_t>(word)]));
  };
  Head head;
  if (lower(words[1]) != "matrix") choice(1, "matrix");
  const std::string format = lower(words[2]), field = lower(words[3]), symmetry = lower(words[4]);
  if (format != "coordinate" && format != "array") choice(2, "coordinate or array");
  if (field != "real" && field != "double" && field != "integer") choice(3, "real or integer");
  if (symmetry != "general" && symmetry != "symmetric" && symmetry != "skew-symmetric")
    choice(4, "general, symmetric or skew-symmetric");
  head.is_array = format == "array";
  head.is_integer = field == "integer";
  if (symmetry == "symmetric") head.symmetry = MatrixSymmetry::symmetric;
  if (symmetry == "skew-symmetric") head.symmetry = MatrixSymmetry::skew_symmetric;
  return head;
}

using Entries = std::vector<Eigen::Triplet<Real>>;

void add(long long row, long long column, Real value, MatrixSymmetry symmetry, Entries& entries) {
  entries.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
  if (symmetry != MatrixSymmetry::general && row != column)
    entries.emplace_back(static_cast<int>(column), static_cast<int>(row),
                         symmetry == MatrixSymmetry::symmetric ? value : -value);
}

void read_coordinates(Lines& lines, const Head& head, long long rows, long long columns,
                      long long count, Entries& entries) {
  for (long long k = 0; k < count; ++k) {
    if (!lines.next_data()) lines.fail_at_end(fmt::format("expected {} entries, got {}", count, k));
    if (lines.words().size() != 3)
      lines.fail(-1,
                 fmt::format("expected row, column and value, got {} words", lines.words().size()));
    const long long row = lines.integer(0, "a row", 1, rows) - 1;
    const long long column = lines.integer(1, "a column", 1, columns) - 1;
    if (head.symmetry == MatrixSymmetry::symmetric && column > row)
      lines.fail(1,
                 fmt::format("expected entries on or below the diagonal, got ({}, {})", row + 1,
                             column + 1),
                 "a symmetric file holds the lower triangle alone");
    if (head.symmetry == MatrixSymmetry::skew_symmetric && column >= row)
      lines.fail(
          1, fmt::format("expected entries below the diagonal, got ({}, {})", row + 1, column + 1),
          "a skew-symmetric file holds the strictly lower triangle alone");
    add(row, column, lines.number(2, head.is_integer), head.symmetry, entries);
  }
}

void read_array(Lines& lines, const Head& head, long long rows, long long columns,
                Entries& entries) {
  long long count = 0;
  for (long long column = 0; column < columns; ++column) {
    const long long first = head.symmetry == MatrixSymmetry::general     ? 0
                            : head.symmetry == MatrixSymmetry::symmetric ? column
                                                                         : column + 1;
    for (long long row = first; row < rows; ++row, ++count) {
      if (!lines.next_data())
        lines.fail_at_end(
            fmt::format("expected {} columns of numbers, got {} numbers in all", columns, count));
      if (lines.words().size() != 1)
        lines.fail(-1, fmt::format("expected one number, got {} words", lines.words().size()));
      const Real value = lines.number(0, head.is_integer);
      if (value != 0) add(row, column, value, head.symmetry, entries);
    }
  }
}

const char* name_of(MatrixSymmetry symmetry) {
  switch (symmetry) {
    case MatrixSymmetry::general:
      return "general";
    case MatrixSymmetry::symmetric:
      return "symmetric";
    case MatrixSymmetry::skew_symmetric:
      return "skew-symmetric";
  }
  return "";
}

std::string head_text(const char* format, MatrixSymmetry symmetry, const std::string& comment) {
  std::string text = fmt::format("%%MatrixMarket matrix {} real {}\n", format, name_of(symmetry));
  for (std::size_t at = 0; at < comment.size();) {
    const std::size_t end = std::min(comment.find('\n', at), comment.size());
    text += "% " + comment.substr(at, end - at) + '\n';
    at = end + 1;
  }
  return text;
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out)
    throw file_error(file, "the file cannot be written", "does the folder exist, is it writable?");
}

void demand_symmetry(const std::string& file, const SparseMatrix& matrix, MatrixSymmetry symmetry) {
  if (symmetry == MatrixSymmetry::general) return;
  const Real sign = symmetry == MatrixSymmetry::symmetric ? 1 : -1;
  const SparseMatrix transposed = matrix.transpose();
  const bool is_square = matrix.rows() == matrix.cols();
  if (!is_square || (matrix - sign * transposed).norm() != 0)
    throw InputError(Diagnostic{{file, 0, 0},
                                "matrix",
                                fmt::format("expected a {} matrix, got another", name_of(symmetry)),
                                "",
                                "write it as general"});
}

}  // namespace

SparseMatrix read_matrix_market(const std::string& file) {
  Lines lines(file);
  const Head head = read_head(lines);
  if (!lines.next_data()) lines.fail_at_end("expected a line of sizes");
  const std::size_t needed = head.is_array ? 2 : 3;
  if (lines.words().size() != needed)
    lines.fail(-1, fmt::format("expected {}, got {} words",
                               head.is_array ? "rows and columns" : "rows, columns and entries",
                               lines.words().size()));
  const long long rows = lines.size(0, "a number of rows");
  const long long columns = lines.size(1, "a number of columns");
  if (head.symmetry != MatrixSymmetry::general && rows != columns)
    lines.fail(1, fmt::format("expected a square matrix, as it is {}, got {}×{}",
                              name_of(head.symmetry), rows, columns));
  Entries entries;
  if (head.is_array) {
    read_array(lines, head, rows, columns, entries);
  } else {
    const long long count = lines.integer(2, "a number of entries", 0, 1LL << 40);
    read_coordinates(lines, head, rows, columns, count, entries);
  }
  if (lines.next_data())
    lines.fail(0, "expected nothing after the last entry, got another line",
               "does the line of sizes count them all?");
  SparseMatrix matrix(static_cast<Index>(rows), static_cast<Index>(columns));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

VecX read_vector_market(const std::string& file) {
  const SparseMatrix matrix = read_matrix_market(file);
  if (matrix.cols() != 1)
    throw file_error(file, fmt::format("expected a vector, one column, got a {}×{} matrix",
                                       matrix.rows(), matrix.cols()));
  return MatX(matrix).col(
      0);  // Eigen's column of a sparse matrix without rows reads what is not there
}

problem::Lcp read_lcp_market(const std::string& matrix_file, const std::string& vector_file) {
  problem::Lcp problem;
  problem.q = read_vector_market(vector_file);
  const SparseMatrix M = read_matrix_market(matrix_file);
  if (M.rows() != problem.size() || M.cols() != problem.size())
    throw file_error(matrix_file,
                     fmt::format("expected a {0}×{0} matrix (the size of q), got {1}×{2}",
                                 problem.size(), M.rows(), M.cols()));
  problem.M = M;
  problem::validate(problem, matrix_file);
  return problem;
}

void write_matrix_market(const std::string& file, const SparseMatrix& matrix,
                         MatrixSymmetry symmetry, const std::string& comment) {
  demand_symmetry(file, matrix, symmetry);
  std::string entries;
  Index count = 0;
  for (Index i = 0; i < matrix.outerSize(); ++i)
    for (SparseMatrix::InnerIterator entry(matrix, i); entry; ++entry) {
      const Index row = entry.row(), column = entry.col();
      if ((symmetry == MatrixSymmetry::symmetric && column > row) ||
          (symmetry == MatrixSymmetry::skew_symmetric && column >= row))
        continue;
      entries += fmt::format("{} {} {}\n", row + 1, column + 1, entry.value());
      ++count;
    }
  write_text(file, head_text("coordinate", symmetry, comment) +
                       fmt::format("{} {} {}\n", matrix.rows(), matrix.cols(), count) + entries);
}

void write_matrix_market(const std::string& file, const MatX& matrix, const std::string& comment) {
  std::string text = head_text("array", MatrixSymmetry::general, comment) +
                     fmt::format("{} {}\n", matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.size(); ++i) text += fmt::format("{}\n", matrix.data()[i]);
  write_text(file, text);
}

void write_lcp_market(const std::string& matrix_file, const std::string& vector_file,
                      const problem::Lcp& problem) {
  write_matrix_market(matrix_file, SparseMatrix(problem.M.sparseView()));
  write_matrix_market(vector_file, MatX(problem.q));
}

}  // namespace talus::exchange
