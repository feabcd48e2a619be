#pragma once

#include <string>
#include <variant>

#include <talus/problem/bilateral_contact.hpp>
#include <talus/problem/friction_contact.hpp>
#include <talus/problem/lcp.hpp>
#include <talus/problem/rolling_contact.hpp>

namespace talus::exchange {

/// A problem of any class that an HDF5 file can hold.
using AnyProblem =
    std::variant<problem::FrictionContact, problem::GlobalFrictionContact,
                 problem::BilateralContact, problem::RollingFrictionContact, problem::Lcp>;

/// Reads whatever problem the file holds, by the name of its group: fclib_local (a BilateralContact
/// if it has V or R), fclib_global, fclib_local_rolling, talus_lcp. Errors: InputError, also where
/// there are two of them or none.
[[nodiscard]] AnyProblem read_problem(const std::string& file);

}  // namespace talus::exchange
