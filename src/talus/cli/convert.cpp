#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include <talus/cli/robot_options.hpp>
#include <talus/cli/verbs.hpp>
#include <talus/files/output_file.hpp>
#include <talus/scene/convert.hpp>

namespace talus::cli {
namespace {

struct ConvertOptions {
  std::string robot;
  std::string output;
  RobotOptions robots;
};

int convert(const ConvertOptions& options) {
  const bool to_file = !options.output.empty();
  const std::string text = scene::convert(options.robot, to_file ? options.output : "scene.yaml",
                                          overrides_of(options.robots));
  if (!to_file) {
    fmt::print("{}", text);
    return kDone;
  }
  // A scene is edited once it is there: none is taken for Talus' own.
  const files::OwnKind kind{"a scene", nullptr};
  const std::filesystem::path input = options.robot;
  files::write_file(options.output, kind, text, {&input, 1});
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
