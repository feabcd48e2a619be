#include <talus/scene/detail/machine_in_space.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include <talus/base/text.hpp>
#include <talus/scene/detail/forces_in_space.hpp>
#include <talus/scene/detail/joint_coordinates.hpp>
#include <talus/scene/detail/joints_in_space.hpp>
#include <talus/scene/detail/machine_context.hpp>
#include <talus/scene/quantity.hpp>
#include <talus/stepping/assembly.hpp>

namespace talus::scene::detail {
namespace {

using model::Freedom;
using model::SpatialMachine;
using stepping::OpenConstraint;

constexpr Real kSaid = 1e-9;  // [m, rad]: by how much positions are changed silently

/// A coordinate of a joint of the machine.
struct JointCoordinate {
  Index joint = 0;
  Freedom axis = Freedom::turn_z;
  bool operator==(const JointCoordinate&) const = default;
};

class SpatialMachineBuilder {
 public:
  SpatialMachineBuilder(Scene& scene, SpatialMachine& machine, Problems& problems)
      : context_(scene, problems), machine_(machine), problems_(problems) {}

  void add(const JointSpec& spec) {
    if (!spec.is_sound) return;
    context_.add_name(spec.name, spec.place, "joint", joint_names_);
    const auto bodies = context_.bodies_of(spec);
    if (!bodies) return;
    machine_.joints.push_back(joint_in_space(spec, *bodies, context_));
    joints_.push_back(&spec);
  }

  void add(const DriveSpec& spec) {
    if (!spec.is_sound) return;
    context_.add_name(spec.name, spec.place, "drive", drive_names_);
    const bool turns = spec.angle || spec.angular_speed;
    const auto which =
        find(spec.joint, {spec.coordinate, turns, !turns}, spec.place, "joint", "coordinate");
    if (!which) return;
    if (const auto other = driven_by(*which); !other.empty())
      return problems_.add(spec.place, fmt::format("{} moves this coordinate already", other),
                           "remove one of them");
    machine_.drives.push_back({spec.name, which->joint, which->axis, context_.time_law(spec),
                               spec.angular_speed || spec.speed, 0});
    drives_.push_back(&spec);
  }

  void add(const CouplingSpec& spec) {
    if (!spec.is_sound) return;
    context_.add_name(spec.name, spec.place, "coupling", coupling_names_);
    model::Coupling coupling;
    coupling.name = spec.name;
    Real sum = 0;
    for (const CouplingTermSpec& term : spec.terms) {
      const auto which = find(term.joint, {term.coordinate}, term.place, "joint", "coordinate");
      if (!which) return;
      const auto is_same = [&](const model::CouplingTerm& other) {
        return JointCoordinate{other.joint, other.axis} == *which;
      };
      if (std::any_of(coupling.terms.begin(), coupling.terms.end(), is_same))
        return problems_.add(term.place, "this coordinate is in the coupling already");
      if (term.factor == 0)
        return problems_.add(term.place.at("factor"), "expected a factor other than 0, got 0");
      coupling.terms.push_back({which->joint, which->axis, term.factor});
      sum += term.factor * given_coordinate(context_, joint(which->joint), which->axis);
    }
    coupling.offset = spec.offset.value_or(sum);
    machine_.couplings.push_back(std::move(coupling));
    couplings_.push_back(&spec);
  }

  void add(const ForceSpec& spec) {
    if (!spec.is_sound) return;
    context_.add_name(spec.name, spec.place, "force element", force_names_);
    const auto bodies = context_.bodies_of(spec);
    if (bodies) machine_.forces.push_back(force_in_space(spec, *bodies, context_));
  }

  void add(const Entry<JointPositionSpec>& entry) {
    const JointPositionSpec& spec = entry.value;
    if (!spec.is_sound) return;
    const auto found = find_joint(entry.name, entry.place);
    if (!found) return;
    if (spec.only) {
      const auto axis =
          resolve_coordinate(*joints_[to_size(*found)], {spec.coordinate}, entry.place, problems_);
      const Place place = spec.has("only") ? spec.place.at("only") : spec.place;
      if (axis) add_position({*found, *axis}, number_of(*spec.only, *axis, place), place);
    }
    for (const CoordinateName& name : coordinate_names()) {
      const auto& value = spec.*name.position;
      if (!value) continue;
      const Place place = spec.place.at(name.name);
      const auto axis =
          resolve_coordinate(*joints_[to_size(*found)], {std::string(name.name)}, place, problems_);
      if (axis) add_position({*found, *axis}, *value, place);
    }
  }

