#include <fstream>

#include <fuzz/targets.hpp>
#include <support/scratch.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/exchange/matrix_market.hpp>
#include <talus/exchange/problem_file.hpp>
#include <talus/geometry/mesh_file.hpp>

/// For the leak sanitizer: HDF5 itself leaks some bytes at damaged files, and Eigen's sparse matrix
/// its first array if there is no memory for the second one.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\nleak:Eigen::SparseMatrix";
}

namespace talus::fuzz {
std::filesystem::path as_file(Bytes bytes, const char* name) {
  static const test::Scratch scratch;
  const std::filesystem::path path = scratch / name;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  return path;
}

void problem(Bytes bytes) {
  const auto path = as_file(bytes, "problem.hdf5");
  reading([&] { static_cast<void>(exchange::read_problem(path)); });
  reading([&] { static_cast<void>(exchange::read_fclib_solution(path)); });
}

void matrix_market(Bytes bytes) {
  const auto path = as_file(bytes, "matrix.mtx");
  reading([&] { static_cast<void>(exchange::read_matrix_market(path)); });
  reading([&] { static_cast<void>(exchange::read_vector_market(path)); });
}

void stl(Bytes bytes) {
  reading([&] { static_cast<void>(geometry::parse_mesh(text_of(bytes), "mesh.stl")); });
}

void obj(Bytes bytes) {
  reading([&] { static_cast<void>(geometry::parse_mesh(text_of(bytes), "mesh.obj")); });
}

}  // namespace talus::fuzz
