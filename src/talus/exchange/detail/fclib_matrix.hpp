#pragma once

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

/// Makes the groups of a problem: root with spacedim (0: none), root/info/title, root/vectors.
void write_head(Writer& writer, const std::string& root, Index dimension, const std::string& title);

}  // namespace talus::exchange::detail
