#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <talus/files/file_names.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/record/layout.hpp>

namespace talus::record::detail {

/// A file whose series grow and which is whole at every moment, also after SIGKILL
/// (docs/adr/0008-crash-safe-record.md). The file under its own name is always closed. A flush
/// appends the new rows to the spare copy `<path>.spare`, closes it, and exchanges the two names;
/// what was the file is now the spare, one flush behind. Rows are kept in memory until both have
/// them.
///
/// One thread may grow series and take rows while another one flushes those that were taken before;
/// calls of the one kind are made one at a time.
class GrowingFile {
 public:
  /// Rows of one series; the first is row `first` of the series.
  struct Rows {
    std::vector<std::byte> bytes;
    hsize_t first = 0, end = 0;
  };
  /// Of all series, what was added between two flushes.
  using Batch = std::vector<Rows>;
  /// What changes and does not grow: written into the open file at a flush.
  struct Changing {
    std::function<void(hid_t file)> write;
    std::size_t bytes = 0;  ///< that it may need at most
  };

  /// Makes the file. A file that is there already stays until the first flush replaces it; a file
  /// that grows is locked: no other run can write it.
  /// @param series what grows; the texts they refer to outlive this object. @param write_fixed
  /// writes all that never grows, once.
  /// @throws InputError if the file cannot be made.
  GrowingFile(std::filesystem::path path, std::vector<Series> series, Index body_count,
              int compression, const std::function<void(hid_t file)>& write_fixed);
  /// Continues a file that is there, from a number of rows per series on. Rows behind them are
  /// cut off; the file stays whole.
  /// @throws InputError if a series is not there or has fewer rows.
  GrowingFile(std::filesystem::path path, std::vector<Series> series, Index body_count,
              const std::vector<Index>& rows);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Adds rows to a series, in memory. @param data rows × row size, in the series' element type.
  void append(std::size_t series, const void* data, Index rows);
  /// The same for rows that are yet to be put there; until the next call for this series.
  [[nodiscard]] std::byte* grow(std::size_t series, Index rows);
  /// Whether the file of that name is still the one that was there before.
  [[nodiscard]] bool replaces() const { return replaces_; }
  /// Bytes of rows that were not taken.
  [[nodiscard]] std::size_t waiting_bytes() const { return waiting_bytes_; }
  /// The rows that wait, to be flushed.
  [[nodiscard]] Batch take();
  /// Brings rows into the file and sets the root's `status` attribute. Batches are flushed in the
  /// order in which they were taken.
  /// @throws InputError if the disk is full or the file is not ours any more; what was flushed
  /// before stays readable.
  void flush(Batch batch, const std::string& status, const Changing& changing);
  /// Removes the spare and the lock. No append or flush may follow.
  void close();

 private:
  using RowCounts = std::vector<hsize_t>;

  void lay_out(const std::vector<hsize_t>& rows);
  /// Bytes that the next flush may need at most, above what the spare has.
  [[nodiscard]] std::uintmax_t room_needed(std::size_t changing_bytes) const;
  void make_spare();
  void remove_spare();
  void make_spare_free();
  void write_spare(const std::string& status, const Changing& changing);
  void extend(hid_t file, std::size_t series);
  void write_rows(hid_t dataset, std::size_t series, const Rows& rows);
  void drop_saved_rows();

  std::filesystem::path path_, spare_;
  std::vector<Series> series_;
  Index body_count_;
  files::FileLock lock_;
  files::FilePin live_;
  bool replaces_ = false;  // the file of that name is still the one that was there before
  Batch waiting_;
  std::size_t waiting_bytes_ = 0;
  std::vector<std::size_t> row_bytes_;  // of each series
  std::deque<Batch> batches_;           // flushed, not yet in both copies
  RowCounts live_rows_, spare_rows_;
  bool has_spare_ = false;
  bool trims_ = false;  // the next flush cuts off what is behind the rows that count
};

}  // namespace talus::record::detail
