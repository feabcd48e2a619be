#include <talus/record/detail/machine_part.hpp>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <talus/hdf5/hdf5.hpp>
#include <talus/model/machine.hpp>
#include <talus/model/spatial_machine.hpp>

namespace talus::record::detail {
namespace {

using hdf5::write_array;
using hdf5::write_texts;

/// machine/kind: the place of a name in kJointKinds.
enum JointCode : std::uint8_t {
  revolute,
  prismatic,
  weld,
  distance,
  rope,
  gear,
  revolute_clearance,
  translational_clearance,
  slot,
  cylindrical,
  universal,
  ball,
  planar,
  screw,
  ball_clearance,
  other,
  line,
  rotation,
};
constexpr std::string_view kJointKinds[] = {"revolute",
                                            "prismatic",
                                            "weld",
                                            "distance",
                                            "rope",
                                            "gear",
                                            "revolute_clearance",
                                            "translational_clearance",
                                            "slot",
                                            "cylindrical",
                                            "universal",
                                            "ball",
                                            "planar",
                                            "screw",
                                            "ball_clearance",
                                            "other",
                                            "line",
                                            "rotation"};
static_assert(std::size(kJointKinds) == rotation + 1);

/// What has a code, as an attribute of its dataset: the names in order from 0.
void write_names(hid_t file, const char* path, std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : " ").append(name);
  const hdf5::Dataset dataset(H5Dopen2(file, path, H5P_DEFAULT), path);
  hdf5::write_attribute(dataset.get(), "values", text);
}

/// What a record has of the joints, one entry or vector per joint.
struct JointTable {
  std::vector<std::string> name;
  std::vector<std::uint8_t> kind;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<double> point_a, point_b, axis_a, clearance;

