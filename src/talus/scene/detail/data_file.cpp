#include <talus/scene/detail/data_file.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include <talus/base/error.hpp>

namespace talus::scene::detail {
namespace {

constexpr std::size_t kLargestDataFile = std::size_t{4} << 30U;

}  // namespace

const SourceFile* read_data_file(const std::string& name, const Place& place, Scene& scene,
                                 Problems& problems) {
  const std::filesystem::path path = place.document->path.parent_path() / name;
  const auto there = std::find_if(scene.sources.begin(), scene.sources.end(),
                                  [&](const SourceFile& source) { return source.path == path; });
  if (there != scene.sources.end()) return &*there;
  try {
    std::string text = read_text(path, kLargestDataFile);
    return &scene.sources.emplace_back(SourceFile{path, std::move(text)});
  } catch (const InputError& error) {
    for (Diagnostic mistake : error.diagnostics()) {
      if (mistake.position.line > 0)
        problems.add(std::move(mistake));
      else
        problems.add(place, fmt::format("\"{}\": {}", path.string(), mistake.message),
                     mistake.hint);
    }
    return nullptr;
  }
}

}  // namespace talus::scene::detail
