#pragma once

#include <hdf5.h>

#include <functional>
#include <string>
#include <vector>

namespace talus::test {

/// A raw HDF5 file, written without Talus: what a test needs to build files that Talus never
/// writes.
class RawFile {
 public:
  explicit RawFile(const std::string& path);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  void group(const std::string& path);
  void integers(const std::string& path, const std::vector<long long>& values);
  void reals(const std::string& path, const std::vector<double>& values);
  void table(const std::string& path, const std::vector<double>& values, hsize_t rows);
  void text(const std::string& path, const std::string& value);
  /// A dataset of `count` numbers of which none is ever written.
  void declared_only(const std::string& path, hsize_t count);
  void remove(const std::string& path);

 private:
  void write(const std::string& path, hid_t type, hid_t memory, const std::vector<hsize_t>& shape,
             const void* data);
  hid_t id_;
};

void write_matrix(RawFile& file, const std::string& group, long long size);

/// A correct local problem: two 3-D contacts, W = 2 I in CSC.
void write_good_local(RawFile& file);

/// A correct global problem: the same contacts on two point masses, H = 2 I.
void write_good_global(RawFile& file);

/// One broken problem file: how to make it, and what the message must contain.
struct BrokenProblem {
  std::string name;
  std::function<void(const std::string& path)> make;
  std::string expected;
};

/// A good file in which some datasets are replaced.
std::function<void(const std::string&)> spoil(bool is_local, std::function<void(RawFile&)> change);

std::vector<BrokenProblem> broken_problems();

/// Files that read well but cannot be solved as a problem of mechanics: found by the driver.
std::vector<BrokenProblem> unsolvable_problems();

}  // namespace talus::test
