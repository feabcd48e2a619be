#pragma once

#include <string>
#include <variant>

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::exchange {

/// A problem of any class that an HDF5 file can hold.
using AnyProblem = std::variant<problem::FrictionContact, problem::GlobalFrictionContact,
                                problem::BilateralContact, problem::GlobalBilateralContact,
                                problem::RollingFrictionContact,
                                problem::GlobalRollingFrictionContact, problem::Lcp>;

/// True if the file is HDF5 and has the group of a problem; says nothing of the rest.
[[nodiscard]] bool is_problem_file(const std::string& file);

/// Reads whatever problem the file holds, by the name of its group: fclib_local (a BilateralContact
/// if it has V or R), fclib_global (a GlobalBilateralContact if it has G), fclib_local_rolling,
/// fclib_global_rolling, talus_lcp. Errors: InputError, also where there are two of them or none.
[[nodiscard]] AnyProblem read_problem(const std::string& file);

}  // namespace talus::exchange
