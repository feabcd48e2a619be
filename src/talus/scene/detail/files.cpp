#include <talus/scene/detail/files.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <talus/scene/detail/read.hpp>
#include <talus/scene/detail/robots/robot_commands.hpp>
#include <talus/scene/detail/robots/robot_file.hpp>
#include <talus/scene/detail/setting.hpp>
#include <talus/scene/detail/shape_maker.hpp>

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSceneFile = std::size_t{64} << 20U;
constexpr std::size_t kMostFiles = 1000;

/// The same file has the same key, however it is named.
fs::path key_of(const fs::path& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical;
}

/// Whether a scene says that it is planar.
bool says_planar(const Node& scene) {
  const Node* dimension = scene.find("dimension");
  return dimension != nullptr && parse_number(dimension->text).value == 2;
}

class FileReader {
 public:
  FileReader(SceneFiles& files, Problems& problems, const Overrides& overrides,
             std::optional<std::string> text)
      : files_(files),
        problems_(problems),
        text_(std::move(text)),
        settings_(overrides.settings),
        packages_(overrides.packages),
        keyframe_(overrides.keyframe) {}

  template <class T>
  void read(const fs::path& path, const Typed<T>& schema, T& target) {
    Document& document = open(path);
    const std::size_t mistakes_before = problems_.count();
    if (is_robot_file(path))
      static_cast<void>(read_robot_file(document, files_.documents,
                                        {packages_, keyframe_, std::nullopt, {}}, files_.report,
                                        problems_));
    else
      read_scene(document);
    if (problems_.count() == mistakes_before &&
        (document.root == nullptr || document.root->kind == Node::Kind::null))
      problems_.add(Diagnostic{{document.path.string()}, "", "the file says nothing", "", ""});
    if (document.root == nullptr || document.root->kind == Node::Kind::null) return;
    for (const Setting& setting : std::exchange(settings_, {}))
      apply(setting, document, files_.documents.emplace_back(), problems_);
    if (files_.documents.front().path == path) dimension_ = says_planar(*document.root) ? 2 : 3;
    Reader(document, dimension_, problems_).read(schema, target);
    include(target);
    for (const RobotSpec& robot : std::exchange(target.robots, {}))
      if (robot.is_sound && problems_.empty()) read_robot(robot);
  }

 private:
  void read_scene(Document& document) {
    if (&document == &files_.documents.front() && !keyframe_.empty())
      problems_.add(
          Diagnostic{{"command line"},
                     "--keyframe",
                     fmt::format("there is no keyframe \"{}\": {} is no MJCF file", keyframe_,
                                 document.path.string()),
                     "",
                     "a scene gives those of its robots: robots: [{file: …, keyframe: …}]"});
    parse(document, problems_);
  }

  Document& open(const fs::path& path) {
    const std::optional<std::string> given = std::exchange(text_, std::nullopt);
    std::string text = given ? *given : read_text(path, kLargestSceneFile);
    Document& document = files_.documents.emplace_back();
    document.path = path;
    document.text = std::move(text);
    seen_.push_back(key_of(path));
    open_.push_back(key_of(path));
    return document;
  }
  void include(const FragmentSpec& fragment) {
    const Place list = fragment.place.at("include");
    for (std::size_t i = 0; i < fragment.include.size() && !problems_.full(); ++i) {
      Place place = list;
      if (list.node->kind == Node::Kind::list) {
        place.node = list.node->children[i];
        place.path += fmt::format("[{}]", i);
      }
      include(fragment.place.document->path.parent_path() / fragment.include[i], place);
    }
    open_.pop_back();
  }
  /// A robot is an included file that is made of another one.
  void read_robot(const RobotSpec& spec) {
    const fs::path path = spec.place.document->path.parent_path() / spec.file;
    const Place place = spec.place.at("file");
    if (!is_robot_file(path))
      return problems_.add(place, "expected a file that ends in .urdf, .xml or .mjcf");
    const auto rotation = rotation_of(spec.orientation, problems_);
    if (!rotation) return;
    try {
      std::string text = read_text(path, kLargestSceneFile);
      Document& document = files_.documents.emplace_back();
      document.path = path;
      document.text = std::move(text);
      const RobotPlacement placement{spec.name, Pose{spec.position, *rotation},
                                     files_.scene.gravity};
      const SceneCoordinates coordinates = read_robot_file(
          document, files_.documents, {packages_, spec.keyframe, spec.is_fixed, placement},
          files_.report, problems_);
      if (document.root == nullptr || !problems_.empty()) return;
      FragmentSpec fragment;
      Reader(document, dimension_, problems_).read(fragment_schema(), fragment);
      command_joints(spec, coordinates, fragment, problems_);
      files_.included.push_back(std::move(fragment));
    } catch (const InputError& error) {
      for (const Diagnostic& mistake : error.diagnostics())
        problems_.add(place, fmt::format("\"{}\": {}", path.string(), mistake.message),
                      mistake.hint);
    }
  }
  void include(const fs::path& path, const Place& place) {
    const fs::path key = key_of(path);
    if (std::find(open_.begin(), open_.end(), key) != open_.end()) {
      std::string way;
      for (const fs::path& file : open_) way += file.filename().string() + " → ";
      problems_.add(place, fmt::format("\"{}\" includes itself: {}{}", path.string(), way,
                                       path.filename().string()));
      return;
    }
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) return;
    if (files_.documents.size() >= kMostFiles) {
      problems_.add(place, fmt::format("a scene has at most {} files", kMostFiles));
      return;
    }
    const std::size_t depth = open_.size();
    try {
      FragmentSpec fragment;
      read(path, fragment_schema(), fragment);
      files_.included.push_back(std::move(fragment));
    } catch (const InputError& error) {
      for (const Diagnostic& mistake : error.diagnostics()) {
        if (mistake.position.line > 0)
          problems_.add(mistake);
        else
          problems_.add(place, fmt::format("\"{}\": {}", path.string(), mistake.message),
                        mistake.hint);
      }
    }
    open_.resize(depth);
  }

  SceneFiles& files_;
  Problems& problems_;
  std::optional<std::string> text_;    // of the main file, where it is given
  std::span<const Setting> settings_;  // of the main file, which is read first
  const std::map<std::string, fs::path>& packages_;
  const std::string& keyframe_;  // of the main file
  int dimension_ = 3;            // as the main file says
  std::vector<fs::path> seen_;
  std::vector<fs::path> open_;
};

}  // namespace

void read_files(const fs::path& main_file, std::optional<std::string> text,
                const Overrides& overrides, SceneFiles& files, Problems& problems) {
  if (text && (text->size() > kLargestSceneFile || !is_text(*text)))
    throw file_error(
        main_file.string(),
        text->size() > kLargestSceneFile ? "the text is too large" : "the text is not in UTF-8",
        "");
  FileReader(files, problems, overrides, std::move(text))
      .read(main_file, scene_schema(), files.scene);
}

}  // namespace talus::scene::detail
