#include <talus/exchange/detail/fclib_matrix.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

namespace talus::exchange::detail {
namespace {

using problem::SparseMatrix;

constexpr std::int64_t kLargestDimension = std::numeric_limits<int>::max() - 1;
/// Rows or columns of a matrix that a byte of the file can fill: zlib packs 1032 to one.
constexpr std::int64_t kMostPerByte = 1100;

std::int64_t read_dimension(const Reader& reader, const std::string& path) {
  const std::int64_t value = reader.read_integer(path);
  if (value < 0 || value > kLargestDimension)
    reader.fail(path,
                fmt::format("expected a size between 0 and {}, got {}", kLargestDimension, value));
  return value;
}

/// Rows and columns take memory even where they are empty.
std::int64_t read_size(const Reader& reader, const std::string& path) {
  const std::int64_t rows = read_dimension(reader, path);
  std::error_code unknown;
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(reader.file(), unknown));
  if (!unknown && rows / kMostPerByte > bytes)
    reader.fail(
        path, fmt::format("expected a size that a file of {} bytes can fill, got {}", bytes, rows));
  return rows;
}

void check_range(const Reader& reader, const std::string& path,
                 const std::vector<std::int64_t>& indices, std::int64_t used, std::int64_t limit) {
  for (std::int64_t k = 0; k < used; ++k) {
    const std::int64_t index = indices[static_cast<std::size_t>(k)];
    if (index < 0 || index >= limit)
      reader.fail(path, fmt::format("expected indices from 0 to {}, got {} at position {}",
                                    limit - 1, index, k));
  }
}

void check_length(const Reader& reader, const std::string& path, std::int64_t found,
                  std::int64_t needed) {
  if (found < needed) reader.fail(path, fmt::format("expected {} numbers, got {}", needed, found));
}

/// Checks the pointers of a compressed form and returns the number of entries.
std::int64_t check_pointers(const Reader& reader, const std::string& path,
                            const std::vector<std::int64_t>& pointers, std::int64_t lines,
                            std::int64_t nzmax) {
  const auto found = static_cast<std::int64_t>(pointers.size());
  if (found != lines + 1)
    reader.fail(path, fmt::format("expected {} pointers, got {}", lines + 1, found));
  if (pointers.front() != 0)
    reader.fail(path, fmt::format("expected the first pointer to be 0, got {}", pointers.front()),
                pointers.front() == 1 ? "indices count from 0" : "");
  for (std::size_t k = 1; k < pointers.size(); ++k)
    if (pointers[k] < pointers[k - 1])
      reader.fail(path,
                  fmt::format("expected pointers that never fall, got {} after {} at position {}",
                              pointers[k], pointers[k - 1], k));
  if (pointers.back() > nzmax)
    reader.fail(path,
                fmt::format("the last pointer, {}, exceeds nzmax = {}", pointers.back(), nzmax));
  return pointers.back();
}

template <class Storage>
void write_compressed(Writer& writer, const std::string& group, const Storage& matrix, int nz) {
  const auto count = static_cast<int>(matrix.nonZeros());
  writer.write(group + "/nz", nz);
  writer.write(group + "/nzmax", count);
  const int* outer = matrix.outerIndexPtr();
  const int* inner = matrix.innerIndexPtr();
  writer.write(group + "/p", std::vector<int>(outer, outer + matrix.outerSize() + 1));
  writer.write(group + "/i", std::vector<int>(inner, inner + count));
  writer.write(group + "/x", VecX(Eigen::Map<const VecX>(matrix.valuePtr(), count)));
}

}  // namespace

