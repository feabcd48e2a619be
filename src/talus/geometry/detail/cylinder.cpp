#include <talus/geometry/detail/cylinder.hpp>

#include <algorithm>
#include <limits>
#include <numbers>

#include <talus/geometry/detail/arc_search.hpp>
#include <talus/geometry/detail/clip.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kUnbounded = std::numeric_limits<Real>::infinity();
constexpr Real kNearlyTouchingCylinder = 1e-7;  // of the size: below it a feature normal is taken
constexpr Real kCertified = 1e-9;               // of the size: how well the two bounds must meet
constexpr Real kBoundRoundOff = 2e-15;          // of the size
constexpr Real kSameCorner = 1e-12;             // of the size
constexpr Real kNoDirection = 1e-9;             // sines below this have no direction

/// B seen from the cylinder's frame.
struct Other {
  const Core& b;
  Mat3 R;
  Vec3 p;
  [[nodiscard]] Vec3 vertex(int i) const { return p + R * b.vertices[i]; }
  [[nodiscard]] Vec3 lowest(const Vec3& n) const { return vertex(b.support(-(R.transpose() * n))); }
};

/// The best support gap so far, with the points that go with it.
struct BestNormal {
  ClosestPoints points{Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), -kUnbounded};
  void offer(Real gap, const Vec3& normal, const Vec3& on_a, const Vec3& on_b) {
    if (gap > points.gap) points = {on_a, on_b, normal, gap};
  }
};

class CylinderAndCore {
 public:
  CylinderAndCore(const Cylinder& a, const Other& other)
      : a_(a), other_(other), size_(std::hypot(a.radius, a.half_length) + other.b.size) {}

  ClosestPoints separation(Real cutoff) {
    offer_faces_and_ends();
    if (best_.points.gap > cutoff) return best_.points;
    const ClosestPoints nearest = nearest_edge_point();
    if (nearest.gap > 0) {
      // The edges' distance is an upper bound while B is apart, the support gap of their direction
      // a lower one.
      const Real lower = support_gap(nearest.normal);
      if (lower > 0) best_.offer(lower, nearest.normal, nearest.on_a, nearest.on_b);
      if (lower > kNearlyTouchingCylinder * size_ && nearest.gap - lower <= kCertified * size_)
        return best_.points.gap > nearest.gap ? best_.points : nearest;
      if (best_.points.gap > kNearlyTouchingCylinder * size_ && is_met()) return finished();
    }
    offer_mantle();
    offer_rims();
    // The direction of the nearest edge is not known as well as its distance.
    if (best_.points.gap > 0 && best_.points.gap <= nearest.gap &&
        nearest.gap - best_.points.gap <= kCertified * size_)
      best_.points.gap = nearest.gap;
    return finished();
  }

 private:
  /// The witnesses are the gap apart, whichever bound it came from.
  [[nodiscard]] ClosestPoints finished() const {
    ClosestPoints points = best_.points;
    points.on_b = points.on_a + points.gap * points.normal;
    return points;
  }
  /// Whether the best witnesses belong to the two, which makes their distance an upper bound too.
  [[nodiscard]] bool is_met() const {
    const Vec3 on_a = best_.points.on_a;
    const Vec3 on_b =
        other_.R.transpose() * (on_a + best_.points.gap * best_.points.normal - other_.p);
    const Real tolerance = kCertified * size_;
    if (other_.b.face_normals.empty() || closest_cylinder_point(a_, on_a).gap > tolerance)
      return false;
    for (std::size_t f = 0; f < other_.b.face_normals.size(); ++f)
      if (other_.b.face_normals[f].dot(on_b) > other_.b.face_offsets[f] + tolerance) return false;
    return true;
  }
  [[nodiscard]] Real support_gap(const Vec3& n) const {
    return n.dot(other_.lowest(n)) - support_value(a_, n);
  }
  /// Offers a normal with a witness on A, or on B when that is given.
  void offer(const Vec3& n, const Vec3* on_b = nullptr) {
    const Real gap = support_gap(n);
    if (gap <= best_.points.gap) return;
    const Vec3 x = on_b != nullptr ? Vec3(*on_b - gap * n) : support_point(a_, n);
    best_.offer(gap, n, x, x + gap * n);
  }

  void offer_faces_and_ends() {
    for (const Vec3& normal : other_.b.face_normals) offer(-(other_.R * normal));
    for (const Real sign : {1.0, -1.0}) {
      const Vec3 lowest = other_.lowest(sign * Vec3::UnitZ());
      offer(sign * Vec3::UnitZ(), &lowest);
    }
  }

