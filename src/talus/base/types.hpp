#pragma once

#include <cstddef>
#include <cstdint>

namespace talus {

using Real = double;
using Index = std::ptrdiff_t;  ///< counts and indices; signed, the same width as Eigen's

}  // namespace talus