  /// Puts the bodies of the scene on the joints, whose model has the machine.
  void assemble(Scene& scene) {
    check_drives(scene);
    if (!problems_.empty()) return;
    Real change = 0;
    if (const auto open = stepping::assemble(scene.model, positions_, scene.initial, &change))
      return note(*open, "cannot be closed from where the bodies are given: it stays open by",
                  open->is_length ? "m" : "rad");
    if (change > kSaid)
      scene.robot_notes.push_back(
          {RobotNoteKind::added, position_places_.front().position(),
           fmt::format("positions of joints changed by up to {:.2g} m or rad: as they are given, a "
                       "loop or coupling stays open",
                       change),
           1});
    check_limits(scene);
    for (model::SpatialDrive& drive : machine_.drives)
      if (drive.is_rate)
        drive.start =
            stepping::joint_coordinate(scene.model, scene.initial, drive.joint, drive.axis,
                                       start_of({drive.joint, drive.axis}).value_or(0));
    if (const auto open = stepping::assemble_velocities(scene.model, scene.initial))
      note(*open, "contradicts the others at the start: no velocities satisfy them, it is off by",
           open->is_length ? "m/s" : "rad/s");
  }

 private:
  [[nodiscard]] static std::size_t to_size(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] const model::SpatialJoint& joint(Index i) const {
    return machine_.joints[to_size(i)];
  }

