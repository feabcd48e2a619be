#pragma once

#include <talus/base/types.hpp>

namespace talus::scene::detail {

/// The largest magnitude of a quantity with a unit [SI]: squares and products of a few stay finite.
inline constexpr Real kLargestQuantity = 1e30;

}  // namespace talus::scene::detail
