#include <talus/geometry/detail/mesh_convex.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include <talus/geometry/detail/arc_search.hpp>
#include <talus/geometry/detail/clip.hpp>
#include <talus/geometry/detail/core_separation.hpp>
#include <talus/geometry/detail/cylinder.hpp>
#include <talus/geometry/detail/feature_id.hpp>
#include <talus/geometry/detail/mesh_features.hpp>
#include <talus/geometry/detail/mesh_nearest.hpp>
#include <talus/geometry/detail/mesh_wedge.hpp>

namespace talus::geometry::detail {
namespace {

constexpr Real kSameNormal = 1e-6;  // [rad] normals closer than this are one
constexpr Real kInCone = 1e-6;      // how far a vertex may lie beyond the support plane, relative
constexpr Real kMeshFaceAligned =
    2e-2;                    // [rad] a face of B this close to the normal is clipped against
constexpr Real kWayOut = 2;  // of a contact's depth: a way that parts B from what it is of
constexpr Real kBetter =
    2e-15;  // of the size: a normal that is not better by this gives way to t's
constexpr FeatureId kWitness = ~FeatureId{0};
constexpr Real kMeshEdgesParallel = 1e-6;  // [rad] edges this close to parallel touch along a line

/// The corners of triangle t that lie farthest along m: all, two (an edge) or one.
struct Touched {
  std::array<int, 3> corners;
  int count = 0;
};

Touched touched_corners(const TriangleMesh& mesh, int t, const Vec3& m, Real tolerance) {
  std::array<Real, 3> height;
  for (int k = 0; k < 3; ++k) height[k] = m.dot(mesh.corner(t, k));
  const Real highest = std::max({height[0], height[1], height[2]});
  Touched touched;
  for (int k = 0; k < 3; ++k)
    if (height[k] >= highest - tolerance) touched.corners[touched.count++] = k;
  return touched;
}

class Query {
  using Candidate = PairContacts::Candidate;

 public:
  enum class Behind { matter, nothing };  // its triangles

  Query(const TriangleMesh& mesh, Behind behind, const Core& b, const Cylinder* cylinder,
        const Pose& b_in_mesh, Real margin, PairContacts& contacts)
      : mesh_(mesh),
        is_sheet_(behind == Behind::nothing),
        b_(b),
        cylinder_(cylinder),
        R_(b_in_mesh.q.toRotationMatrix()),
        p_(b_in_mesh.p),
        middle_(p_ + R_ * b.middle),
        margin_(margin),
        contacts_(contacts) {
    contacts_.candidates.clear();
    contacts_.overlaps.clear();
  }

  void add_triangle(int t) {
    const Vec3& n = mesh_.normal(t);
    const Vec3& origin = mesh_.corner(t, 0);
    if (!is_in_front(t) && !is_in_front_beside(t)) return;
    if (n.dot(lowest_along(n) - origin) - b_.radius > margin_) return;

    const Wedge wedge(mesh_, t, is_sheet_ ? kTie * b_.size : 2 * b_.size);
    const CorePair pair{wedge.solid, b_, R_, p_};
    CoreSeparation sep = separation(pair);
    if (sep.beyond || sep.gap - b_.radius > margin_) return;
    if (sep.gap <= 0) return add_overlap(t, wedge, sep);
    if ((sep.normal - n).norm() <= kSameNormal) return add_face(t, wedge, sep.gap, &sep);

    const Touched touched = touched_corners(mesh_, t, sep.normal, kInCone * wedge.solid.size);
    const Cone cone =
        touched.count == 3 ? Cone::beyond_own_plane : normal_cone(t, touched, sep.normal);
    if (cone == Cone::inside) {
      // Sideways the wedge is no surface, save at a rim: the triangle across has the edge.
      const bool is_sideways = sep.normal.dot(n) <= kInCone && !is_on_rim(t, touched);
      if (!is_sideways && !is_normal_of_neighbour(t, touched, sep.normal)) add_tip(t, touched, sep);
    } else if (cone == Cone::beyond_own_plane) {
      add_face(t, wedge, sep.gap, nullptr);
    }
  }

