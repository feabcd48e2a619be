#pragma once

#include <vector>

#include <talus/dynamics/system.hpp>

namespace talus::dynamics {

/// Two shapes that come to overlap while their bodies go straight on from one configuration to
/// another: where they do for the first time, or at the end.
struct PlanarMeeting {
  ShapePair pair;
  Real share = 1;  ///< of the way; < 1 where they overlap before its end
  Real depth = 0;  ///< [m], of the shapes as a whole, after that share
};

/// Where on a way from q to q_end rigid shapes overlap by more than before it and than a share
/// `tolerance` of the smaller body's size.
///
/// Of each pair the end of the way is looked at. Of two that go farther past each other than a
/// tenth of the smaller size, or turn by that much into a half-plane and out again, the way is
/// looked at too, in steps of their distance or that tenth; where they overlap there by more than a
/// tenth, or at the end, the first share with an overlap is found by bisection, so that the sides
/// that meet are those which met first. Not found: what is farther than this only between two such
/// places, by less than a tenth each.
/// @param found out: in the order of the pairs. Cost O(pairs), steps of the way for those that
/// come near.
void find_meetings(const System& machine, const VecX& q, const VecX& q_end, Real tolerance,
                   std::vector<PlanarMeeting>& found);

/// Whether two shapes meet on such a way. Cost steps of the way if they come near.
[[nodiscard]] bool meets(const System& machine, const ShapePair& pair, const VecX& q,
                         const VecX& q_end, Real tolerance);

/// Pairs of rigid shapes that are near on such a way, in the order of their contacts: all that may
/// meet.
void near_on_the_way(const System& machine, const VecX& q, const VecX& q_end,
                     std::vector<ShapePair>& near);

/// The contacts of a pair of shapes whose corners are in the other shape.
[[nodiscard]] std::vector<Index> corners_inside(const System& machine, const ShapePair& pair,
                                                const VecX& q);

/// A configuration for the places of two bodies that a gap or contact is asked at, which reads no
/// other: one per thread, kept. @param size of a configuration.
[[nodiscard]] VecX& place_of_two(Index size);

/// Where the two bodies of a pair are after a share of a way. @param at in and out: all other
/// bodies stay.
void on_the_way(const ShapePair& pair, const VecX& q, const VecX& q_end, Real share, VecX& at);

}  // namespace talus::dynamics