SparseMatrix read_matrix(const Reader& reader, const std::string& group) {
  if (!reader.has(group)) reader.fail(group, "expected a matrix, found nothing of this name");
  const std::int64_t m = read_size(reader, group + "/m");
  const std::int64_t n = read_size(reader, group + "/n");
  const std::int64_t nz = reader.read_integer(group + "/nz");
  const std::int64_t nzmax = read_dimension(reader, group + "/nzmax");
  if (nz < -2 || nz > nzmax)
    reader.fail(
        group + "/nz",
        fmt::format("expected −2 (CSR), −1 (CSC) or 0 … nzmax = {} (triplet), got {}", nzmax, nz));
  const auto p = reader.read_integers(group + "/p");
  const auto i = reader.read_integers(group + "/i");
  const VecX x = reader.read_reals(group + "/x");

  std::int64_t count = nz;
  if (nz >= 0) {
    check_length(reader, group + "/p", static_cast<std::int64_t>(p.size()), nz);
    check_range(reader, group + "/p", p, nz, n);
  } else {
    count = check_pointers(reader, group + "/p", p, nz == -1 ? n : m, nzmax);
  }
  check_length(reader, group + "/i", static_cast<std::int64_t>(i.size()), count);
  check_length(reader, group + "/x", x.size(), count);
  check_range(reader, group + "/i", i, count, nz == -2 ? n : m);

  std::vector<Eigen::Triplet<Real>> entries;
  entries.reserve(static_cast<std::size_t>(count));
  const auto add = [&](std::int64_t row, std::int64_t column, std::int64_t k) {
    entries.emplace_back(static_cast<int>(row), static_cast<int>(column), x[k]);
  };
  if (nz >= 0) {
    for (std::int64_t k = 0; k < nz; ++k) {
      const auto at = static_cast<std::size_t>(k);
      add(i[at], p[at], k);
    }
  } else {
    for (std::size_t line = 0; line + 1 < p.size(); ++line)
      for (std::int64_t k = p[line]; k < p[line + 1]; ++k) {
        const std::int64_t other = i[static_cast<std::size_t>(k)];
        const auto own = static_cast<std::int64_t>(line);
        nz == -1 ? add(other, own, k) : add(own, other, k);
      }
  }
  SparseMatrix matrix(static_cast<Index>(m), static_cast<Index>(n));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void write_matrix(Writer& writer, const std::string& group, SparseMatrix matrix,
                  MatrixStorage storage) {
  matrix.makeCompressed();
  writer.make_group(group);
  writer.write(group + "/m", static_cast<int>(matrix.rows()));
  writer.write(group + "/n", static_cast<int>(matrix.cols()));
  if (storage == MatrixStorage::compressed_row) return write_compressed(writer, group, matrix, -2);
  if (storage == MatrixStorage::compressed_column)
    return write_compressed(writer, group, Eigen::SparseMatrix<Real, Eigen::ColMajor>(matrix), -1);

  std::vector<int> rows, columns;
  const auto count = static_cast<int>(matrix.nonZeros());
  for (Index row = 0; row < matrix.outerSize(); ++row)
    for (SparseMatrix::InnerIterator entry(matrix, row); entry; ++entry) {
      rows.push_back(static_cast<int>(entry.row()));
      columns.push_back(static_cast<int>(entry.col()));
    }
  writer.write(group + "/nz", count);
  writer.write(group + "/nzmax", count);
  writer.write(group + "/p", columns);
  writer.write(group + "/i", rows);
  writer.write(group + "/x", VecX(Eigen::Map<const VecX>(matrix.valuePtr(), count)));
}

void refuse_bilateral(const Reader& reader, const std::string& root,
                      std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (reader.has(root + '/' + name))
      reader.fail(root + '/' + name, "bilateral constraints in a problem file are not supported",
                  "eliminate them first, or give each a contact law");
}

void write_head(Writer& writer, const std::string& root, Index dimension,
                const std::string& title) {
  writer.make_group(root);
  if (dimension > 0) writer.write(root + "/spacedim", static_cast<int>(dimension));
  writer.make_group(root + "/info");
  writer.write(root + "/info/title", title);
  writer.make_group(root + "/vectors");
}

}  // namespace talus::exchange::detail
