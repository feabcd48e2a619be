#pragma once

namespace talus::stepping::detail {

/// Where Moreau's time stepping takes contacts, in the plane and in space: at the middle of the
/// step, or as in Jean's θ-scheme.
enum class MoreauRule : unsigned char { midpoint, jean };

}  // namespace talus::stepping::detail
