#pragma once

#include <cstddef>
#include <string>

#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {

/// Appends a map or list as YAML: what fits on a line stands on one.
/// @param indent of its lines, in spaces.
void write_block(const Node& node, std::size_t indent, std::string& out);

}  // namespace talus::scene::detail
