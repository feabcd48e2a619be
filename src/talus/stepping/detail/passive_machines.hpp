#pragma once

#include <string>
#include <vector>

#include <talus/model/model.hpp>
#include <talus/stepping/passive_machine.hpp>

namespace talus::stepping::detail {

/// A machine that nothing drives but motors in space, of those of a model: what joints, couplings
/// and force elements connect; in the plane all of it.
struct PassiveMachine {
  std::vector<Index> bodies;  ///< dynamic
  std::vector<Index> axes, elements;
  bool stores = false;  ///< energy that is no motion: springs, dampers, armatures, drag
  std::string name;     ///< of a joint or an element of it
};

/// All of them, and which one everything belongs to; −1: none.
struct PassiveMachines {
  std::vector<PassiveMachine> list;
  std::vector<Index> of_body, of_joint;
};

[[nodiscard]] PassiveMachines find_passive(const model::Model& model, Judged which);

}  // namespace talus::stepping::detail
