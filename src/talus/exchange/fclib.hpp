#pragma once

#include <string>
#include <variant>

#include <talus/files/output_file.hpp>
#include <talus/problem/friction_contact.hpp>

namespace talus::exchange {

/// A frictional contact problem in either of FCLIB's forms.
using FclibProblem = std::variant<problem::FrictionContact, problem::GlobalFrictionContact>;

/// How a matrix is stored in a file: FCLIB's field nz ≥ 0, −1, −2. Indices count from 0.
enum class MatrixStorage {
  triplet,            ///< i: rows, p: columns, x: values
  compressed_column,  ///< p: n+1 column starts, i: rows, x: values
  compressed_row      ///< p: m+1 row starts, i: columns, x: values
};

/// True if the file is HDF5 and has a group fclib_local or fclib_global; says nothing of the rest.
[[nodiscard]] bool is_fclib(const std::string& file);

/// Reads a problem in FCLIB's HDF5 format (Acary et al. 2014, key `acary_2014`).
///
/// Group fclib_local: spacedim, W (m, n, nz, nzmax, p, i, x), vectors/q (= b here), vectors/mu.
/// Group fclib_global: spacedim, M, H (= Jᵀ), vectors/f, vectors/w, vectors/mu. All three storage
/// forms; entries given twice are added. Bilateral parts (groups V, R, G) are refused here;
/// exchange/fclib_classes reads them. The problem is validated (problem/validate). Errors:
/// InputError with file, place in the file, what was found and what is allowed.
[[nodiscard]] FclibProblem read_fclib(const std::string& file);

/// Writes a problem in FCLIB's HDF5 format, replacing a problem file that Talus wrote, and nothing
/// else. @param title free text, info/title.
/// Reading it again gives the same numbers bit for bit. Errors: InputError if it cannot be written.
void write_fclib(const std::string& file, const problem::FrictionContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);
void write_fclib(const std::string& file, const problem::GlobalFrictionContact& problem,
                 const std::string& title = "",
                 MatrixStorage storage = MatrixStorage::compressed_column);

/// Impulses and velocities as FCLIB stores them: /solution/{r, u, v, l}.
struct FclibSolution {
  VecX r;       ///< impulses, dm [N·s]
  VecX u;       ///< relative velocities, dm [m/s]
  VecX v;       ///< velocities of the system, n; empty in local form
  VecX l = {};  ///< impulses λ of the bilateral constraints; empty without any
};

/// Solution files that Talus wrote.
[[nodiscard]] const files::OwnKind& solution_kind();

/// Writes a file with the group solution alone, replacing one of solution_kind(). Errors:
/// InputError if it cannot be written.
void write_fclib_solution(const std::string& file, const FclibSolution& solution);

/// Reads /solution of a file; v and l are empty where the file has none. Errors: InputError.
[[nodiscard]] FclibSolution read_fclib_solution(const std::string& file);

}  // namespace talus::exchange
