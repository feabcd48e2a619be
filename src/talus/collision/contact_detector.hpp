#pragma once

#include <span>
#include <vector>

#include <talus/collision/contact.hpp>
#include <talus/collision/pair_list.hpp>
#include <talus/geometry/shape.hpp>

namespace talus::collision {

/// What the detector knows of a body: a shape, where it sits in the body's frame, and whether
/// forces move the body.
struct Collider {
  const geometry::Shape* shape = nullptr;  ///< outlives the detector
  Pose X_BS;
  bool is_movable = true;
};

/// Finds all contacts of a set of shapes within speculative margins.
///
/// A pair is in contact where the gap is at most the sum of the two bodies' margins; pairs of
/// immovable bodies are left out. The result depends on poses and margins only, not on earlier
/// calls: the candidate pairs that are kept between calls (PairList) only save time.
class ContactDetector {
 public:
  explicit ContactDetector(std::vector<Collider> colliders);

  /// @param X_WB   poses of the bodies, finite. @param margin one per body [m] ≥ 0.
  /// @param skin   one per body [m] ≥ 0: how far a box may move before candidates are searched
  /// again.
  /// @param contacts out: ordered by (a, b, feature).
  void detect(std::span<const Pose> X_WB, std::span<const Real> margin, std::span<const Real> skin,
              std::vector<Contact>& contacts);

  [[nodiscard]] Index candidate_count() const { return candidate_count_; }
  [[nodiscard]] Index rebuild_count() const { return pair_list_.rebuild_count(); }
  /// Radius of the smallest ball about the body's origin that holds its shape [m]; infinite for a
  /// plane.
  [[nodiscard]] Real reach(Index body) const { return reach_[body]; }
  /// True if the shape is a sphere centred on the body's origin.
  [[nodiscard]] bool is_centred_sphere(Index body) const {
    return kind_[body] == Kind::centred_sphere;
  }

 private:
  // Spheres among themselves and with planes are by far the most frequent pairs and need a few
  // operations only.
  enum class Kind : unsigned char { centred_sphere, plane, other };
  void add_sphere_sphere(Pair pair, std::span<const Pose> X_WB, Real margin,
                         std::vector<Contact>& contacts) const;
  void add_sphere_plane(Pair pair, std::span<const Pose> X_WB, Real margin,
                        std::vector<Contact>& contacts) const;
  void add_manifold(Pair pair, std::span<const Pose> X_WB, Real margin,
                    std::vector<Contact>& contacts) const;

  std::vector<Collider> colliders_;
  std::vector<Kind> kind_;
  std::vector<Real> reach_;  // a sphere's radius
  std::vector<unsigned char> is_movable_;
  std::vector<geometry::Aabb> boxes_;
  PairList pair_list_;
  Index candidate_count_ = 0;
};

}  // namespace talus::collision
