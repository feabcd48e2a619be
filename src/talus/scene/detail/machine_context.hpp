#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include <talus/model/time_law.hpp>
#include <talus/scene/detail/spec.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene::detail {

inline constexpr Real kFits = 1e-6;  ///< [m] or [rad]: what a run's first projection closes

/// The two bodies of a joint or a force element; A can be model::kWorld in space.
struct BodyPair {
  Index a = 0, b = 0;
};

/// Places of the names of joints, drives, ….
using NamePlaces = std::unordered_map<std::string, Place>;

/// What machines in the plane and in space are built with: looks up bodies and names, makes laws of
/// time, and notes what is wrong with them.
class MachineContext {
 public:
  MachineContext(Scene& scene, Problems& found)
      : model(scene.model), state(scene.initial), problems(found), scene_(scene) {}

  /// Takes up a name. @param what it is of: "joint".
  void add_name(const std::string& name, const Place& place, const char* what, NamePlaces& names);
  /// The two bodies; nothing if something is wrong with them.
  template <class T>
  [[nodiscard]] std::optional<BodyPair> bodies_of(const T& spec) {
    return bodies_of(spec.between, spec.place.at("between"));
  }
  /// The law that a specification means; a table's file is read.
  /// @param value what the law is of: the unit of a file's column must be one of it.
  [[nodiscard]] model::TimeLaw time_law(const TimeLawSpec& spec, Quantity value);
  /// The law of a drive.
  [[nodiscard]] model::TimeLaw time_law(const DriveSpec& spec);

  const model::Model& model;
  const model::State& state;
  Problems& problems;

 private:
  [[nodiscard]] std::optional<BodyPair> bodies_of(const std::vector<std::string>& between,
                                                  const Place& place);
  [[nodiscard]] std::optional<Index> find(const std::string& name, bool may_be_world,
                                          const Place& place);
  [[nodiscard]] model::TimeLaw law_of_file(const TimeLawSpec& spec, Quantity value);

  Scene& scene_;  ///< takes up the files that are read
};

}  // namespace talus::scene::detail
