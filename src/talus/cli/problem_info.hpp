#pragma once

#include <string>

namespace talus::cli {

/// Prints what a problem file holds: law, form, dimension, contacts, and per matrix its size,
/// non-zeros, scale and asymmetry; the ranges of μ and μ_r. @param json one JSON object instead of
/// a table.
/// @return false, printing nothing, if the file is not a problem file at all. A broken problem file
/// throws InputError.
bool print_problem_info(const std::string& path, bool json);

}  // namespace talus::cli
