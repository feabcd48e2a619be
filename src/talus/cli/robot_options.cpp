#include <talus/cli/robot_options.hpp>

#include <filesystem>

#include <talus/base/error.hpp>

namespace talus::cli {

void add_robot_options(Verb verb, RobotOptions& options) {
  verb.add_option("--package", options.packages,
                  "NAME=FOLDER: where package://NAME of a URDF file is; without it beside the file "
                  "and in the folders above")
      .one_word_each();
  verb.add_option("--keyframe", options.keyframe, "Keyframe of an MJCF file to start from");
}

void demand_none(const RobotOptions& options, const std::string& verb, const std::string& file) {
  if (!words_of(options).empty())
    throw usage_error(verb, file + " is neither a robot nor a scene",
                      "--package and --keyframe are of these");
}

void take(const RobotOptions& options, scene::Overrides& overrides) {
  for (const std::string& text : options.packages) {
    const std::size_t sign = text.find('=');
    std::error_code error;
    if (sign == 0 || sign == std::string::npos ||
        !std::filesystem::is_directory(text.substr(sign + 1), error))
      throw InputError(Diagnostic{{"command line"},
                                  "--package",
                                  "expected NAME=FOLDER with a folder that is there, got " + text,
                                  "",
                                  ""});
    overrides.packages[text.substr(0, sign)] = text.substr(sign + 1);
  }
  overrides.keyframe = options.keyframe;
}

scene::Overrides overrides_of(const RobotOptions& options) {
  scene::Overrides overrides;
  take(options, overrides);
  return overrides;
}

std::vector<std::string> words_of(const RobotOptions& options) {
  std::vector<std::string> words;
  for (const std::string& package : options.packages)
    words.insert(words.end(), {"--package", package});
  if (!options.keyframe.empty()) words.insert(words.end(), {"--keyframe", options.keyframe});
  return words;
}

}  // namespace talus::cli
