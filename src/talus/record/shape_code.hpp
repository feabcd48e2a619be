#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace talus::record {

/// Codes of /bodies/shape; the numbers that go with them are in /bodies/shape_size.
enum class ShapeCode : std::uint8_t {
  sphere,
  plane,
  box,
  capsule,
  polytope,
  mesh,
  compound,
  cylinder,
  pipe
};

/// Names in the order of the codes.
inline constexpr std::array<std::string_view, 9> kShapeNames = {
    "sphere", "plane", "box", "capsule", "polytope", "mesh", "compound", "cylinder", "pipe"};

}  // namespace talus::record
