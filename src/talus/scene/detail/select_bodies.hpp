#pragma once

#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {

[[nodiscard]] std::vector<Index> all_dynamic(const model::Model& model);

/// Dynamic bodies and members of sets by name, sorted; notes names that do not exist and bodies
/// that are not dynamic. @param because what is said of those: "it has no mass to measure".
[[nodiscard]] std::vector<Index> select_bodies(const model::Model& model,
                                               const std::vector<std::string>& names,
                                               const Place& place, const char* because,
                                               Problems& problems);

}  // namespace talus::scene::detail
