#pragma once

#include <talus/geometry/shape.hpp>

namespace talus::geometry::detail {

/// Kinds in the order in which a pair is computed: a pair given the other way round is swapped.
enum class Kind { plane, cylinder, box, polytope, capsule, sphere };

/// Contract: a convex shape.
[[nodiscard]] Kind kind_of(const Shape& shape);

/// True when the pair must be computed as (b, a): by kind, then by dimensions. Two equal shapes
/// keep the order they were given in.
[[nodiscard]] bool must_swap(const Shape& a, const Shape& b);

}  // namespace talus::geometry::detail