  std::optional<Index> find_joint(const std::string& name, const Place& place) {
    for (std::size_t i = 0; i < joints_.size(); ++i)
      if (joints_[i]->name == name) return static_cast<Index>(i);
    std::vector<std::string_view> known;
    for (const auto& [other, where] : joint_names_) known.push_back(other);
    std::sort(known.begin(), known.end());
    if (joint_names_.contains(name)) return std::nullopt;  // noted: something is wrong with it
    const std::string nearest = nearest_word(name, known);
    problems_.add(place, fmt::format("there is no joint \"{}\"", name),
                  nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
    return std::nullopt;
  }

  std::optional<JointCoordinate> find(const std::string& name, const WantedCoordinate& wanted,
                                      const Place& place, const char* joint_key,
                                      const char* coordinate_key) {
    const auto found = find_joint(name, place.at(joint_key));
    if (!found) return std::nullopt;
    const auto axis =
        resolve_coordinate(*joints_[to_size(*found)], wanted, place.at(coordinate_key), problems_);
    if (!axis) return std::nullopt;
    return JointCoordinate{*found, *axis};
  }

  [[nodiscard]] bool is_driven(const JointCoordinate& which) const {
    return std::any_of(machine_.drives.begin(), machine_.drives.end(), [&](const auto& drive) {
      return JointCoordinate{drive.joint, drive.axis} == which;
    });
  }
  /// What prescribes the motion of a coordinate already, or "".
  [[nodiscard]] std::string driven_by(const JointCoordinate& which) const {
    if (is_driven(which)) return "another drive";
    for (const model::AxisLaw& law : joint(which.joint).axes)
      if (law.axis == which.axis && law.motor) return "the motor of the joint";
    return "";
  }

  /// An angle or a length as it is written.
  Real number_of(const std::string& text, Freedom axis, const Place& place) {
    const Quantity quantity = is_turn(axis) ? Quantity::angle : Quantity::length;
    const ParsedNumber parsed = parse_number(text);
    const std::string mistake = mistake_in(parsed, text, quantity);
    if (!mistake.empty())
      problems_.add(
          place,
          fmt::format("expected {}, got \"{}\"", expected_text(*number(quantity).type), text),
          mistake);
    return mistake.empty() ? parsed.value : Real(0);
  }

  void add_position(const JointCoordinate& which, Real value, const Place& place) {
    if (start_of(which))
      return problems_.add(place, "the start of this coordinate is given already");
    for (const model::AxisLaw& law : joint(which.joint).axes)
      if (law.axis == which.axis && (value < law.lower || value > law.upper))
        return problems_.add(place, fmt::format("{:g} {} is beyond the limits of the joint, {:g} "
                                                "and {:g}",
                                                value, unit(which.axis), law.lower, law.upper));
    positions_.push_back({which.joint, which.axis, value});
    position_places_.push_back(place);
  }

  [[nodiscard]] std::optional<Real> start_of(const JointCoordinate& which) const {
    for (const stepping::JointPosition& position : positions_)
      if (JointCoordinate{position.joint, position.axis} == which) return position.value;
    return std::nullopt;
  }
  static const char* unit(Freedom axis) { return is_turn(axis) ? "rad" : "m"; }

  /// That drives start where the positions of joints say.
  void check_drives(const Scene& scene) {
    for (std::size_t i = 0; i < machine_.drives.size(); ++i) {
      const model::SpatialDrive& drive = machine_.drives[i];
      const auto start = start_of({drive.joint, drive.axis});
      if (drive.is_rate || !start) continue;
      const Real value = model::evaluate(drive.law, scene.initial.time).value;
      if (std::abs(value - *start) > kFits)
        problems_.add(drives_[i]->place,
                      fmt::format("the law starts with {:g} {}, joint_positions with {:g}", value,
                                  unit(drive.axis), *start),
                      "remove the position, or prescribe a speed");
    }
  }

  /// That coordinates with limits that no position is given of start within them, where the
  /// positions that are given have taken the bodies.
  void check_limits(const Scene& scene) {
    for (std::size_t i = 0; i < machine_.joints.size(); ++i)
      for (const model::AxisLaw& law : machine_.joints[i].axes) {
        const JointCoordinate which{static_cast<Index>(i), law.axis};
        if (start_of(which) || is_driven(which)) continue;
        const Real start =
            stepping::joint_coordinate(scene.model, scene.initial, which.joint, law.axis);
        if (start < law.lower - kFits || start > law.upper + kFits)
          problems_.add(joints_[i]->place,
                        fmt::format("the bodies start with a coordinate of {:g} {}, beyond its "
                                    "limits {:g} and {:g}",
                                    start, unit(law.axis), law.lower, law.upper),
                        "move the bodies, or give its start under joint_positions");
      }
  }

  void note(const OpenConstraint& open, const char* what, const char* in) {
    const auto at = to_size(open.index);
    const bool is_joint = open.kind == OpenConstraint::Kind::joint;
    const bool is_drive = open.kind == OpenConstraint::Kind::drive;
    const bool is_coupling = open.kind == OpenConstraint::Kind::coupling;
    const Place& place = is_joint      ? joints_[at]->place
                         : is_drive    ? drives_[at]->place
                         : is_coupling ? couplings_[at]->place
                                       : position_places_[at];
    const std::string name = is_joint      ? fmt::format("joint \"{}\"", joints_[at]->name)
                             : is_drive    ? fmt::format("drive \"{}\"", drives_[at]->name)
                             : is_coupling ? fmt::format("coupling \"{}\"", couplings_[at]->name)
                                           : fmt::format("the position of joint \"{}\"",
                                                         joint(positions_[at].joint).name);
    problems_.add(place, fmt::format("{} {} {:.3g} {}", name, what, open.by, in),
                  "check lengths and axes around the loop, and positions that are given");
  }

  MachineContext context_;
  SpatialMachine& machine_;
  Problems& problems_;
  NamePlaces joint_names_, drive_names_, force_names_, coupling_names_;
  std::vector<const JointSpec*> joints_;        // one per joint of the machine
  std::vector<const DriveSpec*> drives_;        // one per drive
  std::vector<const CouplingSpec*> couplings_;  // one per coupling
  std::vector<stepping::JointPosition> positions_;
  std::vector<Place> position_places_;
};

}  // namespace

void build_machine_in_space(const std::vector<const FragmentSpec*>& fragments,
                            const MachineParts& parts, Scene& scene, Problems& problems) {
  auto machine = std::make_shared<SpatialMachine>();
  machine->visual_only = parts.visual_only;
  machine->apart = parts.apart;
  SpatialMachineBuilder builder(scene, *machine, problems);
  for (const FragmentSpec* fragment : fragments)
    for (const JointSpec& joint : fragment->joints) builder.add(joint);
  for (const FragmentSpec* fragment : fragments) {
    for (const DriveSpec& drive : fragment->drives) builder.add(drive);
    for (const CouplingSpec& coupling : fragment->couplings) builder.add(coupling);
    for (const ForceSpec& force : fragment->forces) builder.add(force);
    for (const auto& position : fragment->joint_positions) builder.add(position);
  }
  scene.model.spatial_machine = machine;
  if (problems.empty()) builder.assemble(scene);
}

}  // namespace talus::scene::detail