  /// Hands the contacts over, each once. A point of B behind two triangles that bound a convex
  /// solid leaves it by the nearer one.
  void finish() {
    auto& found = contacts_.candidates;
    std::sort(found.begin(), found.end(), [](const Candidate& x, const Candidate& y) {
      return std::tie(x.contact.feature, x.contact.gap, x.triangle) <
             std::tie(y.contact.feature, y.contact.gap, y.triangle);
    });
    // An edge is found from both its triangles: the two are one contact, not a nearer way out.
    const auto is_same = [](const Candidate& x, const Candidate& y) {
      return x.contact.feature == y.contact.feature;
    };
    found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
    const auto first = static_cast<std::ptrdiff_t>(contacts_.points.size());
    for (const Candidate& x : found) {
      const bool is_deeper =
          x.contact.gap < 0 && std::any_of(found.begin(), found.end(), [&](const Candidate& other) {
            return other.contact.gap < 0 && other.contact.gap > x.contact.gap &&
                   (end_on_b(other.contact) - end_on_b(x.contact)).norm() <= kTie * b_.size &&
                   bound_convex_solid(other.triangle, x.triangle);
          });
      if (!is_deeper) contacts_.points.push_back(x.contact);
    }
    part_overlaps(first);
  }

 private:
  /// A normal of the surface where it touches triangle t, and the support gap along it.
  struct WayOut {
    Vec3 normal, lowest;  ///< the point of B's core that is lowest along it
    Real gap = 0;
    Touched touched{{0, 1, 2}, 3};
  };

  /// The wedge's sides are no surface: B leaves by the best normal that the mesh has there. If that
  /// is another triangle's, the contact is found there.
  void add_overlap(int t, const Wedge& wedge, CoreSeparation& sep) {
    const Vec3& n = mesh_.normal(t);
    const WayOut out = way_out(t, wedge.solid.size);
    if (out.gap - b_.radius > margin_) return;
    if (out.gap < -kTie * b_.size) {
      if (!is_cut(t)) return;  // the wedge comes out of the surface behind it
      contacts_.overlaps.push_back({out.normal, out.gap, t});
    }
    const bool is_of_wedge = (sep.normal - n).norm() <= kSameNormal;
    if ((out.normal - n).norm() <= kSameNormal)
      return add_face(t, wedge, out.gap, is_of_wedge ? &sep : nullptr);
    // Apart from the surface, though not from the wedge: the triangles that face B have the
    // distance.
    if (out.gap > kTie * b_.size || is_normal_of_neighbour(t, out.touched, out.normal)) return;
    CoreSeparation tip;
    tip.gap = tip.certified = out.gap;
    tip.normal = out.normal;
    tip.has_witness = false;
    add_tip(t, out.touched, tip);
  }

  /// No triangle that B cuts goes unseen: where none of the contacts from `first` on has about the
  /// way that parts the two, B leaves by the triangle's way out. Between triangles that bound no
  /// convex solid B's deepest features may lie over none of those that they were looked for at.
  void part_overlaps(std::ptrdiff_t first) {
    auto& overlaps = contacts_.overlaps;
    std::sort(overlaps.begin(), overlaps.end(), [](const auto& x, const auto& y) {
      return std::tie(y.gap, x.triangle) < std::tie(x.gap, y.triangle);  // the shallow ones first
    });
    for (const auto& [normal, gap, t] : overlaps) {
      const auto parts = [&, t = t](const PairContact& contact) {
        const Vec3& m = contact.normal;
        const Real way = std::max(-contact.gap - b_.radius, Real(0));
        return highest_along(t, m) - m.dot(lowest_along(m)) <= kWayOut * way + kTie * b_.size;
      };
      const auto points = contacts_.points.begin() + first;
      if (std::any_of(points, contacts_.points.end(), parts)) continue;
      const Vec3 lowest = lowest_along(normal);
      const CorePoint point{lowest - gap * normal, lowest, gap, 0};
      contacts_.points.push_back(
          contact_at(point, normal, mix(kWitness, static_cast<FeatureId>(t))));
    }
  }

