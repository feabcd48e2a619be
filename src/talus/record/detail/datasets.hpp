#pragma once

#include <map>
#include <string>
#include <vector>

#include <talus/hdf5/hdf5.hpp>

namespace talus::record::detail {

/// The datasets of a file that does not change: listed once, each opened when it is first used. It
/// stays open: with a dataset HDF5 forgets the chunk that it unpacked last, and the next frame is
/// mostly in the same one.
class Datasets {
 public:
  explicit Datasets(hid_t file);

  /// The dataset of a path; nullptr where there is none. @throws Hdf5Error if it cannot be opened.
  [[nodiscard]] const hdf5::Dataset* find(const std::string& path);
  [[nodiscard]] bool has(const std::string& path) const { return opened_.contains(path); }
  /// The paths, sorted.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  hid_t file_;
  std::map<std::string, hdf5::Dataset> opened_;  // those not yet opened are empty
};

}  // namespace talus::record::detail
