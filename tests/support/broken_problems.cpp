#include "support/broken_problems.hpp"

#include <filesystem>
#include <fstream>
#include <limits>

namespace talus::test {

RawFile::RawFile(const std::string& path)
    : id_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}

RawFile::~RawFile() { H5Fclose(id_); }

void RawFile::group(const std::string& path) {
  H5Gclose(H5Gcreate2(id_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

void RawFile::integers(const std::string& path, const std::vector<long long>& values) {
  write(path, H5T_STD_I64LE, H5T_NATIVE_LLONG, {values.size()}, values.data());
}

void RawFile::reals(const std::string& path, const std::vector<double>& values) {
  write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data());
}

void RawFile::table(const std::string& path, const std::vector<double>& values, hsize_t rows) {
  write(path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {rows, values.size() / rows}, values.data());
}

void RawFile::text(const std::string& path, const std::string& value) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, value.size());
  write(path, type, type, {1}, value.data());
  H5Tclose(type);
}

void RawFile::declared_only(const std::string& path, hsize_t count) {
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = count < 1024 ? count : 1024;
  H5Pset_chunk(properties, 1, &chunk);
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  H5Dclose(
      H5Dcreate2(id_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
}

void RawFile::remove(const std::string& path) { H5Ldelete(id_, path.c_str(), H5P_DEFAULT); }

void RawFile::write(const std::string& path, hid_t type, hid_t memory,
                    const std::vector<hsize_t>& shape, const void* data) {
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t set =
      H5Dcreate2(id_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
}

void write_matrix(RawFile& file, const std::string& group, long long size) {
  file.group(group);
  file.integers(group + "/m", {size});
  file.integers(group + "/n", {size});
  file.integers(group + "/nz", {-1});
  file.integers(group + "/nzmax", {size});
  std::vector<long long> pointers, rows;
  for (long long k = 0; k <= size; ++k) pointers.push_back(k);
  for (long long k = 0; k < size; ++k) rows.push_back(k);
  file.integers(group + "/p", pointers);
  file.integers(group + "/i", rows);
  file.reals(group + "/x", std::vector<double>(static_cast<std::size_t>(size), 2));
}

void write_good_local(RawFile& file) {
  file.group("fclib_local");
  file.integers("fclib_local/spacedim", {3});
  write_matrix(file, "fclib_local/W", 6);
  file.group("fclib_local/vectors");
  file.reals("fclib_local/vectors/q", {-1, 0.5, 0, -1, 0, 0});
  file.reals("fclib_local/vectors/mu", {0.5, 0.5});
}

void write_good_global(RawFile& file) {
  file.group("fclib_global");
  file.integers("fclib_global/spacedim", {3});
  write_matrix(file, "fclib_global/M", 6);
  write_matrix(file, "fclib_global/H", 6);
  file.group("fclib_global/vectors");
  file.reals("fclib_global/vectors/f", {-1, 0, 0, -1, 0, 0});
  file.reals("fclib_global/vectors/w", {0, 0, 0, 0, 0, 0});
  file.reals("fclib_global/vectors/mu", {0.5, 0.5});
}

std::function<void(const std::string&)> spoil(bool is_local, std::function<void(RawFile&)> change) {
  return [is_local, change](const std::string& path) {
    RawFile file(path);
    if (is_local)
      write_good_local(file);
    else
      write_good_global(file);
    change(file);
  };
}

std::vector<BrokenProblem> broken_problems() {
  const auto bytes = [](std::string text) {
    return [text](const std::string& path) { std::ofstream(path, std::ios::binary) << text; };
  };
  const auto integers = [](bool is_local, std::string path, std::vector<long long> values) {
    return spoil(is_local, [path, values](RawFile& f) {
      f.remove(path);
      f.integers(path, values);
    });
  };
  const auto reals = [](bool is_local, std::string path, std::vector<double> values) {
    return spoil(is_local, [path, values](RawFile& f) {
      f.remove(path);
      f.reals(path, values);
    });
  };
  const auto without = [](bool is_local, std::string path) {
    return spoil(is_local, [path](RawFile& f) { f.remove(path); });
  };
  const std::string W = "fclib_local/W", V = "fclib_local/vectors", M = "fclib_global/M";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> q = {-1, 0.5, 0, -1, 0, 0};
  return {
      {"empty", bytes(""), "expected an HDF5 file"},
      {"text", bytes("W: [1, 0]\n"), "expected an HDF5 file"},
      {"signature_only", bytes("\x89HDF\r\n\x1a\n"), "truncated, damaged"},
      {"truncated",
       [](const std::string& path) {
         {
           RawFile file(path);
           write_good_local(file);
         }
         std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
       },
       "truncated, damaged"},
      {"no_groups", [](const std::string& path) { const RawFile file(path); },
       "expected a group fclib_local or fclib_global, found an empty file"},
      {"other_groups", [](const std::string& path) { RawFile(path).group("mesh"); },
       "expected a group fclib_local or fclib_global, found mesh"},
      {"both_forms", spoil(true, [](RawFile& f) { write_good_global(f); }), "both fclib_local and"},
      {"no_spacedim", without(true, "fclib_local/spacedim"),
       "fclib_local/spacedim: expected a dataset, found nothing"},
      {"spacedim_1", integers(true, "fclib_local/spacedim", {1}),
       "spacedim: expected 2 or 3, got 1"},
      {"spacedim_2", integers(true, "fclib_local/spacedim", {2}), "W: expected a 4×4 matrix"},
      {"spacedim_pair", integers(true, "fclib_local/spacedim", {3, 3}),
       "expected one integer, got 2"},
      {"spacedim_real", reals(true, "fclib_local/spacedim", {3}),
       "spacedim: expected integers, got floating-point numbers"},
      {"no_matrix", without(true, W), "fclib_local/W: expected a matrix, found nothing"},
      {"matrix_is_dataset",
       spoil(true,
             [W](RawFile& f) {
               f.remove(W);
               f.reals(W, {1, 2, 3});
             }),
       "fclib_local/W/m: expected a dataset"},
      {"dataset_is_group",
       spoil(true,
             [W](RawFile& f) {
               f.remove(W + "/x");
               f.group(W + "/x");
             }),
       "W/x: expected a dataset, got a group"},
      {"no_values", without(true, W + "/x"), "W/x: expected a dataset, found nothing"},
      {"no_friction", without(true, V + "/mu"), "vectors/mu: expected a dataset, found nothing"},
      {"no_vectors", without(true, V), "vectors/q: expected a dataset, found nothing"},
      {"short_q", reals(true, V + "/q", {-1, 0.5, 0, -1, 0}), "q: expected 6 numbers"},
      {"long_mu", reals(true, V + "/mu", {0.5, 0.5, 0.5}), "W: expected a 9×9 matrix"},
      {"nan_q", reals(true, V + "/q", {-1, nan, 0, -1, 0, 0}),
       "q: expected finite numbers, got nan"},
      {"infinite_w", reals(true, W + "/x", {2, 2, inf, 2, 2, 2}),
       "W: expected finite numbers, got inf"},
      {"negative_mu", reals(true, V + "/mu", {0.5, -0.5}),
       "mu: expected μ ≥ 0, got -0.5 at contact 1"},
      {"text_mu",
       spoil(true,
             [V](RawFile& f) {
               f.remove(V + "/mu");
               f.text(V + "/mu", "half");
             }),
       "mu: expected floating-point numbers, got strings"},
      {"integer_x", integers(true, W + "/x", {2, 2, 2, 2, 2, 2}),
       "W/x: expected floating-point numbers, got integers"},
      {"table_q",
       spoil(true,
             [V, q](RawFile& f) {
               f.remove(V + "/q");
               f.table(V + "/q", q, 2);
             }),
       "q: expected one row of numbers, got an array of 2 dimensions"},
      {"rows_without_end", integers(true, W + "/m", {2'000'000'000}),
       "bytes can fill, got 2000000000"},
      {"row_out_of_range", integers(true, W + "/i", {0, 1, 2, 3, 4, 6}),
       "W/i: expected indices from 0 to 5, got 6 at position 5"},
      {"negative_row", integers(true, W + "/i", {0, 1, -2, 3, 4, 5}), "got -2 at position 2"},
      {"falling_pointers", integers(true, W + "/p", {0, 1, 3, 2, 4, 5, 6}),
       "expected pointers that never fall, got 2 after 3 at position 3"},
      {"pointers_from_1", integers(true, W + "/p", {1, 2, 3, 4, 5, 6, 7}),
       "expected the first pointer to be 0, got 1"},
      {"few_pointers", integers(true, W + "/p", {0, 1, 2, 6}), "W/p: expected 7 pointers, got 4"},
      {"pointers_past_end", integers(true, W + "/p", {0, 1, 2, 3, 4, 5, 60}),
       "the last pointer, 60, exceeds nzmax = 6"},
      {"few_rows", integers(true, W + "/i", {0, 1, 2}), "W/i: expected 6 numbers, got 3"},
      {"few_values", reals(true, W + "/x", {2, 2}), "W/x: expected 6 numbers, got 2"},
      {"unknown_storage", integers(true, W + "/nz", {-3}), "W/nz: expected −2 (CSR), −1 (CSC)"},
      {"nz_above_nzmax", integers(true, W + "/nz", {7}), "W/nz: expected −2 (CSR), −1 (CSC)"},
      {"triplet_out_of_range",
       spoil(true,
             [W](RawFile& f) {
               f.remove(W + "/nz");
               f.integers(W + "/nz", {6});
               f.remove(W + "/p");
               f.integers(W + "/p", {0, 1, 2, 3, 4, 9});
             }),
       "W/p: expected indices from 0 to 5, got 9"},
      {"negative_size", integers(true, W + "/m", {-6}), "W/m: expected a size between 0 and"},
      {"huge_size", integers(true, W + "/n", {1LL << 40}), "W/n: expected a size between 0 and"},
      {"large_size", integers(true, W + "/n", {2000000000}), "W/n: expected a size that a file of"},
      {"declared_only",
       spoil(true,
             [V](RawFile& f) {
               f.remove(V + "/q");
               f.declared_only(V + "/q", 6);
             }),
       "6 numbers are declared but none was ever written"},
      {"declared_huge",
       spoil(true,
             [W](RawFile& f) {
               f.remove(W + "/x");
               f.declared_only(W + "/x", 1ULL << 50);
             }),
       "W/x: expected at most 268435456 numbers"},
      {"not_square", integers(true, W + "/m", {7}), "W: expected a 6×6 matrix"},
      {"zero_diagonal", reals(true, W + "/x", {2, 2, 2, 0, 2, 2}),
       "W: expected a diagonal entry > 0 in the normal row of contact 1, got 0"},
      {"bilateral", spoil(true, [](RawFile& f) { write_matrix(f, "fclib_local/V", 6); }),
       "fclib_local/V: bilateral constraints in a problem file are not supported"},
      {"no_mass", without(false, M), "fclib_global/M: expected a matrix"},
      {"short_f", reals(false, "fclib_global/vectors/f", {1, 2}), "f: expected 6 numbers"},
      {"nan_mass", reals(false, M + "/x", {2, nan, 2, 2, 2, 2}), "M: expected finite numbers"},
  };
}

std::vector<BrokenProblem> unsolvable_problems() {
  const auto reals = [](std::string path, std::vector<double> values) {
    return spoil(false, [path, values](RawFile& f) {
      f.remove(path);
      f.reals(path, values);
    });
  };
  return {{"singular_mass", reals("fclib_global/M/x", {2, 0, 2, 2, 2, 2}),
           "M: expected a non-singular mass matrix, got a singular one"},
          {"contact_moves_nothing", reals("fclib_global/H/x", {2, 2, 2, 0, 0, 0}),
           "W: expected a diagonal entry > 0 in the normal row of contact 1"}};
}

}  // namespace talus::test
