#pragma once

#include <fmt/format.h>

#include <string>

#include <talus/dynamics/rigid_bodies.hpp>
#include <talus/laws/tolerances.hpp>
#include <talus/model/model.hpp>

namespace talus::stepping::detail {

// Overlaps of two bodies after a step, in shares of the smaller one's half thickness, in space and
// in the plane.

using tolerance::kMostOverlap;

/// What is deeper may be beyond the other's middle: no answer, although displacements take it
/// apart.
inline constexpr Real kMostPushed = 0.5;

/// "crate and floor"; contacts of a system in generalized coordinates are of one body.
[[nodiscard]] inline std::string pair_name(const model::Model& model, Index a, Index b) {
  if (a == b) return "contacts of " + model.body_name(a);
  return model.body_name(a) + " and " + model.body_name(b);
}

/// What is wrong with a step after which bodies overlap by too much. @param depth [m].
/// @param is_left whether they were as deep in each other before it.
[[nodiscard]] inline std::string overlap_after_step(const model::Model& model, Index a, Index b,
                                                    Real depth, Real share, bool is_left = false) {
  return fmt::format(
      "{} {} by {:.3g} m after the step, {:.2g} of the smaller one's half thickness: {}",
      pair_name(model, a, b), is_left ? "still overlap" : "overlap", depth, share,
      is_left ? "they were not pushed apart" : "h is too long, max_halvings cuts such steps");
}

/// The same of a contact in space, whose bodies can be a joint's with play.
[[nodiscard]] inline std::string overlap_after_step(const dynamics::RigidBodies& bodies,
                                                    const collision::Contact& contact,
                                                    bool is_left = false) {
  const Real share = -contact.gap / bodies.size(contact);
  if (!dynamics::JointPlay::has(contact.feature))
    return overlap_after_step(bodies.model(), contact.a, contact.b, -contact.gap, share, is_left);
  return fmt::format(
      "the play of joint {} is exceeded by {:.3g} m after the step, {:.2g} of it: {}",
      bodies.play().joint(contact.feature).name, -contact.gap, share,
      is_left ? "it was not taken back" : "h is too long, max_halvings cuts such steps");
}

/// What is wrong with a step at whose start a body is deeper in a mesh than kMostPushed: it may
/// have come from behind.
[[nodiscard]] inline std::string overlap_before_step(const dynamics::RigidBodies& bodies,
                                                     const collision::Contact& contact) {
  return fmt::format(
      "{} overlap by {:.3g} m before the step, {:.2g} of the smaller one's half thickness: what "
      "moves them apart is no motion",
      pair_name(bodies.model(), contact.a, contact.b), -contact.gap,
      -contact.gap / bodies.size(contact));
}

/// What is wrong with a step in which bodies pass through each other.
[[nodiscard]] inline std::string passage_in_step(const model::Model& model, Index a, Index b) {
  return fmt::format(
      "{} go through each other within the step: h is too long, max_halvings cuts such steps",
      pair_name(model, a, b));
}

}  // namespace talus::stepping::detail
