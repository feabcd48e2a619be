#include <talus/geometry/convex_hull.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <talus/base/contract.hpp>
#include <talus/base/error.hpp>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace talus::geometry {
namespace {

using Faces = std::vector<std::vector<int>>;

constexpr Real kLeastExtent = 1e-9;  // of the size: least extent in every direction

[[noreturn]] void hull_error(std::string message, std::string hint = "") {
  Diagnostic diagnostic;
  diagnostic.message = "convex hull: " + std::move(message);
  diagnostic.hint = std::move(hint);
  throw InputError(std::move(diagnostic));
}

/// The points about their mean and at size 1, each once: so that neither a far origin nor the unit
/// of length matters to Qhull. Points that differ stay different.
struct Normalised {
  std::vector<Vec3> points;
  std::vector<int> original;  ///< index among the points given
};

Normalised normalise(std::span<const Vec3> points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      hull_error(fmt::format("point {} is not finite: [{}, {}, {}]", i, points[i].x(),
                             points[i].y(), points[i].z()));
  std::vector<int> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto less = [&](int i, int j) {
    const Vec3 &x = points[i], &y = points[j];
    if (std::equal(x.begin(), x.end(), y.begin())) return i < j;
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  };
  std::sort(order.begin(), order.end(), less);
  order.erase(
      std::unique(order.begin(), order.end(), [&](int i, int j) { return points[i] == points[j]; }),
      order.end());
  if (order.size() < 4)
    hull_error(fmt::format("expected at least 4 different points, got {}", order.size()));
  std::sort(order.begin(), order.end());
  Vec3 mean = Vec3::Zero();
  for (const int i : order) mean += (points[i] - points[0]) / static_cast<Real>(order.size());
  mean += points[0];
  Real size = 0;
  for (const int i : order) size = std::max(size, (points[i] - mean).norm());
  if (!std::isfinite(size)) hull_error("the points are too far apart for floating point");
  Normalised result;
  for (const int i : order) result.points.push_back((points[i] - mean) / size);
  result.original = std::move(order);
  return result;
}

/// Fails when the points lie in a plane: measured along the normal of the largest triangle that a
/// greedy search finds.
void check_extent(const std::vector<Vec3>& x) {
  const auto farthest = [&](auto&& distance) {
    return std::max_element(x.begin(), x.end(),
                            [&](const Vec3& p, const Vec3& q) { return distance(p) < distance(q); })
        ->eval();
  };
  const Vec3 a = farthest([&](const Vec3& p) { return (p - x[0]).norm(); });
  const Vec3 b = farthest([&](const Vec3& p) { return (p - a).norm(); });
  const Vec3 along = (b - a).normalized();
  const auto from_line = [&](const Vec3& p) { return along.cross(p - a).norm(); };
  const Vec3 c = farthest(from_line);
  if (from_line(c) <= kLeastExtent) hull_error("all points lie on a line: it has no volume");
  const Vec3 normal = along.cross(c - a).normalized();
  const auto from_plane = [&](const Vec3& p) { return std::abs(normal.dot(p - a)); };
  if (from_plane(farthest(from_plane)) <= kLeastExtent)
    hull_error("all points lie in a plane: it has no volume", "give the body a thickness");
}

struct Memory {
  char* text = nullptr;
  std::size_t length = 0;
  std::FILE* stream = nullptr;
  Memory() : stream(open_memstream(&text, &length)) {}
  ~Memory() {
    if (stream != nullptr) std::fclose(stream);
    std::free(text);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
};

/// A run of Qhull; frees all its memory in the end.
class Run {
 public:
  explicit Run(std::vector<Vec3>& points) {
    qh_zero(&qh_, messages_.stream);
    char command[] = "qhull Pp";
    const int code = qh_new_qhull(&qh_, 3, static_cast<int>(points.size()), points[0].data(),
                                  qh_False, command, nullptr, messages_.stream);
    if (code == 0) return;
    std::fflush(messages_.stream);
    const std::string text(messages_.text, messages_.length);
    free_all();
    hull_error(fmt::format("Qhull gives up (code {}): {}", code, text.substr(0, text.find('\n'))));
  }
  ~Run() { free_all(); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Corners of every facet, counter-clockwise seen from outside.
  Faces faces() {
    Faces faces;
    qhT* qh = &qh_;
    facetT* facet = nullptr;
    FORALLfacets {
      setT* loop = qh_facet3vertex(qh, facet);
      std::vector<int> face;
      vertexT *vertex = nullptr, **vertexp = nullptr;
      FOREACHvertex_(loop) face.push_back(qh_pointid(qh, vertex->point));
      qh_settempfree(qh, &loop);
      std::reverse(face.begin(), face.end());  // Qhull's are clockwise
      faces.push_back(std::move(face));
    }
    return faces;
  }

 private:
  void free_all() {
    int blocks = 0, bytes = 0;
    qh_freeqhull(&qh_, !qh_ALL);
    qh_memfreeshort(&qh_, &blocks, &bytes);
  }
  Memory messages_;
  qhT qh_;
};

/// From the smallest corner on, and faces in the order of their corners: the same hull has the same
/// numbering whatever way Qhull found it.
void put_in_order(Faces& faces) {
  for (auto& face : faces)
    std::rotate(face.begin(), std::min_element(face.begin(), face.end()), face.end());
  std::sort(faces.begin(), faces.end());
}

}  // namespace

Polytope convex_hull(std::span<const Vec3> points) {
  Normalised input = normalise(points);
  check_extent(input.points);
  Faces faces = Run(input.points).faces();
  put_in_order(faces);
  std::vector<int> new_index(input.points.size(), -1);
  for (const auto& face : faces)
    for (const int i : face) new_index[i] = 0;
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < new_index.size(); ++i) {
    if (new_index[i] < 0) continue;
    new_index[i] = static_cast<int>(corners.size());
    corners.push_back(points[input.original[i]]);
  }
  for (auto& face : faces)
    for (int& i : face) i = new_index[i];
  return Polytope::from_faces(corners, faces);
}

}  // namespace talus::geometry
