#pragma once

#include <talus/problem/rigid_contact.hpp>

namespace talus::problem {

/// Whether a contact has anything that its friction, alike in all directions, has not: a problem
/// in which none has needs no resistance.
[[nodiscard]] inline bool resists_more(const Resistance& contact) {
  return !contact.slip_bias.isZero(0) || !contact.axis.isZero(0) || contact.rolling > 0 ||
         contact.torsion > 0 || contact.cohesion > 0 || !contact.drag.isZero(0) ||
         !contact.compliance.isZero(0);
}

}  // namespace talus::problem
