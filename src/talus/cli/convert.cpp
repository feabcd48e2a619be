#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <talus/base/error.hpp>
#include <talus/cli/robot_options.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/scene/convert.hpp>

namespace talus::cli {
namespace {

struct ConvertOptions {
  std::string robot;
  std::string output;
  RobotOptions robots;
};

int convert(const ConvertOptions& options) {
  scene::Overrides overrides;
  take(options.robots, overrides);
  const bool to_file = !options.output.empty();
  const std::string text =
      scene::convert(options.robot, to_file ? options.output : "scene.yaml", overrides);
  if (!to_file) {
    fmt::print("{}", text);
    return kDone;
  }
  std::error_code error;
  if (std::filesystem::exists(options.output, error))
    throw file_error(options.output, "there is a file of this name already",
                     "remove it, or name another one");
  std::ofstream file(options.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw file_error(options.output, "cannot be written");
  return kDone;
}

}  // namespace

void add_convert(Verb program) {
  auto options = std::make_shared<ConvertOptions>();
  Verb verb = program.add_verb("convert", "Writes a robot's file as a scene of Talus");
  verb.footer(
      "Examples:\n  talus convert robot.urdf -o robot.yaml\n  talus convert scene.xml --keyframe "
      "home        to standard output");
  verb.add_option("robot", options->robot, "URDF or MJCF file");
  verb.add_option("-o,--output", options->output,
                  "Scene file to write; without it standard output, for this folder");
  add_robot_options(verb, options->robots);
  verb.action([options] {
    if (options->robot.empty()) throw_missing("robot");
    return convert(*options);
  });
}

}  // namespace talus::cli