  [[nodiscard]] bool is_cut(int t) const {
    const Wedge slice(mesh_, t, kTie * b_.size);
    return separation({slice.solid, b_, R_, p_}).gap < 0;
  }

  /// The largest support gap of B over the normals of t, of its edges and of its corners: those of
  /// faces (of the mesh there and of B) and, where convex edges of the mesh meet edges of B, the
  /// ones perpendicular to both.
  [[nodiscard]] WayOut way_out(int t, Real size) {
    const Vec3& n = mesh_.normal(t);
    WayOut best{n, lowest_along(n)};
    best.gap = n.dot(best.lowest - mesh_.corner(t, 0));
    const Real tolerance = kInCone * size, better = kBetter * (size + b_.size);
    const auto offer = [&](const Vec3& m) {
      const Vec3 lowest = lowest_along(m);
      const Real gap = m.dot(lowest) - highest_along(t, m);
      if (gap <= best.gap + better) return;
      const Touched touched = touched_corners(mesh_, t, m, tolerance);
      if (touched.count < 3 && is_normal(t, touched, m)) best = {m, lowest, gap, touched};
    };
    for (const Vec3& normal : b_.face_normals) offer(-(R_ * normal));
    if (cylinder_ != nullptr)
      for (const Real sign : {1.0, -1.0}) offer(sign * R_.col(2));
    // What is likely the best comes first: it spares most of the edges.
    visit_around(t, [&](int s) {
      if (mesh_.facet(s) != mesh_.facet(t)) offer(mesh_.normal(s));
    });
    const auto& corners = mesh_.triangles()[t];
    const auto is_at_t = [&](int vertex) {
      return std::find(corners.begin(), corners.end(), vertex) != corners.end();
    };
    visit_around(t, [&](int s) {
      const auto& other = mesh_.triangles()[s];
      for (int l = 0; l < 3; ++l)
        if (mesh_.neighbour(s, l) < s && (is_at_t(other[l]) || is_at_t(other[(l + 1) % 3])))
          offer_edge(s, l, best, offer);
    });
    for (int k = 0; k < 3 && cylinder_ != nullptr; ++k) offer_mantle(mesh_.corner(t, k), offer);
    return best;
  }

  /// Calls visit(s) for t and every triangle that has a corner of it, each once.
  template <class Visit>
  void visit_around(int t, const Visit& visit) const {
    const auto& corners = mesh_.triangles()[t];
    for (auto corner = corners.begin(); corner != corners.end(); ++corner)
      for (const int s : mesh_.around(*corner)) {
        const auto& other = mesh_.triangles()[s];
        if (std::find_first_of(corners.begin(), corner, other.begin(), other.end()) == corner)
          visit(s);
      }
  }

  /// Offers the normals of a convex edge that have a support gap greater than those beside them:
  /// those between its two triangles, on a rim those up to its own plane, of a sheet all around it.
  template <class Offer>
  void offer_edge(int s, int l, const WayOut& best, const Offer& offer) const {
    const Vec3& n = mesh_.normal(s);
    const int neighbour = mesh_.neighbour(s, l);
    if (neighbour >= 0) return offer_arc(s, l, n, mesh_.normal(neighbour), best, offer);
    const Vec3 along = mesh_.corner(s, (l + 1) % 3) - mesh_.corner(s, l);
    const Vec3 sideways = along.cross(n).normalized();
    offer_arc(s, l, n, sideways, best, offer);
    if (is_sheet_) offer_arc(s, l, sideways, -n, best, offer);
  }

