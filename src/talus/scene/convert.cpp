#include <talus/scene/convert.hpp>

#include <fmt/format.h>

#include <deque>
#include <utility>

#include <talus/base/error.hpp>
#include <talus/scene/detail/moved_files.hpp>
#include <talus/scene/detail/robots/robot_file.hpp>
#include <talus/scene/detail/write_yaml.hpp>
#include <talus/scene/scene_text.hpp>

namespace talus::scene {
namespace {

using detail::Document;
using detail::Node;

constexpr std::size_t kLargestRobot = std::size_t{64} << 20U;

}  // namespace

std::string convert(const std::filesystem::path& robot, const std::filesystem::path& target,
                    const Overrides& overrides) {
  if (!detail::is_robot_file(robot))
    throw file_error(robot.string(), "this is no file of a robot",
                     "those end in .urdf, .xml or .mjcf");
  static_cast<void>(load(robot, overrides));  // says every mistake
  detail::Problems problems;
  detail::RobotReport report;
  std::deque<Document> documents;
  Document& document = documents.emplace_back();
  document.path = robot;
  document.text = detail::read_text(robot, kLargestRobot);
  static_cast<void>(detail::read_robot_file(
      document, documents, {overrides.packages, overrides.keyframe, std::nullopt, {}}, report,
      problems));
  problems.throw_if_any();
  detail::move_files(document, robot, target, detail::AbsoluteNames::become_relative);
  std::string out = fmt::format("# Written by talus convert from {}\n", robot.filename().string());
  for (std::size_t i = 0; i + 1 < document.root->children.size(); i += 2)
    if (!document.root->children[i + 1]->children.empty() ||
        document.root->children[i + 1]->kind == Node::Kind::scalar) {
      Node one;
      one.kind = Node::Kind::map;
      one.children = {document.root->children[i], document.root->children[i + 1]};
      const Node& value = *one.children[1];
      const bool is_list =
          value.kind == Node::Kind::list && value.children.front()->kind != Node::Kind::scalar;
      const bool is_table = one.children[0]->text == "joint_positions";
      if (is_list || is_table) {
        out += one.children[0]->text + ":\n";
        detail::write_block(*one.children[1], 2, out);
      } else {
        detail::write_block(one, 0, out);
      }
    }
  Overrides of_keys = overrides;
  of_keys.packages.clear();
  of_keys.keyframe.clear();
  return with_overrides(std::move(out), target, target, of_keys);
}

}  // namespace talus::scene
