#include <talus/geometry/check_mesh.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include <talus/base/contract.hpp>

namespace talus::geometry {
namespace {

using Triangle = std::array<int, 3>;
using DefectKind = MeshDefect::Kind;

constexpr Real kLeastTriangleArea = 1e-12;  // least area over the longest edge squared

/// One use of an edge by a triangle.
struct EdgeUse {
  int low, high;  // its vertices
  int triangle;
  bool is_upward;  // from low to high
};

bool by_edge(const EdgeUse& x, const EdgeUse& y) {
  return std::tie(x.low, x.high, x.triangle, x.is_upward) <
         std::tie(y.low, y.high, y.triangle, y.is_upward);
}

/// Disjoint sets of triangles.
class Parts {
 public:
  explicit Parts(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int i, int j) {
    const int a = find(i), b = find(j);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

struct Part {
  std::vector<Triangle> triangles;
  int first = 0;  // its first triangle
  bool is_closed = true;
  Real volume = 0;
  Vec3 lower, upper;
};

/// How often a closed surface winds around a point: the sum of solid angles over 4π (Van Oosterom
/// & Strackee 1983, key `oosterom_1983`).
Real winding_number(const std::vector<Vec3>& vertices, const Part& part, const Vec3& p) {
  Real sum = 0;
  for (const auto& [i, j, k] : part.triangles) {
    const Vec3 a = vertices[i] - p, b = vertices[j] - p, c = vertices[k] - p;
    const Real la = a.norm(), lb = b.norm(), lc = c.norm();
    sum +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (2 * std::numbers::pi);
}

class Check {
 public:
  explicit Check(const MeshData& mesh)
      : mesh_(mesh), parts_(mesh.triangles.size()), is_counted_(mesh.triangles.size(), 1) {}

  MeshReport run() {
    check_duplicates();
    check_areas();
    check_edges();
    check_parts();
    std::stable_sort(report_.defects.begin(), report_.defects.end(),
                     [](const MeshDefect& x, const MeshDefect& y) { return x.kind < y.kind; });
    return std::move(report_);
  }

 private:
  [[nodiscard]] std::string name(int triangle) const {
    if (mesh_.lines.empty()) return fmt::format("triangle {}", triangle);
    return fmt::format("the triangle of {}:{}", mesh_.file, mesh_.lines[triangle]);
  }
  void tell(DefectKind kind, int& count, int triangle, int other, const std::string& text) {
    if (count++ < MeshReport::kMostTold) report_.defects.push_back({kind, triangle, other, text});
  }

  void check_duplicates() {
    std::vector<std::pair<Triangle, int>> sorted;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      Triangle corners = mesh_.triangles[t];
      std::sort(corners.begin(), corners.end());
      sorted.emplace_back(corners, static_cast<int>(t));
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].first != sorted[i - 1].first) continue;
      const int t = sorted[i].second, earlier = sorted[i - 1].second;
      is_counted_[t] = 0;
      tell(DefectKind::duplicate, report_.duplicate_count, t, earlier,
           fmt::format("{} has the same corners as {}", name(t), name(earlier)));
    }
  }

  void check_areas() {
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const auto& [i, j, k] = mesh_.triangles[t];
      const Vec3 a = mesh_.vertices[j] - mesh_.vertices[i];
      const Vec3 b = mesh_.vertices[k] - mesh_.vertices[i];
      const Real longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
      if (a.cross(b).norm() / 2 > kLeastTriangleArea * longest) continue;
      // Two equal corners: the triangle is no more than an edge, and its uses of it cancel.
      if (i == j || j == k || k == i) is_counted_[t] = 0;
      tell(DefectKind::degenerate, report_.degenerate_count, static_cast<int>(t), -1,
           name(static_cast<int>(t)) + " has no area");
    }
  }

  void check_edges() {
    std::vector<EdgeUse> uses;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      if (!is_counted_[t]) continue;
      for (int k = 0; k < 3; ++k) {
        const int v = mesh_.triangles[t][k], w = mesh_.triangles[t][(k + 1) % 3];
        uses.push_back({std::min(v, w), std::max(v, w), static_cast<int>(t), v < w});
      }
    }
    std::sort(uses.begin(), uses.end(), by_edge);
    for (std::size_t first = 0, end = 0; first < uses.size(); first = end) {
      while (end < uses.size() && uses[end].low == uses[first].low &&
             uses[end].high == uses[first].high)
        ++end;
      check_edge({uses.begin() + static_cast<std::ptrdiff_t>(first),
                  uses.begin() + static_cast<std::ptrdiff_t>(end)});
    }
  }

  void check_edge(std::span<const EdgeUse> uses) {
    const int t = uses[0].triangle;
    const Vec3 &x = mesh_.vertices[uses[0].low], &y = mesh_.vertices[uses[0].high];
    const std::string edge =
        fmt::format("from [{:.6g}, {:.6g}, {:.6g}] to [{:.6g}, {:.6g}, {:.6g}]", x.x(), x.y(),
                    x.z(), y.x(), y.y(), y.z());
    for (const EdgeUse& use : uses) parts_.join(t, use.triangle);
    bool is_good = false;
    if (uses.size() == 1) {
      tell(DefectKind::boundary, report_.boundary_edge_count, t, -1,
           fmt::format("{} has no neighbour along its edge {}", name(t), edge));
    } else if (uses.size() > 2) {
      tell(DefectKind::nonmanifold, report_.nonmanifold_edge_count, t, uses[1].triangle,
           fmt::format("{} triangles meet in the edge {}, {} and {} among them", uses.size(), edge,
                       name(t), name(uses[1].triangle)));
    } else if (uses[0].is_upward == uses[1].is_upward) {
      tell(DefectKind::flipped, report_.flipped_edge_count, t, uses[1].triangle,
           fmt::format("{} and {} look to opposite sides at the edge {}", name(t),
                       name(uses[1].triangle), edge));
    } else {
      is_good = true;
    }
    if (!is_good) open_.push_back(t);
  }

