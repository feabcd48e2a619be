#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/stepping/capabilities.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

class Scheme;

/// Schemes by name. Adding a scheme adds one file and one line in scheme_registry.cpp.
[[nodiscard]] std::vector<std::string_view> scheme_names();

/// Makes a scheme. The model must outlive it. An unknown name is a broken contract: check
/// scheme_names() first. Throws InputError where the scheme does not support what a system in
/// generalized coordinates has; of scenes their reader says so.
[[nodiscard]] std::unique_ptr<Scheme> make_scheme(const model::Model& model,
                                                  const SchemeOptions& options);

}  // namespace talus::stepping