  /// The normals from one to another one of an edge.
  template <class Offer>
  void offer_arc(int s, int l, const Vec3& n, const Vec3& end, const WayOut& best,
                 const Offer& offer) const {
    const Vec3& x = mesh_.corner(s, l);
    const Vec3 along = mesh_.corner(s, (l + 1) % 3) - x;
    // On a convex edge the normals turn about it in its own sense.
    if (!(n.cross(end).dot(along) > kInCone * along.norm())) return;
    // A point of B bounds the support gaps from above: most edges end here.
    if (most_between(n, end, along, best.lowest - x) <= best.gap) return;
    if (cylinder_ != nullptr) {
      const Vec3 across = along.cross(R_.col(2));
      if (across.norm() > 0) offer(across.normalized() * (across.dot(n + end) < 0 ? -1 : 1));
      const auto gap = [&](const Vec3& m) { return m.dot(lowest_along(m) - x); };
      return search_arc(
          NormalArc::between(n, end), (p_ - x).norm() + b_.size, gap, [&] { return best.gap; },
          offer);
    }
    for (std::size_t e = 0; e < b_.edges.size(); ++e) {
      const Vec3 across = along.cross(R_ * b_.edge_directions[e]);
      const Real length = across.norm();
      if (length <= kMeshEdgesParallel * along.norm()) continue;
      const Vec3 m = across * ((across.dot(n + end) < 0 ? -1 : 1) / length);
      if (m.dot(p_ + R_ * b_.vertices[b_.edges[e].v0] - x) > best.gap) offer(m);
    }
  }

  /// Offers the normal from a corner to a cylinder's axis.
  template <class Offer>
  void offer_mantle(const Vec3& corner, const Offer& offer) const {
    const Vec3 way = p_ - corner;
    const Vec3 across = way - way.dot(R_.col(2)) * R_.col(2);
    if (across.norm() > 0) offer(across.normalized());
  }

  /// Whether m is a normal of the surface at the touched edge or vertex; on a rim those that look
  /// backwards are none, where there is matter.
  [[nodiscard]] bool is_normal(int t, const Touched& touched, const Vec3& m) const {
    if (normal_cone(t, touched, m) != Cone::inside) return false;
    return is_sheet_ || m.dot(mesh_.normal(t)) >= 0 || !is_on_rim(t, touched);
  }

  [[nodiscard]] bool is_on_rim(int t, const Touched& touched) const {
    return touched.count == 2 ? is_rim_edge(mesh_, t, edge_of_corners(touched))
                              : is_rim_vertex(mesh_, mesh_.triangles()[t][touched.corners[0]]);
  }

  /// Whether B's middle lies in front of a triangle's plane.
  [[nodiscard]] bool is_in_front(int t) const {
    return mesh_.normal(t).dot(middle_ - mesh_.corner(t, 0)) > 0;
  }
  /// The same of one of the triangles at its corners, whose edges B may touch.
  [[nodiscard]] bool is_in_front_beside(int t) const {
    const auto& corners = mesh_.triangles()[t];
    return std::any_of(corners.begin(), corners.end(), [&](int vertex) {
      const auto around = mesh_.around(vertex);
      return std::any_of(around.begin(), around.end(), [&](int s) { return is_in_front(s); });
    });
  }

  /// The largest value of m·x over triangle t.
  [[nodiscard]] Real highest_along(int t, const Vec3& m) const {
    return std::max(
        {m.dot(mesh_.corner(t, 0)), m.dot(mesh_.corner(t, 1)), m.dot(mesh_.corner(t, 2))});
  }
  /// The point of B's core that lies lowest along a normal.
  [[nodiscard]] Vec3 lowest_along(const Vec3& n) const {
    return p_ + R_ * support(-(R_.transpose() * n));
  }

  /// The point of B's core farthest along d, in its frame.
  [[nodiscard]] Vec3 support(const Vec3& d) const {
    return cylinder_ != nullptr ? support_point(*cylinder_, d) : b_.vertices[b_.support(d)];
  }

  [[nodiscard]] CoreSeparation separation(const CorePair& pair) const {
    const Real cutoff = margin_ + b_.radius;
    if (cylinder_ == nullptr) return core_separation(pair, cutoff);
    // Seen from the cylinder, which is computed first.
    const ClosestPoints found =
        cylinder_core(*cylinder_, pair.a, R_.transpose(), -(R_.transpose() * p_), cutoff);
    CoreSeparation sep;
    sep.gap = sep.certified = found.gap;
    sep.normal = -(R_ * found.normal);
    sep.on_a = p_ + R_ * found.on_b;
    sep.on_b = p_ + R_ * found.on_a;
    return sep;
  }

