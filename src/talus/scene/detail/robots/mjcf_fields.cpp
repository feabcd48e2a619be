#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <talus/base/error.hpp>
#include <talus/scene/detail/robots/mjcf.hpp>
#include <talus/scene/detail/robots/xml_values.hpp>

// <hfield> of MJCF: heights over a grid. Its numbers are scaled to [0, 1] and then to the height
// that the file gives; without numbers it is flat.

namespace talus::scene::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestField = std::size_t{256} << 20U;
constexpr int kMostRows = 10'000;

/// Two whole numbers, rows and columns, and so many single-precision numbers.
std::vector<Real> read_numbers(const fs::path& path, int& rows, int& columns) {
  const std::string bytes = read_bytes(path, kLargestField);
  std::int32_t counts[2] = {0, 0};
  if (bytes.size() >= sizeof counts) std::memcpy(counts, bytes.data(), sizeof counts);
  const bool is_sound = counts[0] >= 2 && counts[1] >= 2 && counts[0] <= kMostRows &&
                        counts[1] <= kMostRows &&
                        bytes.size() == sizeof counts + sizeof(float) * std::size_t(counts[0]) *
                                                            std::size_t(counts[1]);
  if (!is_sound)
    throw InputError(Diagnostic{{path.string()},
                                "",
                                "expected a number of rows and of columns, and so many heights",
                                "",
                                ""});
  rows = counts[0];
  columns = counts[1];
  std::vector<Real> numbers;
  for (std::size_t at = sizeof counts; at < bytes.size(); at += sizeof(float)) {
    float number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    numbers.push_back(number);
  }
  return numbers;
}

/// The heights of a grey picture, whose first row is the farthest along y.
std::vector<Real> read_picture(const fs::path& path, int& rows, int& columns) {
  const std::string bytes = read_bytes(path, kLargestField);
  const auto fail = [&](const std::string& message) {
    throw InputError(Diagnostic{{path.string()}, "", message, "", ""});
  };
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&picture, bytes.data(), bytes.size()) == 0)
    fail(fmt::format("not a PNG picture: {}", picture.message));
  if ((picture.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA)) != 0 ||
      picture.width > kMostRows || picture.height > kMostRows) {
    png_image_free(&picture);
    fail(fmt::format("expected a grey picture of at most {0} by {0} points, without transparency",
                     kMostRows));
  }
  const bool is_fine = (picture.format & PNG_FORMAT_FLAG_LINEAR) != 0;  // 16 bits
  picture.format = is_fine ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
  std::vector<std::uint16_t> points(std::size_t(picture.width) * picture.height);
  if (png_image_finish_read(&picture, nullptr, points.data(), 0, nullptr) == 0)
    fail(fmt::format("not a PNG picture: {}", picture.message));
  rows = static_cast<int>(picture.height);
  columns = static_cast<int>(picture.width);
  const auto* bits = reinterpret_cast<const unsigned char*>(points.data());
  std::vector<Real> numbers;
  for (std::size_t row = picture.height; row-- > 0;)
    for (std::size_t i = row * picture.width; i < (row + 1) * picture.width; ++i)
      numbers.push_back(is_fine ? points[i] : bits[i]);
  return numbers;
}

void scale_to_unit(std::vector<Real>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  const Real least = *low, range = *high - *low;
  for (Real& number : numbers) number = range > 0 ? (number - least) / range : 0;
}

}  // namespace

void read_mjcf_field(const XmlElement& element, MjcfContext& context) {
  mark_read(element);
  const MjcfView view = context.view(element, "hfield");
  const auto size = numbers_of(view.own("size"), 4, 4, context.problems());
  if (!size || *std::min_element(size->begin(), size->end()) <= 0)
    return add_problem(context.problems(), element.place,
                       "<hfield> needs size: 4 positive lengths [m]");
  int rows = 0, columns = 0;
  read_value(view.own("nrow"), rows, context.problems());
  read_value(view.own("ncol"), columns, context.problems());
  std::string name = view.word("name");
  std::vector<Real> numbers;
  const XmlAttribute* file = view.own("file");
  if (file != nullptr) {
    fs::path path = file->value;
    if (context.compiler.strips_path) path = path.filename();
    if (name.empty()) name = path.stem().string();
    const XmlAttribute* type = view.own("content_type");
    const bool is_picture =
        type != nullptr ? type->value == "image/png" : path.extension() == ".png";
    path = context.file.folder() / context.compiler.mesh_folder / path;
    try {
      numbers = is_picture ? read_picture(path, rows, columns) : read_numbers(path, rows, columns);
    } catch (const InputError& error) {
      return add_problem(context.problems(), file->place,
                         fmt::format("\"{}\": {}", file->value.substr(0, 200),
                                     error.diagnostics().front().message));
    }
  }
  if (rows < 2 || columns < 2 || rows > kMostRows || columns > kMostRows)
    return add_problem(context.problems(), element.place,
                       fmt::format("<hfield> needs nrow and ncol from 2 to {}", kMostRows));
  const std::size_t count = std::size_t(rows) * std::size_t(columns);
  if (const XmlAttribute* given = view.own("elevation"); given != nullptr && file == nullptr) {
    const auto x = numbers_of(given, count, count, context.problems());
    if (!x) return;
    // As on a map, the first row is the farthest along y.
    for (std::size_t row = std::size_t(rows); row-- > 0;) {
      const auto first = x->begin() + std::ptrdiff_t(row) * columns;
      numbers.insert(numbers.end(), first, first + columns);
    }
  }
  if (numbers.empty()) numbers.assign(count, 0);
  scale_to_unit(numbers);
  MjcfField field;
  field.size = Vec2(2 * (*size)[0], 2 * (*size)[1]);
  for (std::size_t row = 0; row < std::size_t(rows); ++row) {
    std::vector<Real>& heights = field.heights.emplace_back();
    for (std::size_t column = 0; column < std::size_t(columns); ++column)
      heights.push_back((*size)[2] * numbers[row * std::size_t(columns) + column]);
  }
  context.fields[name] = std::move(field);
}

}  // namespace talus::scene::detail
