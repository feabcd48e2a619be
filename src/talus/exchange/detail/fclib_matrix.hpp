#pragma once

#include <initializer_list>
#include <string>

#include <talus/exchange/detail/hdf5_file.hpp>
#include <talus/exchange/fclib.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::exchange::detail {

/// A matrix in FCLIB's form: datasets m, n, nz, nzmax, p, i, x of a group. All three storage forms;
/// entries given twice are added. Every mistake is an InputError; sizes are checked against the
/// file before memory is taken.
[[nodiscard]] problem::SparseMatrix read_matrix(const Reader& reader, const std::string& group);

/// Makes the group and writes the matrix, every stored entry.
void write_matrix(Writer& writer, const std::string& group, problem::SparseMatrix matrix,
                  MatrixStorage storage);

/// M, H, f, w and mu of a global form, in the group `root`.
template <class Global>
void read_motion(const Reader& reader, const std::string& root, Global& problem) {
  problem.M = read_matrix(reader, root + "/M");
  problem.H = read_matrix(reader, root + "/H");
  problem.f = reader.read_reals(root + "/vectors/f");
  problem.w = reader.read_reals(root + "/vectors/w");
  problem.friction = reader.read_reals(root + "/vectors/mu");
}

template <class Global>
void write_motion(Writer& writer, const std::string& root, const Global& problem,
                  MatrixStorage storage) {
  write_matrix(writer, root + "/M", problem.M, storage);
  write_matrix(writer, root + "/H", problem.H, storage);
  writer.write(root + "/vectors/f", problem.f);
  writer.write(root + "/vectors/w", problem.w);
  writer.write(root + "/vectors/mu", problem.friction);
}

/// Refuses matrices of bilateral constraints where they have no place.
void refuse_bilateral(const Reader& reader, const std::string& root,
                      std::initializer_list<const char*> names);

/// Makes the groups of a problem: root with spacedim (0: none), root/info/title, root/vectors.
void write_head(Writer& writer, const std::string& root, Index dimension, const std::string& title);

}  // namespace talus::exchange::detail
