#pragma once

#include <string>
#include <vector>

#include <talus/model/internal_variables.hpp>

namespace talus::record::detail {

/// State::internal in a file: the values of all variables one after another, and in the attribute
/// `variables` of their dataset a text of lines: the scheme whose they are, then "name count" of
/// each.
inline constexpr const char* kVariablesAttribute = "variables";

[[nodiscard]] std::vector<double> values_of(const model::InternalVariables& internal);
[[nodiscard]] std::string layout_of(const model::InternalVariables& internal);

/// Both put together again. Throws hdf5::Hdf5Error if the text is none, or of other numbers.
[[nodiscard]] model::InternalVariables internal_variables(const std::vector<double>& values,
                                                          const std::string& layout);

}  // namespace talus::record::detail