  /// The point of B's edges nearest to the cylinder; gap 0 when one runs through it.
  [[nodiscard]] ClosestPoints nearest_edge_point() const {
    ClosestPoints nearest;
    nearest.gap = kUnbounded;
    for (int i = 0; i < static_cast<int>(other_.b.vertices.size()); ++i) {
      const ClosestPoints found = closest_cylinder_point(a_, other_.vertex(i));
      if (found.gap < nearest.gap) nearest = found;
    }
    for (const Edge& edge : other_.b.edges) {
      if (nearest.gap <= 0) break;
      const Vec3 x = other_.vertex(edge.v0), y = other_.vertex(edge.v1);
      const Vec3& n = nearest.normal;
      if (std::min(n.dot(x), n.dot(y)) - support_value(a_, n) >= nearest.gap) continue;
      search_edge(x, y, nearest);
    }
    return nearest;
  }

  /// The distance along an edge is convex: the root of its slope, by regula falsi with bisection.
  void search_edge(const Vec3& x, const Vec3& y, ClosestPoints& nearest) const {
    constexpr int kMost = 120;
    const Vec3 e = y - x;
    const auto slope = [&](Real t) {
      const ClosestPoints found = closest_cylinder_point(a_, x + t * e);
      if (found.gap < nearest.gap) nearest = found;
      return found.gap > 0 ? found.normal.dot(e) : Real(0);
    };
    Real low = 0, high = 1, at_low = slope(low), at_high = slope(high);
    if (at_low >= 0 || at_high <= 0) return;
    for (int k = 0; k < kMost && nearest.gap > 0; ++k) {
      const Real secant = low - at_low * (high - low) / (at_high - at_low);
      const bool bisect = k % 3 == 2 || !(secant > low && secant < high);
      const Real t = bisect ? (low + high) / 2 : secant;
      if (t == low || t == high) break;
      const Real value = slope(t);
      if (value == 0) {
        low = high = t;
        break;
      }
      (value < 0 ? low : high) = t;
      (value < 0 ? at_low : at_high) = value;
    }
    // The distance is flat around its minimum, its direction is not: that of the root counts.
    const ClosestPoints root = closest_cylinder_point(a_, x + (low + high) / 2 * e);
    if (root.gap > 0 && root.gap <= nearest.gap + kBoundRoundOff * size_) nearest = root;
  }

  /// Mantle against edges and vertices.
  void offer_mantle() {
    for (const Edge& edge : other_.b.edges) {
      const Vec3 x = other_.vertex(edge.v0), e = other_.vertex(edge.v1) - x;
      const Vec3 n = Vec3::UnitZ().cross(e);
      if (n.norm() <= kNoDirection * e.norm()) continue;
      // Where the edge passes the axis.
      const Real t = -(x.x() * e.x() + x.y() * e.y()) / (e.x() * e.x() + e.y() * e.y());
      const Vec3 on_b = x + std::clamp(t, Real(0), Real(1)) * e;
      for (const Vec3& normal : {Vec3(n.normalized()), Vec3(-n.normalized())})
        offer_if_lowest(normal, on_b);
    }
    for (int i = 0; i < static_cast<int>(other_.b.vertices.size()); ++i) {
      const Vec3 x = other_.vertex(i);
      const Real distance = std::hypot(x.x(), x.y());
      if (distance > kNoDirection * size_) offer_if_lowest(Vec3(x.x(), x.y(), 0) / distance, x);
    }
  }
  /// Edges that are parallel have one normal, and so have vertices in a plane with the axis: the
  /// points are of the lowest one.
  void offer_if_lowest(const Vec3& normal, const Vec3& on_b) {
    if (normal.dot(on_b - other_.lowest(normal)) <= kCertified * size_) offer(normal, &on_b);
  }

  /// Rim against edges: over the normals perpendicular to the edge, between its two faces.
  void offer_rims() {
    for (const Edge& edge : other_.b.edges) {
      const Vec3 x = other_.vertex(edge.v0);
      const Vec3 e = (other_.vertex(edge.v1) - x).normalized();
      NormalArc arc{e.unitOrthogonal(), Vec3::Zero(), 2 * std::numbers::pi};
      if (edge.f0 >= 0)
        arc = NormalArc::between(-(other_.R * other_.b.face_normals[edge.f0]),
                                 -(other_.R * other_.b.face_normals[edge.f1]));
      else
        arc.w = e.cross(arc.u);
      search_arc(
          arc, x.norm() + std::hypot(a_.radius, a_.half_length),
          [&](const Vec3& n) { return n.dot(x) - support_value(a_, n); },
          [&] { return best_.points.gap; }, [&](const Vec3& n) { offer(n); });
    }
  }

