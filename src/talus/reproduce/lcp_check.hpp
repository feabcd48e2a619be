#pragma once

#include <talus/dynamics/system.hpp>

namespace talus::reproduce {

/// How far Lemke's method is from trial and error over all contact states (open, stick, slip either
/// way): the LCP of all closed contacts at the level of accelerations is solved both ways.
/// @return the largest difference of the contacts' accelerations, normal and tangential, from those
///   of the nearest answer of enumeration, over 1 + their size [m/s²]; 0 where nothing touches; no
///   number where more than 4 contacts do, or where one of the two finds no answer and the other
///   does. Forces are not compared: those of redundant contacts are one choice of many.
[[nodiscard]] Real enumeration_difference(const dynamics::System& machine, Real time, const VecX& q,
                                          const VecX& v);

}  // namespace talus::reproduce
