#include <talus/scene/detail/other_words.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <talus/base/text.hpp>

namespace talus::scene::detail {
namespace {

/// A word that is used elsewhere, and ours.
struct OtherWord {
  std::string_view theirs, ours;
  std::string_view how = {};  ///< to write it, where ours is not simply put in the place of theirs
};

constexpr std::string_view kOfContacts =
    "laws belong to contacts: write contacts: {default: {friction: 0.5, restitution: 0.2}}";

/// The first whose word of ours is allowed where the other stands counts.
constexpr std::array kOtherWords = {
    OtherWord{"hinge", "revolute"},
    OtherWord{"pin", "revolute"},
    OtherWord{"pivot", "revolute"},
    OtherWord{"continuous", "revolute"},
    OtherWord{"slider", "prismatic"},
    OtherWord{"sliding", "prismatic"},
    OtherWord{"slide", "prismatic"},
    OtherWord{"translational", "prismatic"},
    OtherWord{"fixed", "weld"},
    OtherWord{"rigid", "weld"},
    OtherWord{"welded", "weld"},
    OtherWord{"spherical", "ball"},
    OtherWord{"socket", "ball"},
    OtherWord{"cardan", "universal"},
    OtherWord{"helical", "screw"},
    OtherWord{"bodies", "between", "write between: [A, B]"},
    OtherWord{"parent", "between", "write between: [PARENT, CHILD]"},
    OtherWord{"child", "between", "write between: [PARENT, CHILD]"},
    OtherWord{"body_a", "between", "write between: [A, B]"},
    OtherWord{"body_b", "between", "write between: [A, B]"},
    OtherWord{"type", "revolute", "the kind is the key: write revolute: {…}, or another of them"},
    OtherWord{"kind", "revolute", "the kind is the key: write revolute: {…}, or another of them"},
    OtherWord{"type", "sphere", "the kind is the key: write sphere: {…}, or another of them"},
    OtherWord{"anchor", "at"},
    OtherWord{"point", "at"},
    OtherWord{"cube", "box"},
    OtherWord{"cuboid", "box"},
    OtherWord{"ball", "sphere"},
    OtherWord{"static", "fixed"},
    OtherWord{"pos", "position"},
    OtherWord{"rotation", "orientation"},
    OtherWord{"friction", "density", kOfContacts},
    OtherWord{"mu", "density", kOfContacts},
    OtherWord{"restitution", "density", kOfContacts},
    OtherWord{"generalized_alpha", "index_3",
              "as a scheme this is called index_3; it is an integrator of event_driven too: write "
              "scheme: {name: event_driven, integrator: generalized_alpha}"},
    OtherWord{"friction_coefficient", "friction"},
    OtherWord{"mu", "friction"},
    OtherWord{"restitution_coefficient", "restitution"},
    OtherWord{"duration", "end"},
    OtherWord{"until", "end"},
    OtherWord{"t_end", "end"},
    OtherWord{"end_time", "end"},
    OtherWord{"timestep", "step"},
    OtherWord{"time_step", "step"},
    OtherWord{"step_size", "step"},
    OtherWord{"dt", "step"},
    OtherWord{"h", "step"},
    OtherWord{"duration", "time", "write time: {end: 1 s}"},
    OtherWord{"until", "time", "write time: {end: 1 s}"},
    OtherWord{"t_end", "time", "write time: {end: 1 s}"},
    OtherWord{"end_time", "time", "write time: {end: 1 s}"},
    OtherWord{"end", "time", "write time: {end: 1 s}"},
    OtherWord{"timestep", "time", "write time: {step: 1 ms}"},
    OtherWord{"time_step", "time", "write time: {step: 1 ms}"},
    OtherWord{"step_size", "time", "write time: {step: 1 ms}"},
    OtherWord{"dt", "time", "write time: {step: 1 ms}"},
    OtherWord{"step", "time", "write time: {step: 1 ms}"},
};

/// Keys of the plane and those of space that say the same.
struct Counterpart {
  std::string_view planar, spatial;
  std::string_view in_space, in_plane;  ///< how to write it there
};

constexpr std::array kCounterparts = {
    Counterpart{"torque", "moment",
                "in space this is moment: write moment: {torque: 5 N m, direction: [0, 0, 1]}",
                "in planar scenes this is torque: write torque: 5 N m"},
    Counterpart{"gear", "couplings",
                "in space gears are couplings of joints: write at the top of the scene couplings: "
                "[{name: gears, terms: [{joint: A}, {joint: B, factor: 2}]}]",
                "in planar scenes a gear is a joint: write under joints {name: gears, between: [A, "
                "B], gear: 2}"},
    Counterpart{"between", "joint",
                "in space a drive moves a coordinate of a joint: write joint: NAME instead of "
                "between",
                "in planar scenes a drive moves two bodies: write between: [A, B] instead of "
                "joint"},
};

}  // namespace

Meant counterpart(std::string_view key, int dimension) {
  for (const Counterpart& one : kCounterparts) {
    if (dimension == 3 && key == one.planar)
      return {std::string(one.spatial), std::string(one.in_space)};
    if (dimension == 2 && key == one.spatial)
      return {std::string(one.planar), std::string(one.in_plane)};
  }
  return {};
}

Meant meant_by(std::string_view word, std::span<const std::string_view> allowed) {
  for (const OtherWord& other : kOtherWords) {
    if (other.theirs != word ||
        std::find(allowed.begin(), allowed.end(), other.ours) == allowed.end())
      continue;
    return {std::string(other.ours), other.how.empty()
                                         ? fmt::format("this is called {} here", other.ours)
                                         : std::string(other.how)};
  }
  std::string nearest = nearest_word(word, allowed);
  if (nearest.empty()) return {};
  return {nearest, fmt::format("did you mean \"{}\"?", nearest)};
}

}  // namespace talus::scene::detail