  const Cylinder& a_;
  const Other& other_;
  Real size_;
  BestNormal best_;
};

/// Two cylinders: the support gap s(n) = n·p − h_A(n) − h_B(−n) as a function of the normal. With
/// C = B − A, the differences of their points, s(n) = min over w in C of n·w; its maximum over the
/// unit sphere is the signed distance.
///
/// A maximum near a good normal is found first, and proved; only without a proof all starts are
/// tried. Apart, s is concave and two points prove its value; in overlap a polyhedron within C
/// around the origin does: no translation shorter than the radius of its inscribed ball parts the
/// two.
class TwoCylinders {
 public:
  TwoCylinders(const Cylinder& a, const Cylinder& b, const Pose& b_in_a)
      : a_(a),
        b_(b),
        p_(b_in_a.p),
        R_(b_in_a.q.toRotationMatrix()),
        axis_(R_.col(2)),
        size_(std::hypot(a.radius, a.half_length) + std::hypot(b.radius, b.half_length)) {}

  ClosestPoints separation(Real cutoff) {
    offer_features();
    if (gap_ > cutoff) return finished();
    for (int k = 0; k < 2 && !is_proved(); ++k) {
      if (k == 1) offer_directions();
      ascend_from(normal_);
      if (gap_ > cutoff) return finished();
    }
    if (!is_proved()) search_everywhere();
    return finished();
  }

 private:
  [[nodiscard]] Real value(const Vec3& n) const {
    const Real u = n.dot(axis_);
    const Real across_a = std::sqrt(n.x() * n.x() + n.y() * n.y());
    return n.dot(p_) - a_.radius * across_a - a_.half_length * std::abs(n.z()) -
           b_.radius * (n - u * axis_).norm() - b_.half_length * std::abs(u);
  }
  void offer(const Vec3& n) {
    const Real gap = value(n);
    if (gap > gap_) gap_ = gap, normal_ = n;
  }
  [[nodiscard]] Vec3 support_b(const Vec3& n) const {
    return p_ + R_ * support_point(b_, -(R_.transpose() * n));
  }

  /// Ends, the common perpendicular of the axes, and what points from axis to axis or from centre
  /// to centre.
  void offer_features() {
    const Vec3 z = Vec3::UnitZ();
    for (const Real sign : {1.0, -1.0}) {
      offer(sign * z);
      offer(sign * axis_);
    }
    const Vec3 common = z.cross(axis_);
    if (const Real sine = common.norm(); sine > kNoDirection)
      offer(common * ((common.dot(p_) < 0 ? -1 : 1) / sine));
    for (const Vec3& along : {z, axis_}) {
      const Vec3 across = p_ - p_.dot(along) * along;
      if (const Real length = across.norm(); length > 0) offer(across / length);
    }
    if (const Real length = p_.norm(); length > 0) offer(p_ / length);
  }

  [[nodiscard]] static Vec3 direction(int k) {
    const int i = k < 13 ? k : k + 1;  // without the zero vector
    const int y = i / 3 % 3, z = i / 9;
    return Vec3(i % 3 - 1, y - 1, z - 1).normalized();
  }
  static constexpr int kDirections = 26;
  void offer_directions() {
    for (int k = 0; k < kDirections; ++k) offer(direction(k));
  }

  /// The maximum near a normal: where s is smooth, and on the circles of normals across an axis,
  /// where it has ridges.
  void ascend_from(const Vec3& n) {
    climb(n, nullptr);
    const Vec3 z = Vec3::UnitZ();
    const Vec3 top = normal_;
    climb(top, &z);
    climb(top, &axis_);
    if (normal_ != top) climb(normal_, nullptr);
  }

  void search_everywhere() {
    if (p_.norm() > 0) climb(p_.normalized(), nullptr);
    for (int k = 0; k < kDirections; ++k) climb(direction(k), nullptr);
    // The mantles last: a smooth climb ends on their circles when the maximum lies there.
    search_circle(Vec3::UnitZ());
    search_circle(axis_);
    ascend_from(normal_);
  }

