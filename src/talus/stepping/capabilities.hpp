#pragma once

#include <string>

#include <talus/model/model.hpp>
#include <talus/stepping/scheme_options.hpp>

namespace talus::stepping {

/// What a scheme does not support of a model, in words for its user; empty if it supports all of
/// it. One table (capabilities.cpp) says which schemes support what, in the plane and in space.
/// O(bodies + joints + laws), of index_3 O(bodies² joints): no two bodies may touch.
[[nodiscard]] std::string unsupported(const model::Model& model, const SchemeOptions& options);

/// The same by the column for space alone: of bodies in space, and of planar ones that are stepped
/// as such (stepping/planar_grains.hpp).
[[nodiscard]] std::string unsupported_in_space(const model::Model& model,
                                               const SchemeOptions& options);

/// That table as a page in Markdown: a line per feature, a column per scheme.
[[nodiscard]] std::string capability_page();

}  // namespace talus::stepping
