#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include <talus/base/error.hpp>
#include <talus/scene/scene.hpp>

namespace talus::scene {

/// A folder for the files of one test, removed with it.
class SceneFolder {
 public:
  SceneFolder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("talus_scene_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~SceneFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SceneFolder(const SceneFolder&) = delete;
  SceneFolder(SceneFolder&&) = delete;
  SceneFolder& operator=(const SceneFolder&) = delete;
  SceneFolder& operator=(SceneFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  [[nodiscard]] Scene load(std::string_view text, const Overrides& overrides = {}) const {
    return scene::load(write("scene.yaml", text), overrides);
  }
  /// What is wrong with a scene, with file names relative to the folder; "" if nothing is.
  [[nodiscard]] std::string mistakes(std::string_view text, const Overrides& overrides = {}) const {
    return mistakes_of(write("scene.yaml", text), overrides);
  }
  [[nodiscard]] std::string mistakes_of(const std::filesystem::path& file,
                                        const Overrides& overrides = {}) const {
    try {
      (void)scene::load(file, overrides);
      return "";
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string prefix = path_.string() + "/";
      for (std::size_t at; (at = text.find(prefix)) != std::string::npos;)
        text.erase(at, prefix.size());
      return text;
    }
  }

 private:
  std::filesystem::path path_;
};

inline ::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << part << "\" is not in:\n" << text;
}

}  // namespace talus::scene
