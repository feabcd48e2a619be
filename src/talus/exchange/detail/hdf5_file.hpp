#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <talus/files/output_file.hpp>
#include <talus/hdf5/hdf5.hpp>
#include <talus/math/vector.hpp>

namespace talus::exchange::detail {

/// A file opened for reading. Every failure is an InputError with file, place and what was found;
/// nothing is allocated before its size has been checked against the file.
class Reader {
 public:
  explicit Reader(std::string file);

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool has(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> root_names() const;
  [[nodiscard]] std::int64_t read_integer(const std::string& path) const;
  [[nodiscard]] std::vector<std::int64_t> read_integers(const std::string& path) const;
  [[nodiscard]] VecX read_reals(const std::string& path) const;
  [[noreturn]] void fail(const std::string& path, const std::string& message,
                         const std::string& hint = "") const;

 private:
  [[nodiscard]] hdf5::Dataset open(const std::string& path, hsize_t& count,
                                   H5T_class_t& type) const;
  hdf5::Session session_;
  std::string file_;
  hdf5::File handle_;
};

/// Files that Talus wrote: the root's attribute `format` is talus-WHAT.
/// @param what "problem" or "solution".
[[nodiscard]] files::OwnKind own_kind(const std::string& what);

/// A file being written; throws InputError if it cannot be created or written.
class Writer {
 public:
  explicit Writer(const std::string& file, const char* what = "problem");

  void make_group(const std::string& path);
  void write(const std::string& path, int value);
  void write(const std::string& path, const std::vector<int>& values);
  void write(const std::string& path, const VecX& values);
  void write(const std::string& path, const std::string& text);
  /// Closes the file and checks that everything reached it.
  void close();

 private:
  void write(const std::string& path, hid_t type, hid_t memory_type, hsize_t count,
             const void* data);
  hdf5::Session session_;
  std::string file_;
  files::OutputFile output_;
  hdf5::File handle_;  ///< in memory: its bytes are written at the end
};

}  // namespace talus::exchange::detail
