#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include <talus/base/text.hpp>
#include <talus/scene/detail/document.hpp>

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

/// The file of the same folder whose name is nearest, as a hint.
std::string nearest_file_hint(const fs::path& path) {
  constexpr std::size_t kMostEntries = 1000;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() >= kMostEntries) break;
  }
  std::sort(names.begin(), names.end());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string nearest = nearest_word(path.filename().string(), views);
  return nearest.empty() ? "" : fmt::format("did you mean \"{}\"?", nearest);
}

/// Length of the UTF-8 sequence at the start of the text if it is one that text files hold, else 0.
std::size_t text_unit(std::string_view rest) {
  const auto byte = [&](std::size_t i) {
    return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U)
    return (first >= 0x20U && first != 0x7FU) || first == '\n' || first == '\r' || first == '\t';
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
  if ((first & 0xF0U) == 0xE0U) {
    const unsigned code = (first & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    const bool is_valid = code >= 0x800U && (code < 0xD800U || code > 0xDFFFU);
    return follows(1) && follows(2) && is_valid ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const unsigned code = (first & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U;
    const bool is_valid = code >= 0x10000U && code <= 0x10FFFFU;
    return follows(1) && follows(2) && follows(3) && is_valid ? 4 : 0;
  }
  return 0;
}

void demand_text(const fs::path& path, std::string_view text) {
  int line = 1;
  std::size_t start_of_line = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      ++line;
      start_of_line = i + 1;
    }
    const std::size_t length = text_unit(text.substr(i));
    if (length == 0) {
      const int column = static_cast<int>(i - start_of_line) + 1;
      if (text.starts_with("\x89HDF"))
        throw file_error(path.string(), "expected a text file, found a file in HDF5 format",
                         "talus info tells what is in it");
      throw InputError(
          Diagnostic{{path.string(), line, column},
                     "",
                     fmt::format("expected a text file in UTF-8, found the byte 0x{:02x}",
                                 static_cast<unsigned char>(text[i])),
                     "",
                     ""});
    }
    i += length;
  }
}

}  // namespace

std::string read_bytes(const fs::path& path, std::size_t limit) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw file_error(path.string(), "no such file", nearest_file_hint(path));
  if (fs::is_directory(status)) throw file_error(path.string(), "expected a file, found a folder");
  if (!fs::is_regular_file(status))
    throw file_error(path.string(), "expected a regular file that can be read");
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error && size > limit)
    throw file_error(path.string(),
                     fmt::format("the file has {} bytes, the most is {}", size, limit));
  std::ifstream stream(path, std::ios::binary);
  std::string text(error ? 0 : size, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream || error)
    throw file_error(path.string(), fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

std::string read_text(const fs::path& path, std::size_t limit) {
  std::string text = read_bytes(path, limit);
  demand_text(path, text);
  return text;
}

bool is_text(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = text_unit(bytes.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace talus::scene::detail
