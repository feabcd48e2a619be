#pragma once

// HDF5's C API with owned handles and checked calls. Not installed: no public header includes it.

#include <hdf5.h>

#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace talus::hdf5 {

/// A failed HDF5 call, with the reason the library gives. Turned into InputError by the layer that
/// defines the file.
class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws Hdf5Error "what: reason" with the innermost reason on HDF5's error stack.
[[noreturn]] void throw_hdf5_error(const std::string& what);

/// A scope in which HDF5 is used. The library is not made for threads: sessions of several threads
/// wait for each other, those of one may be nested. By default HDF5 prints its error stack to
/// stderr; in a session it does not.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> turn_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// An owned HDF5 identifier, or none.
template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  /// Of a call that may have failed: ask is_valid().
  explicit Handle(hid_t id) : id_(id) {}
  Handle(hid_t id, const std::string& what) : id_(id) {
    if (id < 0) throw_hdf5_error(what);
  }
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] bool is_valid() const { return id_ >= 0; }
  /// Closes now, and says so if that fails (a full disk often shows only here).
  void close(const std::string& what) {
    if (id_ >= 0 && Close(std::exchange(id_, -1)) < 0) throw_hdf5_error(what);
  }

 private:
  hid_t id_ = -1;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

inline void check(herr_t result, const std::string& what) {
  if (result < 0) throw_hdf5_error(what);
}

using Shape = std::vector<hsize_t>;

/// UTF-8 text of a fixed size in bytes, filled up with NUL; or H5T_VARIABLE, which Talus reads but
/// does not write: HDF5 cannot check it.
[[nodiscard]] Type text_type(std::size_t size);

/// Attributes of a file, a group or a dataset; an existing one of the name is replaced.
void write_attribute(hid_t object, const char* name, const std::string& text);
void write_attribute(hid_t object, const char* name, double number);
void write_attribute(hid_t object, const char* name, long long number);
/// The text of an attribute, or `fallback` if there is none.
[[nodiscard]] std::string read_attribute(hid_t object, const char* name,
                                         const std::string& fallback);
[[nodiscard]] double read_number(hid_t object, const char* name, double fallback);

/// A new file that lies in memory alone: HDF5 does not survive a disk that is full.
[[nodiscard]] File file_in_memory();
/// The bytes of such a file, which is closed.
[[nodiscard]] std::string take_bytes(File file);

/// Link properties that create the groups on the way to a dataset.
[[nodiscard]] Properties with_parents();

/// Writes a dataset that never grows: compressed where it is large, with unit and meaning.
/// @param type memory type of the elements, stored as it is.
void write_array(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                 const void* data, const char* unit, const char* meaning);
/// The same for a dataset that may be there already: its numbers are replaced in place; one of
/// another shape gives way, and its room in the file is lost. Not compressed.
/// @param chunk_rows > 0: the number of rows may change, room is taken for so many at a time.
void write_over(hid_t file, const std::string& path, hid_t type, const Shape& shape,
                const void* data, const char* unit, const char* meaning, hsize_t chunk_rows = 0);
/// A scalar or a list of UTF-8 texts, all stored as long as the longest.
void write_text(hid_t file, const std::string& path, const std::string& text, const char* meaning);
void write_texts(hid_t file, const std::string& path, std::span<const std::string> texts,
                 const char* meaning);

/// True if every link on the way to the path is there.
[[nodiscard]] bool exists(hid_t file, const std::string& path);
/// The names in the root group.
[[nodiscard]] std::vector<std::string> root_names(hid_t file);
/// The paths of all datasets, sorted.
[[nodiscard]] std::vector<std::string> dataset_names(hid_t file);
[[nodiscard]] Shape shape_of(hid_t dataset);
/// To call before memory is taken for a dataset. @throws Hdf5Error if it declares more than a file
/// of this size can hold.
void demand_plausible(hid_t dataset, const std::string& path);
[[nodiscard]] std::vector<std::string> read_texts(const Dataset& dataset, const std::string& path);

}  // namespace talus::hdf5
