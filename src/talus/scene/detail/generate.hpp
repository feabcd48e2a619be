#pragma once

#include <vector>

#include <talus/base/random.hpp>
#include <talus/math/spatial.hpp>
#include <talus/scene/detail/spec.hpp>

namespace talus::scene::detail {

/// A generated member of a set: where it is and its size relative to the shape that was given.
struct Member {
  Pose pose;
  Real scale = 1;
};

/// A rotation drawn uniformly; the same on every machine.
[[nodiscard]] Quat random_rotation(Random& random);

/// Members of a lattice, x counted first. Every member draws the same count of random numbers, so
/// that one option does not change what another draws. O(members).
/// @param dimension of the scene: in the plane members stay in it and are turned about z.
[[nodiscard]] std::vector<Member> generate_lattice(const LatticeSpec& lattice, int dimension);

/// Members of a source, turned and sized; they wait in the middle of its region.
[[nodiscard]] std::vector<Member> generate_source(const SourceSpec& source, int dimension);

/// Random sequential addition: larger members first, each at the first of many random places where
/// its bounding ball keeps the gap to those before it. Fewer members than asked when one finds no
/// place. Along a periodic direction that the region fills, bodies may stick out of it; the gap is
/// kept from all images. @param radius of the bounding ball at scale 1 [m] > 0. @param cell no
/// shorter than the region (contract). @param dimension as above. O(members) while there is room.
[[nodiscard]] std::vector<Member> generate_random(const RandomSpec& random, Real radius,
                                                  const PeriodicCell& cell, int dimension);

}  // namespace talus::scene::detail
