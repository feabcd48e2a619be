#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace talus::test {

/// The bytes of a file; none if it cannot be read.
inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace talus::test
