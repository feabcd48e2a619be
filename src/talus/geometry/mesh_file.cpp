#include <talus/geometry/mesh_file.hpp>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include <talus/base/error.hpp>
#include <talus/geometry/mesh_import.hpp>

namespace talus::geometry {
namespace {

constexpr std::size_t kBinaryHeader = 84;
constexpr std::size_t kBinaryTriangle = 50;

[[noreturn]] void mesh_file_error(const std::string& file, int line, std::string message,
                                  std::string hint = "") {
  throw InputError(
      Diagnostic{{file, line, line > 0 ? 1 : 0}, "", std::move(message), "", std::move(hint)});
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The words of a text, line by line.
class Words {
 public:
  Words(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  /// Goes to the next line; false at the end of the text.
  bool next_line() {
    if (rest_.empty()) return false;
    ++line_;
    const std::size_t end = rest_.find('\n');
    current_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    return true;
  }
  /// The next word of the line, empty at its end.
  std::string_view word() {
    std::size_t i = 0;
    while (i < current_.size() && is_space(current_[i])) ++i;
    std::size_t end = i;
    while (end < current_.size() && !is_space(current_[end])) ++end;
    const std::string_view found = current_.substr(i, end - i);
    current_ = current_.substr(end);
    return found;
  }
  Real number(const char* what) {
    const std::string_view found = word();
    const char* begin = found.data();
    if (!found.empty() && found[0] == '+') ++begin;
    Real value = 0;
    const auto [end, error] = std::from_chars(begin, found.data() + found.size(), value);
    if (found.empty() || error != std::errc{} || end != found.data() + found.size() ||
        !std::isfinite(value))
      mesh_file_error(
          file_, line_,
          fmt::format("expected {}, a finite number, found {}", what,
                      found.empty() ? "the end of the line" : fmt::format("\"{}\"", found)));
    return value;
  }
  Vec3 vector(const char* what) {
    const Real x = number(what), y = number(what), z = number(what);
    return {x, y, z};
  }
  [[nodiscard]] int line() const { return line_; }

 private:
  std::string_view rest_, current_;
  const std::string& file_;
  int line_ = 0;
};

void add_triangle(MeshData& mesh, const std::array<Vec3, 3>& corners, int line) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
  if (line > 0) mesh.lines.push_back(line);
}

void parse_ascii_stl(std::string_view text, MeshData& mesh) {
  Words words(text, mesh.file);
  std::array<Vec3, 3> corners;
  int count = -1;  // corners of the facet that is open, −1: none is
  int first_line = 0;
  while (words.next_line()) {
    const std::string_view word = words.word();
    if (word == "facet") {
      if (count >= 0)
        mesh_file_error(mesh.file, words.line(), "expected \"endfacet\" before the next facet");
      count = 0;
      first_line = words.line();
    } else if (word == "vertex") {
      if (count < 0) mesh_file_error(mesh.file, words.line(), "found a vertex outside a facet");
      if (count == 3)
        mesh_file_error(mesh.file, words.line(), "expected 3 vertices in a facet, found a 4th");
      corners[count++] = words.vector("a coordinate");
    } else if (word == "endfacet") {
      if (count != 3)
        mesh_file_error(
            mesh.file, words.line(),
            fmt::format("expected 3 vertices in a facet, found {}", std::max(count, 0)));
      add_triangle(mesh, corners, first_line);
      count = -1;
    } else if (!word.empty() && word != "solid" && word != "endsolid" && word != "outer" &&
               word != "endloop") {
      mesh_file_error(mesh.file, words.line(),
                      fmt::format("found \"{}\", which is no word of STL", word));
    }
  }
  if (count >= 0) mesh_file_error(mesh.file, words.line(), "the file ends inside a facet");
}

Real read_float(const char* bytes) {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 4; ++i)
    bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return std::bit_cast<float>(bits);
}

void parse_binary_stl(std::string_view bytes, MeshData& mesh) {
  std::array<Vec3, 3> corners;
  for (std::size_t at = kBinaryHeader; at < bytes.size(); at += kBinaryTriangle) {
    const char* numbers = bytes.data() + at + 12;  // behind the normal
    for (Vec3& corner : corners)
      for (Index i = 0; i < 3; ++i, numbers += 4) corner[i] = read_float(numbers);
    for (const Vec3& corner : corners)
      if (!corner.allFinite())
        mesh_file_error(
            mesh.file, 0,
            fmt::format("triangle {} has a coordinate that is not finite", mesh.triangles.size()));
    add_triangle(mesh, corners, 0);
  }
}

void parse_stl(std::string_view bytes, MeshData& mesh) {
  std::optional<std::size_t> expected;
  if (bytes.size() >= kBinaryHeader) {
    std::size_t count = 0;
    for (unsigned i = 0; i < 4; ++i)
      count |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[80 + i])) << (8 * i);
    expected = kBinaryHeader + kBinaryTriangle * count;
  }
  // Some binary files begin with "solid" too; their length gives them away.
  if (expected == bytes.size()) return parse_binary_stl(bytes, mesh);
  if (bytes.substr(0, 5) == "solid") return parse_ascii_stl(bytes, mesh);
  mesh_file_error(
      mesh.file, 0,
      expected
          ? fmt::format("neither ASCII STL (no \"solid\" at the start) nor binary STL: by its "
                        "header it should have {} bytes, it has {}",
                        *expected, bytes.size())
          : fmt::format("neither ASCII STL (no \"solid\" at the start) nor binary STL: {} bytes "
                        "are too few",
                        bytes.size()));
}

