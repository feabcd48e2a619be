#include <talus/sim/command.hpp>

#include <algorithm>
#include <memory>

#include <talus/dynamics/axis_terms.hpp>
#include <talus/dynamics/joint_coordinates.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>
#include <talus/model/time_law_of.hpp>

namespace talus::sim {
namespace {

CommandKind kind_of(model::Motor::Mode mode) {
  switch (mode) {
    case model::Motor::Mode::velocity:
      return CommandKind::velocity;
    case model::Motor::Mode::position:
      return CommandKind::position;
    case model::Motor::Mode::effort:
      break;
  }
  return CommandKind::effort;
}

void add_motors(model::SpatialJoint& joint, std::vector<Command>& commands) {
  const auto count =
      std::count_if(joint.axes.begin(), joint.axes.end(),
                    [](const model::AxisLaw& axis) { return axis.motor.has_value(); });
  for (model::AxisLaw& axis : joint.axes) {
    if (!axis.motor) continue;
    std::string name = joint.name;
    if (count > 1)
      name.append("/").append(
          dynamics::coordinate_name(dynamics::without_coordinate(joint.kind), axis.axis));
    commands.push_back({std::move(name), kind_of(axis.motor->mode), &axis.motor->target});
  }
}

void add_forces(auto& forces, std::vector<Command>& commands) {
  for (auto& force : forces)
    if (model::TimeLaw* law = model::time_law_of(force.kind))
      commands.push_back({force.name, CommandKind::effort, law});
}

}  // namespace

void Command::hold(Real value, Real time) const {
  if (start != nullptr) *start += evaluate_integral(*law, time).value - value * time;
  *law = model::ConstantLaw{value};
}

std::vector<Command> commands_of(model::Model& model) {
  std::vector<Command> commands;
  const auto add_drive = [&](auto& drive, bool is_rate) {
    if (is_rate) commands.push_back({drive.name, CommandKind::velocity, &drive.law, &drive.start});
  };
  if (model.machine) {
    const auto own = std::make_shared<model::Machine>(*model.machine);
    model.machine = own;
    for (model::Drive& drive : own->drives) add_drive(drive, drive.is_speed);
    add_forces(own->forces, commands);
  }
  if (model.spatial_machine) {
    const auto own = std::make_shared<model::SpatialMachine>(*model.spatial_machine);
    model.spatial_machine = own;
    for (model::SpatialJoint& joint : own->joints) add_motors(joint, commands);
    for (model::SpatialDrive& drive : own->drives) add_drive(drive, drive.is_rate);
    add_forces(own->forces, commands);
  }
  return commands;
}

}  // namespace talus::sim
