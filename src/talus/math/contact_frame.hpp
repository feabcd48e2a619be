#pragma once

#include <talus/math/vector.hpp>

namespace talus {

/// The contact frame (n, t1, t2) of a unit normal, as columns; right-handed, orthonormal to
/// round-off.
///
/// Branchless construction of Duff et al. 2017 (key `duff_2017`): continuous in n except across n_z
/// = 0⁻, −0.
/// @param normal n, unit, any frame; the tangents come in the same frame.
[[nodiscard]] Mat3 contact_frame(const Vec3& normal);

}  // namespace talus
