#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/dynamics/reaction.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>
#include <talus/stepping/step_report.hpp>

namespace talus::stepping {

/// A step as sensors see it.
struct SensedStep {
  const model::State& before;
  const model::State& after;
  std::span<const StepContact> contacts;
  std::span<const dynamics::Reaction> reactions;  ///< as Scheme::reactions
  std::span<const dynamics::AxisReaction> axes;   ///< as Scheme::axes
  Real step_size = 0;                             ///< h [s] > 0
  Real place_of_reactions = 1;                    ///< as of the Scheme
  bool was_cut = false;  ///< in two: the contacts are those of its last part alone
};

/// What a reading consists of.
struct SensorColumn {
  Index components = 3;
  std::string_view labels;  ///< of the components, separated by spaces; "": a single number
  std::string_view unit;    ///< "1" where there is none
  std::string_view meaning;
};
[[nodiscard]] SensorColumn column_of(const model::SensorKind& kind);

/// Reads the sensors of a model after each step.
///
/// With v⁻, v⁺ the velocities of a frame's origin before and after a step, an accelerometer reads
///   Rᵀ ((v⁺ − v⁻)/h − g),   R: of the frame in the middle of the step,
/// the mean over the step, impacts included: a jump of velocity is Δv/h of one step. Forces are
/// impulses over h, means likewise; all else is of the end of the step. No allocation after
/// construction. Cost: contacts and bodies per sensor that looks at them.
class Sensors {
 public:
  /// @param model outlives the sensors.
  explicit Sensors(const model::Model& model);

  /// Takes the readings of a step. A number that does not exist is NaN: of a body that is not
  /// there, of reactions that a scheme does not have, of contacts of a step that was cut.
  void read(const SensedStep& step);
  /// Of a step that was lost: all are NaN.
  void read_nothing();

  /// The components of all sensors, in the order of the model.
  [[nodiscard]] std::span<const Real> values() const { return values_; }
  /// Those of one.
  [[nodiscard]] std::span<const Real> values(std::size_t sensor) const {
    return std::span(values_).subspan(first_[sensor], first_[sensor + 1] - first_[sensor]);
  }
  /// Whether some sensor looks at contacts, a list that schemes make when it is asked for.
  [[nodiscard]] bool needs_contacts() const { return needs_contacts_; }

 private:
  const model::Model* model_;
  std::vector<Real> values_;
  std::vector<std::size_t> first_;  ///< of each sensor in the values, and the end
  std::vector<Real> radius_;  ///< bounding radii of the bodies' shapes about their origins [m]
  std::vector<dynamics::JointCoordinate> coordinates_;
  bool needs_contacts_ = false;
};

}  // namespace talus::stepping
