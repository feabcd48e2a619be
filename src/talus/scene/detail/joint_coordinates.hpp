#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <talus/model/axis_law.hpp>
#include <talus/scene/detail/spec.hpp>

// The coordinates of joints in space, by the names that scenes have for them.

namespace talus::scene::detail {

/// A name, the freedom that it is of a joint that has it, and the keys of that name.
struct CoordinateName {
  std::string_view name;
  std::optional<AxisLawSpec> JointSpec::*law;
  std::optional<Real> JointPositionSpec::*position;
};

/// All names, in the order of the schema.
[[nodiscard]] std::span<const CoordinateName> coordinate_names();

/// The key that says of which kind a joint is: "revolute".
[[nodiscard]] std::string_view kind_of(const JointSpec& joint);

/// What a joint leaves free under a name; nothing if it has no such coordinate.
[[nodiscard]] std::optional<model::Freedom> find_coordinate(const JointSpec& joint,
                                                            std::string_view name);

/// "a revolute joint has the coordinate turn", for hints.
[[nodiscard]] std::string coordinates_text(const JointSpec& joint);

/// A coordinate of a joint by its name, or without one the only coordinate of the joint among those
/// that are wanted. Notes at the place why there is none.
struct WantedCoordinate {
  std::optional<std::string> name;
  bool may_turn = true, may_slide = true;
};
[[nodiscard]] std::optional<model::Freedom> resolve_coordinate(const JointSpec& joint,
                                                               const WantedCoordinate& wanted,
                                                               const Place& place,
                                                               Problems& problems);

}  // namespace talus::scene::detail