  void check_parts() {
    std::map<int, Part> parts;  // by their first triangle
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      if (is_counted_[t]) {
        Part& part = parts[parts_.find(static_cast<int>(t))];
        if (part.triangles.empty()) part.first = static_cast<int>(t);
        part.triangles.push_back(mesh_.triangles[t]);
      }
    for (const int t : open_) parts[parts_.find(t)].is_closed = false;
    report_.component_count = static_cast<int>(parts.size());
    std::vector<Part*> closed;
    for (auto& [root, part] : parts) {
      if (!part.is_closed) continue;
      measure(part);
      report_.volume += part.volume;
      closed.push_back(&part);
    }
    for (const Part* part : closed) check_part(*part, closed);
  }

  void measure(Part& part) const {
    part.lower.setConstant(std::numeric_limits<Real>::infinity());
    part.upper = -part.lower;
    for (const Triangle& triangle : part.triangles)
      for (const int v : triangle) {
        part.lower = part.lower.cwiseMin(mesh_.vertices[v]);
        part.upper = part.upper.cwiseMax(mesh_.vertices[v]);
      }
    const Vec3 origin = (part.lower + part.upper) / 2;
    for (const auto& [i, j, k] : part.triangles) {
      const Vec3 a = mesh_.vertices[i] - origin, b = mesh_.vertices[j] - origin;
      part.volume += a.dot(b.cross(mesh_.vertices[k] - origin)) / 6;
    }
  }

  /// Outward parts belong in no other one or in a cavity, inward parts are cavities.
  void check_part(const Part& part, const std::vector<Part*>& closed) {
    int depth = 0;
    for (const Part* outer : closed) {
      if (outer == &part || !(outer->lower.array() <= part.lower.array()).all() ||
          !(outer->upper.array() >= part.upper.array()).all())
        continue;
      const Vec3& inside = mesh_.vertices[part.triangles[0][0]];
      depth += static_cast<int>(std::lround(winding_number(mesh_.vertices, *outer, inside)));
    }
    if (part.volume < 0 && depth < 1)
      tell(
          DefectKind::inside_out, report_.inside_out_count, part.first, -1,
          fmt::format("the closed part of {} triangles with {} is inside out: its volume is {:.6g}",
                      part.triangles.size(), name(part.first), part.volume));
    if (part.volume > 0 && depth > 0)
      tell(DefectKind::nested, report_.nested_count, part.first, -1,
           fmt::format("the closed part of {} triangles with {} lies inside another one and looks "
                       "outwards too: its volume would count twice",
                       part.triangles.size(), name(part.first)));
  }

  const MeshData& mesh_;
  MeshReport report_;
  Parts parts_;
  std::vector<unsigned char> is_counted_;  // in the edges
  std::vector<int> open_;                  // triangles at an edge that closes nothing
};

/// Volume, first and second moments.
struct Moments {
  Real volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  void operator+=(const Moments& other) {
    volume += other.volume;
    first += other.first;
    second += other.second;
  }
};

Moments sum_in_pairs(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                     const Vec3& origin) {
  constexpr std::size_t kFew = 64;
  Moments sum;
  if (triangles.size() > kFew) {
    const std::size_t half = triangles.size() / 2;
    sum = sum_in_pairs(vertices, triangles.first(half), origin);
    sum += sum_in_pairs(vertices, triangles.subspan(half), origin);
    return sum;
  }
  for (const auto& [i, j, k] : triangles) {
    const Vec3 a = vertices[i] - origin, b = vertices[j] - origin, c = vertices[k] - origin;
    const Real volume = a.dot(b.cross(c)) / 6;
    const Vec3 all = a + b + c;
    sum.volume += volume;
    sum.first += volume / 4 * all;
    sum.second +=
        volume / 20 *
        (a * a.transpose() + b * b.transpose() + c * c.transpose() + all * all.transpose());
  }
  return sum;
}

}  // namespace

MeshReport check_mesh(const MeshData& mesh) { return Check(mesh).run(); }

MassProperties mass_properties(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                               Real density) {
  TALUS_DEMAND(density > 0 && !triangles.empty());
  Vec3 mean = Vec3::Zero();
  for (const Vec3& x : vertices) mean += (x - vertices[0]) / static_cast<Real>(vertices.size());
  mean += vertices[0];
  const Moments sum = sum_in_pairs(vertices, triangles, mean);
  const Vec3 centre = sum.first / sum.volume;
  const Mat3 covariance = density * (sum.second - sum.volume * centre * centre.transpose());
  return {density * sum.volume, mean + centre, covariance.trace() * Mat3::Identity() - covariance};
}

}  // namespace talus::geometry
