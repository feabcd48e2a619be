#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <talus/record/reader.hpp>

namespace talus::view {

/// Numbers as the page gets them: little-endian, single precision for pictures, double for plots.
enum class Number : unsigned char { float32, float64 };

/// The record is of another run than was asked for: its file has been written anew.
struct AnotherRun : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A record as the viewer's page asks for it. Every method throws InputError where the file or the
/// record lacks what is asked. Safe to call from several threads: HDF5's part is done one at a
/// time, unpacking side by side.
class RecordSource {
 public:
  /// @param path of a record; of a run that is about to begin, it may not be there yet.
  explicit RecordSource(std::filesystem::path path) : path_(std::move(path)) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// What the page has before any frame, as JSON: file, title, status, revision, dimension,
  /// counts, groups of body names, materials, series, texts of the provenance, names of joints,
  /// drives and kinds of events where there are any, and `datasets`: shape, unit and meaning of
  /// each by its path; and `run`, equal for two files if and only if they are of one run.
  [[nodiscard]] std::string header();
  /// What grows, as JSON: run, revision (changes with the file), status, frames, steps, contacts.
  [[nodiscard]] std::string progress();
  /// Rows `first` to `first + count − 1` of datasets, one dataset after the other.
  /// @param count negative: all from `first` on.
  /// @param run of which the rows shall be; "": of whatever run.
  /// @throws InputError also if that is more than kMaxBytes. @throws AnotherRun
  [[nodiscard]] std::string rows(const std::vector<std::string>& datasets, Index first, Index count,
                                 Number number, const std::string& run = "");
  /// Series by name (record/series.hpp): a line of JSON with name and unit of each and its count of
  /// numbers, padded with spaces to a multiple of 8 bytes; then times and values, float64, one
  /// series after the other. @throws AnotherRun
  [[nodiscard]] std::string series(const std::vector<std::string>& names,
                                   const std::string& run = "");

  static constexpr std::size_t kMaxBytes = std::size_t(256) << 20;

 private:
  /// The record, opened anew if it is not the file that was. It is not kept open during a run.
  std::shared_ptr<record::RecordReader> record(const std::string& run = "");
  std::shared_ptr<record::RecordReader> open() const;

  struct Stamp {
    std::uint64_t inode = 0, size = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
    [[nodiscard]] std::string text() const;
  };
  [[nodiscard]] Stamp stamp() const;
  [[nodiscard]] std::string revision();

  std::filesystem::path path_;
  std::mutex mutex_;
  std::shared_ptr<record::RecordReader> reader_;  ///< of a finished record only
  Stamp stamp_;                                   ///< of the file that was opened last
  std::string run_;                               ///< of that file
};

/// Numbers of an array, packed.
void append_numbers(std::string& bytes, const std::vector<Real>& values, Number number);

/// The header of RecordSource, of a record that is open; `revision` is put in as it is.
[[nodiscard]] std::string header_of(const record::RecordReader& record,
                                    const std::string& revision);

}  // namespace talus::view
