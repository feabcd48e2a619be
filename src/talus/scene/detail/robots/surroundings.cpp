#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <talus/base/error.hpp>
#include <talus/math/rotation.hpp>
#include <talus/scene/detail/robots/robot_file.hpp>

// What is around a robot's file: files that it names, the floor that it stands on.

namespace talus::scene::detail {

std::vector<Pose> poses_at(const Robot& robot,
                           const std::function<Real(const RobotJoint&)>& coordinate) {
  std::vector<Pose> moved, poses;  // of every link, from where the file gives it
  for (const RobotLink& link : robot.links) {
    Pose move = link.parent == kNoParent ? Pose{} : moved[std::size_t(link.parent)];
    for (const RobotJoint& joint : link.joints) {
      if (!joint.has_one_axis()) continue;
      const Vec3 way = (coordinate(joint) - joint.reference) * (link.X_WL.q * joint.axis);
      const Vec3 anchor = link.X_WL * joint.anchor;
      const Quat turn = joint.is_slide() ? Quat::Identity() : rotation_exp(way);
      move = move * (joint.is_slide() ? Pose{way, turn} : Pose{anchor - turn * anchor, turn});
    }
    moved.push_back(move);
    poses.push_back(move * link.X_WL);
  }
  return poses;
}

std::optional<std::filesystem::path> find_urdf_file(const std::string& name,
                                                    const RobotFile& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto is_file = [&](const fs::path& path) { return fs::is_regular_file(path, error); };
  std::string rest = name, package;
  for (const std::string_view scheme : {"package://", "model://"})
    if (rest.starts_with(scheme)) {
      rest = rest.substr(scheme.size());
      const std::size_t slash = std::min(rest.find('/'), rest.size());
      package = rest.substr(0, slash);
      rest = rest.substr(std::min(slash + 1, rest.size()));
    }
  if (rest.starts_with("file://")) rest = rest.substr(7);
  if (const auto given = file.options.packages.find(package);
      given != file.options.packages.end() && is_file(given->second / rest))
    return given->second / rest;
  constexpr int kMostFolders = 64;
  fs::path folder = fs::absolute(file.main.path, error).parent_path();
  for (int level = 0; level < kMostFolders; ++level, folder = folder.parent_path()) {
    if (!package.empty() && is_file(folder / package / rest)) return folder / package / rest;
    if ((package.empty() || folder.filename() == package) && is_file(folder / rest))
      return folder / rest;
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

void add_floor(Robot& robot, RobotFile& file) {
  if (robot.links.front().joints.empty()) return;                       // held
  const std::vector<Pose> poses = poses_at(robot, &RobotJoint::first);  // within limits
  Real lowest = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    for (const RobotGeom& geom : robot.links[i].geoms) {
      if (!geom.collides) continue;
      try {
        lowest = std::min(lowest, lowest_point(geom, poses[i], file.folder(), file.meshes));
      } catch (const InputError& error) {
        file.problem(geom.place, error.diagnostics().front().message);
      }
    }
  if (!std::isfinite(lowest)) return;
  for (RobotLink& link : robot.links) link.X_WL.p.z() -= lowest;
  for (RobotLoop& loop : robot.loops) loop.point.z() -= lowest;
  RobotLink floor;
  floor.name = "floor";
  floor.place = robot.place;
  floor.is_scenery = true;
  RobotGeom& plane = floor.geoms.emplace_back();
  plane.kind = RobotGeom::Kind::plane;
  plane.surface.dimension = 6;
  plane.surface.torsional = plane.surface.rolling = 1;  // a product with these is the robot's
  plane.surface.restitution = 1;
  plane.place = robot.place;
  robot.links.push_back(floor);
  file.report.add(RobotNoteKind::added, robot.place,
                  fmt::format("a floor at z = 0 under the lowest point: everything is moved up by "
                              "{:g} m",
                              -lowest));
}

}  // namespace talus::scene::detail