  /// B as a core: what of a cylinder lies farthest along d, or all of it.
  [[nodiscard]] const Core& core_towards(const Vec3& d) {
    if (cylinder_ == nullptr) return b_;
    feature_.emplace(*cylinder_, d);
    return **feature_;
  }

  /// Whether m is a normal of the surface at the touched edge or vertex: no vertex of the triangles
  /// there lies beyond the plane with normal m. If not, the surface comes nearer to B beyond them:
  /// in t's own plane, or in another one.
  enum class Cone { inside, beyond_own_plane, beyond_other_plane };
  [[nodiscard]] Cone normal_cone(int t, const Touched& touched, const Vec3& m) const {
    const Vec3& tip = mesh_.corner(t, touched.corners[0]);
    Cone cone = Cone::inside;
    const auto look_at = [&](int other) {
      for (int k = 0; k < 3; ++k) {
        const Vec3 way = mesh_.corner(other, k) - tip;
        if (m.dot(way) <= kInCone * way.norm()) continue;
        if (mesh_.facet(other) == mesh_.facet(t))
          cone = Cone::beyond_own_plane;
        else if (cone == Cone::inside)
          cone = Cone::beyond_other_plane;
      }
    };
    if (touched.count == 2) {
      const int neighbour = mesh_.neighbour(t, edge_of_corners(touched));
      if (neighbour >= 0) look_at(neighbour);
    } else {
      for (const int other : mesh_.around(mesh_.triangles()[t][touched.corners[0]])) look_at(other);
    }
    return cone;
  }

  [[nodiscard]] static Vec3 end_on_b(const PairContact& x) {
    return x.position + x.gap / 2 * x.normal;
  }

  /// Each lies behind the other's plane, and they are not in one plane.
  [[nodiscard]] bool bound_convex_solid(int s, int t) const {
    if (mesh_.facet(s) == mesh_.facet(t)) return false;
    const auto is_behind = [&](int plane, int other) {
      const Vec3 &n = mesh_.normal(plane), &origin = mesh_.corner(plane, 0);
      for (int k = 0; k < 3; ++k) {
        const Vec3 way = mesh_.corner(other, k) - origin;
        if (n.dot(way) > kInCone * way.norm()) return false;
      }
      return true;
    };
    return is_behind(s, t) && is_behind(t, s);
  }

  /// Then the contact is a face contact of that neighbour.
  [[nodiscard]] bool is_normal_of_neighbour(int t, const Touched& touched, const Vec3& m) const {
    const auto is_normal = [&](int other) {
      return other >= 0 && (mesh_.normal(other) - m).norm() <= kSameNormal;
    };
    if (touched.count == 2) return is_normal(mesh_.neighbour(t, edge_of_corners(touched)));
    const auto around = mesh_.around(mesh_.triangles()[t][touched.corners[0]]);
    return std::any_of(around.begin(), around.end(), is_normal);
  }

  /// The edge k between corners k and k + 1.
  [[nodiscard]] static int edge_of_corners(const Touched& touched) {
    return touched.corners[0] == 0 && touched.corners[1] == 2 ? 2 : touched.corners[0];
  }

  void add(int t, const CorePoint& point, const Vec3& normal, FeatureId name) {
    if (point.gap - b_.radius > margin_ || !(normal.dot(middle_ - point.on_a) > 0)) return;
    contacts_.candidates.push_back({contact_at(point, normal, name), t});
  }

  [[nodiscard]] PairContact contact_at(const CorePoint& point, const Vec3& normal,
                                       FeatureId name) const {
    PairContact contact;
    contact.normal = normal;
    contact.gap = point.gap - b_.radius;
    contact.position = (point.on_a + point.on_b - b_.radius * normal) / 2;
    contact.feature = name;
    return contact;
  }

