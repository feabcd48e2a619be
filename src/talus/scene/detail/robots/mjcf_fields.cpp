#include <fmt/format.h>

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
    if (path.extension() == ".png")
      return add_problem(context.problems(), file->place, "heights in PNG pictures are not read",
                         "give them as elevation, or in MuJoCo's binary format");
    try {
      numbers =
          read_numbers(context.file.folder() / context.compiler.mesh_folder / path, rows, columns);
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
    numbers = *x;
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