  /// Normals perpendicular to an axis.
  void search_circle(const Vec3& axis) {
    constexpr int kSamples = 48;
    const Vec3 u = axis.unitOrthogonal(), w = axis.cross(u);
    const auto normal = [&](Real t) { return Vec3(std::cos(t) * u + std::sin(t) * w); };
    const Real step = 2 * std::numbers::pi / kSamples;
    std::array<Real, kSamples> at;
    for (int k = 0; k < kSamples; ++k) at[k] = value(normal(k * step));
    for (int k = 0; k < kSamples; ++k) {
      if (at[k] < at[(k + 1) % kSamples] || at[k] < at[(k + kSamples - 1) % kSamples]) continue;
      Real low = (k - 1) * step, high = (k + 1) * step;
      constexpr Real kGolden = 0.6180339887498949;
      for (int i = 0; i < 48; ++i) {
        const Real s = high - kGolden * (high - low), t = low + kGolden * (high - low);
        const bool left = value(normal(s)) > value(normal(t));
        (left ? high : low) = left ? t : s;
      }
      offer(normal((low + high) / 2));
    }
  }

  /// Newton's method for the largest support gap near a normal, on the unit sphere: gradient w =
  /// difference of the support points, curvature −(r/ρ) t tᵀ of every rim.
  /// @param axis if given, over the normals across it only.
  void climb(Vec3 n, const Vec3* axis) {
    constexpr int kMost = 40;
    constexpr Real kLeastShare = 1e-5;
    if (axis != nullptr) {
      n -= n.dot(*axis) * *axis;
      const Real length = n.norm();
      if (length < kNoDirection) return;
      n /= length;
    }
    Real gap = value(n);
    for (int k = 0; k < kMost; ++k) {
      Vec3 gradient = p_;
      const Vec3 u = axis != nullptr ? axis->cross(n) : n.unitOrthogonal(), w = n.cross(u);
      Eigen::Matrix<Real, 2, 2> h = -gap * Eigen::Matrix<Real, 2, 2>::Identity();
      Real peak = 0;  // slope of the cone that s is about an axis
      const auto add = [&](const Cylinder& c, const Vec3& along) {
        const Real x = n.dot(along);
        const Vec3 across = n - x * along;
        const Real rho = across.norm();
        gradient -= (x > 0 ? 1 : -1) * c.half_length * along;
        if (rho < kNoDirection) {
          peak += c.radius;
          return;
        }
        gradient -= c.radius / rho * across;
        const Vec3 t = along.cross(across) / rho;
        const Vec2 in_plane(t.dot(u), t.dot(w));
        h -= c.radius / rho * in_plane * in_plane.transpose();
      };
      add(a_, Vec3::UnitZ());
      add(b_, axis_);
      Vec2 slope(gradient.dot(u), gradient.dot(w));
      if (axis != nullptr) slope.y() = 0, h(0, 1) = h(1, 0) = 0;
      if (peak > 0) {
        const Real steepness = slope.norm();
        if (steepness <= peak) break;
        slope *= (steepness - peak) / steepness;
        h = slope.dot(h * slope) / slope.squaredNorm() * Eigen::Matrix<Real, 2, 2>::Identity();
      }
      const Vec2 step = ascent(h, slope);
      if (slope.dot(step) <= kBoundRoundOff * size_) {
        // No higher any more, but the direction gains its last digits.
        n = (n + step.x() * u + step.y() * w).normalized();
        break;
      }
      Real share = 1;
      Vec3 next = n;
      Real next_gap = gap;
      for (; share > kLeastShare; share /= 2) {
        next = (n + share * (step.x() * u + step.y() * w)).normalized();
        next_gap = value(next);
        if (next_gap > gap) break;
      }
      if (!(next_gap > gap)) break;
      n = next;
      gap = next_gap;
    }
    offer(n);
  }

  /// −|h|⁻¹ with the signs of its eigenvalues made negative, at most half a radian long.
  [[nodiscard]] Vec2 ascent(const Eigen::Matrix<Real, 2, 2>& h, const Vec2& slope) const {
    const Real mean = (h(0, 0) + h(1, 1)) / 2, half = (h(0, 0) - h(1, 1)) / 2;
    const Real radius = std::hypot(half, h(0, 1));
    const Real angle = std::atan2(h(0, 1), half) / 2;
    const Vec2 x(std::cos(angle), std::sin(angle)), y(-x.y(), x.x());
    const Real least = 1e-12 * size_;
    const Real hx = std::max(std::abs(mean + radius), least);
    const Real hy = std::max(std::abs(mean - radius), least);
    const Vec2 step = slope.dot(x) / hx * x + slope.dot(y) / hy * y;
    const Real length = step.norm();
    return length > 0.5 ? Vec2(0.5 / length * step) : step;
  }

