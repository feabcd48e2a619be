#pragma once

#include <string>

#include <talus/exchange/fclib.hpp>
#include <talus/problem/lcp.hpp>

namespace talus::exchange {

/// Reads an LCP, group talus_lcp of an HDF5 file: M (a matrix in any of FCLIB's storage forms) and
/// vectors/q. The problem is validated. Errors: InputError with file, place in the file, what was
/// found and what is allowed.
[[nodiscard]] problem::Lcp read_lcp(const std::string& file);

/// Writes the same; zeros of M are not stored. Read again, every number is the same.
/// @param title free text, info/title. Errors: InputError if it cannot be written.
void write_lcp(const std::string& file, const problem::Lcp& problem, const std::string& title = "",
               MatrixStorage storage = MatrixStorage::compressed_column);

}  // namespace talus::exchange
