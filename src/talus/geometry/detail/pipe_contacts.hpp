#pragma once

#include <talus/geometry/contacts_of_pair.hpp>

namespace talus::geometry::detail {

/// Contacts of the inside of a pipe (A) with a convex shape (B): at the points of B farthest from
/// the axis and towards the ends, since a convex body in a convex cavity meets its wall with its
/// corners first. Exact for balls, capsules, boxes and polytopes; of a cylinder eight points of
/// each rim and the farthest ones. The points are appended.
void pipe_contacts(const Pipe& pipe, const Shape& b, const Pose& b_in_pipe, Real margin,
                   PairContacts& contacts);

}  // namespace talus::geometry::detail
