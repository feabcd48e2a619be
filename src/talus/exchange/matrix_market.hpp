#pragma once

#include <string>

#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::exchange {

/// Which entries a Matrix Market file holds, and what it says of the others.
enum class MatrixSymmetry {
  general,        ///< all entries
  symmetric,      ///< the lower triangle, a_ji = a_ij
  skew_symmetric  ///< the strictly lower triangle, a_ji = −a_ij
};

/// Reads a matrix in Matrix Market's format (Boisvert, Pozo & Remington 1996, key `boisvert_1996`).
///
/// coordinate or array; real (double) or integer; general, symmetric or skew-symmetric. Entries
/// given twice are added. Errors: InputError with file, line, column where it is known, what was
/// found and what is allowed: complex and pattern matrices, indices outside, entries above the
/// diagonal of a symmetric matrix or on that of a skew-symmetric one, too few or too many entries,
/// numbers that are not finite. Rows and columns: at most 2²⁶. Cost: linear in the file.
[[nodiscard]] problem::SparseMatrix read_matrix_market(const std::string& file);

/// Reads a vector: a matrix of one column, array or coordinate. Errors: as above.
[[nodiscard]] VecX read_vector_market(const std::string& file);

/// Reads the LCP of a matrix M and a vector q; validated. Errors: as above.
[[nodiscard]] problem::Lcp read_lcp_market(const std::string& matrix_file,
                                           const std::string& vector_file);

/// Writes a matrix, coordinate real, replacing the file; read again, every number is the same. A
/// matrix that has not the symmetry asked for, bit for bit, throws InputError, as does a file that
/// cannot be written. @param comment lines of the head, without '%'.
void write_matrix_market(const std::string& file, const problem::SparseMatrix& matrix,
                         MatrixSymmetry symmetry = MatrixSymmetry::general,
                         const std::string& comment = "");

/// Writes a dense matrix or a vector, array real general. As above.
void write_matrix_market(const std::string& file, const MatX& matrix,
                         const std::string& comment = "");

/// Writes M and q of an LCP, M in coordinates. As above.
void write_lcp_market(const std::string& matrix_file, const std::string& vector_file,
                      const problem::Lcp& problem);

}  // namespace talus::exchange