  void add_point(std::vector<double>& to, const Vec3& p) {
    to.insert(to.end(), p.begin(), p.end());
  }
  void write(hid_t file) const {
    const hsize_t n = name.size();
    write_texts(file, "machine/joint", name, "name of each joint");
    write_array(file, "machine/kind", H5T_STD_U8LE, {n}, kind.data(), "1",
                "what joint it is; names in the attribute 'values', in order from 0");
    write_names(file, "machine/kind", kJointKinds);
    write_array(file, "machine/body_a", H5T_STD_I32LE, {n}, body_a.data(), "1",
                "index of body A in /bodies; in space -1: the world");
    write_array(file, "machine/body_b", H5T_STD_I32LE, {n}, body_b.data(), "1",
                "index of body B in /bodies");
    write_array(file, "machine/point_a", H5T_IEEE_F64LE, {n, 3}, point_a.data(), "m",
                "where the joint holds body A, in its frame");
    write_array(file, "machine/point_b", H5T_IEEE_F64LE, {n, 3}, point_b.data(), "m",
                "where the joint holds body B, in its frame");
    write_array(
        file, "machine/axis_a", H5T_IEEE_F64LE, {n, 3}, axis_a.data(), "1",
        "direction of a guide, in space of the joint's axis, in the frame of body A; 0 where "
        "there is none");
    write_array(file, "machine/clearance", H5T_IEEE_F64LE, {n}, clearance.data(), "m",
                "play of the joint; 0 where there is none");
  }
};

/// Where a planar joint holds its bodies; (0, 0) of a body for those that hold an angle only. The
/// axis is that of a guide, else (0, 0); the clearance is 0 where there is none.
struct JointGeometry {
  Vec2 a = Vec2::Zero(), b = Vec2::Zero(), axis = Vec2::Zero();
  Real clearance = 0;
};

template <class J>
JointGeometry geometry_of(const J& joint) {
  JointGeometry geometry;
  if constexpr (requires { joint.p_A; }) {
    geometry.a = joint.p_A;
    geometry.b = joint.p_B;
  }
  if constexpr (requires { joint.axis_A; }) geometry.axis = joint.axis_A;
  if constexpr (requires { joint.clearance; }) geometry.clearance = joint.clearance;
  return geometry;
}

/// Of planar joints, which are a type each.
struct CodeOf {
  JointCode operator()(const model::RevoluteJoint&) const { return revolute; }
  JointCode operator()(const model::PrismaticJoint&) const { return prismatic; }
  JointCode operator()(const model::WeldJoint&) const { return weld; }
  JointCode operator()(const model::DistanceJoint&) const { return distance; }
  JointCode operator()(const model::RopeJoint&) const { return rope; }
  JointCode operator()(const model::GearJoint&) const { return gear; }
  JointCode operator()(const model::RevoluteClearance&) const { return revolute_clearance; }
  JointCode operator()(const model::TranslationalClearance&) const {
    return translational_clearance;
  }
  JointCode operator()(const model::SlotJoint&) const { return slot; }
};

Vec3 in_space(const Vec2& p) { return {p.x(), p.y(), 0}; }

void write_planar_joints(hid_t file, const std::vector<model::Joint>& joints) {
  JointTable table;
  for (const model::Joint& joint : joints) {
    const JointGeometry points =
        std::visit([](const auto& j) { return geometry_of(j); }, joint.kind);
    table.name.push_back(joint.name);
    table.kind.push_back(std::visit(CodeOf{}, joint.kind));
    table.body_a.push_back(static_cast<std::int32_t>(joint.body_a));
    table.body_b.push_back(static_cast<std::int32_t>(joint.body_b));
    table.add_point(table.point_a, in_space(points.a));
    table.add_point(table.point_b, in_space(points.b));
    table.add_point(table.axis_a, in_space(points.axis));
    table.clearance.push_back(points.clearance);
  }
  table.write(file);
}

std::uint8_t code_of(const model::SpatialJointKind& kind) {
  if (std::holds_alternative<model::Screw>(kind)) return screw;
  if (std::holds_alternative<model::Distance>(kind)) return distance;
  if (std::holds_alternative<model::Rope>(kind)) return rope;
  if (std::holds_alternative<model::Line>(kind)) return line;
  if (std::holds_alternative<model::Rotation>(kind)) return rotation;
  if (std::holds_alternative<model::BallClearance>(kind)) return ball_clearance;
  if (std::holds_alternative<model::BearingClearance>(kind)) return revolute_clearance;
  const model::FreedomSet held = std::get<model::LowerPair>(kind).held;
  const std::pair<model::LowerPair, JointCode> pairs[] = {
      {model::revolute_joint(), revolute},   {model::prismatic_joint(), prismatic},
      {model::weld_joint(), weld},           {model::cylindrical_joint(), cylindrical},
      {model::universal_joint(), universal}, {model::ball_joint(), ball},
      {model::planar_joint(), planar},       {model::point_on_line_joint(), slot}};
  for (const auto& [pair, code] : pairs)
    if (pair.held == held) return code;
  return other;
}

void write_joints_in_space(hid_t file, const std::vector<model::SpatialJoint>& joints) {
  JointTable table;
  std::vector<double> frame_a, frame_b, length, limits;
  std::vector<std::uint8_t> motor;
  const auto add_turn = [](std::vector<double>& to, const Quat& q) {
    to.insert(to.end(), {q.w(), q.x(), q.y(), q.z()});
  };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (const model::SpatialJoint& joint : joints) {
    table.name.push_back(joint.name);
    table.kind.push_back(code_of(joint.kind));
    table.body_a.push_back(static_cast<std::int32_t>(joint.body_a));
    table.body_b.push_back(static_cast<std::int32_t>(joint.body_b));
    table.add_point(table.point_a, joint.X_AJ.p);
    table.add_point(table.point_b, joint.X_BJ.p);
    table.add_point(table.axis_a, joint.X_AJ.q * Vec3::UnitZ());
    add_turn(frame_a, joint.X_AJ.q);
    add_turn(frame_b, joint.X_BJ.q);
    std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind.clearance; })
            table.clearance.push_back(kind.clearance);
          else
            table.clearance.push_back(0);
          if constexpr (
              requires { kind.length; } && !requires { kind.clearance; })
            length.push_back(kind.length);
          else
            length.push_back(0);
        },
        joint.kind);
    double own[4] = {kNone, kNone, kNone, kNone};
    bool has_motor = false;
    for (const model::AxisLaw& law : joint.axes) {
      has_motor = has_motor || law.motor.has_value();
      if (model::direction(law.axis) != 2) continue;
      const int first = model::is_turn(law.axis) ? 2 : 0;
      if (std::isfinite(law.lower)) own[first] = law.lower;
      if (std::isfinite(law.upper)) own[first + 1] = law.upper;
    }
    limits.insert(limits.end(), own, own + 4);
    motor.push_back(has_motor ? 1 : 0);
  }
  table.write(file);
  const hsize_t n = joints.size();
  write_array(file, "machine/frame_a", H5T_IEEE_F64LE, {n, 4}, frame_a.data(), "1",
              "unit quaternion w, x, y, z: the joint's frame to that of body A; z is its axis");
  write_array(file, "machine/frame_b", H5T_IEEE_F64LE, {n, 4}, frame_b.data(), "1",
              "the same of body B");
  write_array(file, "machine/length", H5T_IEEE_F64LE, {n}, length.data(), "m",
              "of a rod or rope; 0 of all others");
  write_array(
      file, "machine/limits", H5T_IEEE_F64LE, {n, 4}, limits.data(), "1",
      "lower and upper limit of the way along the axis [m], then of the turn about it [rad]; "
      "NaN where there is none");
  write_array(file, "machine/motor", H5T_STD_U8LE, {n}, motor.data(), "1",
              "1 if one of its axes has a motor");
}

