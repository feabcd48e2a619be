#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include <talus/base/error.hpp>

namespace talus::files {

/// A new folder that goes with its owner, and all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) {
    path_ = std::filesystem::temp_directory_path() / (name + "-XXXXXX");
    std::string pattern = path_.string();
    if (::mkdtemp(pattern.data()) == nullptr) throw file_error(pattern, "cannot make this folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace talus::files
