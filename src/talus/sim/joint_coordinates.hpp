#pragma once

#include <optional>
#include <string>
#include <vector>

#include <talus/dynamics/machine_terms.hpp>
#include <talus/model/model.hpp>
#include <talus/model/state.hpp>

namespace talus::sim {

/// The coordinates of the joints of a machine in space as functions of the state, by name.
class JointCoordinates {
 public:
  /// @param model outlives this; without a machine in space there are no coordinates.
  explicit JointCoordinates(const model::Model& model);

  /// Of the joint ("hip"; "hip/turn_x" where it has several), in the order of Scheme::axes().
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Values, with whole turns where the state counts them [m, rad], and rates [m/s, rad/s].
  /// O(bodies + joints).
  void read(const model::State& state, std::vector<Real>& values, std::vector<Real>& rates);

 private:
  std::optional<dynamics::MachineTerms> terms_;
  std::vector<std::string> names_;
  std::vector<dynamics::BodyMotion> motions_;
  std::vector<Real> angles_;
};

}  // namespace talus::sim