/// What a record has of the drives.
struct DriveTable {
  std::vector<std::string> name;
  std::vector<std::uint8_t> quantity;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<double> point_b, axis_a;

  void add(const std::string& own, bool is_way, Index a, Index b, const Vec3& point,
           const Vec3& axis) {
    name.push_back(own);
    quantity.push_back(is_way ? 1 : 0);
    body_a.push_back(static_cast<std::int32_t>(a));
    body_b.push_back(static_cast<std::int32_t>(b));
    point_b.insert(point_b.end(), point.begin(), point.end());
    axis_a.insert(axis_a.end(), axis.begin(), axis.end());
  }
  void write(hid_t file) const {
    const hsize_t n = name.size();
    if (n == 0) return;
    write_texts(file, "machine/drive", name, "name of each drive");
    write_array(file, "machine/drive_quantity", H5T_STD_U8LE, {n}, quantity.data(), "1",
                "what it drives: 0 an angle or its speed, 1 a displacement or its speed");
    write_array(file, "machine/drive_body_a", H5T_STD_I32LE, {n}, body_a.data(), "1",
                "index of body A in /bodies; in space -1: the world");
    write_array(file, "machine/drive_body_b", H5T_STD_I32LE, {n}, body_b.data(), "1",
                "index of body B in /bodies");
    write_array(file, "machine/drive_point_b", H5T_IEEE_F64LE, {n, 3}, point_b.data(), "m",
                "of a displacement, in space of each: the driven point, in the frame of body B");
    write_array(
        file, "machine/drive_axis_a", H5T_IEEE_F64LE, {n, 3}, axis_a.data(), "1",
        "of a displacement its direction, in space of each the driven axis, in the frame of "
        "body A");
  }
};

}  // namespace

void write_machine(hid_t file, const model::Model& model) {
  DriveTable drives;
  if (model.machine != nullptr) {
    if (!model.machine->joints.empty()) write_planar_joints(file, model.machine->joints);
    for (const model::Drive& drive : model.machine->drives)
      drives.add(drive.name, drive.quantity == model::Drive::Quantity::displacement, drive.body_a,
                 drive.body_b, in_space(drive.p_B), in_space(drive.axis_A));
  }
  if (model.spatial_machine != nullptr) {
    const model::SpatialMachine& machine = *model.spatial_machine;
    if (!machine.joints.empty()) write_joints_in_space(file, machine.joints);
    for (const model::SpatialDrive& drive : machine.drives) {
      const model::SpatialJoint& joint = machine.joints[static_cast<std::size_t>(drive.joint)];
      drives.add(drive.name, !model::is_turn(drive.axis), joint.body_a, joint.body_b, joint.X_BJ.p,
                 joint.X_AJ.q * Vec3::Unit(model::direction(drive.axis)));
    }
  }
  drives.write(file);
}

}  // namespace talus::record::detail
