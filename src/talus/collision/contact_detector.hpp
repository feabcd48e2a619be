#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/collision/periodic_broad_phase.hpp>
#include <talus/collision/way.hpp>
#include <talus/geometry/shape.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::collision {

/// What the detector takes of a body: a shape, where it sits in the body's frame, and whether
/// forces move the body.
struct Collider {
  const geometry::Shape* shape = nullptr;  ///< outlives the detector
  Pose X_BS;
  bool is_movable = true;
  /// Whether pairs of this body with another one of the kind, both balls about their origins or one
  /// of them a plane, are left to persistent_pairs().
  bool is_persistent = false;
  bool is_touchable = true;  ///< false: it takes part in nothing, as one that is not there
};

/// Where the bodies are, world frame.
struct Placement {
  std::span<const Vec3> position;
  std::span<const Quat> orientation;
  std::span<const std::byte> absence = {};  ///< not 0: the body is not there; empty: all are
  [[nodiscard]] Pose at(Index body) const { return {position[body], orientation[body]}; }
  [[nodiscard]] bool is_absent(std::size_t body) const {
    return !absence.empty() && absence[body] != std::byte{0};
  }
};

/// Where the bodies will be after a step if nothing stops them, and which overlap of two bodies is
/// none: the smaller of their two tolerances.
struct Foresight {
  Placement ahead;
  std::span<const Real> tolerance;  ///< one per body [m] > 0
  std::span<const Real> size;       ///< half of the shortest extent, one per body [m] > 0
  Vec3 fall = Vec3::Zero();         ///< how much farther forces take the bodies that they move [m]
  /// One per body, not 0: joints or force elements may move it elsewhere; empty: of none.
  std::span<const unsigned char> is_held = {};
};

/// A contact of two bodies after a share of the way that they go in a step, as it is there.
struct ReachedContact {
  Contact contact;
  Real share = 1;
};

/// Finds all contacts of a set of shapes within speculative margins.
///
/// A pair is in contact where the gap is at most the sum of the two bodies' margins; pairs of
/// immovable bodies are left out. Candidates outlive a call: every body has a reach beyond its
/// surface within which they were searched, and the search is repeated when a body has used it up.
///
/// In a periodic cell a pair touches where its nearest images do; positions need not be wrapped.
/// The contact point is that beside body a, or beside the other body if that is a plane. Assumed,
/// not checked: planes have their normals across the periodic axes, and bodies with their margins
/// are so small that no two images of a pair can touch at once (model/minimum_image_clearance.hpp).
class ContactDetector {
 public:
  /// @param apart pairs that never touch, such as neighbours in a machine; sorted.
  explicit ContactDetector(std::vector<Collider> colliders, const PeriodicCell& cell = {},
                           std::vector<Pair> apart = {});

  /// Contacts of all pairs. The result depends on places, margins and foresight only, not on
  /// earlier calls. Those of persistent pairs have no foresight (detect_transient).
  /// @param margin one per body [m] ≥ 0. @param skin one per body [m] ≥ 0: how far a body may move
  /// beyond its margin before candidates are searched again.
  /// @param contacts out: ordered by (a, b, feature).
  void detect(const Placement& where, std::span<const Real> margin, std::span<const Real> skin,
              std::vector<Contact>& contacts,
              const std::optional<Foresight>& foresight = std::nullopt);

  /// Brings the candidates up to date: searches again, with a reach of margin + skin, if some body
  /// is no longer within its reach of the last search when its margin is added to its way since, or
  /// if one has come in or gone.
  /// @return whether it has searched.
  bool update(const Placement& where, std::span<const Real> margin, std::span<const Real> skin);

  /// Whether update() would search because of this body. There has been a search (contract).
  [[nodiscard]] bool has_left(Index body, const Placement& where, Real margin) const;

  /// Where the last search saw the bodies, and the reach that it had, negative for a body that was
  /// not there; empty before the first one.
  [[nodiscard]] Placement search_place() const { return {origin_, origin_orientation_}; }
  [[nodiscard]] std::span<const Real> search_reach() const { return reach_; }
  /// Searches as search_place() and search_reach() of another detector of these shapes say: both
  /// then have the same candidates.
  void search(const Placement& where, std::span<const Real> reach);

