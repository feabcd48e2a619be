#include <talus/record/detail/check_layout.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

#include <talus/record/layout.hpp>

namespace talus::record::detail {
namespace {

using hdf5::Shape;

/// A dataset of the fixed part: one row per body, part, …, named by `clock`.
struct FixedShape {
  const char* path;
  const char* clock;
  std::array<hsize_t, 2> row{0, 0};  ///< extents of a row; 0: no such axis
};

constexpr auto kFixedShapes = std::to_array<FixedShape>({
    {"bodies/name", "bodies"},
    {"bodies/kind", "bodies"},
    {"bodies/material", "bodies"},
    {"bodies/mass", "bodies"},
    {"bodies/inertia", "bodies", {3, 3}},
    {"bodies/shape", "bodies"},
    {"bodies/shape_size", "bodies", {3}},
    {"bodies/shape_position", "bodies", {3}},
    {"bodies/shape_orientation", "bodies", {4}},
    {"bodies/surface", "bodies"},
    {"bodies/colour", "bodies"},
    {"camera", "camera", {3}},
    {"machine/joint", "joints"},
    {"machine/kind", "joints"},
    {"machine/body_a", "joints"},
    {"machine/body_b", "joints"},
    {"machine/point_a", "joints", {3}},
    {"machine/point_b", "joints", {3}},
    {"machine/axis_a", "joints", {3}},
    {"machine/clearance", "joints"},
    {"machine/frame_a", "joints", {4}},
    {"machine/frame_b", "joints", {4}},
    {"machine/length", "joints"},
    {"machine/limits", "joints", {4}},
    {"machine/motor", "joints"},
    {"parts/body", "parts"},
    {"parts/shape", "parts"},
    {"parts/shape_size", "parts", {3}},
    {"parts/shape_position", "parts", {3}},
    {"parts/shape_orientation", "parts", {4}},
    {"parts/surface", "parts"},
    {"surfaces/vertex", "vertices", {3}},
    {"surfaces/triangle", "triangles", {3}},
    {"surfaces/vertex_offset", "surfaces"},
    {"surfaces/triangle_offset", "surfaces"},
});

class LayoutCheck {
 public:
  explicit LayoutCheck(Datasets& datasets) : datasets_(datasets) {}

  /// @param row extents behind the first axis.
  void check(const std::string& path, const std::string& clock, const Shape& row) {
    const std::optional<Shape> shape = shape_at(path);
    if (!shape) return;
    if (shape->size() != row.size() + 1 || !std::equal(row.begin(), row.end(), shape->begin() + 1))
      throw hdf5::Hdf5Error(path + ": wrong shape");
    const auto [known, is_new] = rows_.try_emplace(clock, shape->front());
    if (!is_new && known->second != shape->front())
      throw hdf5::Hdf5Error(path + ": wrong number of rows");
  }
  void check_rows(const std::string& path, const std::string& clock) {
    const std::optional<Shape> shape = shape_at(path);
    if (!shape || shape->empty()) throw hdf5::Hdf5Error(path + ": wrong shape");
    check(path, clock, Shape(shape->begin() + 1, shape->end()));
  }
  void check(const Series& series, const std::string& path, const std::string& clock) {
    Shape row;
    if (series.is_per_body) row.push_back(rows_["bodies"]);
    if (series.components > 1) row.push_back(static_cast<hsize_t>(series.components));
    check(path, clock, row);
  }
  /// One more edge than frames.
  void check_edges() const {
    const auto frames = rows_.find("frames"), edges = rows_.find("edges");
    if (frames != rows_.end() && edges != rows_.end() && edges->second != frames->second + 1)
      throw hdf5::Hdf5Error("contacts/offset: wrong number of rows");
  }

 private:
  [[nodiscard]] std::optional<Shape> shape_at(const std::string& path) const {
    const hdf5::Dataset* dataset = datasets_.find(path);
    if (dataset == nullptr) return std::nullopt;
    return hdf5::shape_of(dataset->get());
  }

  Datasets& datasets_;
  std::map<std::string, hsize_t> rows_;  // of each clock
};

const char* clock_name(Clock clock) {
  switch (clock) {
    case Clock::frame:
      return "frames";
    case Clock::frame_edge:
      return "edges";
    case Clock::contact:
      return "contacts";
    case Clock::step:
      return "steps";
    case Clock::event:
      return "events";
    case Clock::sample:
      return "samples";
  }
  return "";
}

/// What joints, drives, sensors and probes record: one number of rows per clock.
void check_named(const Datasets& datasets, LayoutCheck& layout) {
  for (const std::string& path : datasets.paths()) {
    if (path.starts_with("reactions/") || path.starts_with("drives/") ||
        path.starts_with("joints/") || path.starts_with("sensors/"))
      layout.check_rows(path, "steps");
    else if (path.starts_with("probes/"))
      layout.check_rows(path, path.substr(0, path.rfind('/')));
  }
}

}  // namespace

void check_layout(Datasets& datasets) {
  LayoutCheck layout(datasets);
  for (const FixedShape& fixed : kFixedShapes) {
    Shape row;
    for (const hsize_t extent : fixed.row)
      if (extent > 0) row.push_back(extent);
    layout.check(fixed.path, fixed.clock, row);
  }
  const auto check_all = [&](const auto& series) {
    for (const Series& each : series)
      layout.check(each, std::string(each.path), clock_name(each.clock));
  };
  check_all(kSeries);
  for (const auto& series : kOptionalSeries) check_all(series);
  check_all(kMachineSeries);
  layout.check_edges();
  check_named(datasets, layout);
}

}  // namespace talus::record::detail
