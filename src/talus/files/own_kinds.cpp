#include <talus/files/own_kinds.hpp>

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>

namespace talus::files {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kHead = 4096;                  ///< bytes in which a mark of ours stands
constexpr std::size_t kLong = std::size_t{1} << 26;  ///< where much may stand before it
constexpr std::string_view kXmlComment = "<!-- written by Talus -->";
constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n", kJpeg = "\xff\xd8", kPdf = "%PDF-",
                           kPs = "%!PS";

OwnKind marked(const char* name, std::string_view mark, std::size_t within) {
  return {name, [=](const fs::path& path) { return holds(path, mark, within); }};
}

/// The first 8 bytes.
std::string head_of(const fs::path& path) {
  std::string head(8, '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), 8);
  return head;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xffU);
  return bytes;
}

/// Whether a heading is one of Talus' tables. Laws of time that users write also begin with
/// "time [s]", but the columns beside it do not have the names of series.
bool is_heading(std::string_view line) {
  constexpr std::array<std::string_view, 4> kBegins = {
      "step,time [s]", "series,time [s],value", "bin,from ", "problem,contacts,dimension,solver,"};
  for (const std::string_view begin : kBegins)
    if (line.starts_with(begin)) return true;
  constexpr std::string_view kTime = "time [s],";
  if (!line.starts_with(kTime)) return false;
  const std::string_view second = line.substr(kTime.size(), line.find(',', kTime.size()));
  constexpr std::array<std::string_view, 4> kNames = {"/", "body.", "joint.", "sensor."};
  return std::any_of(kNames.begin(), kNames.end(), [second](std::string_view name) {
    return second.find(name) != std::string_view::npos;
  });
}

bool is_table(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  std::getline(file, line);
  return is_heading(line);
}

}  // namespace

bool holds(const fs::path& path, std::string_view text, std::size_t within) {
  constexpr std::size_t kBlock = 1 << 16;
  std::ifstream file(path, std::ios::binary);
  std::string block;
  for (std::size_t done = 0; file && done < within;) {
    const std::size_t kept = std::min(block.size(), text.size() - 1);
    block.erase(0, block.size() - kept);
    block.resize(kept + std::min(kBlock, within - done));
    file.read(block.data() + kept, static_cast<std::streamsize>(block.size() - kept));
    const auto count = static_cast<std::size_t>(file.gcount());
    block.resize(kept + count);
    if (block.find(text) != std::string::npos) return true;
    done += count;
  }
  return false;
}

const OwnKind& table_kind() {
  static const OwnKind kind{"a table", is_table};
  return kind;
}
const OwnKind& drawing_kind() {
  static const OwnKind kind = marked("a drawing", kXmlComment, kHead);
  return kind;
}
const OwnKind& vtk_kind() {
  static const OwnKind kind = marked("a VTK file", kXmlComment, kHead);
  return kind;
}
const OwnKind& report_kind() {
  static const OwnKind kind = marked("a report", kXmlComment, kHead);
  return kind;
}
const OwnKind& picture_kind() {
  static const OwnKind kind{"a picture", [](const fs::path& path) {
                              const std::string head = head_of(path);
                              return (head.starts_with(kPng) || head.starts_with(kJpeg) ||
                                      head.starts_with(kPdf) || head.starts_with(kPs)) &&
                                     holds(path, kComment, kLong);
                            }};
  return kind;
}
const OwnKind& film_kind() {
  static const OwnKind kind{"a film", [](const fs::path& path) {
                              return head_of(path).substr(4) == "ftyp" &&
                                     holds(path, kComment, kLong);
                            }};
  return kind;
}
const OwnKind& gltf_kind() {
  static const OwnKind kind = marked("a glTF file", R"("generator":"Talus")", kLong);
  return kind;
}
const OwnKind& page_kind() {
  static const OwnKind kind = marked("a page", R"(id="talus-header")", kLong);
  return kind;
}

std::string xml_marked(std::string text) {
  const std::size_t place = text.starts_with("<?xml") ? text.find("?>") : std::string::npos;
  if (place == std::string::npos) return std::string(kXmlComment) + '\n' + text;
  return text.insert(place + 2, '\n' + std::string(kXmlComment));
}

std::string picture_marked(std::string picture) {
  constexpr std::size_t kAfterHeader = 8 + 25;  // PNG's signature, and its first chunk IHDR
  if (picture.starts_with(kPng) && picture.size() > kAfterHeader) {
    std::string chunk = "tEXtComment";
    chunk += '\0';
    chunk += kComment;
    const auto size = static_cast<std::uint32_t>(chunk.size() - 4);
    const auto checksum = static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(chunk.data()), static_cast<uInt>(chunk.size())));
    picture.insert(kAfterHeader, big_endian(size) + chunk + big_endian(checksum));
  } else if (picture.starts_with(kJpeg)) {
    std::string segment = "\xff\xfe";
    segment += big_endian(static_cast<std::uint32_t>(kComment.size() + 2)).substr(2);
    picture.insert(2, segment + std::string(kComment));
  } else if (picture.starts_with(kPdf) || picture.starts_with(kPs)) {
    picture += "% " + std::string(kComment) + '\n';
  }
  return picture;
}

}  // namespace talus::files