  /// Forgets the last search, as if there had been none.
  void forget_search() { origin_.clear(); }

  /// Of the last search: all pairs of persistent bodies that can touch while no body moves farther
  /// than its reach, sorted by (a, b).
  [[nodiscard]] std::span<const Pair> persistent_pairs() const { return persistent_pairs_; }
  /// True if no body of persistent pairs is farther than its reach from where the last search saw
  /// it.
  [[nodiscard]] bool is_within_reach(Index body, const Vec3& position) const {
    return (position - origin_[body]).squaredNorm() <= reach_[body] * reach_[body];
  }

  /// Contacts of all pairs but the persistent ones, from the candidates as they are.
  ///
  /// With foresight, contacts hold where the bodies will be. Let n be the normal of two convex
  /// shapes in their poses ahead. If it separates them now and then, no overlap deeper than the
  /// tolerance, a motion between the two poses touches nothing, whatever contacts with other
  /// normals say of it now: the side of a slab that is flush with the one on which a body slides,
  /// or a corner that is passed. The contacts ahead take their place, with
  ///   gap = gap ahead − n · (way of b − way of a at the point),
  /// so that gap + h u_N ≥ 0 keeps b beyond the plane across n, and no body gets through another.
  /// Of two that are open, and stay so all along the way and their fall though no such normal is
  /// found (one that turns past an edge of the other), the contacts that would stop the motion are
  /// left out: only what others do within the step can bring them together, which is seen after it
  /// (detect_reached). Closed is a gap up to the tolerance, as it may bear a load; held bodies stay
  /// open by the tolerance and as far as turning takes their points. Pairs of which no contact
  /// would stop the motion are left as they are. Of other shapes (meshes, compounds, pipes)
  /// contacts that would stop the motion are left out if they are not there ahead, where the two do
  /// not overlap, and neither has gone farther than the smaller of their sizes.
  /// @param still one per body: pairs of two that are still are left out; empty: none is.
  void detect_transient(const Placement& where, std::span<const Real> margin,
                        std::span<const unsigned char> still, std::vector<Contact>& contacts,
                        const std::optional<Foresight>& foresight = std::nullopt);

  /// Overlaps that a motion brings about, of the candidates as they are.
  ///
  /// Of each pair those at the end of the way. Two that go farther past each other than nearly the
  /// sum of their depths may be apart again at the end, or in each other and not seen: then those
  /// of the first place where they overlap by more than the tolerance, which is looked for in steps
  /// of their distance, or half that sum. The depth of a body is that of its thinnest part about
  /// the middle; the side of a mesh, or of a pipe without ends, has none, and what is less than
  /// half the other's depth behind it counts at the end alone.
  /// @param size half of the shortest extent, one per body [m] > 0.
  /// @param tolerance of the smaller size, > 0.
  /// @param still one per body: pairs of two that are still are left out.
  /// @param has_persistent whether persistent pairs are among them.
  /// @param reached out: ordered by (a, b, feature); persistent pairs after the others.
  void detect_reached(const Placement& start, const Placement& end, std::span<const Real> size,
                      Real tolerance, std::span<const unsigned char> still, bool has_persistent,
                      std::vector<ReachedContact>& reached);

  /// Whether two convex shapes have more than a distance [m] between them all along a way.
  ///
  /// Along a fixed normal n the way of a point is straight but for its turning, so that in a part
  /// of length σ of the way, with radii r and turns φ,
  ///   gap ≥ min(gap_n at its begin, gap_n at its end) − (r_A ‖φ_A‖² + r_B ‖φ_B‖²) σ²/8.
  /// The normal is that of the middle; parts where it proves nothing are halved.
  /// @return false also of shapes that are not convex, and where 64 parts prove nothing.
  [[nodiscard]] bool stays_clear(Pair pair, const Way& way, Real distance) const;

