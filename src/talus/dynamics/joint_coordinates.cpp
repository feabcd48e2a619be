#include <talus/dynamics/joint_coordinates.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <talus/dynamics/axis_terms.hpp>

namespace talus::dynamics {
namespace {

using model::Freedom;

/// Whether a joint has coordinates at all: rods, ropes and joints with play have none.
bool has_coordinates(const model::SpatialJointKind& kind) {
  return std::holds_alternative<model::LowerPair>(kind) ||
         std::holds_alternative<model::Screw>(kind) || std::holds_alternative<model::Line>(kind) ||
         std::holds_alternative<model::Rotation>(kind);
}

}  // namespace

std::string_view coordinate_name(model::FreedomSet held, Freedom freedom) {
  static constexpr std::array<std::string_view, 3> kSlides{"slide_x", "slide_y", "slide_z"};
  static constexpr std::array<std::string_view, 3> kTurns{"turn_x", "turn_y", "turn_z"};
  const auto direction = static_cast<std::size_t>(model::direction(freedom));
  const int held_turns = held.turns(), held_slides = held.count() - held_turns;
  if (!model::is_turn(freedom)) return held_slides == 2 ? "slide" : kSlides[direction];
  if (held_turns == 2) return "turn";
  if (held_turns == 0) return kTurns[direction];
  return held.has(model::turn_about((model::direction(freedom) + 2) % 3)) ? "turn" : "second_turn";
}

std::vector<JointCoordinate> joint_coordinates(const model::SpatialMachine& machine) {
  std::vector<JointCoordinate> all;
  for (std::size_t j = 0; j < machine.joints.size(); ++j) {
    const model::SpatialJoint& joint = machine.joints[j];
    if (!has_coordinates(joint.kind)) continue;
    const model::FreedomSet held = without_coordinate(joint.kind);
    const std::size_t first = all.size();
    for (int f = 0; f < 6; ++f) {
      const auto freedom = static_cast<Freedom>(f);
      if (held.has(freedom)) continue;
      const auto law = std::find_if(joint.axes.begin(), joint.axes.end(),
                                    [&](const auto& own) { return own.axis == freedom; });
      const bool has_law = law != joint.axes.end();
      if (model::is_turn(freedom) && held.turns() == 0 && !has_law) continue;
      all.push_back({static_cast<Index>(j), freedom, has_law ? law - joint.axes.begin() : Index(-1),
                     coordinate_name(held, freedom)});
    }
    if (all.size() == first + 1) all.back().is_only_one = true;
  }
  return all;
}

}  // namespace talus::dynamics
