#pragma once

#include <functional>

#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::scene::detail {

/// Two bodies that overlap at the start.
struct Overlap {
  Index body_a = 0, body_b = 0;
  Real depth = 0;  ///< [m] > 0
  Real size = 0;   ///< [m] least thickness of the smaller body
};

/// Reports pairs of bodies, one of them dynamic at least, that overlap deeper than a share of the
/// least thickness of the smaller one; in order of bodies. In a periodic cell all images count.
/// Stops when the callback says false. A
/// hierarchical grid: O(bodies · size classes · log bodies) for bodies that do not crowd.
void find_overlaps(const model::Model& model, const model::State& state, Real limit,
                   const std::function<bool(const Overlap&)>& report);

}  // namespace talus::scene::detail