  /// B's supporting face, edge or vertex over the triangle. @param least gap [m] that a point there
  /// can have: one below it is beside the triangle, by the tie. @param sep stands in when nothing
  /// of it is over the triangle; may be null.
  void add_face(int t, const Wedge& wedge, Real least, CoreSeparation* sep) {
    const Vec3& n = mesh_.normal(t);
    const CorePair pair{wedge.face, core_towards(-(R_.transpose() * n)), R_, p_};
    clip_to_face(pair, {true, 0}, n, kTie * std::min(wedge.solid.size, b_.size), patch_);
    const FeatureId plane = name_of(face_of(mesh_, t));
    for (int i = 0; i < patch_.count; ++i) {
      const auto name = name_on_face(t, patch_.points[i].feature);
      if (name && patch_.points[i].gap >= least - kTie * b_.size)
        add(t, patch_.points[i], n, mix(plane, *name));
    }
    if (patch_.count > 0 || sep == nullptr) return;
    const CorePair solid{wedge.solid, b_, R_, p_};
    find_witness(solid, *sep);
    add(t, {sep->on_a, sep->on_b, sep->gap, 0}, n, mix(plane, kWitness));
  }

  /// The name of a clipped point in its plane, the same from every triangle of the plane; nothing
  /// for a point that is only there because the plane is cut into triangles.
  [[nodiscard]] std::optional<FeatureId> name_on_face(int t, FeatureId point) const {
    constexpr FeatureId kBits = 0x3fff;
    const auto kind = static_cast<PointKind>(point >> 57);
    const auto f1 = point >> 28 & kBits, f2 = point >> 14 & kBits, f3 = point & kBits;
    const auto in_plane = [&](int other) {
      return other >= 0 && mesh_.facet(other) == mesh_.facet(t);
    };
    if (kind == PointKind::clipped_edge) {
      const int k = static_cast<int>(f3);
      if (in_plane(mesh_.neighbour(t, k))) return std::nullopt;
      return mix(name_of(edge_of(mesh_, t, k)), f1 << 14 | f2);
    }
    if (kind == PointKind::reference_corner) {
      const int k = f1 == 2 && f2 == 0 ? 0 : static_cast<int>(f1);
      const MeshFeature vertex = vertex_of(mesh_, t, k);
      const auto around = mesh_.around(vertex.index);
      if (std::all_of(around.begin(), around.end(), in_plane)) return std::nullopt;
      return mix(name_of(vertex), 0);
    }
    return mix(f1, static_cast<FeatureId>(kind));
  }

  /// Contact of an edge or a vertex of the mesh with whatever of B is there.
  void add_tip(int t, const Touched& touched, CoreSeparation& sep) {
    const bool is_edge = touched.count == 2;
    const int k = is_edge ? edge_of_corners(touched) : touched.corners[0];
    const Tip tip(mesh_.corner(t, k), mesh_.corner(t, (k + 1) % 3), is_edge);
    const Vec3& m = sep.normal;
    const Core& b = core_towards(-(R_.transpose() * m));
    const CorePair pair{tip.core, b, R_, p_};
    const MeshFeature feature = is_edge ? edge_of(mesh_, t, k) : vertex_of(mesh_, t, k);
    const FeatureId name = name_of(feature);
    patch_.count = 0;
    const Vec3 towards_a = -(R_.transpose() * m);
    const int face = supporting_face(b, towards_a);
    if (is_edge && face >= 0 && (b.face_normals[face] - towards_a).norm() < kMeshFaceAligned) {
      clip_to_face(pair, {false, face}, m, kTie * std::min(tip.core.size, b_.size), patch_);
    } else if (is_edge) {
      const int edge = parallel_edge(b, towards_a, tip.directions[0]);
      if (edge >= 0) clip_edges(pair, 0, edge, m, patch_);
    }
    // Features that are aligned only nearly can miss the nearest point: then it stands for them.
    const auto is_nearest = [&](const CorePoint& x) { return x.gap <= sep.gap + kTie * b_.size; };
    const auto end = patch_.points.begin() + patch_.count;
    if (std::none_of(patch_.points.begin(), end, is_nearest)) patch_.count = 0;
    for (int i = 0; i < patch_.count; ++i) {
      const FeatureId point = patch_.points[i].feature;
      // The ends of the mesh's edge belong to its vertices, whichever edge found them.
      add(t, patch_.points[i], m, mix(name, end_name(t, k, point)));
    }
    if (patch_.count > 0) return;
    find_witness(pair, sep);
    add(t, {sep.on_a, sep.on_b, sep.gap, 0}, m, mix(name, kWitness));
  }