  [[nodiscard]] Index candidate_count() const {
    return static_cast<Index>(pairs_.size() + persistent_pairs_.size());
  }
  [[nodiscard]] Index rebuild_count() const { return rebuild_count_; }
  /// Radius of the smallest ball about the body's origin that holds its shape [m]; infinite for a
  /// plane.
  [[nodiscard]] Real radius(Index body) const { return radius_[body]; }
  /// True if the shape is a sphere centred on the body's origin.
  [[nodiscard]] bool is_centred_sphere(Index body) const {
    return kind_[body] == Kind::centred_sphere;
  }
  [[nodiscard]] bool is_plane(Index body) const { return kind_[body] == Kind::plane; }

 private:
  // Spheres among themselves and with planes are by far the most frequent pairs and need a few
  // operations only.
  enum class Kind : unsigned char { centred_sphere, plane, other };
  [[nodiscard]] bool is_up_to_date(const Placement& where, std::span<const Real> margin) const;
  [[nodiscard]] geometry::Aabb box(Index body, const Placement& where, Real margin) const;
  [[nodiscard]] bool is_persistent(Pair pair) const;
  [[nodiscard]] Real ball_gap(Pair pair, const Placement& where) const;
  void add_contacts(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                    std::vector<Contact>& contacts) const;
  void add_foreseen(Pair pair, const Placement& where, Real margin,
                    const std::optional<Foresight>& foresight,
                    std::vector<Contact>& contacts) const;
  void add_sphere_sphere(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                         std::vector<Contact>& contacts) const;
  void add_sphere_plane(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                        std::vector<Contact>& contacts) const;
  void add_pair(Pair pair, const Pose& X_WA, const Pose& X_WB, Real margin,
                std::vector<Contact>& contacts) const;
  struct ShapePoses {
    Pose X_WA, X_WB;
  };
  [[nodiscard]] ShapePoses shape_poses(Pair pair, Pose X_WA, Pose X_WB) const;
  void add_points(Pair pair, const ShapePoses& poses, Real margin,
                  std::vector<Contact>& contacts) const;
  [[nodiscard]] Way way_of(Pair pair, const Placement& start, const Placement& end) const;
  struct Passage {
    Real spacing = 0;  ///< ways up to this one are too short for it [m]
    Real overlap = 0;  ///< that shows it before the end of the way [m]
  };
  [[nodiscard]] Passage passage(Pair pair, Real tolerance) const;
  [[nodiscard]] Real add_overlaps(Pair pair, const Way& way, Real tolerance,
                                  std::vector<Contact>& contacts) const;
  void pass_along(Pair pair, const Way& way, const Foresight& foresight, Real margin,
                  std::size_t first, std::vector<Contact>& contacts) const;
  void leave_out_passed(Pair pair, const Placement& where, const Foresight& foresight,
                        std::size_t first, std::vector<Contact>& contacts) const;
  /// Two convex shapes where they are, and where they will be after a share of their way, a plane
  /// between them there, and the gaps that it leaves.
  struct Foreseen {
    ShapePoses now, ahead;
    Real share = 0, gap = 0, gap_now = 0;
    Vec3 normal = Vec3::UnitZ();
  };
  [[nodiscard]] std::optional<Foreseen> foresee(Pair pair, const Way& way, Real tolerance) const;
  void look_ahead(Pair pair, const Placement& where, const Foresight& foresight, Real margin,
                  std::size_t first, std::vector<Contact>& contacts) const;

  std::vector<Collider> colliders_;
  std::vector<Kind> kind_;
  std::vector<Real> radius_;
  std::vector<Real> depth_;  // by which others may be in a body and are still seen
  std::vector<unsigned char> is_movable_;
  PeriodicCell cell_;
  std::vector<Pair> apart_;  // sorted
  PeriodicBroadPhase broad_phase_;
  std::vector<Vec3> origin_;  // of the bodies at the last search
  std::vector<Quat> origin_orientation_;
  std::vector<Real> reach_;            // from there
  std::vector<geometry::Aabb> boxes_;  // with reach
  bool are_persistent_ = true;         // all pairs
  std::vector<Pair> found_, pairs_, persistent_pairs_;
  std::vector<std::vector<Pair>> piece_pairs_;  // by pieces of the pairs, as the others
  std::vector<std::vector<Contact>> piece_contacts_;
  std::vector<std::vector<ReachedContact>> piece_reached_;
  Index rebuild_count_ = 0;
};

}  // namespace talus::collision
