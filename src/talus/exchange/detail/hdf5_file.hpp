#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include <talus/math/vector.hpp>

namespace talus::exchange::detail {

/// Owner of one HDF5 identifier.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept;
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_valid() const { return id_ >= 0; }

 private:
  void reset() noexcept;
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

/// Silences HDF5's own error printing while it lives; errors are reported as InputError instead.
class QuietErrors {
 public:
  QuietErrors();
  ~QuietErrors();
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

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
  [[nodiscard]] Handle open(const std::string& path, hsize_t& count, H5T_class_t& type) const;
  QuietErrors quiet_;
  std::string file_;
  Handle handle_;
};

/// A file being written; throws InputError if it cannot be created or written.
class Writer {
 public:
  explicit Writer(std::string file);

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
  QuietErrors quiet_;
  std::string file_;
  Handle handle_;
};

}  // namespace talus::exchange::detail