  /// A name that does not depend on which of its two triangles an edge was seen from: they run
  /// through it in opposite directions.
  [[nodiscard]] FeatureId end_name(int t, int k, FeatureId point) const {
    const auto kind = static_cast<PointKind>(point >> 57);
    if (kind == PointKind::core_vertex)
      return name_of(vertex_of(mesh_, t, (k + static_cast<int>(point >> 28 & 0x3fff)) % 3));
    const bool is_upward = mesh_.triangles()[t][k] < mesh_.triangles()[t][(k + 1) % 3];
    return kind == PointKind::edge_ends && !is_upward ? point ^ 1U : point;
  }

  /// The edge of B at its support vertex along d that is parallel to a direction, or −1.
  [[nodiscard]] int parallel_edge(const Core& b, const Vec3& d, const Vec3& direction) const {
    const int vertex = b.support(d);
    const Vec3 in_b = R_.transpose() * direction;
    for (int e = 0; e < static_cast<int>(b.edges.size()); ++e)
      if ((b.edges[e].v0 == vertex || b.edges[e].v1 == vertex) &&
          b.edge_directions[e].cross(in_b).norm() < kMeshEdgesParallel)
        return e;
    return -1;
  }

  const TriangleMesh& mesh_;
  bool is_sheet_;
  const Core& b_;  ///< of a cylinder the size only
  const Cylinder* cylinder_;
  std::optional<CylinderFeature> feature_;
  Mat3 R_;
  Vec3 p_;
  Vec3 middle_;  ///< of B: the side of the surface where it lies is B's
  Real margin_;
  PairContacts& contacts_;
  CorePatch patch_;
};

/// Every triangle from the side where B's middle is.
void sheet_convex(const TriangleMesh& sheet, const Core& b, const Cylinder* cylinder,
                  const Pose& b_in_mesh, const Aabb& box, Real margin, PairContacts& contacts) {
  const Vec3 middle = b_in_mesh * b.middle;
  auto& near = contacts.near;
  near.clear();
  sheet.visit_near(box, [&](int t) { near.push_back(nearest_point(sheet, t, middle)); });
  find_sides(sheet, middle, contacts);
  for (const bool is_behind : {false, true}) {
    Query query(is_behind ? *sheet.back() : sheet, Query::Behind::nothing, b, cylinder, b_in_mesh,
                margin, contacts);
    for (const PairContacts::Near& x : near)
      if (x.is_behind == is_behind) query.add_triangle(x.triangle);
    query.finish();
  }
}

}  // namespace

void mesh_convex(const TriangleMesh& mesh, const Shape& b, const Pose& b_in_mesh, Real margin,
                 PairContacts& contacts) {
  Aabb box = bounds(b, b_in_mesh);
  box.lower.array() -= margin;
  box.upper.array() += margin;
  const auto run = [&](const Core& core, const Cylinder* cylinder) {
    if (mesh.back() != nullptr)
      return sheet_convex(mesh, core, cylinder, b_in_mesh, box, margin, contacts);
    Query query(mesh, Query::Behind::matter, core, cylinder, b_in_mesh, margin, contacts);
    mesh.visit_near(box, [&](int t) { query.add_triangle(t); });
    query.finish();
  };
  if (const auto* cylinder = std::get_if<Cylinder>(&b)) {
    Core core;
    core.size = bounding_radius(b);
    return run(core, cylinder);
  }
  const ShapeCore core(b);
  run(*core, nullptr);
}

}  // namespace talus::geometry::detail