/// The vertex that a corner of an OBJ face names: "7", "7/1", "7//3", "-1".
int corner_index(std::string_view word, int vertex_count, const std::string& file, int line) {
  const std::string_view digits = word.substr(0, word.find('/'));
  int index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() || index == 0)
    mesh_file_error(file, line, fmt::format("expected the number of a vertex, found \"{}\"", word));
  const int found = index > 0 ? index - 1 : vertex_count + index;
  if (found < 0 || found >= vertex_count)
    mesh_file_error(
        file, line,
        fmt::format("there is no vertex {}: so far the file has {}", index, vertex_count));
  return found;
}

void parse_obj(std::string_view text, MeshData& mesh) {
  Words words(text, mesh.file);
  std::vector<int> corners;
  while (words.next_line()) {
    const std::string_view word = words.word();
    if (word == "v") {
      mesh.vertices.push_back(words.vector("a coordinate"));
    } else if (word == "f") {
      corners.clear();
      for (auto corner = words.word(); !corner.empty(); corner = words.word())
        corners.push_back(
            corner_index(corner, static_cast<int>(mesh.vertices.size()), mesh.file, words.line()));
      if (corners.size() < 3)
        mesh_file_error(
            mesh.file, words.line(),
            fmt::format("expected at least 3 corners of a face, found {}", corners.size()));
      for (std::size_t k = 1; k + 1 < corners.size(); ++k) {
        mesh.triangles.push_back({corners[0], corners[k], corners[k + 1]});
        mesh.lines.push_back(words.line());
      }
    }
  }
}

struct Bits {
  std::array<std::uint64_t, 3> value;
  bool operator==(const Bits&) const = default;
};
struct BitsHash {
  std::size_t operator()(const Bits& bits) const noexcept {
    std::uint64_t h = 0;
    for (const std::uint64_t x : bits.value)
      h = (std::rotl(h, 23) ^ x ^ (x >> 32)) * 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
  }
};

}  // namespace

void weld(MeshData& mesh) {
  std::unordered_map<Bits, int, BitsHash> index_of;
  index_of.reserve(mesh.vertices.size());
  std::vector<int> new_index(mesh.vertices.size(), -1);
  std::vector<Vec3> kept;
  for (auto& triangle : mesh.triangles)
    for (int& corner : triangle) {
      int& index = new_index[corner];
      if (index < 0) {
        const Vec3 x = mesh.vertices[corner].array() + 0.0;  // −0 becomes 0
        const Bits bits{{std::bit_cast<std::uint64_t>(x[0]), std::bit_cast<std::uint64_t>(x[1]),
                         std::bit_cast<std::uint64_t>(x[2])}};
        const auto [entry, is_new] = index_of.emplace(bits, static_cast<int>(kept.size()));
        if (is_new) kept.push_back(x);
        index = entry->second;
      }
      corner = index;
    }
  mesh.vertices = std::move(kept);
}

MeshData parse_mesh(std::string_view bytes, const std::string& file, Real scale) {
  constexpr std::size_t kMostTriangles = std::numeric_limits<int>::max() / 8;
  MeshData mesh;
  mesh.file = file;
  std::string ending = file.substr(std::min(file.size(), file.rfind('.')));
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (bytes.size() / kBinaryTriangle > kMostTriangles)
    mesh_file_error(file, 0, "the file is too large");
  if (ending == ".stl")
    parse_stl(bytes, mesh);
  else if (ending == ".obj")
    parse_obj(bytes, mesh);
  else
    import_mesh(bytes, ending, mesh);
  if (mesh.triangles.empty()) mesh_file_error(file, 0, "the file has no triangles");
  for (Vec3& x : mesh.vertices) x *= scale;
  weld(mesh);
  return mesh;
}

}  // namespace talus::geometry
