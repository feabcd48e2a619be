#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/collision/periodic_broad_phase.hpp>
#include <talus/geometry/shape.hpp>
#include <talus/math/periodic_cell.hpp>

namespace talus::collision {

/// What the detector knows of a body: a shape, where it sits in the body's frame, and whether
/// forces move the body.
struct Collider {
  const geometry::Shape* shape = nullptr;  ///< outlives the detector
  Pose X_BS;
  bool is_movable = true;
  /// Whether pairs of this body with another one of the kind, both balls about their origins or one
  /// of them a plane, are left to tracked_pairs().
  bool is_tracked = false;
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

/// Finds all contacts of a set of shapes within speculative margins.
///
/// A pair is in contact where the gap is at most the sum of the two bodies' margins; pairs of
/// immovable bodies are left out. Candidates outlive a call: every body has a reach beyond its
/// surface within which they were searched, and the search is repeated when a body has used it up.
///
/// In a periodic cell a pair touches where its nearest images do; positions need not be wrapped.
/// The contact point is that beside body a, or beside the other body if that is a plane. Assumed,
/// not checked: planes have their normals across the periodic axes, and bodies with their margins
/// are so small that no two images of a pair can touch at once (model/image_slack.hpp).
class ContactDetector {
 public:
  explicit ContactDetector(std::vector<Collider> colliders, const PeriodicCell& cell = {});

  /// Contacts of all pairs. The result depends on places and margins only, not on earlier calls.
  /// @param margin one per body [m] ≥ 0. @param skin one per body [m] ≥ 0: how far a body may move
  /// beyond its margin before candidates are searched again.
  /// @param contacts out: ordered by (a, b, feature).
  void detect(const Placement& where, std::span<const Real> margin, std::span<const Real> skin,
              std::vector<Contact>& contacts);

  /// Brings the candidates up to date: searches again, with a reach of margin + skin, if some body
  /// is no longer within its reach of the last search when its margin is added to its way since, or
  /// if one has come in or gone.
  /// @return whether it has searched.
  bool update(const Placement& where, std::span<const Real> margin, std::span<const Real> skin);

  /// Where the last search saw the bodies, and the reach that it had, negative for a body that was
  /// not there; empty before the first one.
  [[nodiscard]] Placement search_place() const { return {origin_, origin_orientation_}; }
  [[nodiscard]] std::span<const Real> search_reach() const { return reach_; }
  /// Searches as search_place() and search_reach() of another detector of these shapes say: both
  /// then have the same candidates.
  void search(const Placement& where, std::span<const Real> reach);

  /// Of the last search: all pairs of tracked bodies that can touch while no body moves farther
  /// than its reach, sorted by (a, b).
  [[nodiscard]] std::span<const Pair> tracked_pairs() const { return tracked_pairs_; }
  /// True if no body of tracked pairs is farther than its reach from where the last search saw it.
  [[nodiscard]] bool is_within_reach(Index body, const Vec3& position) const {
    return (position - origin_[body]).squaredNorm() <= reach_[body] * reach_[body];
  }

  /// Contacts of all pairs but the tracked ones, from the candidates as they are.
  /// @param still one per body: pairs of two that are still are left out; empty: none is.
  void detect_untracked(const Placement& where, std::span<const Real> margin,
                        std::span<const unsigned char> still, std::vector<Contact>& contacts);

  [[nodiscard]] Index candidate_count() const {
    return static_cast<Index>(pairs_.size() + tracked_pairs_.size());
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
  [[nodiscard]] bool is_tracked(Pair pair) const;
  [[nodiscard]] Real ball_gap(Pair pair, const Placement& where) const;
  void add_contacts(Pair pair, const Placement& where, Real margin,
                    std::vector<Contact>& contacts) const;
  void add_sphere_sphere(Pair pair, const Placement& where, Real margin,
                         std::vector<Contact>& contacts) const;
  void add_sphere_plane(Pair pair, const Placement& where, Real margin,
                        std::vector<Contact>& contacts) const;
  void add_pair(Pair pair, const Placement& where, Real margin,
                std::vector<Contact>& contacts) const;

  std::vector<Collider> colliders_;
  std::vector<Kind> kind_;
  std::vector<Real> radius_;
  std::vector<unsigned char> is_movable_;
  PeriodicCell cell_;
  PeriodicBroadPhase broad_phase_;
  std::vector<Vec3> origin_;  // of the bodies at the last search
  std::vector<Quat> origin_orientation_;
  std::vector<Real> reach_;            // from there
  std::vector<geometry::Aabb> boxes_;  // with reach
  std::vector<Pair> found_, pairs_, tracked_pairs_;
  std::vector<unsigned char> verdict_;  // on the pairs found
  std::vector<std::vector<Contact>> piece_contacts_;
  Index rebuild_count_ = 0;
};

}  // namespace talus::collision