  /// A point of each cylinder with b − a = s n as nearly as projections to one and the other find.
  struct Meeting {
    Vec3 a, b;
  };
  [[nodiscard]] Meeting meeting() const {
    constexpr int kMost = 16;
    const Vec3 shift = gap_ * normal_;
    Meeting meeting;
    Vec3 x = witness();
    Real distance = kUnbounded;
    for (int k = 0; k < kMost && distance > kBoundRoundOff * size_; ++k) {
      meeting.a = within(a_, x);
      meeting.b = p_ + R_ * within(b_, R_.transpose() * (meeting.a + shift - p_));
      const Real next = (meeting.b - meeting.a - shift).norm();
      if (!(next < distance)) break;
      distance = next;
      x = meeting.b - shift;
    }
    return meeting;
  }
  /// The point of a cylinder nearest to x.
  [[nodiscard]] static Vec3 within(const Cylinder& c, const Vec3& x) {
    const Real across = std::sqrt(x.x() * x.x() + x.y() * x.y());
    const Real scale = across > c.radius ? c.radius / across : 1;
    return {scale * x.x(), scale * x.y(), std::clamp(x.z(), -c.half_length, c.half_length)};
  }

  [[nodiscard]] bool is_proved() const {
    const Real enough = gap_ + kCertified * size_;
    if (difference(normal_).norm() <= enough) return true;
    const Meeting at = meeting();
    const Vec3 apex = at.b - at.a;
    if (apex.norm() <= enough) return true;
    if (gap_ > 0) return false;
    const Polyhedron polyhedron{apex, difference(-normal_), std::max(-enough, Real(0))};
    for (Real tilt = std::max(-4 * gap_ / size_, 1e-7); tilt < 1; tilt *= 8)
      if (polyhedron_holds_ball(polyhedron, tilt)) return true;
    return false;
  }
  /// The point b − a of C that lies farthest against n.
  [[nodiscard]] Vec3 difference(const Vec3& n) const { return support_b(n) - support_point(a_, n); }

  /// Within C: an apex, a corner opposite, and a ring of corners between them.
  struct Polyhedron {
    Vec3 apex, bottom;
    Real radius;  ///< of a ball around the origin
  };
  /// Whether the ball is inside when the ring's corners lie farthest along normals turned by the
  /// tilt.
  [[nodiscard]] bool polyhedron_holds_ball(const Polyhedron& polyhedron, Real tilt) const {
    constexpr int kSides = 4, kMostHalvings = 5;
    const Vec3 u = normal_.unitOrthogonal(), w = normal_.cross(u);
    const auto corner = [&](Real angle) {
      return difference(
          (normal_ + tilt * (std::cos(angle) * u + std::sin(angle) * w)).normalized());
    };
    bool has_face = false;
    const auto holds = [&](const auto& self, Real from, const Vec3& x, Real to, const Vec3& y,
                           int halvings) -> bool {
      if ((y - x).norm() <= kSameCorner * size_) return true;
      if (is_outside(polyhedron.radius, polyhedron.apex, y, x) &&
          is_outside(polyhedron.radius, polyhedron.bottom, x, y)) {
        has_face = true;
        return true;
      }
      if (halvings == 0) return false;
      const Real middle = (from + to) / 2;
      const Vec3 z = corner(middle);
      return self(self, from, x, middle, z, halvings - 1) &&
             self(self, middle, z, to, y, halvings - 1);
    };
    const Real side = 2 * std::numbers::pi / kSides;
    const Vec3 first = corner(0);
    Vec3 x = first;
    for (int k = 0; k < kSides; ++k) {
      const Vec3 y = k + 1 == kSides ? first : corner((k + 1) * side);
      if (!holds(holds, k * side, x, (k + 1) * side, y, kMostHalvings)) return false;
      x = y;
    }
    return has_face;
  }
  /// Whether a triangle turns its outer side, from which its corners run counter-clockwise, away
  /// from the origin and is farther from it than the radius.
  [[nodiscard]] static bool is_outside(Real radius, const Vec3& x, const Vec3& y, const Vec3& z) {
    return x.dot(y.cross(z)) > 0 && squared_distance(x, y, z) >= radius * radius;
  }
  /// Of the origin from a triangle.
  [[nodiscard]] static Real squared_distance(const Vec3& x, const Vec3& y, const Vec3& z) {
    const Vec3 n = (y - x).cross(z - x);
    const Real area = n.squaredNorm();
    if (area > 0 && n.dot(x.cross(y)) >= 0 && n.dot(y.cross(z)) >= 0 && n.dot(z.cross(x)) >= 0) {
      const Real height = n.dot(x);
      return height * height / area;
    }
    const auto segment = [](const Vec3& s, const Vec3& t) {
      const Vec3 e = t - s;
      const Real length = e.squaredNorm();
      const Real at = length > 0 ? std::clamp(-s.dot(e) / length, Real(0), Real(1)) : Real(0);
      return Vec3(s + at * e).squaredNorm();
    };
    return std::min({segment(x, y), segment(y, z), segment(z, x)});
  }

