#pragma once

#include <cstddef>
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
class GrowingFile {
 public:
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
  /// Whether the file of that name is still the one that was there before.
  [[nodiscard]] bool replaces() const { return replaces_; }
  /// Bytes of rows not yet in the file.
  [[nodiscard]] std::size_t unsaved_bytes() const { return unsaved_bytes_; }
  /// Brings every appended row into the file and sets the root's `status` attribute.
  /// @param write_more writes what does not grow but changes, into the open file; may be empty.
  /// @throws InputError if the disk is full or the file is not ours any more; what was flushed
  /// before stays readable.
  void flush(const std::string& status, const std::function<void(hid_t file)>& write_more = {});
  /// Removes the spare and the lock. No append or flush may follow.
  void close();

 private:
  /// Rows waiting for at least one of the two copies; the first is row `first_row` of the series.
  struct Buffer {
    std::vector<std::byte> bytes;
    hsize_t first_row = 0;
    std::size_t row_bytes = 0;
  };
  using RowCounts = std::vector<hsize_t>;

  void lay_out_buffers();
  /// Bytes that the next flush may need at most, above what the spare has.
  [[nodiscard]] std::uintmax_t room_needed() const;
  void make_spare();
  void remove_spare();
  [[nodiscard]] hdf5::File open_spare();
  void extend(hid_t file, std::size_t series);
  void drop_saved_rows();

  std::filesystem::path path_, spare_;
  std::vector<Series> series_;
  Index body_count_;
  files::FileLock lock_;
  files::FilePin live_;
  bool replaces_ = false;  // the file of that name is still the one that was there before
  std::vector<Buffer> buffers_;
  RowCounts total_, live_rows_, spare_rows_;
  std::size_t unsaved_bytes_ = 0;
  bool has_spare_ = false;
  bool trims_ = false;  // the next flush cuts off what is behind the rows that count
};

}  // namespace talus::record::detail
