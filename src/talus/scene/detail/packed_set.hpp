#pragma once

#include <vector>

#include <talus/math/periodic_cell.hpp>
#include <talus/scene/detail/generate.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// Members of a packing, sized and turned, not yet placed: as many as asked, or as fill the
/// fraction, to half a body. Notes bodies that the region cannot hold, one by one or together:
/// equal balls fill at most π/√18 of a box (Hales 2005, key `hales_2005`), others less than all.
/// @param radius of the bounding ball at scale 1 [m] > 0. @return empty where something was noted.
[[nodiscard]] std::vector<Member> draw_packing(const PackingSpec& spec, Real radius,
                                               const PeriodicCell& cell, Problems& problems);

/// Places them (packing.hpp). Notes what was reached where that is not enough. @return success.
[[nodiscard]] bool place_packing(const PackingSpec& spec, Real radius, const PeriodicCell& cell,
                                 std::vector<Member>& members, Problems& problems);

}  // namespace talus::scene::detail