  /// Where the two supporting features meet, on A.
  [[nodiscard]] Vec3 witness() const {
    const Vec3& n = normal_;
    Vec3 on_a = support_point(a_, n);
    const Vec3 on_b = support_b(n);
    const Real u = n.dot(axis_);
    if (std::abs(n.z()) > 1e-6 && std::hypot(n.x(), n.y()) > 1e-6) return on_a;  // a rim
    if (std::abs(u) > 1e-6 && (n - u * axis_).norm() > 1e-6) return on_b - gap_ * n;
    Vec3 x = (on_a + on_b) / 2;
    // Two mantles meet where the axes come nearest to each other.
    const Real cosine = axis_.z(), sine2 = 1 - cosine * cosine;
    if (std::abs(n.z()) <= 1e-6 && std::abs(u) <= 1e-6 && sine2 > 1e-12) {
      const Real t = (p_.z() - p_.dot(axis_) * cosine) / sine2;
      x = Vec3(0, 0, std::clamp(t, -a_.half_length, a_.half_length));
    }
    return x + (n.dot(on_a) - n.dot(x)) * n;
  }
  [[nodiscard]] ClosestPoints finished() const {
    const Vec3 x = witness();
    return {x, x + gap_ * normal_, normal_, gap_};
  }

  const Cylinder &a_, &b_;
  Vec3 p_;
  Mat3 R_;
  Vec3 axis_;
  Real size_;
  Real gap_ = -kUnbounded;
  Vec3 normal_ = Vec3::UnitZ();
};

}  // namespace

Vec3 support_point(const Cylinder& c, const Vec3& n) {
  const Real across = std::hypot(n.x(), n.y());
  const Real end = std::copysign(c.half_length, n.z());
  if (across == 0) return {c.radius, 0, end};
  return {c.radius * (n.x() / across), c.radius * (n.y() / across), end};
}

ClosestPoints closest_cylinder_point(const Cylinder& c, const Vec3& point) {
  const Real across = std::hypot(point.x(), point.y());
  const Vec3 radial =
      across > 0 ? Vec3(point.x() / across, point.y() / across, 0) : Vec3(Vec3::UnitX());
  const Real over_mantle = across - c.radius, over_end = std::abs(point.z()) - c.half_length;
  const Vec3 axial(0, 0, std::copysign(Real(1), point.z()));
  if (over_mantle <= 0 && over_end <= 0) {
    const bool to_end = over_end > over_mantle;
    const Vec3& n = to_end ? axial : radial;
    const Real gap = std::max(over_end, over_mantle);
    return {point - gap * n, point, n, gap};
  }
  if (over_mantle <= 0) return {point - over_end * axial, point, axial, over_end};
  if (over_end <= 0) return {point - over_mantle * radial, point, radial, over_mantle};
  const Vec3 v = over_mantle * radial + over_end * axial;
  const Real gap = std::hypot(over_mantle, over_end);
  return {point - v, point, v / gap, gap};
}

ClosestPoints cylinder_core(const Cylinder& a, const Core& b, const Mat3& R, const Vec3& p,
                            Real cutoff) {
  const Other other{b, R, p};
  return CylinderAndCore(a, other).separation(cutoff);
}

ClosestPoints cylinder_cylinder(const Cylinder& a, const Cylinder& b, const Pose& b_in_a,
                                Real cutoff) {
  return TwoCylinders(a, b, b_in_a).separation(cutoff);
}

}  // namespace talus::geometry::detail
